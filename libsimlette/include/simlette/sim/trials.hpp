// `auto-simulated`: the choices of `auto`, each simulated flit by flit with the fabric to itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <simlette/collective/spec.hpp>
#include <simlette/sim/simulator.hpp>

namespace simlette {

// One for each choice, in their order; one of them is chosen. The cheapest by its analytic price goes first. Another
// one is left out if a bound says that it cannot be faster than the fastest so far, and given up at that time if it has
// not ended. One with too many phases is left out; if that leaves none, the cheapest is chosen. Empty if `stop` was set
// meanwhile.
std::vector<ScheduleTrial> try_choices(const std::shared_ptr<const Fabric>& fabric, const CollectiveSpec& collective,
                                       const std::atomic<bool>* stop);

// Requires: one of them is chosen.
ScheduleKind chosen(const std::vector<ScheduleTrial>& trials);

}  // namespace simlette
