#include <nlohmann/json.hpp>

#include <simlette/base/fingerprint.hpp>
#include <simlette/study/assumptions.hpp>
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
        list.push_back(collective_json(report.workload.collectives[i], entry));
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

Json share_json(const std::optional<Ratio>& share) {
    return share ? Json(share->value()) : Json(nullptr);
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
            {"offered", share_json(measures.offered)},
            {"accepted", share_json(measures.accepted)},
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
                     {"max_utilization", if_counted(measures.max_utilization.value())}};
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
    json["engine"] = "reference";
    json["fallback_reason"] = nullptr;
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
