// From a fabric and a workload to what a plan is asked for, and from a plan back to the workload.
#pragma once

#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/planner/request.hpp>
#include <simlette/sim/workload.hpp>

namespace simlette {

// What all ranks at once are called among the meshes of a plan, and the only axis of theirs.
inline constexpr const char* world_mesh = "world";

// Something about a workload, where a file would have it: `meshes.ffn`, `collectives.2.axis`.
struct WorkloadFault {
    std::string path;
    std::string text;
};

// Why no plan can serve the workload: groups of its own, blocks of unequal size, schedules from files, traffic.
SIMLETTE_EXPORT std::vector<WorkloadFault> faults_for_planning(const WorkloadSpec& workload);

// Requires: circuits lead from accelerator to accelerator or from rack to rack, faults_for_planning() is empty.
SIMLETTE_EXPORT PlanRequest plan_request(const FabricSpec& fabric, const WorkloadSpec& workload);

// Meshes and axes that the plan does not have, or has otherwise; on circuits also axes that it gives none.
SIMLETTE_EXPORT std::vector<WorkloadFault> faults_under(const Plan& plan, bool on_circuits,
                                                        const WorkloadSpec& workload);

// Groups of axes go where the plan has put them: the coordinates of a rank of a mesh, scattered into the bits of its
// axes, are its accelerator. On circuits `auto` becomes the schedule that was planned, on the planned blocks; a size
// that was not planned takes the best one there. Other schedules run on the planned blocks too if they take layers and
// name none. Requires: faults_under() is empty, placement is the identity.
SIMLETTE_EXPORT void follow_plan(const Plan& plan, const FabricSpec& fabric, bool on_circuits, WorkloadSpec& workload);

}  // namespace simlette
