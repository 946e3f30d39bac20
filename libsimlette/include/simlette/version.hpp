// Version of the library.
#pragma once

#include <simlette/base/export.hpp>

#define SIMLETTE_VERSION_MAJOR 0
#define SIMLETTE_VERSION_MINOR 1
#define SIMLETTE_VERSION_PATCH 0
#define SIMLETTE_VERSION "0.1.0"

namespace simlette {

// The version of the library that is linked, such as "0.1.0".
SIMLETTE_EXPORT const char* version();

}  // namespace simlette
