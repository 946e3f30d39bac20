// Numbers that lose nothing: costs are added as fractions and rounded once.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

namespace simlette {

using Exact = boost::multiprecision::cpp_rational;

}  // namespace simlette
