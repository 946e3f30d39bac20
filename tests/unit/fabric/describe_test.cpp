#include <algorithm>
#include <bit>
#include <tuple>

#include <catch2/catch.hpp>

#include <simlette/fabric/bisection.hpp>
#include <simlette/fabric/built_fabric.hpp>

#include <support/run.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

FabricSpec shaped(std::uint32_t accelerators, std::uint32_t ports, CircuitShape shape,
                  std::vector<std::uint32_t> torus = {}) {
    FabricSpec spec = packet_fabric(accelerators, ports);
    spec.kind = FabricKind::direct;
    spec.circuits.shape = shape;
    spec.circuits.torus = std::move(torus);
    return spec;
}

FabricSpec two_levels(std::uint32_t domain, std::uint32_t ports, std::uint32_t group, std::uint32_t up) {
    FabricSpec spec = packet_fabric(domain, ports);
    spec.kind = FabricKind::two_level;
    spec.domain = domain;
    spec.group = group;
    spec.level1 = {DeviceKind::eps, 72, group, up};
    spec.level2 = {DeviceKind::eps, 72, 0, 0};
    return spec;
}

FabricDescription describe_built(const FabricSpec& spec) {
    return describe(*build_fabric(spec));
}

// The least number of circuits between two halves, by trying every half that holds accelerator 0.
std::uint64_t bisection_by_trying(const FabricSpec& spec) {
    const auto fabric = build_fabric(spec);
    const HostGraph& graph = fabric->graph;
    const auto half = static_cast<int>(graph.accelerators / 2);
    std::uint64_t least = UINT64_MAX;
    for (std::uint32_t side = 0; side < 1U << graph.accelerators; ++side) {
        if (std::popcount(side) != half) {
            continue;
        }
        std::uint64_t crossing = 0;
        for (const HostLink& link : graph.links) {
            crossing += (side >> link.from & 1U) == 1 && (side >> link.to & 1U) == 0 ? 1 : 0;
        }
        least = std::min(least, crossing);
    }
    return least;
}

}  // namespace

TEST_CASE("one electronic level: 32 accelerators with 8 ports") {
    const FabricDescription d = describe_built(packet_fabric(32, 8));
    CHECK(d.packet_switches == 8);
    CHECK(d.circuit_switches == 0);
    CHECK(d.switch_ports_used == 32);
    CHECK(d.ports_used == 8);
    CHECK(d.links == 2 * 32 * 8);
    CHECK(d.bisection_links == 16 * 8);
    CHECK(d.bisection_exact);
    CHECK(d.oversubscription_down == 1);
    CHECK(d.oversubscription_up == 1);
    CHECK(d.path_latency == 810_ns);
    CHECK(d.path_latency_most == 810_ns);
    REQUIRE(d.levels.size() == 1);
    CHECK(d.levels[0].devices == 8);
    CHECK(d.levels[0].links == 32 * 8);
}

TEST_CASE("one electronic level: a domain of 72 of which 63 serve, 18 ports") {
    FabricSpec spec = packet_fabric(63, 18);
    spec.domain = 72;
    spec.radix = 72;
    const FabricDescription d = describe_built(spec);
    CHECK(d.accelerators == 63);
    CHECK(d.domain == 72);
    CHECK(d.switch_ports_used == 72);
    CHECK(d.levels[0].links == 72 * 18);
    CHECK(d.links == 2 * 63 * 18);
    CHECK(d.bisection_links == 31 * 18);
}

TEST_CASE("one optical level: the cube over 32 accelerators with 8 ports") {
    const FabricDescription d = describe_built(cube_fabric(32, 8));
    CHECK(d.circuit_switches == 8);
    CHECK(d.packet_switches == 0);
    CHECK(d.switch_ports_used == 32);
    CHECK(d.ports_used == 5);
    CHECK(d.circuits == 32 * 5 / 2);
    CHECK(d.bisection_links == 16);
    CHECK(d.diameter == 5);
    CHECK(d.path_latency == 520_ns);
    CHECK(d.levels[0].device == DeviceKind::ocs);
}

TEST_CASE("a ring of 9 with 4 ports has two circuits side by side") {
    const FabricDescription d = describe_built(shaped(9, 4, CircuitShape::ring));
    CHECK(d.levels.empty());
    CHECK(d.switch_ports_used == 0);
    CHECK(d.ports_used == 4);
    CHECK(d.circuits == 9 * 2);
    CHECK(d.bisection_links == 2 * 2);  // a ring is cut in two places
    CHECK(d.bisection_exact);
    CHECK(d.diameter == 4);
    CHECK(d.path_latency == 500_ns);
}

TEST_CASE("a full mesh of 5 with 9 ports: two circuits a pair, one port idle") {
    const FabricDescription d = describe_built(shaped(5, 9, CircuitShape::full_mesh));
    CHECK(d.ports_used == 8);
    CHECK(d.circuits == 5 * 4 / 2 * 2);
    CHECK(d.bisection_links == 2 * 3 * 2);
    CHECK(d.bisection_exact);
    CHECK(d.diameter == 1);
}

TEST_CASE("a torus of 8 x 8 x 4 is cut across its longest rings") {
    const FabricDescription d = describe_built(shaped(256, 6, CircuitShape::torus, {8, 8, 4}));
    CHECK(d.ports_used == 6);
    CHECK(d.circuits == 256 * 6 / 2);
    CHECK(d.bisection_links == 2 * 8 * 4);  // two places of 8 x 4 rings
    CHECK(d.bisection_exact);
    CHECK(d.diameter == 4 + 4 + 2);
}

TEST_CASE("a torus of 4 x 4 x 2 has one circuit in its shortest dimension") {
    const FabricDescription d = describe_built(shaped(32, 5, CircuitShape::torus, {4, 4, 2}));
    CHECK(d.ports_used == 2 + 2 + 1);
    CHECK(d.circuits == 32 * 5 / 2);
    CHECK(d.bisection_links == 16);  // 2 x 4 x 2 across a ring of 4, 4 x 4 across the pairs
    CHECK(d.bisection_exact);
    CHECK(d.diameter == 2 + 2 + 1);
}

TEST_CASE("a torus of odd extents says that its cut is the best found") {
    const FabricDescription d = describe_built(shaped(9, 4, CircuitShape::torus, {3, 3}));
    CHECK(d.bisection_links == 8);  // 3 columns twice, and twice the row that is parted
    CHECK(!d.bisection_exact);
}

TEST_CASE("the bisection of rings, meshes and tori is the least of all even cuts") {
    for (std::uint32_t n = 1; n <= 9; ++n) {
        CHECK(describe_built(shaped(n, 5, CircuitShape::ring)).bisection_links ==
              bisection_by_trying(shaped(n, 5, CircuitShape::ring)));
        CHECK(describe_built(shaped(n, 17, CircuitShape::full_mesh)).bisection_links ==
              bisection_by_trying(shaped(n, 17, CircuitShape::full_mesh)));
    }
    for (const std::vector<std::uint32_t>& extents : {std::vector<std::uint32_t>{2, 3},
                                                      {3, 2},
                                                      {2, 2, 2},
                                                      {4, 2},
                                                      {4, 3},
                                                      {3, 4},
                                                      {4, 4},
                                                      {5, 2},
                                                      {3, 5},
                                                      {2, 1, 6},
                                                      {2, 2, 3},
                                                      {3, 3},
                                                      {2, 2, 4}}) {
        std::uint32_t n = 1;
        for (const std::uint32_t extent : extents) {
            n *= extent;
        }
        const FabricSpec spec = shaped(n, 6, CircuitShape::torus, extents);
        const FabricDescription d = describe_built(spec);
        CAPTURE(extents);
        CHECK(d.bisection_links == bisection_by_trying(spec));
    }
}

TEST_CASE("two optical levels: 512 of 576 accelerators on a cube, racks of 32") {
    FabricSpec spec = two_levels(576, 36, 32, 32);
    spec.accelerators = 512;
    spec.level1.device = DeviceKind::ocs;
    spec.level2.device = DeviceKind::ocs;
    spec.circuits.cube = true;
    const FabricDescription d = describe_built(spec);
    CHECK(d.circuit_switches == 648 + 288);
    CHECK(d.packet_switches == 0);
    CHECK(d.switch_ports_used == 72);
    CHECK(d.ports_used == 36);  // 9 generators, 36 / 9 = 4 times
    CHECK(d.circuits == 512 * 36 / 2);
    CHECK(d.bisection_links == 256 * 4);
    CHECK(d.bisection_exact);
    CHECK(d.path_latency == 520_ns);
    CHECK(d.path_latency_most == 560_ns);
    CHECK(d.oversubscription_down == 1);
    CHECK(d.oversubscription_up == 1);
}

TEST_CASE("two electronic levels of 576 accelerators: 648 and 72 devices at 4 to 1, 288 at 1 to 1") {
    const FabricDescription quarter = describe_built(two_levels(576, 36, 32, 8));
    REQUIRE(quarter.levels.size() == 2);
    CHECK(quarter.levels[0].devices == 576 / 32 * 36);
    CHECK(quarter.levels[0].ports_used == 32 + 8);
    CHECK(quarter.levels[0].links == 576 * 36);
    CHECK(quarter.levels[1].devices == 36 * 2);  // 18 racks x ceil(8 / 2) = 72 ports
    CHECK(quarter.levels[1].ports_used == 72);
    CHECK(quarter.levels[1].links == 648 * 8);
    CHECK(quarter.packet_switches == 648 + 72);
    CHECK(quarter.switch_ports_used == 72);
    CHECK(quarter.ports_used == 36);
    CHECK(quarter.links == 2 * (576 * 36 + 648 * 8));
    CHECK(quarter.oversubscription_down == 4);
    CHECK(quarter.oversubscription_up == 1);
    CHECK(quarter.bisection_links == 9 * 36 * 8);  // the up links of half the racks
    CHECK(quarter.bisection_exact);
    CHECK(quarter.bisection_rate.per_second == 9LL * 36 * 8 * 400'000'000'000);
    CHECK(quarter.diameter == 1);
    CHECK(quarter.path_latency == 810_ns);
    CHECK(quarter.path_latency_most == 1430_ns);
    const FabricDescription full = describe_built(two_levels(576, 36, 32, 32));
    CHECK(full.levels[1].devices == 288);
    CHECK(full.oversubscription_down == 1);
    CHECK(full.oversubscription_up == 1);
    CHECK(full.bisection_links == 288 * 36);  // every port of half the accelerators
}

TEST_CASE("512 of 576 accelerators serve: all devices are counted, the cut is among those that serve") {
    FabricSpec spec = two_levels(576, 36, 32, 8);
    spec.accelerators = 512;
    const FabricDescription d = describe_built(spec);
    CHECK(d.packet_switches == 648 + 72);
    CHECK(d.levels[1].ports_used == 72);
    CHECK(d.links == 2 * (512 * 36 + 16 * 36 * 8));
    CHECK(d.bisection_links == 8 * 36 * 8);
}

TEST_CASE("the last rack serves in part, and the cut parts a rack") {
    // 40 accelerators in racks of 16, 16 and 8; 2 ports, 4 up links. One rack apart cuts 4 up links, and 4 accelerators
    // more to be 20: 8 on each rail.
    FabricSpec spec = two_levels(48, 2, 16, 4);
    spec.accelerators = 40;
    const FabricDescription d = describe_built(spec);
    CHECK(d.bisection_links == 2 * 8);
    CHECK(d.bisection_exact);
    CHECK(d.oversubscription_down == 4);
}

TEST_CASE("down ports beyond the group are dark: 24 accelerators to 9 up links") {
    FabricSpec spec = two_levels(96, 4, 24, 9);
    spec.level1.down = 32;
    const FabricDescription d = describe_built(spec);
    CHECK(d.oversubscription_down == 8);
    CHECK(d.oversubscription_up == 3);
    CHECK(d.levels[0].ports_used == 24 + 9);
    CHECK(d.levels[1].devices == 4);  // 4 racks x 9 = 36 ports of 72
    CHECK(d.levels[1].ports_used == 36);
    CHECK(d.bisection_links == 2 * 9 * 4);
}

TEST_CASE("the bisection of two levels is the least of all even cuts, switches on their better side") {
    for (const auto& [serving, group, up] : {std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>{8, 2, 1},
                                             {8, 4, 3},
                                             {7, 2, 2},
                                             {6, 4, 1},
                                             {9, 3, 2},
                                             {5, 4, 4},
                                             {3, 4, 2}}) {
        FabricSpec spec = two_levels((serving + group - 1) / group * group, 2, group, up);
        spec.accelerators = serving;
        const auto fabric = build_fabric(spec);
        std::uint64_t least = UINT64_MAX;
        // Which accelerators are the first half is all that a least cut of halves depends on.
        std::vector<std::uint32_t> number(serving);
        for (std::uint32_t side = 0; side < 1U << serving; ++side) {
            if (std::popcount(side) != static_cast<int>(serving / 2)) {
                continue;
            }
            std::uint32_t first = 0;
            std::uint32_t second = serving / 2;
            for (std::uint32_t a = 0; a < serving; ++a) {
                number[a] = (side >> a & 1U) == 1 ? first++ : second++;
            }
            HostGraph graph = fabric->graph;
            for (HostLink& link : graph.links) {
                link.from = link.from < serving ? number[link.from] : link.from;
                link.to = link.to < serving ? number[link.to] : link.to;
            }
            least = std::min(least, cut_of_halves(graph).links);
        }
        CHECK(describe(*fabric).bisection_links == least);
    }
}

TEST_CASE("racks joined by circuits: 8 racks of 4, each pair joined twice") {
    FabricSpec spec = two_levels(32, 7, 4, 2);
    spec.level2.device = DeviceKind::ocs;
    spec.circuits.automatic = true;
    const FabricDescription d = describe_built(spec);
    CHECK(d.packet_switches == 8 * 7);
    CHECK(d.circuit_switches == 7);              // 8 racks x 2 up links = 16 ports of 72
    CHECK(d.links == 2 * (32 * 7) + 8 * 7 * 2);  // up links in pairs are circuits, both ways
    CHECK(d.bisection_links == 4 * 4 * 2);       // each of four racks twice with each of the other four
    CHECK(d.bisection_exact);
    CHECK(d.path_latency == 810_ns);
    CHECK(d.path_latency_most == 1140_ns);  // 245 + 10 + 300 + 30 + 300 + 10 + 245
    CHECK(d.diameter == 1);
}

TEST_CASE("two levels read hop by hop charge each switch with all of a path") {
    FabricSpec spec = two_levels(576, 36, 32, 8);
    spec.hop_reading = HopReading::per_hop;
    CHECK(describe_built(spec).path_latency == 810_ns);
    CHECK(describe_built(spec).path_latency_most == 3 * 810_ns);
}

TEST_CASE("an explicit graph: three switches, unequal links") {
    // a0 to a3 on one switch, a3 twice; a4 to a7 on another with half the rate; a third joins the two.
    FabricSpec spec = packet_fabric(8, 2);
    spec.kind = FabricKind::explicit_graph;
    spec.graph.devices = {{"row0", 12}, {"row1", 8}, {"far", 0}};
    for (std::uint32_t a = 0; a < 8; ++a) {
        GraphSpec::Link link;
        link.from = a;
        link.to = a < 4 ? 8 : 9;
        link.count = a == 3 ? 2 : 1;
        if (a >= 4) {
            link.rate = 200_Gbps;
        }
        spec.graph.links.push_back(link);
    }
    GraphSpec::Link link;
    link.from = 8;
    link.to = 10;
    link.count = 2;
    link.propagation = 150_ns;
    spec.graph.links.push_back(link);
    link.from = 9;
    link.count = 1;
    link.rate = 800_Gbps;
    link.propagation = 100_ns;
    link.optical_passes = 1;
    spec.graph.links.push_back(link);
    const FabricDescription d = describe_built(spec);
    CHECK(d.packet_switches == 3);
    CHECK(d.ports_used == 2);
    CHECK(d.switch_ports_used == 7);  // row0: 5 + 2
    CHECK(d.links == 2 * (9 + 3));
    REQUIRE(d.levels.size() == 2);
    CHECK(d.levels[0].devices == 2);
    CHECK(d.levels[0].radix == 12);
    CHECK(d.levels[0].links == 9);
    CHECK(d.levels[1].devices == 1);
    CHECK(d.levels[1].radix == 0);
    CHECK(d.levels[1].ports_used == 3);
    CHECK(d.levels[1].links == 3);
    CHECK(d.oversubscription_down == 5);  // row0: 5 x 400 to 2 x 400; row1: 4 x 200 to 800
    CHECK(d.oversubscription_up == 2);
    CHECK(d.bisection_links == 1);
    CHECK(d.bisection_rate == 800_Gbps);
    CHECK(!d.bisection_exact);
    CHECK(d.path_latency == 810_ns);
    CHECK(d.path_latency_most == 245_ns + 10_ns + 300_ns + 150_ns + 300_ns + 110_ns + 300_ns + 10_ns + 245_ns);
}
