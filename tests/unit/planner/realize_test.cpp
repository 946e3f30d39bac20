// Plans on ports: one colour a port, or colours that share rails where up links are short.
#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/device_matchings.hpp>
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
    CHECK(faults_of_generators(fabric->graph, plan.generators, plan.copies) == std::vector<std::string>{});
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

TEST_CASE("circuits that lead out more often than all up links allow keep their own rails, and are refused") {
    const Plan plan = plan_of(32, {1, 2, 4, 8, 16}, {1, 1, 1, 2, 2});
    FabricSpec spec = optical_levels(32, 8, 8, 2);
    spec.circuits = circuits_of(plan, spec);
    CHECK(spec.circuits.port_pairs.empty());
    CHECK_THROWS_WITH(build_fabric(spec),
                      Catch::Contains("lead to other racks, but its level-1 device has 2 up links"));
}

TEST_CASE("a plan for other accelerators is refused") {
    CHECK_THROWS_WITH(circuits_of(plan_of(16, {1, 2, 4, 8}, {1, 1, 1, 1}), cube_fabric(8, 4)),
                      "the plan is for 16 accelerators; the fabric has 8");
}
