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

// What carries flit mode. Both give the same results to the picosecond.
enum class Engine {
    automatic,  // the sweep where it can
    reference,  // an event for each flit
    sweep,      // window by window, runs of flits at a time
};

struct Validity {
    static constexpr std::int64_t unknown_error = -1;

    // Flit mode: always. Message mode: every time is that of flit mode. Analytic mode: nothing happened that it is
    // known to leave out; flits that are rounded up and stored in switches, and contention within a collective, always
    // are.
    bool mode_ok = true;
    std::vector<std::string> reasons;  // why not, a sentence each
    std::int64_t error_ppm = 0;        // estimate of the error of completion, in millionths, mostly too high
};

}  // namespace simlette
