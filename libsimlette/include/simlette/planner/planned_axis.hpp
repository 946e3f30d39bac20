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
SIMLETTE_EXPORT RankGroup labels_of(const Plan& plan);
// Digits of a label that are not zero, as a set; of a power of two the label itself.
SIMLETTE_EXPORT Label digits_of(const Plan& plan, Label label);
// All labels but 0 that are 0 outside of these digits, a block of an axis.
SIMLETTE_EXPORT std::vector<Label> labels_on(const RankGroup& labels, const std::vector<unsigned>& block);
// The digits that lead out of groups (racks) of so many accelerators, as a set; 0: there are none.
Label digits_outside(const Plan& plan, std::uint32_t group);

// Some axis is a ring.
SIMLETTE_EXPORT bool has_rings(const Plan& plan);

// All digits of a generator are in one block.
SIMLETTE_EXPORT bool uses(const PlannedAxis& axis, Label digits);

// Accelerators by coordinate, a row for each group of the axis; groups by their lowest accelerator.
std::vector<std::vector<std::uint32_t>> groups_of_axis(const Plan& plan, const PlannedAxis& axis);

// Ranks that each block joins.
std::vector<std::uint32_t> radices_of_blocks(const PlannedAxis& axis);

// The blocks over coordinates, each with all differences of its ranks. Requires: `bits` are the blocks from last to
// first, or the axis has a power of two of ranks.
SIMLETTE_EXPORT CosetLayers layers_of_axis(const PlannedAxis& axis);
// The same for a schedule to use.
LayerChoice layer_choice_of(const PlannedAxis& axis);

// What the simulator is asked to run: a collective of the plan on all groups of its axis.
SIMLETTE_EXPORT CollectiveSpec collective_of(const Plan& plan, const PlannedAxis& axis,
                                             const PlanCollective& collective);

// By coset layer of the axis: some circuit leads from a group of so many accelerators (a rack) to another. 0: there are
// no groups.
SIMLETTE_EXPORT std::vector<bool> layers_leaving(const Plan& plan, const PlannedAxis& axis, std::uint32_t group);

}  // namespace simlette
