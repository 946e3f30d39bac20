// What a run costs the one who waits for it.
#pragma once

#include <chrono>
#include <cstdint>

namespace simlette {

double cpu_seconds();  // of this thread
std::int64_t peak_rss_bytes();

// Starts when it is made.
class RunClock {
public:
    double wall_seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }
    double cpu_seconds() const { return simlette::cpu_seconds() - cpu_at_start_; }

private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    double cpu_at_start_ = simlette::cpu_seconds();
};

}  // namespace simlette
