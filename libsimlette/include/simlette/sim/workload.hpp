// A workload as plain data: collectives and what each waits for, or synthetic traffic.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <simlette/collective/spec.hpp>
#include <simlette/sim/traffic_spec.hpp>

namespace simlette {

struct WorkloadEntry {
    std::string name;                // unique; empty: not named
    std::string group = "world";     // as the file says it
    CollectiveSpec collective;       // earliest_start counts from 0, or from the end of the last of `after`
    std::vector<std::size_t> after;  // entries before this one, by index
};

struct WorkloadSpec {
    std::vector<WorkloadEntry> collectives;
    std::optional<TrafficSpec> traffic;  // then there are no collectives
};

}  // namespace simlette
