#include <array>

#include <fmt/format.h>

#include <simlette/base/contract.hpp>
#include <simlette/study/assumptions.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/profiles.hpp>
#include <simlette/study/quantity.hpp>

namespace simlette {

namespace {

bool always(const FabricSpec&) {
    return true;
}

bool on_packet_switches(const FabricSpec& fabric) {
    switch (fabric.kind) {
        case FabricKind::single_level:
            return fabric.device == DeviceKind::eps;
        case FabricKind::two_level:
            return fabric.level1.device == DeviceKind::eps;
        case FabricKind::direct:
            return false;
        case FabricKind::explicit_graph:
            return !fabric.graph.devices.empty();
    }
    broken_promise("a fabric is of one of four kinds");
}

bool through_several_switches(const FabricSpec& fabric) {
    return on_packet_switches(fabric) && fabric.kind != FabricKind::single_level;
}

bool hops_read_alone(const FabricSpec& fabric) {
    return through_several_switches(fabric) && fabric.hop_reading == HopReading::switch_only;
}

bool hops_read_whole(const FabricSpec& fabric) {
    return through_several_switches(fabric) && fabric.hop_reading == HopReading::per_hop;
}

bool between_racks(const FabricSpec& fabric) {
    return fabric.kind == FabricKind::two_level;
}

std::string hop_reading(const FabricSpec& fabric) {
    return std::string(name_of(fabric.hop_reading));
}

std::string latency_profile_name(const FabricSpec& fabric) {
    const std::string name = latency_profile_of(fabric.latency);
    return name.empty() ? "values of its own" : name;
}

std::string rack_link(const FabricSpec& fabric) {
    return duration_text(fabric.latency.propagation_level2);
}

std::string switch_latency(const FabricSpec& fabric) {
    return duration_text(fabric.latency.packet_switch);
}

// Vendors aim at 150 to 250 ns; what is charged beyond that range moves the answer.
const char* favoured_by_switch_latency(const FabricSpec& fabric) {
    const Duration charged = fabric.latency.packet_switch;
    return charged > Duration{250'000} ? "ocs" : charged < Duration{150'000} ? "eps" : "neither";
}

std::string buffer_sizes(const FabricSpec& fabric) {
    const std::string request = buffer_text(fabric.buffers.request);
    const std::string response = buffer_text(fabric.buffers.response);
    return request == response ? request : fmt::format("request {}, response {}", request, response);
}

bool in_paper_flits(const FabricSpec& fabric) {
    return fabric.fidelity == Fidelity::paper;
}

bool in_ualink_flits(const FabricSpec& fabric) {
    return fabric.fidelity == Fidelity::ualink;
}

bool counts_tags(const FabricSpec& fabric) {
    return fabric.tags != unlimited;
}

std::string tag_count(const FabricSpec& fabric) {
    return std::to_string(fabric.tags);
}

std::string response_policy(const FabricSpec& fabric) {
    return std::string(name_of(fabric.responses));
}

bool without_responses(const FabricSpec& fabric) {
    return fabric.responses == ResponsePolicy::none;
}

bool with_one_response(const FabricSpec& fabric) {
    return fabric.responses == ResponsePolicy::per_message;
}

bool with_all_responses(const FabricSpec& fabric) {
    return fabric.responses == ResponsePolicy::per_transaction;
}

struct Row {
    const char* id;
    const char* text;
    const char* value;  // or, where it depends on the fabric,
    std::string (*value_of)(const FabricSpec&);
    const char* source;
    const char* favours;  // or, where it depends on the fabric,
    const char* (*favours_of)(const FabricSpec&);
    bool (*applies)(const FabricSpec&);
};

constexpr std::array<Row, 17> rows{{
    {"no-in-network-reduction", "switches neither reduce nor multicast", "none", nullptr,
     "UALink 200G 1.0 has no in-network compute; Common 2.0 adds it", "ocs", nullptr, always},
    {"responses", "responses take no wire time; they would delay requests that share a wire", nullptr, response_policy,
     "topology key `responses`", "eps", nullptr, without_responses},
    {"responses", "one response flit per port-message, whatever its length; they delay requests that share a wire",
     nullptr, response_policy, "topology key `responses`; the long messages of circuits would have more of them", "ocs",
     nullptr, with_one_response},
    {"responses", "every request of up to 256 bytes is answered, packed; they delay requests that share a wire",
     nullptr, response_policy, "topology key `responses`", "neither", nullptr, with_all_responses},
    {"switch-latency", "pin to pin through the electronic switch; public targets are 150 to 250 ns", nullptr,
     switch_latency, "topology key `latency.switch`; targets: UALink consortium, public questions and answers", nullptr,
     favoured_by_switch_latency, on_packet_switches},
    {"latency-profile", "the split of a path's latency is published for no product; low, nominal and high move it",
     nullptr, latency_profile_name, "topology key `latency`; topologies/profiles/latencies.yaml", "neither", nullptr,
     always},
    {"hop-reading", "a further electronic switch adds its own latency and its link, no more", nullptr, hop_reading,
     "topology key `hop_reading`; the paper's 810 ns per switch hop can be read either way", "eps", nullptr,
     hops_read_alone},
    {"hop-reading", "a further electronic switch adds all that a path through one switch takes", nullptr, hop_reading,
     "topology key `hop_reading`; the paper's 810 ns per switch hop can be read either way", "ocs", nullptr,
     hops_read_whole},
    {"links-between-racks", "propagation of a link between racks; 10 ns are 2 m, and more phases cross it on circuits",
     nullptr, rack_link, "topology key `latency.propagation`", "ocs", nullptr, between_racks},
    {"output-queued-switch", "virtual output queues, speed-up as large as the radix: no head-of-line blocking", "ideal",
     nullptr, "our choice", "eps", nullptr, on_packet_switches},
    {"free-local-reduction", "adding contributions in an accelerator takes no time", "0 ns", nullptr, "our choice",
     "neither", nullptr, always},
    {"no-flag-or-fence", "a phase is complete when its last byte lands, without flag or fence", "0 ns", nullptr,
     "our choice; each phase would pay it, and circuits need more phases", "ocs", nullptr, always},
    {"no-errors-or-jitter", "no forward error correction, retry or jitter beyond the latencies given", "0 ns", nullptr,
     "our choice", "neither", nullptr, always},
    {"buffer-sizes", "buffers per port, direction and channel are not those of any product", nullptr, buffer_sizes,
     "topology key `buffers`", "neither", nullptr, always},
    {"tags", "open transactions of a port are not those of any product", nullptr, tag_count, "topology key `tags`",
     "neither", nullptr, counts_tags},
    {"flits-without-headers", "a flit carries 640 bytes of payload and takes the wire for 640 bytes", "640 B", nullptr,
     "the paper; headers would add 5 to 8 % to the time on the wire", "neither", nullptr, in_paper_flits},
    {"flit-packing", "transactions fill flits as an open model packs them; the specification was not read",
     "628 of 640 B", nullptr, "topology key `fidelity`; rosslwheeler/ualink_private, not official", "neither", nullptr,
     in_ualink_flits},
}};

}  // namespace

std::vector<Assumption> assumptions_of(const FabricSpec& fabric) {
    std::vector<Assumption> assumptions;
    for (const Row& row : rows) {
        if (row.applies(fabric)) {
            assumptions.push_back({row.id, row.text, row.value_of != nullptr ? row.value_of(fabric) : row.value,
                                   row.source, row.favours_of != nullptr ? row.favours_of(fabric) : row.favours});
        }
    }
    return assumptions;
}

}  // namespace simlette
