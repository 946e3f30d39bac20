// Builders that several kinds of fabric share, and the one of two levels with electronic switches.
#pragma once

#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

// What the fabric says of every link, with the latency of this one.
LinkClass link_class(const FabricSpec& spec, LatencyParts latency);

// Level 1 electronic, level 2 electronic or optical. Appends what does not fit to `problems`; then the graph is empty.
HostGraph build_two_level(const FabricSpec& spec, std::vector<Problem>& problems);

}  // namespace simlette
