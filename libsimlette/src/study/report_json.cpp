#include <nlohmann/json.hpp>

#include <simlette/base/fingerprint.hpp>
#include <simlette/study/assumptions.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/link_measures.hpp>
#include <simlette/study/measures.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/run.hpp>
#include <simlette/version.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json number_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json stall_json(const RunReport& report) {
    if (report.outcome != Outcome::stalled) {
        return nullptr;
    }
    Json cycle = Json::array();
    for (const BlockedPort& port : report.stall.cycle) {
        cycle.push_back({{"port", port.port}, {"channel", name_of(port.channel)}, {"waits_for", port.waits_for}});
    }
    return {{"since_ps", report.stall.since.ps}, {"text", report.stall.text}, {"cycle", cycle}};
}

Json assumptions_json(const FabricSpec& fabric) {
    Json list = Json::array();
    for (const Assumption& assumption : assumptions_of(fabric)) {
        list.push_back({{"id", assumption.id},
                        {"text", assumption.text},
                        {"value", assumption.value},
                        {"source", assumption.source},
                        {"favours", assumption.favours}});
    }
    return list;
}

Json parts_json(const TimeParts& parts) {
    Json json;
    for (const NamedPart& part : named_parts(parts)) {
        json[part.name] = part.time.ps;
    }
    return json;
}

Json hop_json(const PathHop& hop) {
    Json rivals = Json::array();
    for (const PathHop::Rival& rival : hop.rivals) {
        rivals.push_back({{"collective", rival.collective},
                          {"source", rival.source},
                          {"destination", rival.destination},
                          {"answer", rival.answer},
                          {"flits", rival.flits}});
    }
    return {{"port", hop.port},
            {"channel", name_of(hop.channel)},
            {"ready_ps", hop.ready.ps},
            {"left_ps", hop.left.ps},
            {"own_ps", hop.own.ps},
            {"contention_ps", hop.contention.ps},
            {"credit_stall_ps", hop.credit_stall.ps},
            {"flit_time_ps", hop.flit_time.ps},
            {"latency_ps", hop.latency.ps},
            {"rivals", rivals}};
}

Json path_json(const std::vector<PathStep>& path) {
    Json steps = Json::array();
    for (const PathStep& step : path) {
        Json hops = Json::array();
        for (const PathHop& hop : step.hops) {
            hops.push_back(hop_json(hop));
        }
        steps.push_back({{"phase", step.phase},
                         {"source", step.source},
                         {"destination", step.destination},
                         {"port", step.port},
                         {"ready_ps", step.ready.ps},
                         {"delivered_ps", step.delivered.ps},
                         {"hops", hops}});
    }
    return steps;
}

Json trials_json(const std::vector<ScheduleTrial>& trials) {
    Json list = Json::array();
    for (const ScheduleTrial& trial : trials) {
        list.push_back({{"schedule", trial.schedule},
                        {"takes_ps", trial.takes ? Json(trial.takes->ps) : Json(nullptr)},
                        {"at_least_ps", trial.at_least.ps},
                        {"reason", trial.takes ? Json(nullptr) : Json(trial.reason)},
                        {"chosen", trial.chosen}});
    }
    return list;
}

// How the groups of an axis differ.
Json groups_json(const WorkloadEntry& entry, const CollectiveReport& collective) {
    Json json{{"count", collective.groups}, {"slowest", nullptr}, {"first_end_ps", nullptr}, {"last_end_ps", nullptr}};
    if (collective.finished) {
        json["slowest"] = group_text(entry, collective.slowest_group);
        json["first_end_ps"] = collective.first_group_end.ps;
        json["last_end_ps"] = collective.end.ps;
    }
    return json;
}

Json collective_json(const WorkloadEntry& entry, const EntryReport& report) {
    const CollectiveReport& collective = report.collective;
    const Json nothing = nullptr;
    return {{"id", collective.id},
            {"name", entry.name.empty() ? nothing : Json(entry.name)},
            {"primitive", name_of(entry.collective.primitive)},
            {"schedule", collective.schedule},
            {"form", collective.form},
            {"group", entry.group},
            {"ranks", collective.ranks},
            {"bytes", collective.bytes.count},
            {"phases", collective.phases},
            {"start_ps", report.started ? Json(collective.start.ps) : nothing},
            {"end_ps", collective.finished ? Json(collective.end.ps) : nothing},
            {"finish_skew_ps", collective.finished ? Json(collective.finish_skew.ps) : nothing},
            {"critical_path_ps", collective.explained ? parts_json(collective.critical_path) : nothing}};
}

Json collectives_json(const RunReport& report) {
    Json list = Json::array();
    for (std::size_t i = 0; i < report.collectives.size(); ++i) {
        const EntryReport& entry = report.collectives[i];
        const WorkloadEntry& asked = report.workload.collectives[i];
        list.push_back(collective_json(asked, entry));
        if (!entry.collective.trials.empty()) {
            list.back()["trials"] = trials_json(entry.collective.trials);
        }
        if (asked.on_axis() || asked.calls != 1) {
            list.back()["calls"] = asked.calls;
        }
        if (asked.on_axis()) {
            list.back()["groups"] = groups_json(asked, entry.collective);
        }
        if (report.explained) {
            list.back()["critical_path"] = entry.path.empty() ? Json(nullptr) : path_json(entry.path);
        }
    }
    return list;
}

Json latency_json(const std::optional<LatencyPercentiles>& latency) {
    if (!latency) {
        return {{"p50", nullptr}, {"p99", nullptr}, {"max", nullptr}};
    }
    return {{"p50", latency->p50.ps}, {"p99", latency->p99.ps}, {"max", latency->max.ps}};
}

Json ratio_json(const std::optional<Ratio>& ratio) {
    return ratio ? Json(ratio->value()) : Json(nullptr);
}

Json shares_json(const std::vector<CollectiveFlits>& shares) {
    Json list = Json::array();
    for (const CollectiveFlits& share : shares) {
        list.push_back({{"collective", share.collective}, {"flits", share.flits}});
    }
    return list;
}

Json levels_json(const RunReport& report) {
    Json list = Json::array();
    for (const LevelMeasures& level : measure_levels(report)) {
        list.push_back({{"name", level.name},
                        {"links", level.links},
                        {"bytes", level.bytes},
                        {"mean_utilization", level.mean_utilization.value()},
                        {"max_utilization", level.max_utilization.value()},
                        {"busiest", report.links[level.busiest].name},
                        {"busiest_bytes", level.busiest_bytes},
                        {"hot_spot", ratio_json(level.hot_spot)},
                        {"queue", level.queue},
                        {"queue_mean", ratio_json(level.queue_mean)},
                        {"stall_ps", level.stall.ps}});
        if (report.shares_counted) {
            list.back()["collectives"] = shares_json(level.shares);
        }
    }
    return list;
}

Json hot_links_json(const RunReport& report) {
    Json list = Json::array();
    for (const std::uint32_t id : hot_links(report, most_hot_links)) {
        const LinkStatistics& link = report.links[id];
        list.push_back({{"name", link.name},
                        {"level", report.link_levels.names[report.link_levels.of[id]]},
                        {"bytes", link.bytes},
                        {"utilization", utilization(link.busy, 1, link_window(report)).value()},
                        {"queue", link.queue},
                        {"queue_mean", ratio_json(mean_queue(report, link))},
                        {"stall_ps", (link.stall[0] + link.stall[1]).ps}});
        if (report.shares_counted) {
            list.back()["collectives"] = shares_json(link.shares);
        }
    }
    return list;
}

Json over_time_json(const RunReport& report) {
    Json list = Json::array();
    for (const UseSpan& span : report.utilization) {
        Json levels = Json::array();
        const Duration width = span.end - span.start;
        for (std::size_t i = 0; i < span.levels.size(); ++i) {
            const UseSpan::Level& level = span.levels[i];
            const bool idle = level.most == Duration{0};
            levels.push_back({{"name", report.link_levels.names[i]},
                              {"mean_utilization", utilization(level.busy, level.links, width).value()},
                              {"max_utilization", utilization(level.most, 1, width).value()},
                              {"hottest", idle ? Json(nullptr) : Json(report.links[level.hottest].name)}});
        }
        list.push_back({{"start_ps", span.start.ps}, {"end_ps", span.end.ps}, {"levels", levels}});
    }
    return list;
}

Json summary_json(const std::optional<LatencySummary>& latency) {
    if (!latency) {
        return {{"mean", nullptr}, {"p50", nullptr}, {"p99", nullptr}, {"max", nullptr}};
    }
    return {{"mean", latency->mean.ps}, {"p50", latency->p50.ps}, {"p99", latency->p99.ps}, {"max", latency->max.ps}};
}

Json traffic_json(const TrafficSpec& spec, const TrafficReport& traffic) {
    const TrafficMeasures measures = measure(traffic);
    return {{"pattern", name_of(spec.pattern)},
            {"ranks", traffic.ranks},
            {"injection_rate_bps", traffic.injection_rate.per_second},
            {"window_start_ps", traffic.window_start.ps},
            {"window_end_ps", traffic.window_end.ps},
            {"offered", ratio_json(measures.offered)},
            {"accepted", ratio_json(measures.accepted)},
            {"offered_bps", number_or_null(measures.offered_rate)},
            {"accepted_bps", number_or_null(measures.accepted_rate)},
            {"latency_ps", summary_json(traffic.latency)},
            {"network_latency_ps", summary_json(traffic.network_latency)},
            {"measured_messages", traffic.measured},
            {"measured_delivered", traffic.measured_delivered},
            {"created_messages", traffic.created},
            {"delivered_messages", traffic.delivered},
            {"in_flight_messages", traffic.created - traffic.delivered},
            {"waiting_bytes", {{"start", traffic.waiting_at_start.count}, {"end", traffic.waiting_at_end.count}}},
            {"saturated", traffic.saturated()},
            {"cut", traffic.cut}};
}

void add_measures(const RunReport& report, Json& json) {
    const RunMeasures measures = measure(report);
    json["completion_ps"] = report.completion ? Json(report.completion->ps) : Json(nullptr);
    json["collectives"] = collectives_json(report);
    if (report.traffic) {
        json["traffic"] = traffic_json(*report.workload.traffic, *report.traffic);
    }
    json["goodput_bps"] = number_or_null(measures.goodput);
    json["algorithm_bandwidth_bps"] = number_or_null(measures.algorithm_bandwidth);
    json["bus_bandwidth_bps"] = number_or_null(measures.bus_bandwidth);
    json["message_latency_ps"] = latency_json(report.message_latency);
    json["rank_finish_skew_ps"] = measures.rank_finish_skew.ps;
    const auto if_counted = [&report](const Json& value) { return counts_links(report) ? value : Json(nullptr); };
    json["links"] = {{"count", report.links.size()},
                     {"busiest_bytes", if_counted(measures.busiest_link_bytes)},
                     {"mean_utilization", if_counted(measures.mean_utilization.value())},
                     {"max_utilization", if_counted(measures.max_utilization.value())},
                     {"levels", counts_links(report) ? levels_json(report) : Json(nullptr)},
                     {"hot", counts_links(report) ? hot_links_json(report) : Json(nullptr)}};
    if (report.utilization_recorded) {
        json["links"]["over_time"] = over_time_json(report);
    }
    json["credits"] = {{"stall_total_ps", if_counted(report.statistics.stall_total.ps)},
                       {"stall_max_port_ps", if_counted(report.statistics.stall_max_port.ps)}};
}

Json validity_json(const Validity& validity) {
    Json json{{"mode_ok", validity.mode_ok}, {"reasons", validity.reasons}};
    if (!validity.mode_ok && validity.error_ppm != Validity::unknown_error) {
        json["error_estimate"] = static_cast<double>(validity.error_ppm) / 1e6;
    }
    return json;
}

Json run_json(const RunReport& report) {
    Json json;
    json["simlette"] = {{"version", version()}, {"schema", 1}};
    json["mode"] = name_of(report.mode);
    json["engine"] = engine_name(report.engine);
    json["fallback_reason"] = report.fallback_reason.empty() ? Json(nullptr) : Json(report.fallback_reason);
    json["topology"] = report.inputs.topology;
    json["workload"] = report.inputs.workload;
    json["configuration"] = Json::parse(report.configuration);
    json["configuration_hash"] = report.configuration_hash;
    json["outcome"] = outcome_name(report.outcome);
    json["stall"] = stall_json(report);
    json["assumptions"] = assumptions_json(report.fabric);
    json["validity"] = validity_json(report.validity);
    add_measures(report, json);
    json["flits"] = report.statistics.flits;
    json["response_flits"] = report.statistics.response_flits;
    json["request_flits"] = report.statistics.request_flits;
    json["events"] = report.statistics.events;
    json["event_hash"] = hex_text(report.event_hash);
    json["wall_seconds"] = report.wall_seconds;
    json["cpu_seconds"] = report.cpu_seconds;
    json["peak_rss_bytes"] = report.peak_rss_bytes;
    return json;
}

std::string text_of(const Json& json) {
    // A path may hold bytes that are no UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string report_json(const RunReport& report) {
    return text_of(run_json(report));
}

std::string modes_json(const std::vector<ModeRun>& runs) {
    Json modes = Json::array();
    for (const ModeRun& run : runs) {
        modes.push_back(run.report ? run_json(*run.report) : Json{{"mode", name_of(run.mode)}, {"error", run.refused}});
    }
    return text_of({{"modes", modes}});
}

}  // namespace simlette
