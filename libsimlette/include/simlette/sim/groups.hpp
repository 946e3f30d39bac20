// From the groups of a collective to accelerators, overlays and schedules.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/collective/analytic.hpp>
#include <simlette/collective/overlay.hpp>
#include <simlette/collective/schedule_store.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/fabric/built_fabric.hpp>

namespace simlette {

// The accelerators of each group, with the schedule that it will run; of `auto` all groups run the same one.
// Throws Error{input} if a rank is not in the fabric or in two places, if groups are unequal, or if no schedule fits.
std::vector<GroupSchedule> schedule_groups(const Fabric& fabric, const CollectiveSpec& spec, ScheduleStore& store);

}  // namespace simlette
