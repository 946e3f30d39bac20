// The builders of host graphs, and what they share. Each takes a spec whose single numbers were checked, and appends
// what does not fit to `problems`; then its graph is of no use.
#pragma once

#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

// What the fabric says of every link, with the latency of this one.
LinkClass link_class(const FabricSpec& spec, LatencyParts latency);

// What a further electronic switch adds under HopReading::per_hop: all of a path through one switch but what
// `switch_only` adds anyway, the switch and a link.
LatencyParts further_hop(const FabricSpec& spec);

// Of circuits between accelerators: the only pass, or on two levels the one inside a rack, then across racks.
std::vector<LinkClass> circuit_classes(const FabricSpec& spec);

// Lists the links of a graph without switches by source and destination. Requires: they are in order of their source.
void list_neighbours(HostGraph& graph);

// Appends to `problems` if links from accelerator to accelerator do not join them all.
void check_connected(const HostGraph& graph, std::vector<Problem>& problems);

// Circuits from accelerator to accelerator: direct, through one optical level, or through two of them.
HostGraph build_circuits(const FabricSpec& spec, std::vector<Problem>& problems);

// Level 1 electronic, level 2 electronic or optical.
HostGraph build_two_level(const FabricSpec& spec, std::vector<Problem>& problems);

// Switches and links one by one.
HostGraph build_explicit(const FabricSpec& spec, std::vector<Problem>& problems);

}  // namespace simlette
