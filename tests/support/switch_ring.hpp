// A ring of packet switches with an accelerator each, built by hand: the smallest network that can deadlock.
#pragma once

#include <cstdint>
#include <memory>

#include <simlette/fabric/built_fabric.hpp>

#include <support/route_singly.hpp>

namespace simlette {

// Accelerator i hangs on port 0 of switch i, whose port 1 sends to switch i + 1. A message to the accelerator two
// switches on holds a slot of one ring link while it waits for the next.
inline std::shared_ptr<const Fabric> switch_ring(std::uint32_t size, std::int64_t credits) {
    HostGraph graph;
    graph.accelerators = size;
    graph.packet_switches = size;
    graph.ports_to_all = 1;
    graph.classes = {{Duration{10}, {{0}, {0}, {100}, {0}}, {credits, credits}, Duration{0}}};
    for (std::uint32_t i = 0; i < size; ++i) {
        graph.links.push_back({i, size + i, 0, 0, 0});
    }
    for (std::uint32_t i = 0; i < size; ++i) {
        graph.links.push_back({size + i, size + (i + 1) % size, 1, 1, 0});
    }
    for (std::uint32_t i = 0; i < size; ++i) {
        graph.links.push_back({size + i, i, 0, 0, 0});
    }
    std::vector<LinkId> routes;
    for (std::uint32_t i = 0; i < size; ++i) {
        for (std::uint32_t destination = 0; destination < size; ++destination) {
            routes.push_back(destination == i ? 2 * size + i : size + i);
        }
    }
    route_singly(graph, routes);
    FabricSpec spec;
    spec.accelerators = size;
    spec.ports = 1;
    return std::make_shared<const Fabric>(spec, graph);
}

}  // namespace simlette
