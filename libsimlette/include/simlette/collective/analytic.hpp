// What a collective takes when it has the fabric to itself and bytes flow like water: per phase the latency of the path
// and the bytes of the busiest edge over its rate. No flit is rounded up, no switch stores one. Exact; rounded up once.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/units.hpp>
#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// On circuits: the sum over phases of the largest (latency + bytes / (circuits * rate)) of an edge. On packet switches:
// the largest latency of a pair, and the most bytes over links of a class, which spraying shares out evenly: into or
// out of an accelerator; out of or into a group over its links to level-2 switches; between two groups over their
// circuits. A read pays the latency of the request too. Requires: every message of the schedule has a link to leave on;
// `accelerators` names one for each rank.
Duration analytic_time(const HostGraph& graph, const CollectiveSpec& spec, const Schedule& schedule,
                       const std::vector<std::uint32_t>& accelerators);

}  // namespace simlette
