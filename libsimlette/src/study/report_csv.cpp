#include <fmt/format.h>

#include <utility>

#include <simlette/base/contract.hpp>
#include <simlette/base/fingerprint.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/link_measures.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/run.hpp>

namespace simlette {

namespace {

std::string field(const std::string& text) {
    return csv_field(text);
}
std::string field(std::int64_t value) {
    return std::to_string(value);
}
std::string field(std::uint64_t value) {
    return std::to_string(value);
}
std::string field(Duration duration) {
    return std::to_string(duration.ps);
}
std::string field(Time time) {
    return std::to_string(time.ps);
}
std::string field(Ratio ratio) {
    return fmt::format("{}.{:09}", ratio.billionths / 1'000'000'000, ratio.billionths % 1'000'000'000);
}

// Empty where there is none.
template <class T>
std::string field(const std::optional<T>& value) {
    return value ? field(*value) : std::string();
}

std::optional<Duration> latency(const RunReport& report, Duration LatencyPercentiles::*percentile) {
    return report.message_latency ? std::optional<Duration>((*report.message_latency).*percentile) : std::nullopt;
}

using Columns = std::vector<std::pair<std::string, std::string>>;

void add_traffic(const TrafficReport& traffic, Columns& columns) {
    const TrafficMeasures measures = measure(traffic);
    const auto latency = [&](Duration LatencySummary::*which) {
        return traffic.latency ? field((*traffic.latency).*which) : std::string();
    };
    const Columns more{{"traffic.offered", field(measures.offered)},
                       {"traffic.accepted", field(measures.accepted)},
                       {"traffic.offered_bps", field(measures.offered_rate)},
                       {"traffic.accepted_bps", field(measures.accepted_rate)},
                       {"traffic.latency_ps.mean", latency(&LatencySummary::mean)},
                       {"traffic.latency_ps.p50", latency(&LatencySummary::p50)},
                       {"traffic.latency_ps.p99", latency(&LatencySummary::p99)},
                       {"traffic.latency_ps.max", latency(&LatencySummary::max)},
                       {"traffic.measured_messages", field(traffic.measured)},
                       {"traffic.measured_delivered", field(traffic.measured_delivered)},
                       {"traffic.saturated", traffic.saturated() ? "true" : "false"},
                       {"traffic.cut", traffic.cut ? "true" : "false"}};
    columns.insert(columns.end(), more.begin(), more.end());
}

template <class T>
std::optional<T> if_counted(const RunReport& report, T value) {
    return counts_links(report) ? std::optional<T>(value) : std::nullopt;
}

// A column for each collective.
std::string shares(const RunReport& report, const LinkStatistics& link) {
    std::string text;
    auto share = link.shares.begin();
    for (std::uint32_t i = 0; report.shares_counted && i < report.collectives.size(); ++i) {
        const bool here = share != link.shares.end() && share->collective == i;
        text += fmt::format(",{}", here ? (share++)->flits : 0);
    }
    return text;
}

std::string hottest(const RunReport& report, const UseSpan::Level& level) {
    return level.most > Duration{0} ? report.links[level.hottest].name : std::string();
}

}  // namespace

std::string report_csv(const RunReport& report) {
    const RunMeasures measures = measure(report);
    Columns columns{
        {"topology", field(report.inputs.topology)},
        {"workload", field(report.inputs.workload)},
        {"mode", field(std::string(name_of(report.mode)))},
        {"engine", engine_name(report.engine)},
        {"configuration_hash", field(report.configuration_hash)},
        {"outcome", outcome_name(report.outcome)},
        {"validity.mode_ok", report.validity.mode_ok ? "true" : "false"},
        {"completion_ps", field(report.completion)},
        {"goodput_bps", field(measures.goodput)},
        {"algorithm_bandwidth_bps", field(measures.algorithm_bandwidth)},
        {"bus_bandwidth_bps", field(measures.bus_bandwidth)},
        {"message_latency_ps.p50", field(latency(report, &LatencyPercentiles::p50))},
        {"message_latency_ps.p99", field(latency(report, &LatencyPercentiles::p99))},
        {"message_latency_ps.max", field(latency(report, &LatencyPercentiles::max))},
        {"rank_finish_skew_ps", field(measures.rank_finish_skew)},
        {"links.count", field(std::uint64_t{report.links.size()})},
        {"links.busiest_bytes", field(if_counted(report, measures.busiest_link_bytes))},
        {"links.mean_utilization", field(if_counted(report, measures.mean_utilization))},
        {"links.max_utilization", field(if_counted(report, measures.max_utilization))},
        {"credits.stall_total_ps", field(if_counted(report, report.statistics.stall_total))},
        {"credits.stall_max_port_ps", field(if_counted(report, report.statistics.stall_max_port))},
        {"flits", field(report.statistics.flits)},
        {"response_flits", field(report.statistics.response_flits)},
        {"request_flits", field(report.statistics.request_flits)},
        {"events", field(report.statistics.events)},
        {"event_hash", hex_text(report.event_hash)},
        {"wall_seconds", fmt::format("{:.6f}", report.wall_seconds)},
        {"cpu_seconds", fmt::format("{:.6f}", report.cpu_seconds)},
        {"peak_rss_bytes", field(report.peak_rss_bytes)},
    };
    if (report.traffic) {
        add_traffic(*report.traffic, columns);
    }
    std::string header;
    std::string row;
    for (const auto& column : columns) {
        const char* separator = header.empty() ? "" : ",";
        header += separator + column.first;
        row += separator + column.second;
    }
    return header + '\n' + row + '\n';
}

std::string messages_csv(const RunReport& report) {
    std::string text = "collective,phase,source,destination,port,bytes,flits,injected_ps,delivered_ps\n";
    for (const MessageRecord& m : report.messages) {
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n", m.collective, m.phase, m.source,
                       m.destination, m.port, m.bytes, m.flits, m.injected.ps, m.delivered.ps);
    }
    return text;
}

std::string links_csv(const RunReport& report) {
    const Duration window = link_window(report);
    std::string text = "name,bytes,flits,utilization,stall_request_ps,stall_response_ps,queue,level,queue_mean";
    for (std::size_t i = 0; report.shares_counted && i < report.collectives.size(); ++i) {
        text += fmt::format(",flits.{}", i);
    }
    text += '\n';
    for (std::size_t id = 0; id < report.links.size(); ++id) {
        const LinkStatistics& link = report.links[id];
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}{}\n", field(link.name), link.bytes,
                       link.flits, field(utilization(link.busy, 1, window)), link.stall[0].ps, link.stall[1].ps,
                       link.queue, report.link_levels.names[report.link_levels.of[id]], field(mean_queue(report, link)),
                       shares(report, link));
    }
    return text;
}

std::string utilization_csv(const RunReport& report) {
    require(report.utilization_recorded, "utilization was recorded");
    std::string text = "start_ps,end_ps,level,mean,max,hottest\n";
    for (const UseSpan& span : report.utilization) {
        for (std::size_t i = 0; i < span.levels.size(); ++i) {
            const UseSpan::Level& level = span.levels[i];
            const Duration width = span.end - span.start;
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", span.start.ps, span.end.ps,
                           report.link_levels.names[i], field(utilization(level.busy, level.links, width)),
                           field(utilization(level.most, 1, width)), field(hottest(report, level)));
        }
    }
    return text;
}

}  // namespace simlette
