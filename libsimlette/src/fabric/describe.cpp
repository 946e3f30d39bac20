#include <algorithm>
#include <numeric>

#include <boost/pending/disjoint_sets.hpp>

#include <simlette/base/label.hpp>
#include <simlette/fabric/bisection.hpp>
#include <simlette/fabric/describe_switches.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

std::uint32_t eccentricity(const HostGraph& graph, std::uint32_t source) {
    std::vector<std::uint32_t> distance(graph.accelerators, no_id);
    std::vector<std::uint32_t> reached{source};
    distance[source] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const std::uint32_t at = reached[i];
        for (std::uint32_t n = graph.first_neighbour[at]; n < graph.first_neighbour[at + 1]; ++n) {
            const std::uint32_t peer = graph.neighbours[n].destination;
            if (distance[peer] == no_id) {
                distance[peer] = distance[at] + 1;
                reached.push_back(peer);
            }
        }
    }
    return distance[reached.back()];
}

std::uint32_t parts_of(const HostGraph& graph) {
    boost::disjoint_sets_with_storage<> joined(graph.accelerators);
    std::uint32_t parts = graph.accelerators;
    for (const HostLink& link : graph.links) {
        if (joined.find_set(link.from) != joined.find_set(link.to)) {
            joined.union_set(link.from, link.to);
            --parts;
        }
    }
    return parts;
}

void describe_circuits(const Fabric& fabric, FabricDescription& description) {
    const HostGraph& graph = fabric.graph;
    description.circuits = graph.links.size() / 2;
    description.parts = parts_of(graph);
    const auto generators = translations(graph);
    for (const auto& [generator, copies] : generators) {
        description.generators.push_back(label_text(generator, bits_of(graph.accelerators)));
        description.multiplicity.push_back(copies);
    }
    const bool alike = !generators.empty() || fabric.spec.circuits.shape != CircuitShape::none;
    const std::uint32_t sources = alike ? 1 : graph.accelerators;
    for (std::uint32_t source = 0; source < sources; ++source) {
        description.diameter = std::max(description.diameter, eccentricity(graph, source));
    }
}

std::uint32_t most_ports_used(const HostGraph& graph) {
    std::vector<std::uint32_t> used(graph.accelerators + graph.packet_switches, 0);
    for (const HostLink& link : graph.links) {
        ++used[link.from];
    }
    return used.empty() ? 0 : *std::max_element(used.begin(), used.begin() + graph.accelerators);
}

std::vector<LevelDescription> single_level(const FabricSpec& spec) {
    const std::uint32_t domain = domain_of(spec);
    return {{spec.device, spec.ports, spec.radix, domain, std::uint64_t{domain} * spec.ports}};
}

void describe_two_levels(const FabricSpec& spec, FabricDescription& description) {
    std::vector<Problem> none;
    const LevelSizes sizes = level_sizes(spec, none);
    const std::uint32_t shared = std::gcd(sizes.group, sizes.up);
    description.oversubscription_down = sizes.group / shared;
    description.oversubscription_up = sizes.up / shared;
    description.levels = {{spec.level1.device, sizes.level1_devices(), spec.level1.radix, sizes.group + sizes.up,
                           std::uint64_t{sizes.domain} * spec.ports},
                          {spec.level2.device, sizes.level2_devices(), spec.level2.radix,
                           sizes.groups * sizes.links_each, std::uint64_t{sizes.level1_devices()} * sizes.up}};
}

void describe_levels(const Fabric& fabric, FabricDescription& description) {
    const FabricSpec& spec = fabric.spec;
    if (spec.kind == FabricKind::single_level) {
        description.levels = single_level(spec);
    } else if (spec.kind == FabricKind::two_level) {
        describe_two_levels(spec, description);
    } else if (spec.kind == FabricKind::explicit_graph) {
        describe_switches(fabric, description);
    }
    for (const LevelDescription& level : description.levels) {
        const bool optical = level.device == DeviceKind::ocs;
        (optical ? description.circuit_switches : description.packet_switches) += level.devices;
        description.switch_ports_used = std::max(description.switch_ports_used, level.ports_used);
    }
}

// Of one hop by circuit.
void describe_circuit_paths(const HostGraph& graph, FabricDescription& description) {
    const auto latency = [&](const HostLink& link) { return graph.classes[link.link_class].latency.total(); };
    const auto [least, most] =
        std::minmax_element(graph.links.begin(), graph.links.end(),
                            [&](const HostLink& a, const HostLink& b) { return latency(a) < latency(b); });
    const Duration alone = graph.classes.empty() ? Duration{0} : graph.classes[0].latency.total();
    description.path_latency = graph.links.empty() ? alone : latency(*least);
    description.path_latency_most = graph.links.empty() ? alone : latency(*most);
}

}  // namespace

FabricDescription describe(const Fabric& fabric) {
    const HostGraph& graph = fabric.graph;
    FabricDescription description;
    description.accelerators = graph.accelerators;
    description.domain = domain_of(fabric.spec);
    description.ports = fabric.spec.ports;
    description.ports_used = most_ports_used(graph);
    description.links = graph.links.size();
    description.flit_time = flit_time(fabric.spec.port_rate);
    describe_levels(fabric, description);
    description.diameter = graph.accelerators > 1 ? 1 : 0;
    if (fabric.circuits()) {
        describe_circuits(fabric, description);
        describe_circuit_paths(graph, description);
    } else {
        describe_switch_paths(fabric, description);
    }
    const Cut cut = bisection(fabric);
    description.bisection_links = cut.links;
    description.bisection_exact = cut.exact;
    description.bisection_rate = cut.rate;
    return description;
}

}  // namespace simlette
