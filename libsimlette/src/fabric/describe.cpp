#include <algorithm>
#include <bit>
#include <map>

#include <simlette/base/label.hpp>
#include <simlette/fabric/built_fabric.hpp>

namespace simlette {

namespace {

// Generators in port order with their copies; empty if some accelerator is joined otherwise.
std::vector<std::pair<Label, std::uint32_t>> translations(const HostGraph& graph) {
    std::vector<std::pair<Label, std::uint32_t>> found;
    std::map<std::uint32_t, Label> by_port;
    for (const HostLink& link : graph.links) {
        const Label generator = link.from ^ link.to;
        if (by_port.emplace(link.from_port, generator).first->second != generator) {
            return {};
        }
    }
    const auto full = std::size_t{graph.accelerators} * by_port.size();
    if (graph.links.size() != full || !is_power_of_two(graph.accelerators)) {
        return {};
    }
    for (const auto& [port, generator] : by_port) {
        const auto same = [g = generator](const auto& entry) { return entry.first == g; };
        const auto known = std::find_if(found.begin(), found.end(), same);
        if (known == found.end()) {
            found.emplace_back(generator, 1);
        } else {
            ++known->second;
        }
    }
    return found;
}

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

// A cut by a linear functional f keeps x with f(x) = 0 on one side; generators with f(g) = 1 cross it. The least of
// these meets the spectral bound of a Cayley graph of Z_2^n, so it is the bisection.
std::uint64_t translation_bisection(std::uint32_t accelerators,
                                    const std::vector<std::pair<Label, std::uint32_t>>& generators) {
    std::uint64_t least = UINT64_MAX;
    for (Label functional = 1; functional < accelerators; ++functional) {
        std::uint64_t crossing = 0;
        for (const auto& [generator, copies] : generators) {
            crossing += std::popcount(functional & generator) % 2 == 1 ? copies : 0;
        }
        least = std::min(least, crossing * (accelerators / 2));
    }
    return accelerators == 1 ? 0 : least;
}

std::uint64_t halves_cut(const HostGraph& graph) {
    const std::uint32_t half = graph.accelerators / 2;
    return static_cast<std::uint64_t>(std::count_if(graph.links.begin(), graph.links.end(), [half](const auto& link) {
        return link.from < half && link.to >= half;
    }));
}

void describe_circuits(const HostGraph& graph, FabricDescription& description) {
    description.circuits = graph.links.size() / 2;
    const auto generators = translations(graph);
    for (const auto& [generator, copies] : generators) {
        description.generators.push_back(label_text(generator, bits_of(graph.accelerators)));
        description.multiplicity.push_back(copies);
    }
    const std::uint32_t sources = generators.empty() ? graph.accelerators : 1;
    for (std::uint32_t source = 0; source < sources; ++source) {
        description.diameter = std::max(description.diameter, eccentricity(graph, source));
    }
    description.bisection_exact = !generators.empty();
    description.bisection_links =
        generators.empty() ? halves_cut(graph) : translation_bisection(graph.accelerators, generators);
}

std::uint32_t most_ports_used(const HostGraph& graph) {
    std::vector<std::uint32_t> used(graph.accelerators + graph.packet_switches, 0);
    for (const HostLink& link : graph.links) {
        ++used[link.from];
    }
    return used.empty() ? 0 : *std::max_element(used.begin(), used.begin() + graph.accelerators);
}

}  // namespace

FabricDescription describe(const Fabric& fabric) {
    const HostGraph& graph = fabric.graph;
    FabricDescription description;
    description.accelerators = graph.accelerators;
    description.ports = fabric.spec.ports;
    description.ports_used = most_ports_used(graph);
    description.packet_switches = graph.packet_switches;
    description.circuit_switches = graph.circuit_switches;
    description.switch_ports_used = graph.packet_switches + graph.circuit_switches > 0 ? graph.accelerators : 0;
    description.links = graph.links.size();
    description.flit_time = graph.classes[0].flit_time;
    for (const LinkClass& kind : graph.classes) {
        description.path_latency += kind.latency.total();
    }
    if (fabric.circuits()) {
        describe_circuits(graph, description);
        return description;
    }
    description.diameter = graph.accelerators > 1 ? 1 : 0;
    description.bisection_links = std::uint64_t{graph.accelerators / 2} * fabric.spec.ports;
    description.bisection_exact = true;
    return description;
}

}  // namespace simlette
