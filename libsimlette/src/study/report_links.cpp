#include <fmt/format.h>

#include <algorithm>

#include <simlette/study/describe.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/link_measures.hpp>
#include <simlette/study/report_links.hpp>

namespace simlette {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Two decimals, rounded down.
std::string decimal(Ratio ratio) {
    return fmt::format("{}.{:02}", ratio.billionths / 1'000'000'000, ratio.billionths % 1'000'000'000 / 10'000'000);
}

std::string decimal_or_dash(const std::optional<Ratio>& ratio) {
    return ratio ? decimal(*ratio) : "-";
}

std::string level_table(const RunReport& report, const std::vector<LevelMeasures>& levels) {
    Rows rows{{"links", "count", "bytes", "mean use", "most use", "hot spot", "mean queue", "most queue", "stalled us",
               "busiest"}};
    for (const LevelMeasures& level : levels) {
        const auto count = [](std::int64_t n) { return count_text(static_cast<std::uint64_t>(n)); };
        rows.push_back({level.name, count(level.links), bytes_text({level.bytes}),
                        percent_text(level.mean_utilization.billionths), percent_text(level.max_utilization.billionths),
                        decimal_or_dash(level.hot_spot), decimal_or_dash(level.queue_mean), count(level.queue),
                        microseconds(level.stall.ps), level.bytes > 0 ? report.links[level.busiest].name : "-"});
    }
    return "links by level (hot spot: bytes of the busiest link over the mean of its level, 1.00 is even)\n" +
           aligned(rows, 1, "  ");
}

// A level is even as long as its busiest link has at most a tenth more than the mean.
bool is_uneven(const LevelMeasures& level) {
    return level.hot_spot && level.hot_spot->billionths > 1'100'000'000;
}

// The collectives with the most flits on a link, and their shares.
std::string shares_text(const RunReport& report, const LinkStatistics& link) {
    std::vector<CollectiveFlits> shares = link.shares;
    std::stable_sort(shares.begin(), shares.end(),
                     [](const CollectiveFlits& a, const CollectiveFlits& b) { return a.flits > b.flits; });
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(shares.size(), most); ++i) {
        const Ratio share = utilization(Duration{shares[i].flits}, 1, Duration{link.flits});
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                            entry_name(report.workload.collectives[shares[i].collective], shares[i].collective),
                            percent_text(share.billionths));
    }
    return shares.size() > most ? text + fmt::format(", {} more", shares.size() - most) : text;
}

std::string hot_table(const RunReport& report) {
    Rows rows{{"link", "level", "use", "bytes", "mean queue", "most queue", "stalled us"}};
    if (report.shares_counted) {
        rows.back().emplace_back("whose flits");
    }
    for (const std::uint32_t id : hot_links(report, most_hot_links)) {
        const LinkStatistics& link = report.links[id];
        rows.push_back({link.name, report.link_levels.names[report.link_levels.of[id]],
                        percent_text(utilization(link.busy, 1, link_window(report)).billionths),
                        bytes_text({link.bytes}), decimal_or_dash(mean_queue(report, link)),
                        count_text(static_cast<std::uint64_t>(link.queue)),
                        microseconds((link.stall[0] + link.stall[1]).ps)});
        if (report.shares_counted) {
            rows.back().push_back(shares_text(report, link));
        }
    }
    return "hottest links\n" + aligned(rows, 2, "  ");
}

}  // namespace

std::string links_table(const RunReport& report) {
    const std::vector<LevelMeasures> levels = measure_levels(report);
    std::string text = levels.size() > 1 ? level_table(report, levels) : std::string();
    if (report.shares_counted || std::any_of(levels.begin(), levels.end(), is_uneven)) {
        text += (text.empty() ? "" : "\n") + hot_table(report);
    }
    return text;
}

}  // namespace simlette
