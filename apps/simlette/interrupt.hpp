// Ctrl-C ends a computation in good order.
#pragma once

#include <atomic>

namespace simlette::program {

// From here on the first interrupt sets what is returned; the second one ends the program.
const std::atomic<bool>& catch_interrupt();

}  // namespace simlette::program
