// Random plans from request to flits: the search, the ports, the devices and the simulation must agree.
#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/builders.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/device_matchings.hpp>
#include <simlette/planner/matchings.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/prove_circuits.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/planner/space.hpp>
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

// Racks of any size, the last of which may serve in part; a device of level 2 has all up links of its rail.
FabricSpec mixed_optical_fabric(Random& random, FabricKind kind, const PlanRequest& request) {
    FabricSpec fabric = packet_fabric(request.ranks, request.ports);
    fabric.device = DeviceKind::ocs;
    fabric.kind = kind;
    if (kind == FabricKind::two_level) {
        fabric.group = static_cast<std::uint32_t>(random.between(2, request.ranks));
        const std::uint32_t racks = (request.ranks + fabric.group - 1) / fabric.group;
        fabric.domain = racks * fabric.group;
        fabric.level1 = {DeviceKind::ocs, 2 * fabric.group, fabric.group, fabric.group};
        fabric.level2 = {DeviceKind::ocs, racks * fabric.group, 0, 0};
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
    return connected({labels_of(plan), plan.generators});
}

bool evenly_wide(const Plan& plan, const PlannedAxis& axis) {
    for (std::size_t i = 0; i < plan.generators.size(); ++i) {
        if (uses(axis, digits_of(plan, plan.generators[i])) && plan.copies[i] != axis.multiplicity) {
            return false;
        }
    }
    return true;
}

void check_circuits(const Plan& plan, FabricSpec fabric) {
    fabric.circuits = circuits_of(plan, fabric);
    const auto built = build_fabric(fabric);
    CHECK(faults_of_circuits(fabric, built->graph, device_matchings(*built)) == std::vector<std::string>{});
    CHECK(faults_of_generators(built->graph, labels_of(plan), plan.generators, plan.copies) ==
          std::vector<std::string>{});
}

// In the order of the axes. `exact`: a rack is what some digits of a label number, so that prices of paths are no
// bounds.
void check_times(const Plan& plan, const PlanCheck& check, bool exact) {
    std::size_t next = 0;
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            for (std::size_t i = 0; i < axis.collectives.size() && axis.size > 1; ++i) {
                const CheckedCollective& checked = check.collectives.at(next++);
                CAPTURE(checked.axis, axis.topology, checked.differences);
                CHECK(checked.simulated <= checked.whole_flits);
                // A phase rounds up its blocks, their flits, and the flits of a circuit.
                CHECK(checked.planned.time <= checked.whole_flits);
                CHECK(checked.whole_flits <= checked.planned.time + one_flit * (3 * checked.planned.phases));
                if (exact && evenly_wide(plan, axis)) {
                    CHECK(checked.simulated == checked.whole_flits);
                }
            }
        }
    }
    CHECK(next == check.collectives.size());
}

// The search, the ports, the devices, the proof by data flow and the flits. False: nothing was simulated.
bool check_whole(PlanRequest request, const FabricSpec& fabric) {
    const std::vector<LinkClass> classes = circuit_classes(fabric);
    request.latency = classes.front().latency.total();
    request.latency_across = classes.back().latency.total();
    const bool levels = fabric.kind == FabricKind::two_level;
    request.group = levels ? fabric.group : 0;
    request.up = levels ? fabric.level1.up : 0;
    request.same_port = fabric.kind != FabricKind::direct;
    if (!has_collectives(request)) {
        return false;
    }
    const Plan chosen = plan(request);
    CHECK(chosen.bound <= chosen.total);
    CHECK(chosen.ports_used == ports_taken(chosen, request.same_port));
    CHECK(chosen.ports_used <= request.ports);
    if (!connects(chosen)) {
        return false;
    }
    check_circuits(chosen, fabric);
    const std::uint32_t rack = levels ? std::min(fabric.group, fabric.accelerators) : fabric.accelerators;
    check_times(chosen, check_plan(chosen, request, fabric), ranks_inside(chosen.ranks, request.group) == rack);
    return true;
}

}  // namespace

TEST_CASE("random plans stand on ports and devices, and no flit is later than planned", "[plans]") {
    std::uint64_t simulated = 0;
    for_each_seed(7104, plans_by_default, [&](Random& random) {
        const auto bits = static_cast<unsigned>(random.between(2, 5));
        const PlanRequest request = random_plan_request(random, bits, 3, 12);
        simulated += check_whole(request, random_optical_fabric(random, bits, request.ports)) ? 1U : 0U;
    });
    CHECK(simulated > 0);
}

TEST_CASE("so do random plans for sizes that are no powers of two", "[plans]") {
    constexpr FabricKind kinds[] = {FabricKind::direct, FabricKind::single_level, FabricKind::two_level};
    std::uint64_t simulated = 0;
    for_each_seed(7107, plans_by_default, [&](Random& random) {
        const FabricKind kind = kinds[random.below(3)];
        const PlanRequest request = random_mixed_request(random, 3, kind != FabricKind::direct);
        simulated += check_whole(request, mixed_optical_fabric(random, kind, request)) ? 1U : 0U;
    });
    CHECK(simulated > 0);
}

TEST_CASE("with few up links a plan stands on ports and devices, or is refused", "[plans]") {
    std::uint64_t laid = 0;
    for_each_seed(7108, plans_by_default, [&](Random& random) {
        PlanRequest request =
            random.below(2) == 0 ? random_plan_request(random, 4, 2, 10) : random_mixed_request(random, 2, true);
        FabricSpec fabric = mixed_optical_fabric(random, FabricKind::two_level, request);
        fabric.level1.up = static_cast<std::uint32_t>(random.between(1, fabric.group));
        request.group = fabric.group;
        request.up = fabric.level1.up;
        request.same_port = true;
        try {
            const Plan chosen = plan(request);
            if (connects(chosen)) {
                check_circuits(chosen, fabric);
                ++laid;
            }
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::input);
        }
    });
    CHECK(laid > 0);
}
