#include <simlette/sim/judge.hpp>

#include <algorithm>

namespace simlette {

namespace {

// Rounded up. Requires: 0 <= part <= whole, 0 < whole.
std::int64_t millionths(std::int64_t part, std::int64_t whole) {
    const std::int64_t tenth = Time::never().ps / 10;
    std::int64_t digits = 0;
    for (int i = 0; i < 6; ++i) {
        while (whole > tenth) {
            whole /= 2;
            part /= 2;
        }
        part *= 10;
        digits = digits * 10 + part / whole;
        part %= whole;
    }
    return digits + (part > 0 ? 1 : 0);
}

// Whether the credits of a link bind a flow that has it to itself.
bool credits_bind(const HostGraph& graph, LinkId id) {
    const LinkClass& kind = graph.class_of(id);
    const bool to_switch = graph.links[id].to >= graph.accelerators;
    const Duration loop = kind.flit_time * (to_switch ? 2 : 1) + kind.latency.total() + kind.credit_return;
    return std::any_of(kind.credits.begin(), kind.credits.end(),
                       [&](std::int64_t credits) { return credits != unlimited && loop > credits * kind.flit_time; });
}

}  // namespace

Validity judge(const MessageNetwork& network, const Fabric& fabric) {
    const HostGraph& graph = fabric.graph;
    const MessageNetwork::Lateness worst = network.worst_lateness();
    if (worst.link == no_id) {
        return {};
    }
    const std::int64_t late = worst.late.ps;
    const std::int64_t took = (network.now() - network.statistics().first_injection).ps;
    const std::int64_t ppm = millionths(late, took + late);
    return {false,
            {"flits of several flows wait at " + graph.port_name(worst.behind) +
             " with finite buffers, which message mode does not follow: " + graph.port_name(worst.link) +
             " counts on credits that come back late, by " + std::to_string(late) +
             " ps in all, so completion may be off by some " + std::to_string(ppm) + " millionths; use flit mode"},
            ppm};
}

Validity judge(const AnalyticNetwork& network, const Fabric& fabric) {
    const HostGraph& graph = fabric.graph;
    Validity validity{true, {}, Validity::unknown_error};
    if (network.overlap()) {
        validity.reasons.push_back("collectives overlap in time, but analytic mode takes each alone; use flit mode");
    }
    if (fabric.spec.fidelity == Fidelity::ualink) {
        validity.reasons.push_back(
            "transactions are packed into flits, but analytic mode counts bytes alone; use flit mode");
    }
    if (fabric.spec.kind == FabricKind::two_level && graph.has_levels()) {
        validity.reasons.push_back(
            "paths differ in length, but analytic mode charges the longest in every phase; use flit mode");
    }
    const RoutingSpec& routing = fabric.spec.routing;
    if (routing.policy != RoutingPolicy::spray || routing.granularity != Granularity::flit) {
        validity.reasons.push_back(
            "messages keep to single ports, but analytic mode spreads each over all of them; use flit mode");
    }
    if (fabric.spec.kind == FabricKind::explicit_graph && graph.packet_switches > 1) {
        validity.reasons.push_back(
            "links between the switches of an explicit graph may be the narrowest, but analytic mode counts only those "
            "of accelerators; use flit mode");
    }
    for (LinkId id = 0; id < graph.links.size(); ++id) {
        if (credits_bind(graph, id)) {
            validity.reasons.push_back(
                "the buffer behind " + graph.port_name(id) +
                " is too small for full rate, but analytic mode knows no credits; use flit mode");
            break;
        }
    }
    validity.mode_ok = validity.reasons.empty();
    return validity;
}

}  // namespace simlette
