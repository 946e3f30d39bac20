// Promises of the code to itself, checked in every build. User input never reaches one.
#pragma once

#include <simlette/base/export.hpp>

namespace simlette {

[[noreturn]] SIMLETTE_EXPORT void broken_promise(const char* promise);

// Throws Error{internal} that names the promise. Costs one predictable branch.
constexpr void require(bool condition, const char* promise) {
    if (!condition) [[unlikely]] {
        broken_promise(promise);
    }
}

}  // namespace simlette
