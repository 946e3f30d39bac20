// An axis of a plan as its collectives see it: its groups, its coset layers, the circuits that serve it.
//
// A rank of a group is the coordinate; bit i of it, counted from the highest, is bit `bits[i]` of the accelerator's
// label.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/coset_layers.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

// All bits of the generator are in one block.
bool uses(const PlannedAxis& axis, Label generator);

// Accelerators by coordinate, a row for each group of the axis; groups by their lowest accelerator.
std::vector<std::vector<std::uint32_t>> groups_of_axis(const PlannedAxis& axis, std::uint32_t ranks);

// The blocks, each with all its masks, over coordinates.
CosetLayers layers_of_axis(const PlannedAxis& axis);

// What the simulator is asked to run: a collective of the plan on all groups of its axis.
SIMLETTE_EXPORT CollectiveSpec collective_of(const PlannedAxis& axis, const PlanCollective& collective,
                                             std::uint32_t ranks);

// Some circuit of the axis leads from a group of this many accelerators (a rack) to another; 0: there are none.
bool leaves_group(const PlannedAxis& axis, std::uint32_t group);

}  // namespace simlette
