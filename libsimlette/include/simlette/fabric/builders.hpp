// The builders of host graphs, one per kind of fabric. Each takes a spec whose numbers were checked.
#pragma once

#include <vector>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

LinkClass link_class(const FabricSpec& spec, LatencyParts latency);

// Two levels with electronic switches below, electronic or optical ones above. Appends what does not fit to `problems`;
// then the graph is empty.
HostGraph build_two_level(const FabricSpec& spec, const LevelSizes& sizes, std::vector<Problem>& problems);

// Circuits from accelerator to accelerator: direct, through one optical level, or through two of them.
HostGraph build_circuits(const FabricSpec& spec, const std::vector<CircuitEnd>& ends);

// Appends to `problems` if more circuits leave a rack on some rail than its level-1 device there has up links.
void check_crossings(const FabricSpec& spec, const LevelSizes& sizes, const std::vector<CircuitEnd>& ends,
                     std::vector<Problem>& problems);

}  // namespace simlette
