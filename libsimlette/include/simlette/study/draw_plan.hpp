// Pictures of a plan. Accelerators stand on a circle, number 0 on top; circuits are chords.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

// Every generator as a small picture, with the axes that use it.
SIMLETTE_EXPORT std::string plan_sheet_svg(const Plan& plan, const std::string& title);

// What one device joins: pairs of accelerators.
SIMLETTE_EXPORT std::string matching_svg(const std::string& device,
                                         const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                                         std::uint32_t accelerators);

}  // namespace simlette
