// From files to a request for a plan, and from a plan to a fabric.
#pragma once

#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/planner/request.hpp>
#include <simlette/study/load.hpp>

namespace simlette {

struct PlanTask {
    FabricSpec fabric;  // its circuits are open
    WorkloadSpec workload;
    PlanRequest request;
    std::vector<std::string> named_files;  // that the workload names
};

// Circuits that the topology names are left aside. Throws Error{input} with every problem of the files, also if the
// fabric has no circuits between accelerators or the workload cannot be planned for.
SIMLETTE_EXPORT PlanTask load_plan_task(const RunInputs& inputs);

// A plan that was written to a file. Throws Error{input} with every problem of it.
SIMLETTE_EXPORT Plan load_plan(const std::string& path);

// What a plan file holds.
SIMLETTE_EXPORT std::string plan_yaml(const Plan& plan, const PlanRequest& request);

// Throws Error{input}, naming the topology, if the circuits of the plan do not fit the fabric and its devices. Says
// nothing of rings.
SIMLETTE_EXPORT void check_plan_fits(const Plan& plan, const PlanTask& task, const RunInputs& inputs);

// The fabric with the circuits of a plan, ranks on the accelerators of their number. Throws Error{input} if they do not
// fit it.
FabricSpec planned_fabric(const Plan& plan, FabricSpec fabric);

}  // namespace simlette
