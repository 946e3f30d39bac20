#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <simlette/fabric/fabric.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/quantity.hpp>
#include <simlette/study/run_setup.hpp>
#include <simlette/version.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

bool optical(const FabricSpec& fabric) {
    return fabric.kind == FabricKind::direct || fabric.device == DeviceKind::ocs;
}

struct PathParts {
    Duration endpoint;
    Duration protocol;
    Duration propagation;
    Duration switching;
};

// Of a path between neighbours; the parts add up to FabricDescription::path_latency.
PathParts path_parts(const FabricSpec& fabric) {
    const LatencySpec& latency = fabric.latency;
    const bool direct = fabric.kind == FabricKind::direct;
    const Duration device = optical(fabric) ? latency.circuit_switch : latency.packet_switch;
    return {latency.egress_endpoint + latency.ingress_endpoint, latency.egress_protocol + latency.ingress_protocol,
            latency.propagation * (direct ? 1 : 2), direct ? Duration{0} : device};
}

std::string generators_text(const FabricDescription& description) {
    std::string text;
    for (std::size_t i = 0; i < description.generators.size(); ++i) {
        text += fmt::format("{}{} x{}", i == 0 ? "" : ", ", description.generators[i], description.multiplicity[i]);
    }
    return text;
}

std::string devices_text(const FabricSpec& fabric, const FabricDescription& description) {
    const std::uint32_t devices = description.packet_switches + description.circuit_switches;
    if (devices == 0) {
        return "none: circuits run from accelerator to accelerator";
    }
    const std::string bound = fabric.radix == 0 ? std::string() : fmt::format(" of radix {}", fabric.radix);
    return fmt::format("{} {}, {} ports used{}", count_text(devices),
                       optical(fabric) ? "optical circuit switches" : "electronic packet switches",
                       count_text(description.switch_ports_used), bound);
}

std::int64_t bisection_rate(const FabricSpec& fabric, const FabricDescription& description) {
    return static_cast<std::int64_t>(description.bisection_links) * fabric.port_rate.per_second;
}

std::string credit_return_text(const FabricSpec& fabric) {
    return fabric.credit_return_is_link_latency ? "the latency of the link" : time_text(fabric.credit_return.ps);
}

std::string transactions_text(const FabricSpec& fabric) {
    const std::string tags =
        fabric.tags == unlimited ? "unlimited" : count_text(static_cast<std::uint64_t>(fabric.tags));
    return fmt::format("{} fidelity, responses {}, tags {}", name_of(fabric.fidelity), name_of(fabric.responses), tags);
}

Rows fabric_rows(const FabricSpec& fabric, const FabricDescription& description) {
    const PathParts parts = path_parts(fabric);
    Rows rows{{"devices", devices_text(fabric, description)},
              {"ports", fmt::format("{} of {} used per accelerator", description.ports_used, description.ports)},
              {"links", count_text(description.links) + " directed"}};
    if (description.circuits > 0) {
        rows.push_back({"circuits", count_text(description.circuits)});
    }
    if (!description.generators.empty()) {
        rows.push_back({"generators", generators_text(description)});
    }
    rows.push_back({"diameter", fmt::format("{} hop{}", description.diameter, description.diameter == 1 ? "" : "s")});
    rows.push_back({"bisection", fmt::format("{}{} links one way, {}", description.bisection_exact ? "" : "at most ",
                                             count_text(description.bisection_links),
                                             rounded_rate_text(bisection_rate(fabric, description)))});
    rows.push_back({"oversubscription", "1:1, none"});
    rows.push_back({"flit time", time_text(description.flit_time.ps)});
    rows.push_back({"path latency", fmt::format("{} = endpoint {} + protocol {} + propagation {} + switch {}",
                                                time_text(description.path_latency.ps), time_text(parts.endpoint.ps),
                                                time_text(parts.protocol.ps), time_text(parts.propagation.ps),
                                                time_text(parts.switching.ps))});
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

std::string workload_table(const WorkloadSpec& workload, const std::vector<EntryReport>& entries) {
    Rows rows{{"collective", "primitive", "schedule", "group", "after", "ranks", "bytes", "phases", "flits"}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const WorkloadEntry& entry = workload.collectives[i];
        const CollectiveReport& collective = entries[i].collective;
        rows.push_back({entry_name(entry, i), std::string(name_of(entry.collective.primitive)),
                        fmt::format("{} ({})", collective.schedule, collective.form), entry.group,
                        after_text(workload, entry), count_text(collective.ranks), size_text(collective.bytes),
                        count_text(collective.phases), count_text(static_cast<std::uint64_t>(collective.flits))});
    }
    return aligned(rows, 5, "  ");
}

Json fabric_json(const FabricSpec& fabric, const FabricDescription& description) {
    const PathParts parts = path_parts(fabric);
    return {{"accelerators", description.accelerators},
            {"packet_switches", description.packet_switches},
            {"circuit_switches", description.circuit_switches},
            {"switch_ports_used", description.switch_ports_used},
            {"ports", description.ports},
            {"ports_used", description.ports_used},
            {"links", description.links},
            {"circuits", description.circuits},
            {"generators", description.generators},
            {"multiplicity", description.multiplicity},
            {"diameter", description.diameter},
            {"bisection",
             {{"links", description.bisection_links},
              {"rate_bps", bisection_rate(fabric, description)},
              {"exact", description.bisection_exact}}},
            {"oversubscription", {{"down", 1}, {"up", 1}}},
            {"flit_time_ps", description.flit_time.ps},
            {"path_latency_ps",
             {{"total", description.path_latency.ps},
              {"endpoint", parts.endpoint.ps},
              {"protocol", parts.protocol.ps},
              {"propagation", parts.propagation.ps},
              {"switch", parts.switching.ps}}}};
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

}  // namespace

std::string fabric_line(const FabricSpec& fabric) {
    const std::string kind = fabric.kind == FabricKind::direct
                                 ? std::string(name_of(fabric.kind))
                                 : fmt::format("{} {}", name_of(fabric.kind), name_of(fabric.device));
    const std::string buffers = fabric.buffers.request == unlimited
                                    ? "unlimited buffers"
                                    : fmt::format("buffers of {}", buffer_text(fabric.buffers.request));
    return fmt::format("{}, {} accelerators x {} ports of {}, {}", kind, count_text(fabric.accelerators), fabric.ports,
                       rate_text(fabric.port_rate), buffers);
}

std::string entry_name(const WorkloadEntry& entry, std::size_t index) {
    return entry.name.empty() ? std::to_string(index) : entry.name;
}

std::string workload_line(const WorkloadSpec& workload) {
    const std::size_t count = workload.collectives.size();
    return fmt::format("{} collective{}", count_text(count), count == 1 ? "" : "s");
}

std::string description_text(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const std::vector<EntryReport> entries = previewed(fabric, loaded, inputs);
    Rows rows{{"topology", fmt::format("{}: {}", inputs.topology, fabric_line(loaded.fabric))}};
    for (const auto& row : fabric_rows(loaded.fabric, describe(*fabric))) {
        rows.push_back(row);
    }
    std::string text;
    if (!inputs.workload.empty()) {
        rows.push_back({"workload", fmt::format("{}: {}", inputs.workload, workload_line(loaded.workload))});
        text = workload_table(loaded.workload, entries);
    }
    return aligned(rows, 2, "") + text;
}

std::string description_json(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const std::vector<EntryReport> entries = previewed(fabric, loaded, inputs);
    Json json = inputs_json(loaded, inputs);
    json["fabric"] = fabric_json(loaded.fabric, describe(*fabric));
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
