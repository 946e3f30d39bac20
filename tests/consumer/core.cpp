// A program of somebody else: one flit from rank 0 to rank 1 through one packet switch, and an all-reduce on circuits
// that are planned for it; no files involved.
#include <cstdio>
#include <variant>

#include <simlette/planner/plan.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/sim/planned.hpp>
#include <simlette/sim/simulator.hpp>
#include <simlette/version.hpp>

// A flit that needs no rounding: it takes what was planned.
static bool planned_all_reduce() {
    simlette::FabricSpec spec;
    spec.device = simlette::DeviceKind::ocs;
    spec.accelerators = 4;
    spec.ports = 3;
    simlette::WorkloadSpec workload;
    workload.collectives.emplace_back();
    workload.collectives.front().collective.bytes = simlette::Bytes{640};

    const simlette::Plan plan = simlette::plan(simlette::plan_request(spec, workload));
    spec.circuits = simlette::circuits_of(plan, spec);
    simlette::follow_plan(plan, spec, true, workload);
    simlette::Simulator simulator(simlette::build_fabric(spec));
    simulator.register_collective(workload.collectives.front().collective);
    const simlette::Advance next = simulator.advance();
    const auto* done = std::get_if<simlette::Completed>(&next);
    return done != nullptr && done->end.ps == plan.total.ps && plan.optimal;
}

int main() {
    simlette::FabricSpec spec;
    spec.accelerators = 2;
    spec.ports = 1;
    simlette::Simulator simulator(simlette::build_fabric(spec));

    simlette::CollectiveSpec message;
    message.primitive = simlette::Primitive::send_recv;
    message.group = {0, 1};
    message.bytes = simlette::Bytes{640};
    simulator.register_collective(message);

    const simlette::Advance next = simulator.advance();
    const auto* done = std::get_if<simlette::Completed>(&next);
    if (done == nullptr || !planned_all_reduce()) {
        return 1;
    }
    std::printf("simlette %s: %lld ps\n", simlette::version(), static_cast<long long>(done->end.ps));
    return 0;
}
