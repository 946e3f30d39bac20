// Circuits of a plan put to another use: the same bits and blocks, priced anew.
#pragma once

#include <optional>

#include <simlette/base/export.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/planner/request.hpp>

namespace simlette {

// The circuits of `plan` under the collectives of `request`, each by its best schedule on the blocks of its axis.
// `bound` is the total: nothing of the plan is open. Throws Error{input} if the request has other meshes, or a
// collective on an axis without circuits.
SIMLETTE_EXPORT Plan price(const Plan& plan, const PlanRequest& request);

// The same bits and blocks with as many parallel circuits as the ports of `request` take at best. Nothing if not even
// one of each generator fits. Throws Error{input} as price() does.
SIMLETTE_EXPORT std::optional<Plan> narrowed(const Plan& plan, const PlanRequest& request);

// The best schedule of a collective on the circuits of an axis, `request` having rate, latencies and groups; automatic
// if no closed form prices it. Requires: the axis has circuits.
SIMLETTE_EXPORT ScheduleKind best_schedule(const Plan& plan, const PlannedAxis& axis, const PlanCollective& collective,
                                           const PlanRequest& request);

}  // namespace simlette
