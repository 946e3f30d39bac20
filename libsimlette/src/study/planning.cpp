#include <simlette/study/planning.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/device_matchings.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/sim/planned.hpp>
#include <simlette/study/plan_file.hpp>
#include <simlette/study/resolve.hpp>
#include <simlette/study/run_setup.hpp>
#include <simlette/study/topology_file.hpp>
#include <simlette/study/workload_file.hpp>

namespace simlette {

namespace {

const char* const no_circuits =
    "the fabric has no circuits to plan; expected `fabric: direct`, or optical circuit switches (`device: ocs`)";

bool has_circuits(const FabricSpec& fabric) {
    switch (fabric.kind) {
        case FabricKind::direct:
            return true;
        case FabricKind::single_level:
            return fabric.device == DeviceKind::ocs;
        case FabricKind::two_level:
            return fabric.level2.device == DeviceKind::ocs;
        case FabricKind::explicit_graph:
            return false;
    }
    return false;
}

void leave_circuits_open(InputTrees& trees) {
    if (!trees.topology.parsed) {
        return;
    }
    if (Node* circuits = find(trees.topology.root, "circuits")) {
        const Place place = circuits->place;
        *circuits = text_node("auto");
        circuits->place = place;
    }
}

}  // namespace

PlanTask load_plan_task(const RunInputs& inputs) {
    Problems problems;
    InputTrees trees = read_trees(inputs, problems);
    leave_circuits_open(trees);
    NamedFiles files(problems);
    PlanTask task;
    if (trees.topology.parsed) {
        task.fabric = read_topology(trees.topology.root, problems, files).fabric;
    }
    if (trees.workload.parsed) {
        task.workload = workload_spec(read_workload(trees.workload.root, problems, task.fabric, files));
    }
    problems.raise_any();
    if (!has_circuits(task.fabric)) {
        problems.add(trees.topology.root.place, no_circuits);
    }
    for (const WorkloadFault& fault : faults_for_planning(task.workload)) {
        problems.add(find_deepest(trees.workload.root, fault.path).place, fault.text);
    }
    problems.raise_any();
    for (const Source* source : files.sources()) {
        task.named_files.push_back(source->name);
    }
    task.request = plan_request(task.fabric, task.workload);
    return task;
}

Plan load_plan(const std::string& path) {
    Problems problems;
    const std::shared_ptr<const PlanFile> file = read_plan(parse_input(path, problems), problems);
    problems.raise_any();
    return file->plan;
}

std::string plan_yaml(const Plan& plan, const PlanRequest& request) {
    return plan_text({request, plan});
}

void check_plan_fits(const Plan& plan, const PlanTask& task, const RunInputs& inputs) {
    if (has_rings(plan)) {
        return;  // priced, not laid
    }
    LoadedRun laid;
    try {
        laid.fabric = planned_fabric(plan, task.fabric);
    } catch (const Error& error) {
        throw Error({Problem{inputs.topology, 0, 0, error.problems().front().message}});
    }
    const std::shared_ptr<const Fabric> fabric = build_fabric_of(laid, inputs);
    try {
        device_matchings(*fabric);
    } catch (const Error& error) {
        throw Error({Problem{inputs.topology, 0, 0, error.problems().front().message}});
    }
}

FabricSpec planned_fabric(const Plan& plan, FabricSpec fabric) {
    fabric.circuits = circuits_of(plan, fabric);
    fabric.placement.clear();
    return fabric;
}

}  // namespace simlette
