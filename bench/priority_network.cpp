#include <simlette/fabric/flit_network_impl.hpp>

#include "world_run.hpp"

namespace simlette {

template class FlitNetwork<PriorityEventQueue>;

}  // namespace simlette
