#include <algorithm>

#include <fmt/format.h>

#include <simlette/fabric/builders.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/level_sizes.hpp>

namespace simlette {

std::vector<LinkClass> circuit_classes(const FabricSpec& spec) {
    const LatencySpec& l = spec.latency;
    LatencyParts path{l.egress_endpoint + l.ingress_endpoint, l.egress_protocol + l.ingress_protocol, l.propagation,
                      Duration{0}};
    if (spec.kind == FabricKind::direct) {
        return {link_class(spec, path)};
    }
    path.propagation = 2 * l.propagation;  // turned round in level 1
    path.switching = l.circuit_switch;
    if (spec.kind == FabricKind::single_level) {
        return {link_class(spec, path)};
    }
    LatencyParts across = path;  // three passes
    across.propagation += 2 * l.propagation_level2;
    across.switching = 3 * l.circuit_switch;
    return {link_class(spec, path), link_class(spec, across)};
}

namespace {

std::uint32_t circuit_switches(const FabricSpec& spec) {
    return spec.kind == FabricKind::single_level ? spec.ports : 0;
}

bool crosses(const FabricSpec& spec, std::uint32_t a, std::uint32_t b) {
    return spec.kind == FabricKind::two_level && a / spec.group != b / spec.group;
}

// On no rail may more circuits leave a rack than its level-1 device there has up links.
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

HostGraph lay(const FabricSpec& spec, const std::vector<CircuitEnd>& ends) {
    HostGraph graph;
    graph.accelerators = spec.accelerators;
    graph.circuit_switches = circuit_switches(spec);
    graph.classes = circuit_classes(spec);
    for (std::uint32_t a = 0; a < spec.accelerators; ++a) {
        for (std::uint32_t p = 0; p < spec.ports; ++p) {
            const CircuitEnd& end = ends[std::size_t{a} * spec.ports + p];
            if (end.accelerator != no_id) {
                graph.links.push_back({a, end.accelerator, p, end.port, crosses(spec, a, end.accelerator) ? 1U : 0U});
            }
        }
    }
    list_neighbours(graph);
    return graph;
}

}  // namespace

void list_neighbours(HostGraph& graph) {
    graph.first_neighbour.assign(1, 0);
    LinkId link = 0;
    for (std::uint32_t a = 0; a < graph.accelerators; ++a) {
        for (; link < graph.links.size() && graph.links[link].from == a; ++link) {
            graph.neighbours.push_back({graph.links[link].to, link});
        }
        const auto first = graph.neighbours.begin() + graph.first_neighbour.back();
        std::stable_sort(first, graph.neighbours.end(),
                         [](const auto& x, const auto& y) { return x.destination < y.destination; });
        graph.first_neighbour.push_back(static_cast<std::uint32_t>(graph.neighbours.size()));
    }
}

void check_connected(const HostGraph& graph, std::vector<Problem>& problems) {
    std::vector<std::uint32_t> reached{0};
    std::vector<bool> seen(graph.accelerators, false);
    seen[0] = true;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (std::uint32_t n = graph.first_neighbour[reached[i]]; n < graph.first_neighbour[reached[i] + 1]; ++n) {
            const std::uint32_t peer = graph.neighbours[n].destination;
            if (!seen[peer]) {
                seen[peer] = true;
                reached.push_back(peer);
            }
        }
    }
    if (reached.size() != graph.accelerators) {
        const auto missed = std::find(seen.begin(), seen.end(), false) - seen.begin();
        problems.push_back({"", 0, 0,
                            fmt::format("the circuits connect only {} of {} accelerators; none leads from accelerator "
                                        "0 to accelerator {}",
                                        reached.size(), graph.accelerators, missed)});
    }
}

HostGraph build_circuits(const FabricSpec& spec, std::vector<Problem>& problems) {
    const std::size_t before = problems.size();
    const bool two_levels = spec.kind == FabricKind::two_level;
    LevelSizes sizes;
    if (two_levels) {
        sizes = level_sizes(spec, problems);
        if (spec.level2.device != DeviceKind::ocs) {
            problems.push_back({"", 0, 0, "`level2.device` is eps above an optical level 1; expected ocs"});
        }
    }
    std::vector<CircuitEnd> ends;
    if (problems.size() == before) {
        ends = circuit_ends(spec, problems);
    }
    if (two_levels && problems.size() == before) {
        check_crossings(spec, sizes, ends, problems);
    }
    if (problems.size() != before) {
        return {};
    }
    HostGraph graph = lay(spec, ends);
    if (!spec.circuits.parted) {
        check_connected(graph, problems);
    }
    return graph;
}

}  // namespace simlette
