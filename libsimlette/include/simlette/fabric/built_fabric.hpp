// What stands behind the opaque Fabric: the spec it came from and the graph that was built.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/fabric/host_graph.hpp>

namespace simlette {

class Fabric {
public:
    Fabric(FabricSpec from, HostGraph built) : spec(std::move(from)), graph(std::move(built)) {}

    const FabricSpec spec;
    const HostGraph graph;

    // Messages go from neighbour to neighbour by circuits; otherwise switches carry them to every accelerator.
    bool circuits() const { return graph.packet_switches == 0; }
    std::uint32_t accelerator_of(std::uint32_t rank) const {
        return spec.placement.empty() ? rank : spec.placement[rank];
    }
};

// Where the circuit of a port leads.
struct CircuitEnd {
    std::uint32_t accelerator = no_id;  // no_id where the port is dark
    std::uint32_t port = 0;
};

// The far end of every port of every accelerator, port_count a row.
// Appends what is wrong to `problems`: the port budget, labels out of range, no matching, not connected.
std::vector<CircuitEnd> circuit_ends(const FabricSpec& spec, std::vector<Problem>& problems);

// The same for circuits of a shape. Directions take ports in turn, the copies of one side by side: a ring forwards,
// then backwards; a torus so for each dimension in list order; a full mesh by ascending distance.
std::vector<CircuitEnd> shape_ends(const FabricSpec& spec, std::vector<Problem>& problems);

}  // namespace simlette
