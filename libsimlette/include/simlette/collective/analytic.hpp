// What a collective takes when it has the fabric to itself and bytes flow like water: per phase the latency of the path
// and the bytes of the busiest edge over its rate. No flit is rounded up, no switch stores one. Exact; rounded up once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <simlette/base/units.hpp>
#include <simlette/collective/overlay.hpp>
#include <simlette/collective/schedule.hpp>
#include <simlette/collective/schedule_store.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// A group of a collective: the accelerator of each rank, and what it runs.
struct GroupSchedule {
    std::shared_ptr<const Schedule> schedule;
    std::vector<std::uint32_t> accelerators;
};

// All groups begin together and keep in step. On circuits: the sum over phases of the largest (latency + bytes /
// (circuits * rate)) of an edge. On packet switches: the largest latency of a pair, and the most bytes over links of a
// class, which spraying shares out evenly: into or out of an accelerator; out of or into a rack over its links to
// level-2 switches; between two racks over their circuits. A read pays the latency of the request too.
// Requires: at least one group; every message of a schedule has a link to leave on.
Duration analytic_time(const HostGraph& graph, const CollectiveSpec& spec, const std::vector<GroupSchedule>& groups);

// What `auto` stands for: of its choices the cheapest for all groups together, of equal ones the first. `overlays` has
// one for each group; what schedules the groups have does not matter.
// Throws Error{input} if a choice does not fit an overlay.
ScheduleKind cheapest_kind(const HostGraph& graph, const CollectiveSpec& spec, const std::vector<Overlay>& overlays,
                           std::vector<GroupSchedule> groups, ScheduleStore& store);

}  // namespace simlette
