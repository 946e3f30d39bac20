#include <algorithm>

#include <fmt/format.h>

#include <simlette/fabric/builders.hpp>

namespace simlette {

namespace {

// Class 0: the only pass, or the one inside a rack, turned round in level 1. Class 1: three passes, across racks.
std::vector<LinkClass> circuit_classes(const FabricSpec& spec) {
    const LatencySpec& l = spec.latency;
    LatencyParts path{l.egress_endpoint + l.ingress_endpoint, l.egress_protocol + l.ingress_protocol, l.propagation,
                      Duration{0}};
    if (spec.kind == FabricKind::direct) {
        return {link_class(spec, path)};
    }
    path.propagation = 2 * l.propagation;
    path.switching = l.circuit_switch;
    if (spec.kind == FabricKind::single_level) {
        return {link_class(spec, path)};
    }
    LatencyParts across = path;
    across.propagation += 2 * l.propagation_level2;
    across.switching = 3 * l.circuit_switch;
    return {link_class(spec, path), link_class(spec, across)};
}

std::uint32_t circuit_switches(const FabricSpec& spec) {
    return spec.kind == FabricKind::single_level ? spec.ports : 0;
}

bool crosses(const FabricSpec& spec, std::uint32_t a, std::uint32_t b) {
    return spec.kind == FabricKind::two_level && a / spec.group != b / spec.group;
}

}  // namespace

HostGraph build_circuits(const FabricSpec& spec, const std::vector<CircuitEnd>& ends) {
    HostGraph graph;
    graph.accelerators = spec.accelerators;
    graph.circuit_switches = circuit_switches(spec);
    graph.classes = circuit_classes(spec);
    graph.first_neighbour = {0};
    for (std::uint32_t a = 0; a < spec.accelerators; ++a) {
        for (std::uint32_t p = 0; p < spec.ports; ++p) {
            const CircuitEnd& end = ends[std::size_t{a} * spec.ports + p];
            if (end.accelerator != no_id) {
                const bool across = crosses(spec, a, end.accelerator);
                graph.neighbours.push_back({end.accelerator, static_cast<LinkId>(graph.links.size())});
                graph.links.push_back({a, end.accelerator, p, end.port, across ? 1U : 0U});
            }
        }
        const auto first = graph.neighbours.begin() + graph.first_neighbour.back();
        std::stable_sort(first, graph.neighbours.end(),
                         [](const auto& x, const auto& y) { return x.destination < y.destination; });
        graph.first_neighbour.push_back(static_cast<std::uint32_t>(graph.neighbours.size()));
    }
    return graph;
}

void check_crossings(const FabricSpec& spec, const LevelSizes& sizes, const std::vector<CircuitEnd>& ends,
                     std::vector<Problem>& problems) {
    std::vector<std::uint32_t> leaving(std::size_t{sizes.groups} * spec.ports, 0);
    for (std::uint32_t a = 0; a < spec.accelerators; ++a) {
        for (std::uint32_t rail = 0; rail < spec.ports; ++rail) {
            const std::uint32_t peer = ends[std::size_t{a} * spec.ports + rail].accelerator;
            if (peer != no_id && crosses(spec, a, peer)) {
                ++leaving[std::size_t{sizes.group_of(a)} * spec.ports + rail];
            }
        }
    }
    const auto most = std::max_element(leaving.begin(), leaving.end());
    if (*most > sizes.up) {
        const auto at = static_cast<std::size_t>(most - leaving.begin());
        problems.push_back(
            {"", 0, 0,
             fmt::format("on rail {} {} circuits of rack {} (accelerators {} to {}) lead to other racks, "
                         "but its level-1 device has {} up links (`level1.up`)",
                         at % spec.ports, *most, at / spec.ports, at / spec.ports * sizes.group,
                         (at / spec.ports + 1) * sizes.group - 1, sizes.up)});
    }
}

}  // namespace simlette
