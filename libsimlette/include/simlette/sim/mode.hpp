// How a simulation is carried out, and how far its answer may be trusted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simlette {

enum class Mode {
    flit,      // every flit on every link
    message,   // runs of flits by closed forms; exact with unlimited buffers
    analytic,  // latencies and bytes over rate, each collective alone
};

struct Validity {
    bool mode_ok = true;               // the mode stays within 2 % of flit mode, as far as it can tell
    std::vector<std::string> reasons;  // why not, one sentence each
    // How far completion may be off, in millionths of it; 0: not at all. Analytic mode does not know: -1.
    std::int64_t error_ppm = 0;
};

}  // namespace simlette
