// Planes of a fabric: parts that no link joins, each behind the same port of every accelerator, and all alike.
//
// What carries the same on each of them need be simulated on one alone.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// A plane among `count` that look alike.
struct Plane {
    std::uint32_t index = 0;  // and the port of each accelerator
    std::uint32_t count = 1;
    std::uint32_t stands_for = 1;                // planes that carry the same: itself and those after it
    std::uint32_t slot = 0;                      // among those that are simulated
    const std::vector<LinkId>* links = nullptr;  // its links in the whole fabric; nullptr: it is the whole
};

struct Planes {
    // Of each plane its links, ascending; empty if there are no two planes or they differ.
    std::vector<std::vector<LinkId>> links;
    // The first plane by itself: links and switches are numbered anew, in the same order. Unused without planes.
    HostGraph graph;
};

Planes planes_of(const HostGraph& graph);

// Of each switch a number that those have in common which links join.
std::vector<std::uint32_t> joined_switches(const HostGraph& graph);

}  // namespace simlette
