#include <simlette/fabric/flit_network_impl.hpp>

namespace simlette {

template class FlitNetwork<LaneQueue>;

}  // namespace simlette
