// Plans for hybrid fabrics: which axis lives inside racks, and what that costs.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/sim/planned_racks.hpp>
#include <simlette/sim/simulator.hpp>

#include <support/run.hpp>

using namespace simlette;

namespace {

FabricSpec racks_of_four(std::uint32_t racks) {
    FabricSpec spec = packet_fabric(4 * racks, 4);
    spec.kind = FabricKind::two_level;
    spec.group = 4;
    spec.level1 = {DeviceKind::eps, 8, 4, 2};
    spec.level2 = {DeviceKind::ocs, 2 * racks, 0, 0};
    return spec;
}

PlanAxis axis_of(const char* name, std::uint32_t size, Bytes bytes) {
    return {name, size, {{Primitive::all_to_all, bytes}}};
}

PlanRequest request_for(const FabricSpec& spec, std::vector<PlanAxis> axes) {
    PlanRequest request;
    request.ranks = spec.accelerators;
    request.ports = spec.ports;
    request.meshes = {{"m", std::move(axes)}};
    return request;
}

Duration simulated(const Plan& plan, FabricSpec spec, Mode mode) {
    spec.circuits = circuits_of(plan, spec);
    SimulatorOptions options;
    options.mode = mode;
    Duration sum{0};
    for (const PlannedAxis& axis : plan.meshes[0].axes) {
        for (const PlannedCollective& planned : axis.collectives) {
            Simulator simulator(build_fabric(spec), options);
            simulator.register_collective(collective_of(plan, axis, planned.collective));
            sum += finish(simulator).front() - Time{0};
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("the axis that moves most lives inside racks, fastest or not") {
    const FabricSpec spec = racks_of_four(4);
    const Plan slow =
        plan_for(spec, request_for(spec, {axis_of("a", 4, Bytes{1 << 20}), axis_of("b", 4, Bytes{1024})}));
    CHECK(slow.racks == 4);
    CHECK(slow.meshes[0].axes[0].bits == std::vector<unsigned>{1, 0});
    CHECK(slow.meshes[0].axes[1].bits == std::vector<unsigned>{3, 2});
    const Plan fast =
        plan_for(spec, request_for(spec, {axis_of("a", 4, Bytes{1024}), axis_of("b", 4, Bytes{1 << 20})}));
    CHECK(fast.meshes[0].axes[1].bits == std::vector<unsigned>{1, 0});
    CHECK(slow.total == fast.total);
    CHECK(simulated(slow, spec, Mode::analytic) == slow.total);
}

TEST_CASE("of nine axes no order is tried by itself, and the best one puts what moves most into the rack") {
    FabricSpec spec = packet_fabric(512, 8);
    spec.kind = FabricKind::two_level;
    spec.group = 4;
    spec.level1 = {DeviceKind::eps, 32, 4, 16};
    spec.level2 = {DeviceKind::ocs, 128, 0, 0};
    std::vector<PlanAxis> axes;
    for (char name = 'a'; name <= 'i'; ++name) {
        axes.push_back({std::string(1, name), 2, {}});
    }
    axes[2].collectives = {{Primitive::all_to_all, Bytes{1 << 20}}};
    axes[4].collectives = {{Primitive::all_to_all, Bytes{1 << 20}}};
    axes[7].collectives = {{Primitive::all_to_all, Bytes{1024}}};
    const Plan plan = plan_for(spec, request_for(spec, axes));
    CHECK(std::max(plan.meshes[0].axes[2].bits[0], plan.meshes[0].axes[4].bits[0]) == 1);
    CHECK(plan.meshes[0].axes[7].bits[0] > 1);
    CHECK(simulated(plan, spec, Mode::analytic) == plan.total);
}

TEST_CASE("a plan of racks is refused if its total leaves 64 bits, or if the request contradicts itself") {
    const FabricSpec spec = racks_of_four(4);
    PlanRequest request = request_for(spec, {axis_of("a", 16, Bytes{std::int64_t{1} << 40})});
    request.meshes[0].axes[0].collectives[0].calls = 1'000'000'000;
    CHECK_THROWS_WITH(plan_for(spec, request), Catch::Contains("together take more than 4503 s"));
    CHECK_THROWS_WITH(plan_for(spec, request_for(spec, {axis_of("a", 8, Bytes{1024})})),
                      Catch::Contains("mesh `m` has 8 ranks, the plan is for 16"));
}

TEST_CASE("axes of any sizes are laid over any number of racks") {
    const FabricSpec spec = racks_of_four(5);
    const Plan plan =
        plan_for(spec, request_for(spec, {axis_of("a", 10, Bytes{65536}), axis_of("b", 2, Bytes{65536})}));
    CHECK(plan.racks == 5);
    CHECK(labels_of(plan).radices() == std::vector<std::uint32_t>{2, 2, 5});
    CHECK(simulated(plan, spec, Mode::analytic) == plan.total);
    CHECK(simulated(plan, spec, Mode::flit) > plan.total);
}

TEST_CASE("a plan of racks fits no other racks, and no circuits between accelerators") {
    const FabricSpec five = racks_of_four(5);
    const Plan plan = plan_for(five, request_for(five, {axis_of("a", 20, Bytes{1024})}));
    FabricSpec fewer = racks_of_four(5);
    fewer.group = 5;
    fewer.level1 = {DeviceKind::eps, 8, 5, 2};
    CHECK_THROWS_WITH(circuits_of(plan, fewer), "the plan is for 5 racks; 4 racks of the fabric serve");
    FabricSpec optical = packet_fabric(20, 4);
    optical.device = DeviceKind::ocs;
    CHECK_THROWS_WITH(circuits_of(plan, optical), Catch::Contains("the fabric join accelerators"));
}

TEST_CASE("racks whose collectives take longer than can be counted are refused") {
    const FabricSpec spec = racks_of_four(4);
    PlanRequest request = request_for(spec, {axis_of("a", 16, Bytes{std::int64_t{1} << 40})});
    request.meshes[0].axes[0].collectives[0].calls = 1'000'000'000;
    CHECK_THROWS_WITH(plan_for(spec, request), Catch::Matchers::Contains("expected fewer calls or bytes"));
}
