#include <fmt/format.h>

#include <simlette/base/fingerprint.hpp>
#include <simlette/study/assumptions.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/measures.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/report_links.hpp>
#include <simlette/study/report_path.hpp>
#include <simlette/study/run.hpp>

namespace simlette {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string rate_or_dash(const std::optional<std::int64_t>& rate) {
    return rate ? rounded_rate_text(*rate) : "-";
}

std::string outcome_text(const RunReport& report) {
    const std::string last = time_text(report.statistics.last_delivery.ps);
    switch (report.outcome) {
        case Outcome::finished:
            return "finished";
        case Outcome::stalled:
            return "stalled since " + time_text(report.stall.since.ps);
        case Outcome::time_limit:
            return "time limit reached; last delivery at " + last;
        case Outcome::interrupted:
            return "interrupted; last delivery at " + last;
    }
    return outcome_name(report.outcome);
}

// What carried flit mode, and why it was not the sweep where it might have been.
std::string engine_text(const RunReport& report) {
    const std::string& reason = report.fallback_reason;
    return fmt::format("engine {}{}{}", engine_name(report.engine), reason.empty() ? "" : ": ", reason);
}

// Which mode it was, and why its answer may be off.
void add_mode(const RunReport& report, Rows& rows) {
    rows.push_back({"mode", std::string(name_of(report.mode)), report.mode == Mode::flit ? engine_text(report) : ""});
    const std::vector<std::string>& reasons = report.validity.reasons;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        if (i > 0) {
            rows.push_back({"", "", ""});
        }
        rows.back().back() = i == 0 ? "may be off: " + reasons[i] : reasons[i];
    }
}

std::string head(const RunReport& report) {
    const Time zero{0};
    Rows rows{{"topology", report.inputs.topology, fabric_line(report.fabric)},
              {"workload", report.inputs.workload, workload_line(report.workload)},
              {"outcome", outcome_text(report), ""}};
    if (!report.planned.empty()) {
        rows.insert(rows.begin() + 2, {"circuits", "planned first", report.planned});
    }
    add_mode(report, rows);
    if (report.outcome == Outcome::finished && !report.traffic) {
        rows.push_back({"completion", time_text(report.completion.value_or(zero).ps), ""});
    }
    return aligned(rows, 3, "");
}

std::string collectives_table(const RunReport& report) {
    Rows rows{{"collective", "primitive", "schedule", "ranks", "bytes", "phases", "start us", "end us", "skew us"}};
    for (std::size_t i = 0; i < report.collectives.size(); ++i) {
        const WorkloadEntry& entry = report.workload.collectives[i];
        const CollectiveReport& collective = report.collectives[i].collective;
        const bool ended = collective.finished;
        rows.push_back({entry_name(entry, i), std::string(name_of(entry.collective.primitive)),
                        fmt::format("{} ({})", collective.schedule, collective.form), ranks_text(entry, collective),
                        bytes_text(collective.bytes), count_text(collective.phases),
                        report.collectives[i].started ? microseconds(collective.start.ps) : "-",
                        ended ? microseconds(collective.end.ps) : "-",
                        ended ? microseconds(collective.finish_skew.ps) : "-"});
    }
    return aligned(rows, 3, "  ");
}

// What `auto-simulated` had to choose from; empty without it.
std::string trials_table(const RunReport& report) {
    Rows rows{{"collective", "schedule", "us", ""}};
    for (std::size_t i = 0; i < report.collectives.size(); ++i) {
        for (const ScheduleTrial& trial : report.collectives[i].collective.trials) {
            const std::string time = microseconds(trial.at_least.ps);
            rows.push_back({entry_name(report.workload.collectives[i], i), trial.schedule,
                            trial.takes ? time : "at least " + time, trial.chosen ? "chosen" : ""});
            if (!trial.takes) {
                rows.back().back() += (trial.chosen ? ": " : "") + trial.reason;
            }
        }
    }
    return rows.size() == 1 ? "" : "schedules tried\n" + aligned(rows, 2, "  ");
}

// A line for each entry that many groups ran at the same time.
std::string groups_table(const RunReport& report) {
    Rows rows;
    for (std::size_t i = 0; i < report.collectives.size(); ++i) {
        const WorkloadEntry& entry = report.workload.collectives[i];
        const CollectiveReport& collective = report.collectives[i].collective;
        if (!entry.on_axis()) {
            continue;
        }
        rows.push_back(
            {entry_name(entry, i), fmt::format("{} groups of {}", collective.groups, entry.group),
             collective.finished
                 ? fmt::format("ended from {} to {} us; slowest {}", microseconds(collective.first_group_end.ps),
                               microseconds(collective.end.ps), group_text(entry, collective.slowest_group))
                 : "not ended",
             fmt::format("calls {}", count_text(entry.calls))});
    }
    return rows.empty() ? "" : aligned(rows, 4, "  ") + '\n';
}

std::string traffic_text(const NetworkStatistics& statistics) {
    const auto counted = [](std::int64_t number, const char* what) {
        return fmt::format("{} {}{}", count_text(static_cast<std::uint64_t>(number)), what, number == 1 ? "" : "s");
    };
    std::string text = counted(statistics.flits, "flit");
    if (statistics.port_messages > 0) {
        text += " in " + counted(statistics.port_messages, "port-message");
    }
    if (statistics.request_flits > 0) {
        text += ", " + counted(statistics.request_flits, "request flit");
    }
    if (statistics.response_flits > 0) {
        text += ", " + counted(statistics.response_flits, "response flit");
    }
    return text;
}

void add_links(const RunReport& report, const RunMeasures& measures, Rows& rows) {
    rows.push_back({"links", fmt::format("{} directed; busiest {}; utilization {} mean, {} most",
                                         count_text(report.links.size()), bytes_text({measures.busiest_link_bytes}),
                                         percent_text(measures.mean_utilization.billionths),
                                         percent_text(measures.max_utilization.billionths))});
    rows.push_back(
        {"credits", fmt::format("stalled {} in all, {} at the worst port", time_text(report.statistics.stall_total.ps),
                                time_text(report.statistics.stall_max_port.ps))});
}

std::string traffic_table(const RunReport& report) {
    const RunMeasures measures = measure(report);
    const NetworkStatistics& statistics = report.statistics;
    Rows rows{{"traffic", traffic_text(statistics)}, {"goodput", rate_or_dash(measures.goodput)}};
    if (!report.traffic) {
        rows.push_back({"bandwidth", fmt::format("{} algorithm, {} bus", rate_or_dash(measures.algorithm_bandwidth),
                                                 rate_or_dash(measures.bus_bandwidth))});
    }
    if (counts_links(report)) {
        add_links(report, measures, rows);
    }
    if (report.message_latency) {
        rows.push_back(
            {"messages",
             fmt::format("latency {} p50, {} p99, {} most", time_text(report.message_latency->p50.ps),
                         time_text(report.message_latency->p99.ps), time_text(report.message_latency->max.ps))});
    }
    rows.push_back(
        {"simulator", fmt::format("{} events in {:.3f} s, {} MiB, event hash {}", count_text(statistics.events),
                                  report.wall_seconds, report.peak_rss_bytes >> 20, hex_text(report.event_hash))});
    return aligned(rows, 2, "");
}

std::string share_text(const std::optional<Ratio>& share, const std::optional<std::int64_t>& rate) {
    return share ? fmt::format("{} of the injection rate, {}", percent_text(share->billionths), rate_or_dash(rate))
                 : "-";
}

std::string waiting_text(const TrafficReport& traffic) {
    return fmt::format("{} at the start of the window, {} at its end{}", bytes_text(traffic.waiting_at_start),
                       bytes_text(traffic.waiting_at_end),
                       traffic.saturated() ? ": saturated, latencies grow with the time that is measured" : "");
}

std::string measured_text(const TrafficReport& traffic) {
    const auto count = [](std::int64_t messages) { return count_text(static_cast<std::uint64_t>(messages)); };
    const std::int64_t missing = traffic.measured - traffic.measured_delivered;
    const std::string left = missing == 0 ? std::string(", all delivered")
                                          : fmt::format(", {} not delivered{}: latencies are without them",
                                                        count(missing), traffic.cut ? " when the run was cut" : "");
    return fmt::format("{} messages{}; {} created in all, {} under way at the end", count(traffic.measured), left,
                       count(traffic.created), count(traffic.created - traffic.delivered));
}

std::string load_table(const TrafficReport& traffic) {
    const TrafficMeasures measures = measure(traffic);
    Rows rows{{"window", fmt::format("{} to {}", time_text(traffic.window_start.ps), time_text(traffic.window_end.ps))},
              {"offered", share_text(measures.offered, measures.offered_rate)},
              {"accepted", share_text(measures.accepted, measures.accepted_rate)}};
    if (traffic.latency) {
        rows.push_back(
            {"latency", fmt::format("{} mean, {} p50, {} p99, {} most, from creation",
                                    time_text(traffic.latency->mean.ps), time_text(traffic.latency->p50.ps),
                                    time_text(traffic.latency->p99.ps), time_text(traffic.latency->max.ps))});
    }
    rows.push_back({"measured", measured_text(traffic)});
    rows.push_back({"waiting", waiting_text(traffic)});
    return aligned(rows, 2, "");
}

std::string footers(const RunReport& report) {
    std::string text = "assumed:\n";
    for (const Assumption& assumption : assumptions_of(report.fabric)) {
        text += fmt::format("  {} ({}): {}; favours {}\n", assumption.id, assumption.value, assumption.text,
                            assumption.favours);
    }
    return text;
}

}  // namespace

std::string stall_text(const RunReport& report) {
    std::string text = report.stall.text + '\n';
    for (const BlockedPort& port : report.stall.cycle) {
        text += fmt::format("  {} {} waits for {}\n", port.port, name_of(port.channel), port.waits_for);
    }
    return text;
}

std::string report_table(const RunReport& report) {
    std::string text = head(report) + '\n';
    text += (report.traffic ? load_table(*report.traffic) : collectives_table(report)) + '\n' + groups_table(report);
    if (report.outcome == Outcome::stalled) {
        text += stall_text(report) + '\n';
    }
    for (const std::string& table : {trials_table(report), parts_table(report), phases_table(report)}) {
        text += table.empty() ? table : table + '\n';
    }
    text += traffic_table(report) + '\n';
    const std::string links = counts_links(report) ? links_table(report) : std::string();
    return text + (links.empty() ? links : links + '\n') + footers(report);
}

}  // namespace simlette
