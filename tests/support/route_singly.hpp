// Routes for a graph built by hand.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// Every accelerator a group of its own, and one way from each switch to each: table[switch * accelerators +
// destination], no_id where nothing passes.
inline void route_singly(HostGraph& graph, const std::vector<LinkId>& table) {
    require(table.size() == std::size_t{graph.packet_switches} * graph.accelerators,
            "a route per switch and accelerator");
    graph.groups = graph.accelerators;
    for (std::uint32_t a = 0; a < graph.accelerators; ++a) {
        graph.places.push_back({a, 0});
    }
    for (std::uint32_t at = 0; at < graph.packet_switches; ++at) {
        graph.switches.push_back({no_id, no_id, at * graph.accelerators, 1, 1});
    }
    for (const LinkId link : table) {
        graph.choices.push_back({static_cast<std::uint32_t>(graph.choice_links.size()), link == no_id ? 0U : 1U});
        graph.choice_links.push_back(link);
    }
}

}  // namespace simlette
