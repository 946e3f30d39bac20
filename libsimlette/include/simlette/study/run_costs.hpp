// What a run costs the one who waits for it.
#pragma once

#include <chrono>
#include <cstdint>

namespace simlette {

std::int64_t peak_rss_bytes();

// Starts when it is made.
class RunClock {
public:
    // Of a run on so many threads: CPU time is that of its one thread, or of the process.
    explicit RunClock(unsigned threads) : whole_process_(threads > 1), cpu_at_start_(cpu_now()) {}

    double wall_seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }
    double cpu_seconds() const { return cpu_now() - cpu_at_start_; }

private:
    double cpu_now() const;

    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    bool whole_process_;
    double cpu_at_start_;
};

}  // namespace simlette
