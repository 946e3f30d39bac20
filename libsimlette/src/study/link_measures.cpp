#include <simlette/study/link_measures.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

// Sums over 2^32 links of values below 2^63, times a billion, stay below 2^126.
__extension__ using Wide = __int128;

Ratio ratio(Wide part, Wide whole) {
    const Wide billionths = part * 1'000'000'000 / whole;
    return {static_cast<std::int64_t>(std::min(billionths, Wide{INT64_MAX}))};
}

struct LevelSums {
    LevelMeasures measures;
    Duration busy{0};
    Duration busiest{0};
    Wide waited = 0;
};

void add_shares(const std::vector<CollectiveFlits>& more, std::vector<CollectiveFlits>& shares) {
    for (const CollectiveFlits& one : more) {
        const auto found = std::lower_bound(
            shares.begin(), shares.end(), one.collective,
            [](const CollectiveFlits& share, std::uint32_t collective) { return share.collective < collective; });
        if (found != shares.end() && found->collective == one.collective) {
            found->flits += one.flits;
        } else {
            shares.insert(found, one);
        }
    }
}

void add(const LinkStatistics& link, std::uint32_t id, LevelSums& level) {
    LevelMeasures& measures = level.measures;
    if (measures.links == 0 || link.bytes > measures.busiest_bytes) {
        measures.busiest = id;
        measures.busiest_bytes = link.bytes;
    }
    ++measures.links;
    measures.bytes += link.bytes;
    measures.queue = std::max(measures.queue, link.queue);
    measures.stall += link.stall[0] + link.stall[1];
    add_shares(link.shares, measures.shares);
    level.busy += link.busy;
    level.busiest = std::max(level.busiest, link.busy);
    level.waited += link.waited.ps;
}

LevelMeasures finished(const LevelSums& level, const RunReport& report) {
    const Duration window = link_window(report);
    LevelMeasures measures = level.measures;
    measures.mean_utilization = utilization(level.busy, measures.links, window);
    measures.max_utilization = utilization(level.busiest, 1, window);
    if (measures.bytes > 0) {
        measures.hot_spot = ratio(Wide{measures.busiest_bytes} * measures.links, measures.bytes);
    }
    if (report.mode == Mode::flit) {
        measures.queue_mean = window.ps > 0 ? ratio(level.waited, Wide{window.ps} * measures.links) : Ratio{};
    }
    return measures;
}

}  // namespace

std::vector<LevelMeasures> measure_levels(const RunReport& report) {
    require(report.link_levels.of.size() == report.links.size(), "every link has a level");
    std::vector<LevelSums> sums(report.link_levels.names.size());
    for (std::uint32_t id = 0; id < report.links.size(); ++id) {
        add(report.links[id], id, sums[report.link_levels.of[id]]);
    }
    std::vector<LevelMeasures> levels;
    for (std::size_t level = 0; level < sums.size(); ++level) {
        levels.push_back(finished(sums[level], report));
        levels.back().name = report.link_levels.names[level];
    }
    return levels;
}

std::vector<std::uint32_t> hot_links(const RunReport& report, std::size_t most) {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 0; id < report.links.size(); ++id) {
        if (report.links[id].flits > 0) {
            ids.push_back(id);
        }
    }
    std::stable_sort(ids.begin(), ids.end(), [&report](std::uint32_t a, std::uint32_t b) {
        return report.links[a].busy > report.links[b].busy;
    });
    ids.resize(std::min(ids.size(), most));
    return ids;
}

std::optional<Ratio> mean_queue(const RunReport& report, const LinkStatistics& link) {
    const Duration window = link_window(report);
    if (report.mode != Mode::flit) {
        return std::nullopt;
    }
    return window.ps > 0 ? ratio(link.waited.ps, window.ps) : Ratio{};
}

}  // namespace simlette
