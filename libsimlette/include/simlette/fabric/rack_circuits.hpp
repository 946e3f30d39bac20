// Circuits between the racks of a hybrid fabric: which up link is joined to which.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

// Where a circuit of an up link leads: to an up link of another rack, on the same rail.
struct RackEnd {
    std::uint32_t rack = no_id;  // no_id where the up link is dark
    std::uint32_t up = 0;
};

// By rack, rail and up link. By the circle method, or by the cables of the spec. Appends what is wrong to `problems`:
// too few up links, ends that are not there or are taken, racks that no circuit joins.
std::vector<RackEnd> rack_ends(const FabricSpec& spec, const LevelSizes& sizes, std::vector<Problem>& problems);

// Racks joined as evenly as can be: of each rail every level-2 device has as many 2-factors as pairs of up links of a
// rack lead to it, and a matching for one that is left over; an even number of racks needs matchings alone. Of sizes
// that level_sizes() gives, no two racks have over one circuit more than any two others. Throws Error{input} if some
// would have none.
std::vector<CircuitSpec::Cable> even_rack_cables(const LevelSizes& sizes);

}  // namespace simlette
