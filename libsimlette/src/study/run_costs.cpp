#include <simlette/study/run_costs.hpp>

#include <sys/resource.h>

#include <ctime>

namespace simlette {

double RunClock::cpu_now() const {
    timespec spent{};
    clock_gettime(whole_process_ ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

std::int64_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * std::int64_t{1024};
}

}  // namespace simlette
