#include <nlohmann/json.hpp>

#include <simlette/study/kinds.hpp>
#include <simlette/study/run_values.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> identity{"simlette",           "mode",    "topology",   "workload", "configuration",
                                        "configuration_hash", "outcome", "assumptions"};

ScalarValue scalar_of(const Json& value) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_number_float()) {
        return value.get<double>();
    }
    return value.is_boolean() ? std::int64_t{value.get<bool>()} : value.get<std::int64_t>();
}

void add_values(const Json& value, const std::string& name, NamedValues& into) {
    if (value.is_structured()) {
        for (const auto& member : value.items()) {
            add_values(member.value(), name + '.' + member.key(), into);
        }
    } else if (!value.is_null()) {
        into.emplace_back(name, scalar_of(value));
    }
}

// A report of a run that finished and has all that it can have, with one item in each list.
RunReport full_report() {
    RunReport report;
    report.configuration = "{}";
    report.validity.mode_ok = false;
    report.validity.reasons.emplace_back("reason");
    WorkloadEntry& asked = report.workload.collectives.emplace_back();
    asked.name = "name";
    asked.collective.groups = {{0}};
    EntryReport& entry = report.collectives.emplace_back();
    entry.started = entry.collective.finished = entry.collective.explained = true;
    report.completion = Time{1};
    report.workload.traffic = TrafficSpec{};
    report.traffic = TrafficReport{};
    report.traffic->window_end = Time{1};
    report.traffic->injection_rate = {1};
    report.traffic->latency = report.traffic->network_latency = LatencySummary{};
    report.message_latency = LatencyPercentiles{};
    report.statistics.first_injection = Time{0};
    report.statistics.last_delivery = Time{1};
    report.statistics.flits = 1;
    LinkStatistics& link = report.links.emplace_back();
    link.name = "link";
    link.flits = link.bytes = 1;
    report.link_levels = {{"level"}, {0}};
    entry.collective.end = Time{1};
    entry.collective.ranks = 1;
    return report;
}

}  // namespace

RunValues values_of(const RunReport& report) {
    const Json json = Json::parse(report_json(report));
    RunValues values;
    values.assumptions = json.at("assumptions").dump();
    for (const auto& member : json.items()) {
        if (!contains(identity, member.key())) {
            const bool cost = contains(cost_names(), member.key());
            add_values(member.value(), member.key(), cost ? values.costs : values.results);
        }
    }
    return values;
}

std::vector<std::string> value_names() {
    std::vector<std::string> names;
    for (const auto& value : values_of(full_report()).results) {
        names.push_back(value.first);
    }
    return names;
}

const std::vector<std::string>& cost_names() {
    static const std::vector<std::string> names{"wall_seconds", "cpu_seconds", "peak_rss_bytes"};
    return names;
}

}  // namespace simlette
