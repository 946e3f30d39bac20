// Who brings which contribution: every rank gets each contribution once, over one of the last hops of shortest ways,
// such that the busiest circuit of every phase carries as little as can be.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/cayley.hpp>

namespace simlette {

struct DeliveryPhase {
    // By generator: the ranks, as the contributor sees them, that it reaches by this last hop, ascending.
    std::vector<std::vector<Label>> arrivals;
    std::uint32_t load = 0;  // the most by one generator
};

// One phase for each distance. Only the loads are fixed by what is asked; which generator brings what is not, but the
// same input has the same answer. Requires: connected.
SIMLETTE_EXPORT std::vector<DeliveryPhase> plan_deliveries(const CayleyGraph& graph);
// The sum of the loads.
std::uint32_t delivery_volume(const CayleyGraph& graph);

}  // namespace simlette
