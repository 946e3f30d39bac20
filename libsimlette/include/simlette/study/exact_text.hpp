// Fractions as people read them, by integer arithmetic alone.
#pragma once

#include <string>

#include <simlette/collective/exact.hpp>

namespace simlette {

std::string fraction_text(const Exact& value);  // 73/256, 3
// With so many decimals, rounded half away from zero: 0.2852
std::string decimal_text(const Exact& value, unsigned decimals);

}  // namespace simlette
