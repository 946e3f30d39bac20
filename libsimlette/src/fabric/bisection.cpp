#include <simlette/fabric/bisection.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>

#include <simlette/base/label.hpp>
#include <simlette/fabric/level_sizes.hpp>

namespace simlette {

namespace {

using Translations = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// A cut by a linear functional f keeps x with f(x) = 0 on one side; generators with f(g) = 1 cross it. The least of
// these meets the spectral bound of a Cayley graph of Z_2^n, so it is the bisection.
Cut cut_translations(std::uint32_t accelerators, const Translations& generators) {
    std::uint64_t least = UINT64_MAX;
    for (Label functional = 1; functional < accelerators; ++functional) {
        std::uint64_t crossing = 0;
        for (const auto& [generator, copies] : generators) {
            crossing += std::popcount(functional & generator) % 2 == 1 ? copies : 0;
        }
        least = std::min(least, crossing * (accelerators / 2));
    }
    return {accelerators == 1 ? 0 : least, true};
}

// Circuits from the first half to the second, when accelerators stand in the order of their place.
template <class PlaceOf>
std::uint64_t cut_in_order(const HostGraph& graph, PlaceOf&& place_of) {
    const std::uint32_t half = graph.accelerators / 2;
    return static_cast<std::uint64_t>(std::count_if(graph.links.begin(), graph.links.end(), [&](const HostLink& link) {
        return place_of(link.from) < half && place_of(link.to) >= half;
    }));
}

std::uint64_t crossing_pairs(std::uint64_t accelerators) {
    return (accelerators / 2) * (accelerators - accelerators / 2);
}

// No cut is less than the pairs of accelerators that it parts over the pairs that one circuit carries, if every pair
// takes its shortest paths evenly. A circuit of a mesh carries one pair.
Cut cut_mesh(const HostGraph& graph) {
    const std::uint64_t n = graph.accelerators;
    return {n == 1 ? 0 : crossing_pairs(n) * (graph.links.size() / (n * (n - 1))), true};
}

// The pairs of a cycle of k are k x floor(k^2 / 4) / 2 hops apart, which its k circuits (one if k is 2) share. The cut
// is exact if none below it is left by the bound.
Cut cut_torus(const HostGraph& graph, const std::vector<std::uint32_t>& extents) {
    const std::uint32_t n = graph.accelerators;
    Cut cut{n == 1 ? 0 : UINT64_MAX, true};
    std::uint64_t twice_carried = 0;
    std::uint32_t directions = 0;
    std::uint32_t stride = n;
    for (const std::uint32_t extent : extents) {
        stride /= extent;
        if (extent == 1) {
            continue;
        }
        directions += extent == 2 ? 1 : 2;
        const std::uint64_t hops = std::uint64_t{n / extent} * (std::uint64_t{extent} * extent / 4);
        twice_carried = std::max(twice_carried, extent == 2 ? 2 * hops : hops);
        cut.links = std::min(cut.links, cut_in_order(graph, [=](std::uint32_t a) {
                                 const std::uint32_t others = a / (stride * extent) * stride + a % stride;
                                 return a / stride % extent * (n / extent) + others;
                             }));
    }
    if (n > 1) {
        const std::uint64_t copies = graph.links.size() / (std::uint64_t{n} * directions);
        cut.exact = (cut.links - 1) * twice_carried < 2 * crossing_pairs(n) * copies;
    }
    return cut;
}

Cut cut_circuits(const Fabric& fabric) {
    const HostGraph& graph = fabric.graph;
    switch (fabric.spec.circuits.shape) {
        case CircuitShape::full_mesh:
            return cut_mesh(graph);
        case CircuitShape::torus:
            return cut_torus(graph, fabric.spec.circuits.torus);
        case CircuitShape::ring:
            return cut_torus(graph, {graph.accelerators});
        case CircuitShape::none:
            break;
    }
    const Translations generators = translations(graph);
    return generators.empty() ? Cut{cut_in_order(graph, [](std::uint32_t a) { return a; }), false}
                              : cut_translations(graph.accelerators, generators);
}

// Rails are alike, and whatever the accelerators' sides are, each device takes its better one: k racks of level-1
// devices on one side cut up x min(k, racks - k) links above them, and below them a link for every accelerator that is
// not on the side of its device. The least number of those is reached by filling racks.
Cut cut_levels(const FabricSpec& spec) {
    std::vector<Problem> none;
    const LevelSizes sizes = level_sizes(spec, none);
    const std::int64_t half = spec.accelerators / 2;
    const std::uint32_t last = spec.accelerators % sizes.group;  // serving in the last rack, if in part
    std::int64_t least = half;
    for (std::uint32_t full = 0; full <= spec.accelerators / sizes.group; ++full) {
        for (const bool with_last : {false, true}) {
            const std::int64_t racks = full + (with_last && last > 0 ? 1 : 0);
            const std::int64_t inside = std::int64_t{full} * sizes.group + (with_last ? last : 0);
            const std::int64_t above = sizes.up * std::min(racks, sizes.serving_groups - racks);
            least = std::min(least, above + std::abs(half - inside));
        }
    }
    return {static_cast<std::uint64_t>(least) * spec.ports, true};
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> translations(const HostGraph& graph) {
    Translations found;
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

Cut bisection(const Fabric& fabric) {
    if (fabric.circuits()) {
        return cut_circuits(fabric);
    }
    if (fabric.spec.kind == FabricKind::two_level) {
        return cut_levels(fabric.spec);
    }
    return {std::uint64_t{fabric.spec.accelerators / 2} * fabric.spec.ports, true};
}

}  // namespace simlette
