#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/planner/plan_cache.hpp>
#include <simlette/planner/price.hpp>

#include <support/plans.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

const PlannedAxis& axis_of(const Plan& plan, std::size_t mesh, std::size_t axis) {
    return plan.meshes[mesh].axes[axis];
}

// The cube of five bits, seven circuits of each generator: the paper's plan for a large all-reduce.
Plan wide_cube() {
    Plan plan;
    plan.ranks = 32;
    plan.ports = plan.ports_used = 35;
    plan.degree = 5;
    plan.generators = {1, 2, 4, 8, 16};
    plan.copies.assign(5, 7);
    plan.meshes = {{"world",
                    {planned_axis("world", {{4}, {3}, {2}, {1}, {0}}, "Q5[1,1,1,1,1]",
                                  planned_all_reduce(655'360'000, ScheduleKind::rs_ag_parallel, 10, 730'777'143))}}};
    plan.meshes[0].axes[0].multiplicity = 7;
    return plan;
}

}  // namespace

TEST_CASE("the price of a plan under its own request is what it says", "[plan]") {
    const Plan plan = plan_of_256();
    const Plan priced = price(plan, request_of(plan));
    CHECK(priced.total == Duration{4'541'120});
    CHECK(priced.bound == priced.total);
    CHECK(priced.meshes[0].axes[1].collectives[0].time == Duration{1'695'360});
    CHECK(priced.meshes[0].axes[1].collectives[0].collective.schedule == ScheduleKind::coset_factored_parallel);
    CHECK(price(wide_cube(), request_of(wide_cube())).total == Duration{730'777'143});
}

TEST_CASE("kept circuits take another schedule where the load asks for it", "[plan]") {
    const Plan plan = plan_of_256();
    PlanRequest request = request_of(plan);
    request.meshes[0].axes[1].collectives[0].bytes = {64 << 20};
    const PlannedCollective priced = price(plan, request).meshes[0].axes[1].collectives[0];
    CHECK(priced.collective.schedule == ScheduleKind::rs_ag_parallel);
    // Four phases; (1/8 + 1/64) of the buffer, both halves over two layers at once.
    CHECK(priced.time == Duration{4 * 520'000 + std::int64_t{64 << 20} * 20 * 9 / 64});
    CHECK(priced.phases == 4);
}

TEST_CASE("circuits between racks are priced by the phases that use them", "[plan]") {
    const Plan plan = plan_of_256();
    PlanRequest request = request_of(plan);
    request.group = 64;  // bits 7 and 6 choose the rack
    request.latency_across = Duration{560'000};
    const Plan priced = price(plan, request);
    CHECK(priced.meshes[0].axes[0].collectives[0].time == Duration{560'000 + 81'920});
    CHECK(priced.meshes[0].axes[1].collectives[0].time == Duration{1'695'360});
    CHECK(priced.meshes[1].axes[0].collectives[0].time == Duration{2 * 560'000 + 81'920});
}

TEST_CASE("fewer ports leave the parallel circuits that cost least to give up", "[plan]") {
    const Plan plan = wide_cube();
    PlanRequest request = request_of(plan);
    request.ports = 20;
    const auto narrow = narrowed(plan, request);
    REQUIRE(narrow);
    CHECK(narrow->copies == std::vector<std::uint32_t>(5, 4));
    CHECK(narrow->ports_used == 20);
    // Ten phases, 2 (1/2 + ... + 1/32) / 5 of the buffer over four circuits of 50 GB/s.
    CHECK(narrow->total == Duration{10 * 520'000 + 655'360'000LL * 20 * 31 / 80 / 4});
    request.ports = 5;
    CHECK(narrowed(plan, request)->copies == std::vector<std::uint32_t>(5, 1));
    request.ports = 4;
    CHECK_FALSE(narrowed(plan, request));
}

TEST_CASE("axes that share generators share what ports are left", "[plan]") {
    const Plan plan = plan_of_256();
    PlanRequest request = request_of(plan);
    request.ports = 20;
    const auto wider = narrowed(plan, request);
    REQUIRE(wider);
    CHECK(wider->ports_used == 20);
    CHECK(axis_of(*wider, 0, 0).multiplicity == 2);
    for (std::size_t i = 0; i < 17; ++i) {
        CHECK(wider->copies[i] == (plan.generators[i] >= 64 ? 2U : 1U));
    }
    CHECK(wider->total == plan.total - Duration{40'960});
}

TEST_CASE("a plan for other meshes, or without circuits where they are wanted, has no price", "[plan]") {
    Plan plan = plan_of_256();
    PlanRequest request = request_of(plan);
    request.meshes[1].axes[0].size = 32;
    CHECK_THROWS_WITH(price(plan, request), Contains("for other meshes"));
    request = request_of(plan);
    plan.meshes[0].axes[0].blocks.clear();
    CHECK_THROWS_WITH(price(plan, request), Contains("no circuits for axis `kvp`"));
}

TEST_CASE("an equal request is not searched twice, another one is", "[plan]") {
    int searches = 0;
    PlanCache cache([&](const PlanRequest&) {
        ++searches;
        return plan_of_256();
    });
    PlanRequest request = request_of(plan_of_256());
    cache.plan(request);
    cache.plan(request);
    CHECK(searches == 1);
    request.meshes[0].axes[0].collectives[0].calls = 2;
    cache.plan(request);
    request.effort = 7;
    CHECK(cache.plan(request).total == Duration{4'541'120});
    CHECK(searches == 3);
}
