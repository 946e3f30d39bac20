#include <simlette/fabric/planes.hpp>

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>

#include <support/run.hpp>

namespace simlette {
namespace {

HostGraph two_levels(std::uint32_t ports) {
    FabricSpec spec = packet_fabric(12, ports);
    spec.kind = FabricKind::two_level;
    spec.group = 4;
    spec.level1 = {DeviceKind::eps, 8, 4, 2};
    spec.level2 = {DeviceKind::eps, 8, 0, 0};
    return build_fabric(spec)->graph;
}

// Every link stands in one plane, and says the same as the one in its place in the first.
void check_planes(const HostGraph& whole, const Planes& planes) {
    REQUIRE(planes.links.size() == whole.ports_to_all);
    planes.graph.check();
    std::vector<bool> seen(whole.links.size(), false);
    for (std::uint32_t plane = 0; plane < planes.links.size(); ++plane) {
        REQUIRE(planes.links[plane].size() == planes.graph.links.size());
        for (LinkId link = 0; link < planes.graph.links.size(); ++link) {
            const LinkId in_whole = planes.links[plane][link];
            const HostLink& one = planes.graph.links[link];
            const HostLink& its = whole.links[in_whole];
            CHECK_FALSE(seen[in_whole]);
            seen[in_whole] = true;
            CHECK(one.link_class == its.link_class);
            CHECK((one.from < whole.accelerators ? one.from_port + plane : one.from_port) == its.from_port);
            CHECK((one.to < whole.accelerators ? one.to_port + plane : one.to_port) == its.to_port);
            CHECK((one.from < whole.accelerators ? one.from == its.from : its.from >= whole.accelerators));
            CHECK((one.to < whole.accelerators ? one.to == its.to : its.to >= whole.accelerators));
        }
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](bool is) { return is; }));
}

}  // namespace

TEST_CASE("Each port of accelerators on one level is a plane", "[planes]") {
    const HostGraph graph = build_fabric(packet_fabric(5, 3))->graph;
    const Planes planes = planes_of(graph);
    check_planes(graph, planes);
    CHECK(planes.graph.packet_switches * 3 == graph.packet_switches);
}

TEST_CASE("Each port of accelerators under two levels of switches is a plane, with its ways between groups",
          "[planes]") {
    const HostGraph graph = two_levels(3);
    const Planes planes = planes_of(graph);
    check_planes(graph, planes);
    for (std::uint32_t at = 0; at < planes.graph.packet_switches; ++at) {
        for (std::uint32_t group = 0; group < graph.groups; ++group) {
            const LinkChoice& choice = planes.graph.choices[planes.graph.switches[at].first_choice + group];
            CHECK((planes.graph.switches[at].own_group == group) == (choice.count == 0));
        }
    }
}

TEST_CASE("One port and circuits have no planes", "[planes]") {
    CHECK(planes_of(build_fabric(packet_fabric(5, 1))->graph).links.empty());
    CHECK(planes_of(build_fabric(cube_fabric(8, 3))->graph).links.empty());
}

TEST_CASE("Ports that differ in any link are not planes", "[planes]") {
    HostGraph graph = two_levels(2);
    REQUIRE(planes_of(graph).links.size() == 2);
    graph.classes.push_back(graph.classes.front());
    for (const std::size_t link : {std::size_t{0}, graph.links.size() / 2, graph.links.size() - 1}) {
        HostGraph other = graph;
        other.links[link].link_class = static_cast<std::uint32_t>(graph.classes.size() - 1);
        CHECK(planes_of(other).links.empty());
    }
    // Spraying starts by the port of the switch.
    ++graph.links[graph.links.size() - graph.accelerators].to_port;
    CHECK(planes_of(graph).links.empty());
}

TEST_CASE("Switches that a link joins across ports are one part", "[planes]") {
    HostGraph graph = two_levels(2);
    const NodeId first = graph.links[0].to;
    const NodeId second = graph.links[1].to;
    REQUIRE(first != second);
    HostLink across = graph.links.back();
    across.from = first;
    across.to = second;
    graph.links.push_back(across);
    CHECK(planes_of(graph).links.empty());
}

}  // namespace simlette
