// What a collective takes when it has the fabric to itself and bytes flow like water: per phase the latency of the path
// and the bytes of the busiest edge over its rate. No flit is rounded up, no switch stores one. Exact; rounded up once.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/units.hpp>
#include <simlette/collective/overlay.hpp>
#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// On circuits: the sum over phases of the largest (latency + bytes / (circuits * rate)) of an edge. On packet switches:
// the largest latency of a pair, and the most bytes into or out of an accelerator over all its links, which spraying
// shares out evenly. A read pays the latency of the request too.
// Requires: every message of the schedule has a link to leave on; `accelerators` names one for each rank.
Duration analytic_time(const HostGraph& graph, const CollectiveSpec& spec, const Schedule& schedule,
                       const std::vector<std::uint32_t>& accelerators);

// The schedule of `auto`: the cheapest of its choices by this price, of equal ones the first.
// Throws Error{input} if a choice does not fit the overlay.
Schedule cheapest_schedule(const HostGraph& graph, const CollectiveSpec& spec, const Overlay& overlay,
                           const std::vector<std::uint32_t>& accelerators);

}  // namespace simlette
