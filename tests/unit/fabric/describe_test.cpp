#include <bit>

#include <catch2/catch.hpp>

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
