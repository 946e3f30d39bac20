// How evenly the links of a run were used, level by level, and which were used most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/study/measures.hpp>

namespace simlette {

// The links of one level together.
struct LevelMeasures {
    std::string name;
    std::int64_t links = 0;
    std::int64_t bytes = 0;
    std::uint32_t busiest = 0;  // the link with the most bytes, of equal ones the first
    std::int64_t busiest_bytes = 0;
    std::optional<Ratio> hot_spot;  // busiest_bytes over the mean of the level, 1: even; none if nothing was sent
    Ratio mean_utilization;
    Ratio max_utilization;
    std::int64_t queue = 0;               // the largest of any link
    std::optional<Ratio> queue_mean;      // flits, over links and time; in flit mode
    Duration stall{0};                    // of all links and channels
    std::vector<CollectiveFlits> shares;  // of all links, by collective, ascending; if counted
};

// Requires: counts_links(report).
std::vector<LevelMeasures> measure_levels(const RunReport& report);

// The links with the highest utilization, of equal ones the first. Those that sent nothing are left out.
std::vector<std::uint32_t> hot_links(const RunReport& report, std::size_t most);

// The time-weighted mean number of flits that waited; in flit mode.
std::optional<Ratio> mean_queue(const RunReport& report, const LinkStatistics& link);

inline constexpr std::size_t most_hot_links = 5;

}  // namespace simlette
