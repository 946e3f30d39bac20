#include <simlette/fabric/device_matchings.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/edge_colouring.hpp>
#include <simlette/fabric/level_sizes.hpp>

namespace simlette {

namespace {

std::vector<DeviceMatching> one_level(const Fabric& fabric) {
    std::vector<DeviceMatching> devices(fabric.spec.ports);
    for (std::uint32_t port = 0; port < fabric.spec.ports; ++port) {
        devices[port].rail = port;
    }
    for (const HostLink& link : fabric.graph.links) {
        if (link.from < link.to) {
            devices[link.from_port].joined.emplace_back(link.from, link.to);
        }
    }
    return devices;
}

// A circuit between accelerators, and the up links that carry it where they are of different groups.
struct RailCircuit {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t up_from = no_id;
    std::uint32_t up_to = no_id;
};

class TwoOpticalLevels {
public:
    explicit TwoOpticalLevels(const Fabric& fabric) : fabric_(fabric) {
        std::vector<Problem> problems;
        sizes_ = level_sizes(fabric.spec, problems);
        require(problems.empty(), "a fabric that was built has levels that fit");
    }

    std::vector<DeviceMatching> run() {
        std::vector<std::vector<RailCircuit>> rails(sizes_.rails);
        for (const HostLink& link : fabric_.graph.links) {
            if (link.from < link.to) {
                rails[link.from_port].push_back({link.from, link.to});
            }
        }
        for (std::uint32_t rail = 0; rail < sizes_.rails; ++rail) {
            choose_up_links(rail, rails[rail]);
            for (const RailCircuit& circuit : rails[rail]) {
                join(rail, circuit);
            }
        }
        return take();
    }

private:
    void choose_up_links(std::uint32_t rail, std::vector<RailCircuit>& circuits) const {
        std::vector<RailCircuit*> across;
        std::vector<GraphEdge> edges;
        for (RailCircuit& circuit : circuits) {
            if (sizes_.group_of(circuit.from) != sizes_.group_of(circuit.to)) {
                across.push_back(&circuit);
                edges.emplace_back(sizes_.group_of(circuit.from), sizes_.group_of(circuit.to));
            }
        }
        const std::vector<GraphEdge> links = up_links_of(rail, edges);
        for (std::size_t i = 0; i < across.size(); ++i) {
            across[i]->up_from = links[i].first;
            across[i]->up_to = links[i].second;
        }
    }

    std::vector<GraphEdge> up_links_of(std::uint32_t rail, const std::vector<GraphEdge>& edges) const {
        const std::vector<GraphEdge> links = by_translations(edges);
        if (links.size() == edges.size()) {
            return links;
        }
        if (sizes_.devices_each == 1) {
            return in_turn(edges);
        }
        const auto sides = sides_of(sizes_.groups, edges);
        return sides ? by_matchings(edges, *sides) : by_factors(rail, edges);
    }

    // The only device of a rail joins any up link to any other.
    std::vector<GraphEdge> in_turn(const std::vector<GraphEdge>& edges) const {
        std::vector<std::uint32_t> used(sizes_.groups, 0);
        std::vector<GraphEdge> links;
        for (const auto& [from, to] : edges) {
            links.emplace_back(used[from], used[to]);
            ++used[from];
            ++used[to];
        }
        return links;
    }

    // Circuits that change the same bits of the group are matchings as they are: one for each between the same two
    // groups. Fewer links than circuits: there are too few up links for that.
    std::vector<GraphEdge> by_translations(const std::vector<GraphEdge>& edges) const {
        std::map<GraphEdge, std::uint32_t> between;
        std::map<std::uint32_t, std::uint32_t> most;  // between two groups, by the bits that differ
        for (const GraphEdge& edge : edges) {
            const std::uint32_t count = ++between[std::minmax(edge.first, edge.second)];
            most[edge.first ^ edge.second] = std::max(most[edge.first ^ edge.second], count);
        }
        std::uint32_t next = 0;
        for (auto& [change, count] : most) {
            next += std::exchange(count, next);
        }
        std::vector<GraphEdge> links;
        for (std::size_t i = 0; i < edges.size() && next <= sizes_.up; ++i) {
            const std::uint32_t u =
                most[edges[i].first ^ edges[i].second] + --between[std::minmax(edges[i].first, edges[i].second)];
            links.emplace_back(u, u);
        }
        return links;
    }

    // Each matching takes the same up link of every group.
    std::vector<GraphEdge> by_matchings(std::vector<GraphEdge> edges, const std::vector<bool>& sides) const {
        for (GraphEdge& edge : edges) {
            edge = sides[edge.first] ? GraphEdge{edge.second, edge.first} : edge;
        }
        std::vector<GraphEdge> links;
        for (const std::uint32_t colour : colour_bipartite(sizes_.groups, sizes_.groups, edges, sizes_.up)) {
            links.emplace_back(colour, colour);
        }
        return links;
    }

    // Each 2-factor takes two up links of every group that lead to the same device: one out, one in.
    std::vector<GraphEdge> by_factors(std::uint32_t rail, const std::vector<GraphEdge>& edges) const {
        std::vector<GraphEdge> pairs;
        for (std::uint32_t u = 0; u + sizes_.devices_each < sizes_.up; ++u) {
            if (u / sizes_.devices_each % 2 == 0) {
                pairs.emplace_back(u, u + sizes_.devices_each);
            }
        }
        const std::vector<GraphEdge> turned = oriented(sizes_.groups, edges);
        const std::uint32_t needed = most_one_way(turned);
        if (needed > pairs.size()) {
            throw Error(ErrorKind::input,
                        fmt::format("on rail {} the circuits between racks need {} pairs of up links of a rack, each "
                                    "to one level-2 device; {} up links over {} devices give {} pairs",
                                    rail, needed, sizes_.up, sizes_.devices_each, pairs.size()));
        }
        std::vector<GraphEdge> links;
        const std::vector<std::uint32_t> factors = colour_bipartite(sizes_.groups, sizes_.groups, turned, needed);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const GraphEdge& pair = pairs[factors[i]];
            links.push_back(turned[i] == edges[i] ? pair : GraphEdge{pair.second, pair.first});
        }
        return links;
    }

    std::uint32_t most_one_way(const std::vector<GraphEdge>& turned) const {
        std::vector<std::uint32_t> out(sizes_.groups, 0);
        std::vector<std::uint32_t> in(sizes_.groups, 0);
        for (const GraphEdge& edge : turned) {
            ++out[edge.first];
            ++in[edge.second];
        }
        return std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
    }

    void join(std::uint32_t rail, const RailCircuit& circuit) {
        const std::uint32_t from = sizes_.group_of(circuit.from);
        const std::uint32_t to = sizes_.group_of(circuit.to);
        if (from == to) {
            add(1, rail, from, circuit.from % sizes_.group, circuit.to % sizes_.group);
            return;
        }
        add(1, rail, from, circuit.from % sizes_.group, sizes_.up_port(circuit.up_from));
        add(1, rail, to, circuit.to % sizes_.group, sizes_.up_port(circuit.up_to));
        add(2, rail, sizes_.level2_device(circuit.up_from), sizes_.level2_port(from, circuit.up_from),
            sizes_.level2_port(to, circuit.up_to));
    }

    void add(std::uint32_t level, std::uint32_t rail, std::uint32_t device, std::uint32_t a, std::uint32_t b) {
        joined_[{level, rail, device}].emplace_back(std::min(a, b), std::max(a, b));
    }

    std::vector<DeviceMatching> take() {
        std::vector<DeviceMatching> devices;
        for (auto& [at, joined] : joined_) {
            devices.push_back({at[0], at[1], at[2], std::move(joined)});
        }
        return devices;
    }

    const Fabric& fabric_;
    LevelSizes sizes_;
    std::map<std::array<std::uint32_t, 3>, std::vector<std::pair<std::uint32_t, std::uint32_t>>> joined_;
};

// Circuits between racks take the same up link at both ends.
std::vector<DeviceMatching> hybrid(const Fabric& fabric) {
    std::vector<Problem> problems;
    const LevelSizes sizes = level_sizes(fabric.spec, problems);
    require(problems.empty(), "a fabric that was built has levels that fit");
    std::vector<DeviceMatching> devices(sizes.level2_devices());
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
        devices[i] = {2, i / sizes.devices_each, i % sizes.devices_each, {}};
    }
    const HostGraph& graph = fabric.graph;
    for (const HostLink& link : graph.links) {
        if (link.from < link.to && link.from >= graph.accelerators) {
            const std::uint32_t from = link.from - graph.accelerators;
            const std::uint32_t to = link.to - graph.accelerators;
            const std::uint32_t out = link.from_port - sizes.down;
            const std::uint32_t in = link.to_port - sizes.down;
            devices[from % sizes.rails * sizes.devices_each + sizes.level2_device(out)].joined.emplace_back(
                sizes.level2_port(from / sizes.rails, out), sizes.level2_port(to / sizes.rails, in));
        }
    }
    return devices;
}

}  // namespace

std::vector<DeviceMatching> device_matchings(const Fabric& fabric) {
    const FabricSpec& spec = fabric.spec;
    std::vector<DeviceMatching> devices;
    if (spec.kind == FabricKind::single_level && spec.device == DeviceKind::ocs) {
        devices = one_level(fabric);
    } else if (spec.kind == FabricKind::two_level && spec.level2.device == DeviceKind::ocs) {
        devices = spec.level1.device == DeviceKind::ocs ? TwoOpticalLevels(fabric).run() : hybrid(fabric);
    }
    for (DeviceMatching& device : devices) {
        std::sort(device.joined.begin(), device.joined.end());
    }
    return devices;
}

}  // namespace simlette
