#include <algorithm>

#include <simlette/study/measures.hpp>

namespace simlette {

namespace {

// Bytes up to 2^50 times bits, picoseconds of a second and twice the ranks stay below 2^112.
__extension__ using Wide = __int128;

// bytes * 8 * times / over per second of `window`, rounded down.
std::optional<std::int64_t> bits_per_second(std::int64_t bytes, Duration window, std::int64_t times = 1,
                                            std::int64_t over = 1) {
    if (window.ps <= 0) {
        return std::nullopt;
    }
    const Wide bits = Wide{bytes} * 8 * times * ps_per_second;
    return static_cast<std::int64_t>(bits / (Wide{window.ps} * over));
}

void measure_links(const RunReport& report, RunMeasures& measures) {
    const Duration window = link_window(report);
    Duration busy{0};
    Duration busiest{0};
    for (const LinkStatistics& link : report.links) {
        busy += link.busy;
        busiest = std::max(busiest, link.busy);
        measures.busiest_link_bytes = std::max(measures.busiest_link_bytes, link.bytes);
    }
    measures.mean_utilization = utilization(busy, static_cast<std::int64_t>(report.links.size()), window);
    measures.max_utilization = utilization(busiest, 1, window);
}

// How often every rank must send, or receive, what the others have of its buffer; 0: the buffer moves as a whole.
std::int64_t moved_by_all(Primitive primitive) {
    switch (primitive) {
        case Primitive::all_reduce:
            return 2;
        case Primitive::all_to_all:
        case Primitive::all_gather:
        case Primitive::reduce_scatter:
            return 1;
        case Primitive::broadcast:
        case Primitive::send_recv:
            break;
    }
    return 0;
}

// In the sense of the NCCL tests: bytes over time, and that times the share of the bytes that every rank must move.
void measure_bandwidth(const RunReport& report, RunMeasures& measures) {
    if (report.outcome != Outcome::finished || report.collectives.size() != 1) {
        return;
    }
    const CollectiveReport& collective = report.collectives.front().collective;
    const Duration time = collective.end - collective.start;
    measures.algorithm_bandwidth = bits_per_second(collective.bytes.count, time);
    const CollectiveSpec& spec = report.workload.collectives.front().collective;
    // A table of sizes leaves out what a rank has for itself: all of it must move.
    const std::int64_t times = spec.sizes ? 0 : moved_by_all(spec.primitive);
    const std::int64_t n = collective.ranks;
    measures.bus_bandwidth =
        times == 0 ? measures.algorithm_bandwidth : bits_per_second(collective.bytes.count, time, times * (n - 1), n);
}

}  // namespace

Duration traffic_window(const NetworkStatistics& statistics) {
    return statistics.flits == 0 ? Duration{0} : statistics.last_delivery - statistics.first_injection;
}

Duration link_window(const RunReport& report) {
    const NetworkStatistics& statistics = report.statistics;
    const Duration window = traffic_window(statistics);
    const bool cut =
        (report.outcome != Outcome::finished || report.traffic) && statistics.first_injection < report.ended;
    return cut ? std::max(window, report.ended - statistics.first_injection) : window;
}

Ratio utilization(Duration busy, std::int64_t links, Duration window) {
    if (links == 0 || window.ps <= 0) {
        return {};
    }
    const Wide billionths = Wide{busy.ps} * 1'000'000'000 / (Wide{window.ps} * links);
    return {static_cast<std::int64_t>(std::min(billionths, Wide{1'000'000'000}))};
}

std::array<NamedPart, 8> named_parts(const TimeParts& parts) {
    return {{{"endpoint", parts.endpoint},
             {"protocol", parts.protocol},
             {"propagation", parts.propagation},
             {"switch", parts.switching},
             {"serialization", parts.serialization},
             {"credit_stall", parts.credit_stall},
             {"contention", parts.contention},
             {"wait", parts.wait}}};
}

bool counts_links(const RunReport& report) {
    return report.mode != Mode::analytic;
}

RunMeasures measure(const RunReport& report) {
    RunMeasures measures;
    measures.goodput = bits_per_second(report.statistics.payload_bytes, traffic_window(report.statistics));
    measure_bandwidth(report, measures);
    measure_links(report, measures);
    for (const EntryReport& entry : report.collectives) {
        if (entry.collective.finished) {
            measures.rank_finish_skew = std::max(measures.rank_finish_skew, entry.collective.finish_skew);
        }
    }
    return measures;
}

namespace {

std::optional<Ratio> share_of_rate(std::optional<std::int64_t> rate, BitRate whole) {
    if (!rate) {
        return std::nullopt;
    }
    return Ratio{static_cast<std::int64_t>(Wide{*rate} * 1'000'000'000 / whole.per_second)};
}

}  // namespace

TrafficMeasures measure(const TrafficReport& traffic) {
    const Duration window = traffic.window_end - traffic.window_start;
    TrafficMeasures measures;
    measures.offered_rate = bits_per_second(traffic.offered.count, window);
    measures.accepted_rate = bits_per_second(traffic.accepted.count, window);
    measures.offered = share_of_rate(measures.offered_rate, traffic.injection_rate);
    measures.accepted = share_of_rate(measures.accepted_rate, traffic.injection_rate);
    return measures;
}

}  // namespace simlette
