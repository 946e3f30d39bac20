#include <algorithm>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/planner/matchings.hpp>
#include <simlette/planner/plan.hpp>

#include <support/brute_plan.hpp>
#include <support/random_plan.hpp>
#include <support/seeds.hpp>

namespace simlette {

namespace {

using namespace literals;

PlanCollective collective(Primitive primitive, Bytes bytes, std::uint32_t calls = 1) {
    return {primitive, bytes, calls, ScheduleKind::automatic};
}

PlanAxis all_reduce(std::string name, std::uint32_t size, Bytes bytes) {
    return {std::move(name), size, {collective(Primitive::all_reduce, bytes)}};
}

PlanRequest request(std::uint32_t ranks, std::uint32_t ports, std::vector<PlanMesh> meshes) {
    PlanRequest request;
    request.ranks = ranks;
    request.ports = ports;
    request.latency = 520_ns;
    request.meshes = std::move(meshes);
    return request;
}

PlanRequest decode_of_256() {
    return request(256, 18,
                   {{"wide", {all_reduce("a", 4, 4_KiB), all_reduce("b", 64, 32_KiB)}},
                    {"square", {all_reduce("a", 16, 4_KiB), all_reduce("b", 16, 4_KiB)}}});
}

std::vector<std::uint32_t> degrees(const Plan& plan) {
    std::vector<std::uint32_t> all;
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            if (axis.degree > 0) {
                all.push_back(axis.degree);
            }
        }
    }
    return all;
}

std::vector<std::uint32_t> copies(const Plan& plan) {
    std::vector<std::uint32_t> all;
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            if (axis.degree > 0) {
                all.push_back(axis.multiplicity);
            }
        }
    }
    return all;
}

void check_against_brute_force(const PlanRequest& request) {
    const BruteMerit best = BrutePlan(request).best();
    if (best.total == INT64_MAX) {
        CHECK_THROWS_AS(plan(request), Error);
        return;
    }
    const Plan found = plan(request);
    CHECK(found.total.ps == best.total);
    CHECK(found.bound == found.total);
    CHECK(found.ports_used == best.ports);
    CHECK(found.degree == best.generators);
    CHECK(degrees(found) == best.degrees);
    CHECK(copies(found) == best.copies);
}

std::string refusal(const PlanRequest& request) {
    try {
        plan(request);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("256 ranks share 17 circuits between two meshes as the paper plans them", "[plan]") {
    const Plan found = plan(decode_of_256());
    CHECK(found.total == 4'541'120_ps);
    CHECK(found.optimal);
    CHECK(found.degree == 17);
    CHECK(found.ports_used == 17);
    CHECK(degrees(found) == std::vector<std::uint32_t>{3, 14, 6, 8});
    const PlannedAxis& first = found.meshes[0].axes[0];
    CHECK(first.bits == std::vector<unsigned>{7, 6});
    CHECK(first.blocks == std::vector<std::vector<unsigned>>{{7, 6}});
    CHECK(first.topology == "Q2[2]");
    CHECK(first.collectives[0].collective.schedule == ScheduleKind::one_shot_dvo);
    CHECK(first.collectives[0].time == 601'920_ps);
    CHECK(found.meshes[0].axes[1].collectives[0].collective.schedule == ScheduleKind::coset_factored_parallel);
    CHECK(found.meshes[1].axes[1].topology == "Q4[3,1]");
}

TEST_CASE("known optima are found and proven", "[plan]") {
    const Plan small = plan(request(16, 5,
                                    {{"m", {all_reduce("a", 2, 1_KiB), all_reduce("b", 8, 1_KiB)}},
                                     {"n", {all_reduce("a", 4, 1_KiB), all_reduce("b", 4, 1_KiB)}}}));
    CHECK(small.total == 3'201'920_ps);
    CHECK(degrees(small) == std::vector<std::uint32_t>{1, 4, 2, 3});
    const Plan wide = plan(request(64, 36,
                                   {{"m", {all_reduce("a", 2, 4_KiB), all_reduce("b", 32, 625_MiB)}},
                                    {"n", {all_reduce("a", 8, 4_KiB), all_reduce("b", 8, 4_KiB)}}}));
    CHECK(wide.total == 734'592'686_ps);
    CHECK(copies(wide) == std::vector<std::uint32_t>{1, 7, 1, 7});
    CHECK(wide.ports_used == 36);
    const PlanMesh ffn{"ffn", {all_reduce("a", 8, 4_KiB), {"b", 64, {collective(Primitive::all_gather, 256_KiB)}}}};
    const Plan regions =
        plan(request(512, 36,
                     {{"world", {all_reduce("all", 512, 4_KiB)}},
                      {"attention", {{"a", 4, {collective(Primitive::all_to_all, 66_B)}}, {"b", 128, {}}}},
                      ffn}));
    CHECK(regions.total * 128 == 510'505'600_ps);
    CHECK(regions.optimal);
    CHECK(regions.degree == 21);
    CHECK(regions.ports_used == 35);
}

TEST_CASE("more ports make a mesh of 8 x 64 faster along a staircase", "[plan]") {
    const std::vector<std::pair<std::uint32_t, Duration>> steps{
        {9, 5'007'680_ps}, {16, 2'407'680_ps}, {36, 1'778'453_ps}, {70, 1'367'680_ps}, {128, 1'222'044_ps}};
    for (const auto& [ports, total] : steps) {
        CAPTURE(ports);
        const Plan found = plan(request(512, ports, {{"m", {all_reduce("a", 8, 8_KiB), all_reduce("b", 64, 8_KiB)}}}));
        CHECK(found.total == total);
        CHECK(found.optimal);
    }
}

TEST_CASE("branch and bound finds what trying everything finds, ties included", "[plan]") {
    for_each_seed(71, 250, [](Random& random) {
        const bool tiny = random.below(2) == 0;
        check_against_brute_force(random_plan_request(random, tiny ? 3 : 4, tiny ? 3 : 2, 8));
    });
}

TEST_CASE("with groups too branch and bound finds what trying everything finds", "[plan]") {
    for_each_seed(72, 150, [](Random& random) {
        const bool tiny = random.below(2) == 0;
        PlanRequest request = random_plan_request(random, tiny ? 3 : 4, 2, 8);
        request.group = std::uint32_t{1} << random.between(1, 2);
        request.latency_across = request.latency + Duration{random.between(0, 200) * 1'000};
        request.up = static_cast<std::uint32_t>(random.between(0, request.group));
        check_against_brute_force(request);
    });
}

TEST_CASE("with dark ports counted no plan is worse than one for cables whose dark ports fit too", "[plan]") {
    std::uint64_t compared = 0;
    for_each_seed(74, 60, [&](Random& random) {
        PlanRequest asked = random_mixed_request(random, 2, true);
        const Plan found = plan(asked);
        CHECK(found.optimal);
        CHECK(found.ports_used == ports_taken(found, true));
        asked.same_port = false;
        CHECK(plan(asked).total <= found.total);
        for (const std::uint32_t most = asked.ports; asked.ports >= std::max(found.degree, 1U); --asked.ports) {
            const Plan by_cable = plan(asked);
            if (ports_taken(by_cable, true) <= most) {
                CHECK(found.total <= by_cable.total);
                ++compared;
            }
        }
    });
    CHECK(compared > 0);
}

TEST_CASE("with rings too branch and bound finds what trying everything finds", "[plan]") {
    for_each_seed(73, 150, [](Random& random) {
        const auto bits = static_cast<unsigned>(random.between(2, 4));
        PlanRequest request = random_plan_request(random, bits, 1, 8);
        request.rings = true;
        request.ports = static_cast<std::uint32_t>(random.between(2, 8));
        if (random.below(3) == 0) {
            request.group = std::uint32_t{1} << random.between(1, 2);
            request.latency_across = request.latency + Duration{random.between(0, 200) * 1'000};
        }
        check_against_brute_force(request);
    });
}

TEST_CASE("a ring serves an axis that has too few ports for anything else, and takes two for each copy", "[plan]") {
    PlanRequest asked = request(62, 6, {{"m", {all_reduce("a", 31, 625_MiB), all_reduce("b", 2, 1_KiB)}}});
    CHECK_THAT(refusal(asked), Catch::Contains("needs at least 31 ports"));
    asked.rings = true;
    const Plan found = plan(asked);
    const PlannedAxis& ring = found.meshes[0].axes[0];
    CHECK(ring.ring);
    CHECK(ring.topology == "Z31{1}");
    CHECK(ring.blocks.empty());
    CHECK(ring.degree == 2);
    CHECK(ring.multiplicity == 2);
    CHECK(found.ports_used == 6);
    CHECK(found.degree == 3);
    CHECK(found.generators.size() == 1);
    // 60 phases; 60/31 of the buffer over two circuits of 50 GB/s.
    CHECK(ring.collectives[0].time == Duration{60 * 520'000 + (655'360'000LL * 20 * 30 + 15) / 31});
    asked.meshes.push_back({"n", {all_reduce("all", 62, 1_KiB)}});
    CHECK_THAT(refusal(asked), Catch::Contains("needs at least 31 ports"));
}

TEST_CASE("the same request has the same plan", "[plan]") {
    const Plan first = plan(decode_of_256());
    const Plan second = plan(decode_of_256());
    CHECK(first.generators == second.generators);
    CHECK(first.copies == second.copies);
    for (std::size_t m = 0; m < first.meshes.size(); ++m) {
        for (std::size_t a = 0; a < first.meshes[m].axes.size(); ++a) {
            CHECK(first.meshes[m].axes[a].bits == second.meshes[m].axes[a].bits);
            CHECK(first.meshes[m].axes[a].blocks == second.meshes[m].axes[a].blocks);
        }
    }
}

TEST_CASE("a search that is cut short keeps a plan and a bound below it", "[plan]") {
    PlanRequest request = decode_of_256();
    const Plan proven = plan(request);
    request.effort = 3;
    const Plan cut = plan(request);
    CHECK(cut.truncated);
    CHECK(cut.total >= proven.total);
    CHECK(cut.bound <= proven.total);
}

TEST_CASE("a search tells how far it is, and a stop ends it with the best plan so far", "[plan]") {
    const auto axis = [](std::uint32_t size) { return all_reduce("a", size, 64_KiB); };
    PlanRequest asked =
        request(512, 20, {{"m", {axis(8), axis(64)}}, {"n", {axis(32), axis(16)}}, {"o", {axis(4), axis(128)}}});
    SearchControl control;
    std::vector<SearchProgress> told;
    control.progress = [&](const SearchProgress& progress) { told.push_back(progress); };
    const Plan whole = plan(asked, control);
    REQUIRE(told.size() > 2);
    for (std::size_t i = 0; i < told.size(); ++i) {
        CHECK(told[i].bound <= whole.total);
        CHECK((!told[i].best || *told[i].best >= whole.total));
        CHECK((i == 0 || told[i].nodes > told[i - 1].nodes));
    }
    std::atomic<bool> stop{false};
    control.stop = &stop;
    std::size_t looks = 0;
    control.progress = [&](const SearchProgress&) {
        ++looks;
        stop = true;
    };
    const Plan stopped = plan(asked, control);
    CHECK(looks <= 2);  // it looks before it tells
    CHECK(stopped.truncated);
    CHECK(stopped.total >= whole.total);
    CHECK(stopped.bound <= whole.total);
    CHECK(stopped.ports_used <= 20);
}

TEST_CASE("sizes that are no powers of two are products of complete graphs", "[plan]") {
    const Plan found = plan(request(12, 5, {{"m", {all_reduce("a", 12, 4_KiB)}}}));
    CHECK(found.meshes[0].axes[0].topology == "K4xK3");
    CHECK(found.degree == 5);
    CHECK(found.generators == std::vector<Label>{1, 2, 3, 4, 8});
    CHECK(plan(request(12, 11, {{"m", {all_reduce("a", 12, 4_KiB)}}})).meshes[0].axes[0].topology == "K12");
}

TEST_CASE("a request that cannot be met is told what would be enough", "[plan]") {
    const std::vector<PlanMesh> world{{"w", {all_reduce("all", 16, 4_KiB)}}};
    CHECK(refusal(request(16, 3, world)) ==
          "mesh `w` needs at least 4 ports per accelerator, to join the ranks of its axes; there are 3");
    CHECK(plan(request(16, 4, world)).ports_used == 4);
    CHECK(refusal(request(32, 8, world)) ==
          "mesh `w` has 16 ranks, the plan is for 32; the sizes of the axes of every mesh must multiply to it");
    CHECK(refusal(request(16, 8, {{"w", {all_reduce("all", 16, 0_B)}}})) ==
          "axis `all` has a collective of 0 bytes; expected 1 to 2^40");
    PlanRequest endless = request(16, 8, {{"w", {all_reduce("all", 16, Bytes{std::int64_t{1} << 40})}}});
    endless.meshes[0].axes[0].collectives[0].calls = 1'000'000;
    CHECK(refusal(endless) ==
          "the collectives of the plan together take more than 4503 s; expected fewer calls or bytes");
    CHECK(refusal(request(17, 15, {{"w", {all_reduce("all", 17, 1_KiB)}}})) ==
          "mesh `w` needs at least 16 ports per accelerator, to join the ranks of its axes; there are 15; an axis with "
          "the prime factor 17 is "
          "joined completely along it, sizes with smaller ones take less");
    CHECK(refusal(request(16, 8, {{"w", {{"all", 16, {collective(Primitive::broadcast, 1_KiB)}}}}})) ==
          "axis `all` has a collective that no closed form prices; circuits are planned for all-reduce, all-to-all, "
          "all-gather and reduce-scatter by schedules that have a closed form");
}

}  // namespace simlette
