#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/link_levels.hpp>

#include <support/run.hpp>

using namespace simlette;

namespace {

using Counts = std::vector<std::pair<std::string, int>>;

// Links by level, in the order of the levels.
Counts counts(const FabricSpec& spec) {
    const LinkLevels levels = link_levels(*build_fabric(spec));
    Counts all;
    for (const std::string& name : levels.names) {
        all.emplace_back(name, 0);
    }
    for (const std::uint32_t level : levels.of) {
        ++all[level].second;
    }
    return all;
}

GraphSpec::Link link(std::uint32_t from, std::uint32_t to, std::uint32_t count = 1) {
    GraphSpec::Link one;
    one.from = from;
    one.to = to;
    one.count = count;
    return one;
}

// Three racks of four accelerators with two rails and two up links.
FabricSpec racks(DeviceKind level1, DeviceKind level2) {
    FabricSpec spec = packet_fabric(12, 2);
    spec.kind = FabricKind::two_level;
    spec.group = 4;
    spec.level1 = {level1, 6, 4, 2};
    spec.level2 = {level2, 6, 0, 0};
    return spec;
}

}  // namespace

TEST_CASE("links of one level of switches lead up and down") {
    CHECK(counts(packet_fabric(5, 3)) == Counts{{"up 1", 15}, {"down 1", 15}});
}

TEST_CASE("links of two levels of switches are told apart by level and direction") {
    CHECK(counts(racks(DeviceKind::eps, DeviceKind::eps)) ==
          Counts{{"up 1", 24}, {"up 2", 12}, {"down 2", 12}, {"down 1", 24}});
}

TEST_CASE("circuits between racks lie across, above electronic switches") {
    FabricSpec spec = racks(DeviceKind::eps, DeviceKind::ocs);
    spec.circuits.automatic = true;  // of three racks two are joined in each of four rounds
    CHECK(counts(spec) == Counts{{"up 1", 24}, {"circuit", 8}, {"down 1", 24}});
}

TEST_CASE("circuits between accelerators are one level, on two optical ones those of a rack are apart") {
    CHECK(counts(cube_fabric(8, 3)) == Counts{{"circuit", 24}});
    FabricSpec spec = cube_fabric(16, 4);
    spec.kind = FabricKind::two_level;
    spec.group = 4;
    spec.level1 = {DeviceKind::ocs, 0, 4, 4};
    spec.level2 = {DeviceKind::ocs, 0, 0, 0};
    CHECK(counts(spec) == Counts{{"circuit in rack", 32}, {"circuit across racks", 32}});
}

TEST_CASE("links of a graph go by the levels of its switches") {
    FabricSpec spec = packet_fabric(4, 1);
    spec.kind = FabricKind::explicit_graph;
    spec.graph.devices = {{"left", 0}, {"right", 0}};
    spec.graph.links = {link(0, 4), link(1, 4), link(2, 5), link(3, 5), link(4, 5, 3)};
    CHECK(counts(spec) == Counts{{"up 1", 4}, {"across 1", 6}, {"down 1", 4}});
    spec.graph.devices = {{"left", 0}, {"right", 0}, {"top", 0}};
    spec.graph.links = {link(0, 4), link(1, 4), link(2, 5), link(3, 5), link(4, 6), link(5, 6, 2)};
    CHECK(counts(spec) == Counts{{"up 1", 4}, {"up 2", 3}, {"down 2", 3}, {"down 1", 4}});
}
