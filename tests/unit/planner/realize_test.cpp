// Plans on ports: one colour a port, or colours that share rails where up links are short.
#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/device_matchings.hpp>
#include <simlette/planner/matchings.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/prove_circuits.hpp>
#include <simlette/planner/realize.hpp>

#include <support/run.hpp>

using namespace simlette;

namespace {

Plan plan_of(std::uint32_t ranks, std::vector<Label> generators, std::vector<std::uint32_t> copies) {
    Plan plan;
    plan.ranks = ranks;
    plan.generators = std::move(generators);
    plan.copies = std::move(copies);
    for (const std::uint32_t more : plan.copies) {
        plan.ports_used += more;
    }
    return plan;
}

FabricSpec optical_levels(std::uint32_t accelerators, std::uint32_t ports, std::uint32_t group, std::uint32_t up) {
    FabricSpec spec = packet_fabric(accelerators, ports);
    spec.kind = FabricKind::two_level;
    spec.group = group;
    spec.level1 = {DeviceKind::ocs, group + up, group, up};
    spec.level2 = {DeviceKind::ocs, 2 * (accelerators / group), 0, 0};
    return spec;
}

void check_stands(const Plan& plan, FabricSpec spec) {
    spec.circuits = circuits_of(plan, spec);
    const auto fabric = build_fabric(spec);
    const auto faults = faults_of_circuits(spec, fabric->graph, device_matchings(*fabric));
    CHECK(faults == std::vector<std::string>{});
    CHECK(faults_of_generators(fabric->graph, labels_of(plan), plan.generators, plan.copies) ==
          std::vector<std::string>{});
}

}  // namespace

TEST_CASE("every generator and copy of a plan takes a port of each accelerator") {
    FabricSpec spec = cube_fabric(8, 6);
    spec.circuits = circuits_of(plan_of(8, {1, 2, 3, 4}, {1, 1, 1, 2}), spec);
    CHECK(spec.circuits.generators == std::vector<std::uint32_t>{1, 2, 3, 4});
    CHECK(spec.circuits.multiplicity == std::vector<std::uint32_t>{1, 1, 1, 2});
    check_stands(plan_of(8, {1, 2, 3, 4}, {1, 1, 1, 2}), spec);
}

TEST_CASE("where every accelerator of a rack may leave it, a rail has one colour") {
    const FabricSpec spec = optical_levels(32, 6, 8, 8);
    const Plan plan = plan_of(32, {1, 2, 4, 8, 16}, {1, 1, 1, 1, 2});
    CHECK(circuits_of(plan, spec).port_pairs.empty());
    check_stands(plan, spec);
}

TEST_CASE("colours share rails where a rack has fewer up links than accelerators") {
    // A quarter of a rack may leave on each of 9 rails: two generators that lead out share four rails each.
    const Plan plan = plan_of(32, {1, 2, 4, 8, 16}, {1, 1, 1, 1, 1});
    const FabricSpec quarter = optical_levels(32, 9, 8, 2);
    CHECK(circuits_of(plan, quarter).port_pairs.size() == 9);
    check_stands(plan, quarter);
    // Three of four accelerators may leave: three colours that lead out share four rails with a dark one.
    const Plan out = plan_of(16, {4, 5, 8, 10, 12}, {1, 1, 1, 1, 1});
    const FabricSpec three_quarters = optical_levels(16, 8, 4, 3);
    CHECK(circuits_of(out, three_quarters).port_pairs.size() == 8);
    check_stands(out, three_quarters);
}

TEST_CASE("the decode fabric at 4:1 carries a quarter of its circuits across racks") {
    FabricSpec spec = optical_levels(512, 36, 32, 8);
    spec.domain = 576;
    spec.level1.radix = 72;
    spec.level2.radix = 72;
    // K4 on the high bits, twice, and the plain cube inside, four times: 2 x 7 of the 36 ports lead out.
    const Plan plan = plan_of(512, {1, 2, 4, 8, 16, 32, 64, 128, 256}, {4, 4, 4, 4, 4, 2, 2, 2, 2});
    CHECK_FALSE(circuits_of(plan, spec).port_pairs.empty());
    check_stands(plan, spec);
}

TEST_CASE("where no parts fit, rails exchange circuits until none has too many out of a rack") {
    // Two of six rails' worth of circuits lead out, of 8 accelerators on 3 up links a rail.
    FabricSpec spec = optical_levels(32, 6, 8, 3);
    spec.level2.radix = 12;
    check_stands(plan_of(32, {1, 2, 4, 8, 16}, {1, 1, 1, 1, 1}), spec);
}

TEST_CASE("circuits that lead out more often than all up links allow are refused with what would do") {
    const Plan plan = plan_of(32, {1, 2, 4, 8, 16}, {1, 1, 1, 2, 2});
    CHECK_THROWS_WITH(circuits_of(plan, optical_levels(32, 8, 8, 2)),
                      "4 of 7 circuits of an accelerator lead to other racks, and no way was found to share rails that "
                      "have 2 up links for 8 accelerators of a rack (`level1.up`); 8 would do");
}

namespace {

// Axes of these sizes, slowest first, with an all-reduce each; ports as many as the plan takes.
PlanRequest mixed_request(const std::vector<std::uint32_t>& sizes, std::uint32_t ports, bool same_port) {
    PlanRequest request;
    request.ranks = 1;
    request.ports = ports;
    request.same_port = same_port;
    request.latency = request.latency_across = Duration{520'000};
    request.meshes = {{"m", {}}};
    for (const std::uint32_t size : sizes) {
        request.ranks *= size;
        request.meshes[0].axes.push_back(
            {"x" + std::to_string(request.meshes[0].axes.size()), size, {{Primitive::all_reduce, Bytes{4096}}}});
    }
    return request;
}

FabricSpec optical(std::uint32_t accelerators, std::uint32_t ports, FabricKind kind) {
    FabricSpec spec = packet_fabric(accelerators, ports);
    spec.kind = kind;
    spec.device = DeviceKind::ocs;
    return spec;
}

}  // namespace

TEST_CASE("an odd ring leaves a port dark on circuit switches, and none where cables join any ports") {
    CHECK_THROWS_WITH(plan(mixed_request({3}, 2, true)), Catch::Contains("at least 3 ports"));
    const Plan on_switches = plan(mixed_request({3}, 3, true));
    CHECK(on_switches.ports_used == 3);
    check_stands(on_switches, optical(3, 3, FabricKind::single_level));
    const Plan by_cable = plan(mixed_request({3}, 2, false));
    CHECK(by_cable.ports_used == 2);
    check_stands(by_cable, optical(3, 2, FabricKind::direct));
    CHECK_THROWS_WITH(circuits_of(by_cable, optical(3, 2, FabricKind::single_level)),
                      Catch::Contains("needs 3 ports of each accelerator, 1 of them dark"));
}

TEST_CASE("a generator of order two joins what odd rings leave over") {
    const Plan twelve = plan(mixed_request({4, 3}, 5, true));
    CHECK(twelve.ports_used == 5);
    check_stands(twelve, optical(12, 5, FabricKind::single_level));
    // Three copies of K3 leave three ports over, for the three generators of K4.
    Plan uneven = twelve;
    uneven.copies = {1, 1, 1, 3, 3};
    uneven.ports_used = 9;
    CHECK(ports_taken(uneven, true) == 9);
    check_stands(uneven, optical(12, 9, FabricKind::single_level));
    uneven.copies = {1, 1, 1, 5, 5};
    CHECK(ports_taken(uneven, true) == 13 + 2);
    check_stands(uneven, optical(12, 15, FabricKind::single_level));
}

TEST_CASE("products of odd sizes, and blocks of several primes, stand on ports") {
    for (const std::vector<std::uint32_t>& sizes :
         std::vector<std::vector<std::uint32_t>>{{3, 5}, {9}, {3, 3, 3}, {5, 9}, {6}, {10, 3}, {2, 15}, {7, 7}}) {
        const Plan found = plan(mixed_request(sizes, 20, true));
        CAPTURE(found.ranks, found.ports_used);
        check_stands(found, optical(found.ranks, 20, FabricKind::single_level));
        check_stands(found, optical(found.ranks, 20, FabricKind::direct));
    }
}

TEST_CASE("matchings of mixed sizes share rails where a rack has fewer up links than accelerators") {
    // Racks of 8 accelerators, 3 of them: K4 and a bit inside, K3 between racks on two of eight ports.
    PlanRequest request = mixed_request({3, 4, 2}, 8, true);
    request.group = 8;
    request.up = 4;
    const Plan found = plan(request);
    FabricSpec spec = optical_levels(24, 8, 8, 4);
    spec.level2.radix = 12;
    CHECK_FALSE(circuits_of(found, spec).port_pairs.empty());
    check_stands(found, spec);
}

TEST_CASE("a plan for other accelerators is refused") {
    CHECK_THROWS_WITH(circuits_of(plan_of(16, {1, 2, 4, 8}, {1, 1, 1, 1}), cube_fabric(8, 4)),
                      "the plan is for 16 accelerators; the fabric has 8");
}
