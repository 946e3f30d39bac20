#include <simlette/version.hpp>

namespace simlette {

const char* version() {
    return SIMLETTE_VERSION;
}

}  // namespace simlette
