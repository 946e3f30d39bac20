// An axis of a plan as its collectives see it: its groups, its coset layers, the circuits that serve it.
//
// A rank of a group is the coordinate; digit i of it, counted from the highest, is digit `bits[i]` of the accelerator's
// label.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/coset_layers.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

// These bits, or digits, as a set.
Label mask_of(const std::vector<unsigned>& bits);

// How the labels of a plan are added: bit by bit, or digit by digit.
RankGroup labels_of(const Plan& plan);
// Digits of a label that are not zero, as a set; of a power of two the label itself.
Label digits_of(const Plan& plan, Label label);

// Some axis is a ring.
bool has_rings(const Plan& plan);

// All digits of a generator are in one block.
bool uses(const PlannedAxis& axis, Label digits);

// Accelerators by coordinate, a row for each group of the axis; groups by their lowest accelerator.
// Requires, as all below: the number of ranks is a power of two.
std::vector<std::vector<std::uint32_t>> groups_of_axis(const PlannedAxis& axis, std::uint32_t ranks);

// The blocks, each with all its masks, over coordinates.
CosetLayers layers_of_axis(const PlannedAxis& axis);

// What the simulator is asked to run: a collective of the plan on all groups of its axis.
SIMLETTE_EXPORT CollectiveSpec collective_of(const PlannedAxis& axis, const PlanCollective& collective,
                                             std::uint32_t ranks);

// By coset layer of the axis: some circuit leads from a group of this many accelerators (a rack) to another. 0: there
// are no groups.
std::vector<bool> layers_leaving(const PlannedAxis& axis, std::uint32_t group);

}  // namespace simlette
