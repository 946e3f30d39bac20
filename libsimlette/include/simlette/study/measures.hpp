// Rates and ratios of a run, derived from its counters by integer arithmetic alone, so that they print the same
// anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <simlette/study/run.hpp>

namespace simlette {

// A share in parts per billion, rounded down.
struct Ratio {
    std::int64_t billionths = 0;

    // The double nearest to it.
    double value() const { return static_cast<double>(billionths) / 1e9; }
};

struct RunMeasures {
    std::optional<std::int64_t> goodput;              // bits/s; none before the first delivery
    std::optional<std::int64_t> algorithm_bandwidth;  // bits/s; only of a finished run of one collective
    std::optional<std::int64_t> bus_bandwidth;        // bits/s; as above
    std::int64_t busiest_link_bytes = 0;
    Ratio mean_utilization;
    Ratio max_utilization;
    Duration rank_finish_skew;  // the largest of any collective that ended
};

// From the start of the first flit to the last delivery; 0 before the first delivery.
Duration traffic_window(const NetworkStatistics& statistics);

// From the first flit to the last delivery, or to where a run that was cut short stopped. Responses may be on their way
// after that, so a link is busy for at most all of it.
Duration link_window(const RunReport& report);

Ratio utilization(Duration busy, std::int64_t links, Duration window);

// A part of a critical path by the name that results use.
struct NamedPart {
    const char* name;
    Duration time;
};

std::array<NamedPart, 8> named_parts(const TimeParts& parts);

// Analytic mode sends nothing over links: it has no counters of links and credits.
bool counts_links(const RunReport& report);

RunMeasures measure(const RunReport& report);

// Of synthetic traffic in its window; none in a window of no length.
struct TrafficMeasures {
    std::optional<std::int64_t> offered_rate;  // bits/s, of all ranks together
    std::optional<std::int64_t> accepted_rate;
    std::optional<Ratio> offered;  // of the injection rate
    std::optional<Ratio> accepted;
};

TrafficMeasures measure(const TrafficReport& traffic);

}  // namespace simlette
