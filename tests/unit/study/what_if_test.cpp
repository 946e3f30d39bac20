#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <simlette/base/error.hpp>
#include <simlette/planner/price.hpp>
#include <simlette/study/what_if.hpp>

#include <support/plans.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

// Finds the worked plan wherever its 17 generators fit: what is asked here is not the search.
Plan fake_planner(const PlanRequest& request) {
    if (request.ports < 17) {
        throw Error(ErrorKind::input, "17 ports would do");
    }
    Plan plan = plan_of_256();
    plan.ports = request.ports;
    return price(plan, request);
}

FabricSpec fabric_for(const Plan& plan, std::uint32_t domain) {
    FabricSpec fabric;
    fabric.device = DeviceKind::ocs;
    fabric.accelerators = plan.ranks;
    fabric.domain = domain;
    fabric.ports = plan.ports;
    return fabric;
}

}  // namespace

TEST_CASE("a range of ports is two numbers, the smaller one first", "[plan]") {
    CHECK(port_range("x", "9..36").first == 9);
    CHECK(port_range("x", "9..9").last == 9);
    for (const char* text : {"", "9", "..", "9..", "..9", "10..9", "0..3", "1..1025", "1..2..3", " 1..2", "1...2"}) {
        CHECK_THROWS_WITH(port_range("`--ports`", text), Contains("`--ports` is") && Contains("such as `9..36`"));
    }
}

TEST_CASE("a staircase tells what every port saves, and where there is no plan", "[plan]") {
    const Planner planner = [](const PlanRequest& request) {
        Plan plan = fake_planner(request);
        plan.total = Duration{4'000'000} - Duration{request.ports == 19 ? 1'000'000 : 0};
        return plan;
    };
    const auto stairs = staircase(request_of(plan_of_256()), {16, 19}, planner);
    REQUIRE(stairs.size() == 4);
    CHECK_FALSE(stairs[0].plan);
    const auto json = nlohmann::json::parse(staircase_json(stairs))["staircase"];
    CHECK(json[0]["refused"] == "17 ports would do");
    CHECK(json[1]["saved_ps"].is_null());
    CHECK(json[2]["saved_ps"] == 0);
    CHECK(json[3]["saved_ps"] == 1'000'000);
    CHECK_THAT(staircase_text(stairs), Contains("no plan with 16 ports: 17 ports would do") && Contains("+25.0000"));
    CHECK_THAT(staircase_script(stairs), Contains("\n17 4\n18 4\n19 3\nEND"));
}

TEST_CASE("a staircase without any plan is refused with the reason of the widest", "[plan]") {
    CHECK_THROWS_WITH(staircase(request_of(plan_of_256()), {3, 5}, fake_planner), Contains("17 ports would do"));
}

TEST_CASE("factors of payloads are decimal fractions", "[plan]") {
    CHECK(payload_scales("x", "0.25,1,4") == std::vector<std::int64_t>{250'000, 1'000'000, 4'000'000});
    for (const char* text : {"", ",", "1,", "0", "-1", "1e3", "0.0000001", "1000001"}) {
        CHECK_THROWS_WITH(payload_scales("x", text), Contains("such as `0.25,1,4`"));
    }
}

TEST_CASE("scaled payloads are rounded up and bounded", "[plan]") {
    const Plan plan = plan_of_256();
    const auto plans = scale_payloads(plan, request_of(plan), {1, 1'000'000, 3'000'000}, fake_planner);
    CHECK(plans[0].kept.meshes[0].axes[0].collectives[0].collective.bytes == Bytes{1});
    CHECK(plans[1].kept.total == plan.total);
    CHECK(plans[2].kept.meshes[0].axes[1].collectives[0].collective.bytes == Bytes{3 * 32768});
    PlanRequest large = request_of(plan);
    large.meshes[0].axes[0].collectives[0].bytes = {2 << 20};
    CHECK_THROWS_WITH(scale_payloads(plan, large, {1'000'000'000'000}, fake_planner),
                      Contains("1000000") && Contains("1 TiB"));
}

TEST_CASE("a spare takes the place of an accelerator that failed", "[plan]") {
    const Plan plan = plan_of_256();
    const auto survivals = survive(plan, request_of(plan), fabric_for(plan, 258), {2, {}}, fake_planner);
    REQUIRE(survivals[0].patched);
    CHECK(survivals[0].patched->total == plan.total);
    const auto without = survive(plan, request_of(plan), fabric_for(plan, 257), {2, {}}, fake_planner);
    CHECK_FALSE(without[0].patched);
    CHECK_FALSE(without[0].replanned);
    CHECK_THAT(without[0].refused, Contains("255 are left") && Contains("`domain` of 258"));
}

TEST_CASE("on two levels circuits to a spare cross between racks", "[plan]") {
    const Plan plan = plan_of_256();
    PlanRequest request = request_of(plan);
    request.group = 64;
    request.latency_across = Duration{560'000};
    const auto survivals = survive(plan, request, fabric_for(plan, 320), {1, {}}, fake_planner);
    CHECK(survivals[0].patched->total == plan.total + Duration{7 * 40'000});
}

TEST_CASE("idle ports take over, then nothing but a new plan helps", "[plan]") {
    const Plan plan = plan_of_256();
    const auto one = survive(plan, request_of(plan), fabric_for(plan, 0), {1, {}}, fake_planner);
    for (const std::size_t part : {1U, 2U}) {
        REQUIRE(one[part].patched);
        CHECK(one[part].patched->total == plan.total);
        CHECK(one[part].patch == "idle ports take over");
    }
    const auto two = survive(plan, request_of(plan), fabric_for(plan, 0), {2, {}}, fake_planner);
    CHECK_FALSE(two[1].patched);
    CHECK_FALSE(two[1].replanned);
    CHECK(two[1].refused == "17 ports would do");
    CHECK_THAT(survival_text(plan, {2, {}}, two),
               Contains("too few ports for every generator") && Contains("17 ports would do"));
}

TEST_CASE("an idle port takes over on two levels only if enough up links are left", "[plan]") {
    const Plan plan = plan_of_256();
    PlanRequest request = request_of(plan);
    request.group = 64;  // three generators leave it
    request.latency_across = Duration{560'000};
    request.up = 12;  // 12 x 17 of 3 x 64 circuits
    CHECK(survive(plan, request, fabric_for(plan, 0), {1, {}}, fake_planner)[1].patch == "idle ports take over");
    request.up = 11;  // 11 x 18, but not 11 x 17
    CHECK_FALSE(survive(plan, request, fabric_for(plan, 0), {1, {}}, fake_planner)[1].patched);
}

TEST_CASE("failures are a number, of all parts or of those that are named", "[plan]") {
    CHECK(failure_of("x", "2").parts == 2);
    CHECK_FALSE(failure_of("x", "2").of);
    CHECK(failure_of("x", "ports=3").parts == 3);
    CHECK(failure_of("x", "ports=3").of == FailedPart::ports);
    for (const char* text : {"", "0", "x", "ports", "ports=", "port=2", "=2", "ports=-1", "70000"}) {
        CHECK_THROWS_WITH(failure_of("`--survive`", text), Contains("`--survive` is") && Contains("`ports=`"));
    }
    const Plan plan = plan_of_256();
    const auto ports = survive(plan, request_of(plan), fabric_for(plan, 0), {1, FailedPart::ports}, fake_planner);
    REQUIRE(ports.size() == 1);
    CHECK(ports.front().part == FailedPart::ports);
}

TEST_CASE("what lives on after the worst failure is its faster plan, of equals the patched one", "[plan]") {
    const Plan plan = plan_of_256();
    PlanRequest request = request_of(plan);
    request.group = 64;
    request.latency_across = Duration{560'000};
    const auto survivals = survive(plan, request, fabric_for(plan, 320), {1, {}}, fake_planner);
    const Survival& worst = worst_of(survivals, {1, {}});
    CHECK(worst.part == FailedPart::accelerators);  // its circuits cross
    CHECK(worst.survivor() == &*worst.patched);
    CHECK(worst.left.latency == Duration{560'000});
    Survival faster = worst;
    faster.replanned->total = plan.total - Duration{1};
    CHECK(faster.survivor() == &*faster.replanned);
    CHECK_THROWS_WITH(worst_of(survive(plan, request, fabric_for(plan, 0), {2, {}}, fake_planner), {2, {}}),
                      Contains("no plan survives the worst failure of 2 accelerators"));
}

TEST_CASE("circuits without devices cannot be led elsewhere", "[plan]") {
    const Plan plan = plan_of_256();
    FabricSpec fabric = fabric_for(plan, 300);
    fabric.kind = FabricKind::direct;
    const auto survivals = survive(plan, request_of(plan), fabric, {1, {}}, fake_planner);
    REQUIRE(survivals.size() == 2);
    CHECK_FALSE(survivals[0].patched);
    CHECK_FALSE(survivals[1].patched);
    CHECK(nlohmann::json::parse(survival_json(plan, {1, {}}, survivals))["survivals"][1]["failed"] == "ports");
}
