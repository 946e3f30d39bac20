// A plan as people read it and as programs do.
#pragma once

#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/base/label.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/planning.hpp>

namespace simlette {

// What `simlette plan` prints: what was asked, circuits, axes and their collectives, what is assumed.
SIMLETTE_EXPORT std::string plan_table(const Plan& plan, const PlanTask& task, const RunInputs& inputs);
SIMLETTE_EXPORT std::string plan_json(const Plan& plan);

// The members of both objects, those of `more` behind the others.
SIMLETTE_EXPORT std::string joined_json(const std::string& object, const std::string& more);

// Of a generator, as files write it: bits of the label, most significant first; else its digits, the lowest first.
std::string generator_text(const Plan& plan, Label generator);
// Axes with a block that all bits of the generator are in.
std::vector<std::string> users_of(const Plan& plan, Label generator);
// `ffn.ep`; of a mesh of one axis of the same name just that.
SIMLETTE_EXPORT std::string axis_text(const PlannedMesh& mesh, const PlannedAxis& axis);
// The most phases of a collective of the axis; 0 without any.
std::uint32_t phases_of(const PlannedAxis& axis);
// Above the bound, in percent: `+1.2500 %`.
std::string gap_text(const Plan& plan);

}  // namespace simlette
