// Pictures by gnuplot, a program of its own.
#pragma once

#include <string>

namespace simlette::program {

// What gnuplot writes for a script. Throws Error{output} if it is not installed or fails.
std::string gnuplot(const std::string& script);

}  // namespace simlette::program
