// A plan file: a plan with what it was asked for, written and read back with all checks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <simlette/planner/plan.hpp>
#include <simlette/planner/request.hpp>
#include <simlette/study/fields.hpp>
#include <simlette/study/input_tree.hpp>

namespace simlette {

struct PlanFile {
    PlanRequest request;  // without meshes: the plan has them
    Plan plan;
    std::vector<std::uint32_t> radices = {};  // that were read, as the texts below: the plan has them
    std::vector<std::string> generators = {};
};

const Fields<PlanFile>& plan_fields();

// Equal requests have equal plans, and equal plans equal texts. Throws Error{input} if an axis is a ring.
std::string plan_text(const PlanFile& plan);

// Nothing if the file is no plan, or one that contradicts itself: then `problems` says why.
std::shared_ptr<const PlanFile> read_plan(const InputTree& tree, Problems& problems);

}  // namespace simlette
