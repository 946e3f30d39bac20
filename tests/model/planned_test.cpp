// Random plans from request to flits: the search, the ports, the devices and the simulation must agree.
#include <catch2/catch.hpp>

#include <simlette/fabric/builders.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/device_matchings.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/prove_circuits.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/study/plan_check.hpp>

#include <support/random_plan.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

constexpr std::uint64_t plans_by_default = 60;
constexpr Duration one_flit{12'800};

FabricSpec random_optical_fabric(Random& random, unsigned bits, std::uint32_t ports) {
    FabricSpec fabric = packet_fabric(1U << bits, ports);
    fabric.device = DeviceKind::ocs;
    if (random.below(3) == 0) {
        fabric.kind = FabricKind::direct;
    } else if (random.below(2) == 0) {
        fabric.kind = FabricKind::two_level;
        fabric.group = 1U << random.between(1, static_cast<std::int64_t>(bits) - 1);
        fabric.level1 = {DeviceKind::ocs, 2 * fabric.group, fabric.group, fabric.group};
        fabric.level2 = {DeviceKind::ocs, 2 * (fabric.accelerators / fabric.group), 0, 0};
    }
    return fabric;
}

bool has_collectives(const PlanRequest& request) {
    for (const PlanMesh& mesh : request.meshes) {
        for (const PlanAxis& axis : mesh.axes) {
            if (!axis.collectives.empty()) {
                return true;
            }
        }
    }
    return false;
}

// Axes may leave the accelerators in parts, which no fabric of the program does.
bool connects(const Plan& plan) {
    return rank_gf2(plan.generators) == bits_of(plan.ranks);
}

bool evenly_wide(const Plan& plan, const PlannedAxis& axis) {
    for (std::size_t i = 0; i < plan.generators.size(); ++i) {
        if (uses(axis, plan.generators[i]) && plan.copies[i] != axis.multiplicity) {
            return false;
        }
    }
    return true;
}

void check_circuits(const Plan& plan, FabricSpec fabric) {
    fabric.circuits = circuits_of(plan, fabric);
    const auto built = build_fabric(fabric);
    CHECK(faults_of_circuits(fabric, built->graph, device_matchings(*built)) == std::vector<std::string>{});
    CHECK(faults_of_generators(built->graph, plan.generators, plan.copies) == std::vector<std::string>{});
}

// In the order of the axes.
void check_times(const Plan& plan, const PlanCheck& check) {
    std::size_t next = 0;
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            for (std::size_t i = 0; i < axis.collectives.size(); ++i) {
                const CheckedCollective& checked = check.collectives.at(next++);
                CAPTURE(checked.axis, axis.topology, checked.differences);
                CHECK(checked.simulated <= checked.whole_flits);
                // A phase rounds up its blocks, their flits, and the flits of a circuit.
                CHECK(checked.planned.time <= checked.whole_flits);
                CHECK(checked.whole_flits <= checked.planned.time + one_flit * (3 * checked.planned.phases));
                if (evenly_wide(plan, axis)) {
                    CHECK(checked.simulated == checked.whole_flits);
                }
            }
        }
    }
    CHECK(next == check.collectives.size());
}

}  // namespace

TEST_CASE("random plans stand on ports and devices, and no flit is later than planned") {
    std::uint64_t simulated = 0;
    for_each_seed(7104, plans_by_default, [&](Random& random) {
        const auto bits = static_cast<unsigned>(random.between(2, 5));
        PlanRequest request = random_plan_request(random, bits, 3, 12);
        const FabricSpec fabric = random_optical_fabric(random, bits, request.ports);
        const std::vector<LinkClass> classes = circuit_classes(fabric);
        request.latency = classes.front().latency.total();
        request.latency_across = classes.back().latency.total();
        const bool levels = fabric.kind == FabricKind::two_level;
        request.group = levels ? fabric.group : 0;
        request.up = levels ? fabric.level1.up : 0;
        if (!has_collectives(request)) {
            return;
        }
        const Plan chosen = plan(request);
        CHECK(chosen.bound <= chosen.total);
        if (connects(chosen)) {
            check_circuits(chosen, fabric);
            check_times(chosen, check_plan(chosen, request, fabric));
            ++simulated;
        }
    });
    CHECK(simulated > 0);
}
