#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/fabric/optics.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/paths.hpp>
#include <simlette/study/profiles.hpp>
#include <simlette/study/quantity.hpp>
#include <simlette/study/run_setup.hpp>
#include <simlette/version.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string generators_text(const FabricDescription& description) {
    std::string text;
    for (std::size_t i = 0; i < description.generators.size(); ++i) {
        text += fmt::format("{}{} x{}", i == 0 ? "" : ", ", description.generators[i], description.multiplicity[i]);
    }
    return text;
}

const char* device_text(DeviceKind device) {
    return device == DeviceKind::ocs ? "optical circuit switches" : "electronic packet switches";
}

std::string level_text(const LevelDescription& level) {
    const std::string bound = level.radix == 0 ? std::string() : fmt::format(" of radix {}", level.radix);
    return fmt::format("{} {}{}, {} ports used", count_text(level.devices), device_text(level.device), bound,
                       count_text(level.ports_used));
}

// One row, or one for each of several levels with what joins them.
void add_devices(const FabricDescription& description, Rows& rows) {
    if (description.levels.empty()) {
        rows.push_back({"devices", "none: circuits run from accelerator to accelerator"});
        return;
    }
    if (description.levels.size() == 1) {
        rows.push_back({"devices", level_text(description.levels.front())});
        return;
    }
    for (std::size_t i = 0; i < description.levels.size(); ++i) {
        const LevelDescription& level = description.levels[i];
        const std::string below = i == 0 ? "accelerators" : fmt::format("level {}", i);
        rows.push_back({fmt::format("level {}", i + 1),
                        fmt::format("{}, {} links to {}", level_text(level), count_text(level.links), below)});
    }
}

std::string oversubscription_text(const FabricDescription& description) {
    const std::uint64_t down = description.oversubscription_down;
    const std::uint64_t up = description.oversubscription_up;
    return fmt::format("{}:{}{}", down, up, down <= up ? ", none" : ", towards level 2");
}

bool within_a_rack(const FabricSpec& fabric, const PathLatency& path) {
    return path.source / fabric.group == path.destination / fabric.group;
}

// Which way it is, where there are several.
std::string path_name(const FabricSpec& fabric, const PathLatency& path) {
    if (fabric.kind == FabricKind::two_level) {
        return within_a_rack(fabric, path) ? " in a rack" : " from rack to rack";
    }
    return fmt::format(" from a{} to a{}", path.source, path.destination);
}

std::string path_text(const PathLatency& path, const std::string& name) {
    return fmt::format("{}{} = endpoint {} + protocol {} + propagation {} + switch {}", time_text(path.total().ps),
                       name, time_text(path.endpoint.ps), time_text(path.protocol.ps), time_text(path.propagation.ps),
                       time_text(path.switching.ps));
}

void add_paths(const FabricSpec& fabric, const std::optional<PathRange>& paths, Rows& rows) {
    if (!paths) {
        return;
    }
    if (paths->shortest.total() == paths->longest.total()) {
        rows.push_back({"path latency", path_text(paths->shortest, "")});
        return;
    }
    rows.push_back({"path latency", path_text(paths->shortest, path_name(fabric, paths->shortest))});
    rows.push_back({"", path_text(paths->longest, path_name(fabric, paths->longest))});
}

std::string bisection_text(const FabricDescription& description) {
    return fmt::format("{}{} links one way, {}", description.bisection_exact ? "" : "at most ",
                       count_text(description.bisection_links),
                       rounded_rate_text(description.bisection_rate.per_second));
}

std::string diameter_text(const FabricDescription& description) {
    return fmt::format(
        "{} hop{}{}", description.diameter, description.diameter == 1 ? "" : "s",
        description.parts == 1 ? std::string() : fmt::format(" within each of {} parts", description.parts));
}

std::string credit_return_text(const FabricSpec& fabric) {
    return fabric.credit_return_is_link_latency ? "the latency of the link" : time_text(fabric.credit_return.ps);
}

std::string transactions_text(const FabricSpec& fabric) {
    const std::string tags =
        fabric.tags == unlimited ? "unlimited" : count_text(static_cast<std::uint64_t>(fabric.tags));
    return fmt::format("{} fidelity, responses {}, tags {}", name_of(fabric.fidelity), name_of(fabric.responses), tags);
}

std::string accelerator_text(const std::string& name) {
    const AcceleratorProfile profile = accelerator_profile(name);
    constexpr double watt = 1'000;
    return fmt::format("{}: FP4 {} PFLOP/s, {} GB at {} TB/s, {} W", name, static_cast<double>(profile.compute) / 1e15,
                       static_cast<double>(profile.hbm.count) / 1e9,
                       static_cast<double>(profile.hbm_rate.per_second) / 8e12,
                       static_cast<double>(profile.power) / watt);
}

}  // namespace

std::string optical_budget_text(const FabricSpec& fabric) {
    const std::optional<OpticalBudget> budget = optical_budget(fabric);
    if (!budget) {
        return "insertion loss and connectors are not checked";
    }
    return fmt::format("{} pass{} x {} + {} connectors x {} = {} of {}", budget->passes,
                       budget->passes == 1 ? "" : "es", loss_text(fabric.optics->pass_loss), budget->connectors,
                       loss_text(fabric.optics->connector_loss), loss_text(budget->loss),
                       loss_text(fabric.optics->limit));
}

namespace {

Rows fabric_rows(const LoadedRun& loaded, const Fabric& built) {
    const FabricSpec& fabric = loaded.fabric;
    const FabricDescription description = describe(built);
    Rows rows;
    if (!loaded.accelerator.empty()) {
        rows.push_back({"accelerator", accelerator_text(loaded.accelerator)});
    }
    add_devices(description, rows);
    rows.push_back({"ports", fmt::format("{} of {} used per accelerator", description.ports_used, description.ports)});
    rows.push_back({"links", count_text(description.links) + " directed"});
    if (description.circuits > 0) {
        rows.push_back({"circuits", count_text(description.circuits)});
    }
    if (!description.generators.empty()) {
        rows.push_back({"generators", generators_text(description)});
    }
    rows.push_back({"diameter", diameter_text(description)});
    rows.push_back({"bisection", bisection_text(description)});
    rows.push_back({"oversubscription", oversubscription_text(description)});
    rows.push_back({"flit time", time_text(description.flit_time.ps)});
    add_paths(fabric, path_range(built), rows);
    if (fabric.optics) {
        rows.push_back({"optical budget", optical_budget_text(fabric)});
    }
    rows.push_back(
        {"buffers", fmt::format("request {}, response {}; credit return {}", buffer_text(fabric.buffers.request),
                                buffer_text(fabric.buffers.response), credit_return_text(fabric))});
    rows.push_back({"transactions", transactions_text(fabric)});
    return rows;
}

std::string after_text(const WorkloadSpec& workload, const WorkloadEntry& entry) {
    std::string text;
    for (const std::size_t earlier : entry.after) {
        text += (text.empty() ? "" : ", ") + entry_name(workload.collectives[earlier], earlier);
    }
    return text.empty() ? "-" : text;
}

std::string calls_text(const WorkloadEntry& entry) {
    return entry.calls == 1 ? entry.group : fmt::format("{}, {} calls", entry.group, count_text(entry.calls));
}

std::string workload_table(const WorkloadSpec& workload, const std::vector<EntryReport>& entries) {
    Rows rows{{"collective", "primitive", "schedule", "group", "after", "ranks", "bytes", "phases", "flits"}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const WorkloadEntry& entry = workload.collectives[i];
        const CollectiveReport& collective = entries[i].collective;
        rows.push_back({entry_name(entry, i), std::string(name_of(entry.collective.primitive)),
                        fmt::format("{} ({})", collective.schedule, collective.form), calls_text(entry),
                        after_text(workload, entry), ranks_text(entry, collective), bytes_text(collective.bytes),
                        count_text(collective.phases), count_text(static_cast<std::uint64_t>(collective.flits))});
    }
    return aligned(rows, 5, "  ");
}

Json levels_json(const FabricDescription& description) {
    Json list = Json::array();
    for (const LevelDescription& level : description.levels) {
        list.push_back({{"device", name_of(level.device)},
                        {"devices", level.devices},
                        {"radix", level.radix == 0 ? Json(nullptr) : Json(level.radix)},
                        {"ports_used", level.ports_used},
                        {"links", level.links}});
    }
    return list;
}

Json path_json(const PathLatency& path) {
    return {{"total", path.total().ps},     {"endpoint", path.endpoint.ps},
            {"protocol", path.protocol.ps}, {"propagation", path.propagation.ps},
            {"switch", path.switching.ps},  {"packet_switches", path.packet_switches},
            {"source", path.source},        {"destination", path.destination}};
}

Json bisection_json(const FabricDescription& description) {
    return {{"links", description.bisection_links},
            {"rate_bps", description.bisection_rate.per_second},
            {"exact", description.bisection_exact}};
}

Json fabric_json(const Fabric& built) {
    const FabricDescription description = describe(built);
    const std::optional<PathRange> paths = path_range(built);
    return {
        {"accelerators", description.accelerators},
        {"domain", description.domain},
        {"levels", levels_json(description)},
        {"packet_switches", description.packet_switches},
        {"circuit_switches", description.circuit_switches},
        {"switch_ports_used", description.switch_ports_used},
        {"ports", description.ports},
        {"ports_used", description.ports_used},
        {"links", description.links},
        {"circuits", description.circuits},
        {"generators", description.generators},
        {"multiplicity", description.multiplicity},
        {"diameter", description.parts == 1 ? Json(description.diameter) : Json(nullptr)},
        {"bisection", bisection_json(description)},
        {"oversubscription", {{"down", description.oversubscription_down}, {"up", description.oversubscription_up}}},
        {"flit_time_ps", description.flit_time.ps},
        {"path_latency_ps", paths ? path_json(paths->shortest) : Json(nullptr)},
        {"longest_path_latency_ps", paths ? path_json(paths->longest) : Json(nullptr)}};
}

Json collectives_json(const WorkloadSpec& workload, const std::vector<EntryReport>& entries) {
    Json list = Json::array();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const WorkloadEntry& entry = workload.collectives[i];
        const CollectiveReport& collective = entries[i].collective;
        list.push_back({{"name", entry.name.empty() ? Json(nullptr) : Json(entry.name)},
                        {"primitive", name_of(entry.collective.primitive)},
                        {"schedule", collective.schedule},
                        {"form", collective.form},
                        {"group", entry.group},
                        {"after", entry.after},
                        {"ranks", collective.ranks},
                        {"bytes", collective.bytes.count},
                        {"phases", collective.phases},
                        {"flits", collective.flits}});
        if (entry.on_axis() || entry.calls != 1) {
            list.back()["calls"] = entry.calls;
        }
        if (entry.on_axis()) {
            list.back()["groups"] = collective.groups;
        }
    }
    return list;
}

Json inputs_json(const LoadedRun& loaded, const RunInputs& inputs) {
    Json json;
    json["simlette"] = {{"version", version()}, {"schema", 1}};
    json["topology"] = inputs.topology;
    json["workload"] = inputs.workload.empty() ? Json(nullptr) : Json(inputs.workload);
    json["configuration"] = Json::parse(loaded.configuration);
    json["configuration_hash"] = loaded.configuration_hash;
    return json;
}

// A path may hold bytes that are no UTF-8.
std::string text_of(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::vector<EntryReport> previewed(const std::shared_ptr<const Fabric>& fabric, const LoadedRun& loaded,
                                   const RunInputs& inputs) {
    return inputs.workload.empty() ? std::vector<EntryReport>() : preview(fabric, loaded.workload, inputs);
}

std::string traffic_line(const TrafficSpec& traffic) {
    const std::string hot =
        traffic.pattern == TrafficPattern::hot_spot
            ? fmt::format(", {} to rank {}", percent_text(traffic.hot_share * 1000), traffic.hot_rank)
            : std::string();
    return fmt::format("traffic, {}{}, load {}, messages of {}", name_of(traffic.pattern), hot,
                       percent_text(traffic.load * 1000), bytes_text(traffic.message));
}

std::string kind_text(const FabricSpec& fabric) {
    const std::string kind(name_of(fabric.kind));
    switch (fabric.kind) {
        case FabricKind::single_level:
            return fmt::format("{} {}", kind, name_of(fabric.device));
        case FabricKind::two_level:
            return fmt::format("{} {} below {}", kind, name_of(fabric.level1.device), name_of(fabric.level2.device));
        case FabricKind::direct:
        case FabricKind::explicit_graph:
            return kind;
    }
    broken_promise("a fabric is of one of four kinds");
}

std::string buffers_text(const BufferSpec& buffers) {
    const std::string request = buffer_text(buffers.request);
    if (buffers.request != buffers.response) {
        return fmt::format("buffers: request {}, response {}", request, buffer_text(buffers.response));
    }
    return buffers.request == unlimited ? "unlimited buffers" : fmt::format("buffers of {}", request);
}

}  // namespace

std::string fabric_line(const FabricSpec& fabric) {
    const std::string domain =
        fabric.domain > fabric.accelerators ? fmt::format(" of {}", count_text(fabric.domain)) : std::string();
    return fmt::format("{}, {}{} accelerators x {} ports of {}, {}", kind_text(fabric), count_text(fabric.accelerators),
                       domain, fabric.ports, rate_text(fabric.port_rate), buffers_text(fabric.buffers));
}

std::string entry_name(const WorkloadEntry& entry, std::size_t index) {
    return entry.name.empty() ? std::to_string(index) : entry.name;
}

std::string ranks_text(const WorkloadEntry& entry, const CollectiveReport& collective) {
    const std::string ranks = count_text(collective.ranks);
    return entry.on_axis() ? fmt::format("{} x {}", count_text(collective.groups), ranks) : ranks;
}

std::string group_text(const WorkloadEntry& entry, std::size_t group) {
    constexpr std::size_t most = 8;
    const std::vector<std::uint32_t>& ranks = entry.collective.groups[group];
    std::string text;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks.size() <= most || i + 2 < most || i + 1 == ranks.size()) {
            text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
        } else if (i + 2 == most) {
            text += ", ...";
        }
    }
    return '[' + text + ']';
}

std::string workload_line(const WorkloadSpec& workload) {
    if (workload.traffic) {
        return traffic_line(*workload.traffic);
    }
    const std::size_t count = workload.collectives.size();
    return fmt::format("{} collective{}", count_text(count), count == 1 ? "" : "s");
}

std::string description_text(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const std::vector<EntryReport> entries = previewed(fabric, loaded, inputs);
    Rows rows{{"topology", fmt::format("{}: {}", inputs.topology, fabric_line(loaded.fabric))}};
    for (const auto& row : fabric_rows(loaded, *fabric)) {
        rows.push_back(row);
    }
    std::string text;
    if (!inputs.workload.empty()) {
        rows.push_back({"workload", fmt::format("{}: {}", inputs.workload, workload_line(loaded.workload))});
        text = entries.empty() ? std::string() : workload_table(loaded.workload, entries);
    }
    return aligned(rows, 2, "") + text;
}

std::string description_json(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const std::vector<EntryReport> entries = previewed(fabric, loaded, inputs);
    Json json = inputs_json(loaded, inputs);
    json["fabric"] = fabric_json(*fabric);
    json["collectives"] = collectives_json(loaded.workload, entries);
    return text_of(json);
}

std::string check_text(const LoadedRun& loaded, const RunInputs& inputs) {
    const RunEstimate sizes = estimate(loaded, inputs);
    const auto mib = static_cast<std::uint64_t>(ceil_div(sizes.memory_bytes, 1 << 20));
    const Rows rows{{"configuration hash", loaded.configuration_hash},
                    {"flits", count_text(static_cast<std::uint64_t>(sizes.flits))},
                    {"flit-hops", count_text(static_cast<std::uint64_t>(sizes.flit_hops))},
                    {"memory", fmt::format("about {} MiB", count_text(mib))}};
    return text_of(Json::parse(loaded.configuration)) + aligned(rows, 2, "");
}

std::string check_json(const LoadedRun& loaded, const RunInputs& inputs) {
    const RunEstimate sizes = estimate(loaded, inputs);
    Json json = inputs_json(loaded, inputs);
    json["estimate"] = {{"flits", sizes.flits}, {"flit_hops", sizes.flit_hops}, {"memory_bytes", sizes.memory_bytes}};
    return text_of(json);
}

}  // namespace simlette
