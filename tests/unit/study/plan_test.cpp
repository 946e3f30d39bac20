#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <simlette/base/error.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/study/draw_plan.hpp>
#include <simlette/study/plan_check.hpp>
#include <simlette/study/plan_report.hpp>

#include <support/plans.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

FabricSpec fabric_for(const Plan& plan) {
    FabricSpec fabric;
    fabric.device = DeviceKind::ocs;
    fabric.accelerators = plan.ranks;
    fabric.ports = plan.ports;
    return fabric;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

}  // namespace

TEST_CASE("the JSON of a plan has the keys of the contract, in order", "[plan]") {
    const auto json = nlohmann::ordered_json::parse(plan_json(plan_of_256()));
    const auto keys = [](const nlohmann::ordered_json& object) {
        std::string text;
        for (const auto& item : object.items()) {
            text += item.key() + ' ';
        }
        return text;
    };
    CHECK(keys(json) == "space total_ps bound_ps optimal truncated degree ports_used generators multiplicity meshes ");
    CHECK(keys(json["meshes"][0]) == "name axes ");
    CHECK(keys(json["meshes"][0]["axes"][0]) ==
          "name size bits blocks topology degree phases multiplicity collectives ");
    CHECK(keys(json["meshes"][0]["axes"][0]["collectives"][0]) == "primitive bytes calls schedule time_ps ");
    CHECK(json["generators"][0] == "00000001");
    CHECK(json["generators"][16] == "11000000");
    CHECK(json["meshes"][0]["axes"][1]["blocks"].dump() == "[[5,4,3],[2,1,0]]");
    CHECK(json["meshes"][0]["axes"][1]["collectives"][0]["schedule"] == "coset-factored-parallel");
}

TEST_CASE("the table names axes, circuits, shares and who uses a generator", "[plan]") {
    const Plan plan = plan_of_256();
    const PlanTask task{fabric_for(plan), {}, request_of(plan), {}};
    const std::string text = plan_table(plan, task, {"t.yaml", "w.yaml", {}, {}});
    CHECK_THAT(text, Contains("4.54112 us") && Contains("optimal") && Contains("17 of 18 ports used, 1 left"));
    CHECK_THAT(text, Contains("5 4 3 | 2 1 0") && Contains("37.33"));
    CHECK_THAT(text, Contains("11000000   attention.kvp ffn.ep"));
    CHECK_THAT(text, Contains("assumed:\n") && Contains("not checked"));
}

TEST_CASE("an axis without collectives has neither blocks nor circuits, and says so", "[plan]") {
    Plan plan = plan_of_256();
    PlannedAxis& axis = plan.meshes[0].axes[0];
    axis.blocks.clear();
    axis.collectives.clear();
    axis.topology.clear();
    axis.degree = axis.multiplicity = 0;
    const auto json = nlohmann::ordered_json::parse(plan_json(plan));
    CHECK(json["meshes"][0]["axes"][0]["phases"] == 0);
    CHECK(json["meshes"][0]["axes"][0]["collectives"].dump() == "[]");
    CHECK(users_of(plan, 192) == std::vector<std::string>{"ffn.ep"});
}

TEST_CASE("a group of an axis holds the accelerators whose labels differ in its bits alone", "[plan]") {
    const Plan plan = plan_of_256();
    const auto groups = groups_of_axis(plan, plan.meshes[0].axes[0]);
    REQUIRE(groups.size() == 64);
    CHECK(groups[0] == std::vector<std::uint32_t>{0, 64, 128, 192});
    CHECK(groups[63] == std::vector<std::uint32_t>{63, 127, 191, 255});
}

TEST_CASE("every collective of the worked plan takes what it says, but for whole flits", "[plan]") {
    const Plan plan = plan_of_256();
    const PlanCheck check = check_plan(plan, request_of(plan), fabric_for(plan));
    REQUIRE(check.collectives.size() == 4);
    CHECK(check.holds());
    // By hand: 520 ns and 7 flits of 12.8 ns; two phases of half the buffer.
    CHECK(check.collectives[0].simulated == Duration{520'000 + 7 * 12'800});
    CHECK(check.collectives[1].simulated == Duration{2 * (520'000 + 26 * 12'800)});
    CHECK(check.collectives[2].simulated == Duration{2 * (520'000 + 4 * 12'800)});
    CHECK(check.collectives[0].differences == "+7.68 ns whole flits");
    CHECK_THAT(plan_check_text(check), Contains("the plan holds"));
}

TEST_CASE("phases that stay in a rack are held to the shorter way", "[plan]") {
    Plan plan = plan_of_256();
    PlannedCollective& planned = plan.meshes[1].axes[0].collectives[0];
    planned.collective.schedule = ScheduleKind::coset_factored;
    planned.time = Duration{560'000 + 520'000 + 2 * 81'920};  // one of its two blocks chooses the rack
    FabricSpec fabric = fabric_for(plan);
    fabric.kind = FabricKind::two_level;
    fabric.group = 64;
    fabric.level1 = {DeviceKind::ocs, 128, 64, 64};
    fabric.level2 = {DeviceKind::ocs, 128, 0, 0};
    PlanRequest request = request_of(plan);
    request.group = 64;
    request.latency_across = Duration{560'000};
    const PlanCheck check = check_plan(plan, request, fabric);
    CHECK(check.collectives[2].whole_flits == Duration{560'000 + 520'000 + 2 * 7 * 12'800});
    CHECK(check.collectives[2].simulated == check.collectives[2].whole_flits);
    CHECK(check.collectives[2].differences == "+15.36 ns whole flits");
}

TEST_CASE("a plan that promises circuits which are not there does not hold", "[plan]") {
    Plan plan = plan_of_256();
    plan.meshes[0].axes[1].multiplicity = 2;
    const PlanCheck check = check_plan(plan, request_of(plan), fabric_for(plan));
    CHECK_FALSE(check.holds());
    CHECK_FALSE(check.collectives[1].holds());
    CHECK(check.collectives[0].holds());
    CHECK_THAT(plan_check_text(check), Contains("DOES NOT HOLD"));
    CHECK_THAT(check.collectives[1].differences, Contains("over what the plan promises"));
}

TEST_CASE("circuits beyond the least of an axis make it faster, and the check says how many", "[plan]") {
    Plan plan = plan_of_256();
    plan.ports = 21;
    plan.copies[14] = plan.copies[15] = plan.copies[16] = 2;
    plan.meshes[0].axes[0].multiplicity = 1;
    const PlanCheck check = check_plan(plan, request_of(plan), fabric_for(plan));
    CHECK(check.holds());
    CHECK(check.collectives[0].simulated < check.collectives[0].planned.time);
    CHECK_THAT(check.collectives[0].differences, Contains("3 generators have more circuits than the 1 counted"));
}

TEST_CASE("the contact sheet has a picture for each generator", "[plan]") {
    const std::string svg = plan_sheet_svg(plan_of_256(), "plan");
    CHECK(count(svg, "class=\"rim\"") == 17);
    CHECK_THAT(svg, Contains("11000000") && Contains("attention.kvp, ffn.ep"));
    CHECK(count(svg, "<line") + count(svg, "<path") >= 17 * 128);
}

TEST_CASE("the picture of a device shows what it joins", "[plan]") {
    const Plan plan = plan_of_256();
    const std::string svg = device_svg(plan, fabric_for(plan), "rail3");
    CHECK_THAT(svg, Contains("device rail3") && Contains("joins 128 pairs of its 256 ports"));
    CHECK(count(svg, "<line") + count(svg, "<path") >= 128);
    CHECK_THROWS_WITH(device_svg(plan, fabric_for(plan), "rail33"), Contains("did you mean `rail3`?"));
}
