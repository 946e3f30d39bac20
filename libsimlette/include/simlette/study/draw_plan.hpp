// Pictures of a plan. Accelerators, or ports of a device, stand on a circle, number 0 on top; circuits are chords.
#pragma once

#include <string>

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

// Every generator as a small picture, with the axes that use it.
SIMLETTE_EXPORT std::string plan_sheet_svg(const Plan& plan, const std::string& title);

// What one circuit switch joins: `rail3`, or on two levels `level1.rail3.rack0`, `level2.rail3.device1`. Throws
// Error{input} if the circuits of the plan pass no switch of this name.
SIMLETTE_EXPORT std::string device_svg(const Plan& plan, const FabricSpec& fabric, const std::string& device);

}  // namespace simlette
