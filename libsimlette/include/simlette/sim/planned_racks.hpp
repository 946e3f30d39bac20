// Plans for hybrid fabrics: circuits join racks, and electronic switches carry everything else.
#pragma once

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/planner/request.hpp>

namespace simlette {

// Level 1 electronic, level 2 optical.
SIMLETTE_EXPORT bool is_hybrid(const FabricSpec& fabric);

// The plan for the fabric: planner and ports alone where circuits join accelerators. Above electronic switches all
// racks are joined evenly, whatever the workload; what is chosen is the order in which the axes of each mesh are laid
// over the racks and the schedule of each collective, by analytic price. `request.ports` counts. Throws Error{input} if
// no plan is possible.
SIMLETTE_EXPORT Plan plan_for(const FabricSpec& fabric, const PlanRequest& request);

}  // namespace simlette
