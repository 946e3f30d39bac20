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

// Circuits from accelerator to accelerator: direct, through one optical level, or through two of them.
HostGraph build_circuits(const FabricSpec& spec, std::vector<Problem>& problems);

// Level 1 electronic, level 2 electronic or optical.
HostGraph build_two_level(const FabricSpec& spec, std::vector<Problem>& problems);

}  // namespace simlette
