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

// Ranks of each group of a collective, by the first of them.
std::uint32_t members_of(const Fabric& fabric, const CollectiveSpec& spec);

// The groups of a collective on a fabric.
struct GroupLayout {
    std::vector<Overlay> overlays;
    std::vector<GroupSchedule> groups;  // accelerators; without a schedule yet
};

// Throws Error{input} if a rank is not in the fabric or in two places, if groups are unequal, or if circuits do not
// join one of them.
GroupLayout lay_groups(const Fabric& fabric, const CollectiveSpec& spec);

// The accelerators of each group, with the schedule that it will run; of `auto` all groups run the same one.
// Throws Error{input} as lay_groups() does, or if no schedule fits.
std::vector<GroupSchedule> schedule_groups(const Fabric& fabric, const CollectiveSpec& spec, ScheduleStore& store);

}  // namespace simlette
