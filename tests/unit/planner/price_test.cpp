#include <algorithm>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/planner/plan_cache.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/price.hpp>

#include <support/plans.hpp>
#include <support/random_plan.hpp>
#include <support/seeds.hpp>

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

TEST_CASE("a plan keeps its price, and so does what is left of it with the same ports", "[plan]") {
    for_each_seed(71, Cases::parts, [](Random& random) {
        const PlanRequest request = random_plan_request(random, 4, 3, 12);
        const Plan found = plan(request);
        CHECK(price(found, request).total == found.total);
        const auto same = narrowed(found, request);
        REQUIRE(same);
        CHECK(same->total == found.total);
        CHECK(same->ports_used == found.ports_used);
        CHECK(same->copies == found.copies);
    });
}

TEST_CASE("products of complete graphs are priced by their digits", "[plan]") {
    PlanRequest request;
    request.ranks = 18;
    request.ports = 10;
    request.latency = request.latency_across = Duration{520'000};
    request.meshes = {
        {"m", {{"x", 6, {{Primitive::all_reduce, Bytes{4096}}}}, {"y", 3, {{Primitive::all_reduce, Bytes{65536}}}}}}};
    const Plan found = plan(request);
    CHECK(price(found, request).total == found.total);
    REQUIRE(found.generators.size() == 7);  // K6 and K3
    std::size_t of_x = 0;
    for (const Label generator : found.generators) {
        const Label digits = digits_of(found, generator);
        CHECK(uses(axis_of(found, 0, 0), digits) != uses(axis_of(found, 0, 1), digits));
        of_x += uses(axis_of(found, 0, 0), digits) ? 1U : 0U;
    }
    CHECK(of_x == 5);
    CHECK(labels_of(found).size() == 18);
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

TEST_CASE("a phase between racks takes latency and message of its slowest layer, not the worst of each", "[plan]") {
    Plan plan;
    plan.ranks = 16;
    plan.ports = 8;
    plan.degree = plan.ports_used = 8;
    plan.generators = {1, 2, 4, 6, 8, 10, 12, 14};
    plan.copies.assign(8, 1);
    plan.meshes = {{"world",
                    {planned_axis("world", {{3, 2, 1}, {0}}, "Q4[3,1]",
                                  planned_all_reduce(65'536, ScheduleKind::rs_ag_parallel, 4, 0))}}};
    PlanRequest request = request_of(plan);
    request.group = 2;  // the wide block leads out, the narrow one moves more
    request.latency_across = Duration{560'000};
    request.meshes[0].axes[0].collectives[0].schedule = ScheduleKind::rs_ag_parallel;
    // Halves of the buffer, at 20 ps a byte: 1/8 over the wide block beside 1/2 over the narrow one, then 1/16 over
    // both.
    const std::int64_t first = std::max(560'000 + 32'768 / 8 * 20, 520'000 + 32'768 / 2 * 20);
    CHECK(price(plan, request).total == Duration{2 * (first + 560'000 + 32'768 / 16 * 20)});
    request.latency_across = Duration{2'000'000};
    CHECK(price(plan, request).total == Duration{2 * (2'000'000 + 32'768 / 8 * 20 + 2'000'000 + 32'768 / 16 * 20)});
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
