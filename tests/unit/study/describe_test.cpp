// What `show` says, on shipped files. Runs in the root of the tree.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <simlette/fabric/fabric.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/paths.hpp>

namespace simlette {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;

RunInputs shipped(const std::string& name, std::vector<Override> overrides = {}) {
    return {"topologies/" + name + ".yaml", "", std::move(overrides), {}};
}

json described(const RunInputs& inputs) {
    return json::parse(description_json(load_run(inputs), inputs)).at("fabric");
}

std::string told(const RunInputs& inputs) {
    return description_text(load_run(inputs), inputs);
}

}  // namespace

TEST_CASE("the three fabrics of 576 accelerators have the published numbers of devices") {
    for (const char* name : {"all-eps-512", "hybrid-512", "all-ocs-512", "all-eps-512-1to1"}) {
        INFO(name);
        const json fabric = described(shipped(name));
        const bool wide = std::string(name) == "all-ocs-512" || std::string(name) == "all-eps-512-1to1";
        CHECK(fabric.at("accelerators") == 512);
        CHECK(fabric.at("domain") == 576);
        REQUIRE(fabric.at("levels").size() == 2);
        CHECK(fabric.at("levels")[0].at("devices") == 648);
        CHECK(fabric.at("levels")[1].at("devices") == (wide ? 288 : 72));
        CHECK(fabric.at("levels")[1].at("ports_used") == 72);
        CHECK(fabric.at("levels")[1].at("links") == 648 * (wide ? 32 : 8));
        CHECK(fabric.at("oversubscription") == json{{"down", wide ? 1 : 4}, {"up", 1}});
    }
}

TEST_CASE("the latencies of a path are those of the links it takes, in a rack and from rack to rack") {
    struct Case {
        const char* name;
        std::int64_t in_rack;
        std::int64_t across;
        std::int64_t across_per_hop;
    };
    const std::vector<Case> cases{{"all-eps-512", 810'000, 1'430'000, 3 * 810'000},
                                  {"hybrid-512", 810'000, 1'140'000, 2 * 810'000 + 20'000},
                                  {"all-ocs-512", 520'000, 560'000, 560'000},
                                  {"all-eps-512-150ns", 660'000, 980'000, 3 * 660'000}};
    for (const Case& example : cases) {
        INFO(example.name);
        const json fabric = described(shipped(example.name));
        const json& longest = fabric.at("longest_path_latency_ps");
        CHECK(fabric.at("path_latency_ps").at("total") == example.in_rack);
        CHECK(longest.at("total") == example.across);
        const RunInputs per_hop = shipped(example.name, {{"topology.hop_reading", "per-hop"}});
        CHECK(described(per_hop).at("longest_path_latency_ps").at("total") == example.across_per_hop);
        CHECK(longest.at("endpoint").get<std::int64_t>() + longest.at("protocol").get<std::int64_t>() +
                  longest.at("propagation").get<std::int64_t>() + longest.at("switch").get<std::int64_t>() ==
              example.across);
    }
    CHECK(described(shipped("two-level-eps-16", {{"topology.latency", "{propagation: {level2: {length: 20 m}}}"}}))
              .at("longest_path_latency_ps")
              .at("propagation") == 220'000);
}

TEST_CASE("a description names levels, ways and the accelerator") {
    CHECK_THAT(
        told(shipped("all-eps-512")),
        Contains("two-level eps below eps, 512 of 576 accelerators x 36 ports of 400 Gb/s") &&
            Contains("rx00: FP4 50 PFLOP/s, 288 GB at 22 TB/s, 2630.6 W") &&
            Contains("648 electronic packet switches of radix 72, 40 ports used, 20,736 links to accelerators") &&
            Contains("4:1, towards level 2") && Contains("1.43 us from rack to rack = endpoint 250 ns"));
    CHECK_THAT(told(shipped("torus-4x4")),
               Contains("devices           none") && Contains("500 ns = endpoint") && !Contains("rack"));
}

TEST_CASE("the line of a fabric tells the buffers of both channels where they differ") {
    const auto line = [](std::vector<Override> overrides) {
        return fabric_line(load_run(shipped("single-level-eps", std::move(overrides))).fabric);
    };
    CHECK_THAT(line({}), Contains("400 Gb/s, unlimited buffers"));
    CHECK_THAT(line({{"topology.buffers", "22 flits"}}), Contains("400 Gb/s, buffers of 22 flits"));
    CHECK_THAT(line({{"topology.buffers.response", "9 flits"}}),
               Contains("400 Gb/s, buffers: request unlimited, response 9 flits"));
}

TEST_CASE("a graph is described by its switches, and by its shortest and its longest way") {
    const json fabric = described(shipped("explicit-two-rows"));
    CHECK(fabric.at("links") == 2 * (3 + 2 + 4 + 2 + 1));
    CHECK(fabric.at("bisection").at("exact") == false);
    CHECK(fabric.at("levels").size() == 2);
    CHECK(fabric.at("path_latency_ps").at("total") == 810'000);
    // Three switches and a circuit switch.
    CHECK(fabric.at("longest_path_latency_ps").at("switch") == 910'000);
    CHECK_THAT(told(shipped("explicit-two-rows")), Contains("level 1           2 electronic packet switches") &&
                                                       Contains("810 ns from a0 to a1 = endpoint"));
}

TEST_CASE("an accelerator alone has no path") {
    FabricSpec spec;
    spec.accelerators = 1;
    spec.ports = 2;
    CHECK_FALSE(path_range(*build_fabric(spec)));
}

}  // namespace simlette
