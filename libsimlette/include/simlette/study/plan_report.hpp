// A plan as people read it and as programs do.
#pragma once

#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/study/load.hpp>

namespace simlette {

// What `simlette plan` prints: what was asked, circuits, axes and their collectives, what is assumed.
// `optics` is the line of the optical budget.
SIMLETTE_EXPORT std::string plan_text(const Plan& plan, const LoadedRun& loaded, const RunInputs& inputs,
                                      const std::string& optics);
SIMLETTE_EXPORT std::string plan_json(const Plan& plan);

// Of a generator, as files write it: bits of the label, most significant first.
std::string generator_text(const Plan& plan, Label generator);
// Axes with a block that all bits of the generator are in.
std::vector<std::string> users_of(const Plan& plan, Label generator);
// `ffn.ep`; of a mesh of one axis of the same name just that.
std::string axis_text(const PlannedMesh& mesh, const PlannedAxis& axis);
// The most phases of a collective of the axis; 0 without any.
std::uint32_t phases_of(const PlannedAxis& axis);
// Above the bound, in percent: `+1.2500 %`.
std::string gap_text(const Plan& plan);

}  // namespace simlette
