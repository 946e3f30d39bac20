// Circuits as their devices see them, judged by a checker that follows the light.
#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/device_matchings.hpp>
#include <simlette/fabric/edge_colouring.hpp>
#include <simlette/fabric/optics.hpp>
#include <simlette/planner/prove_circuits.hpp>

#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

FabricSpec optical_levels(std::uint32_t accelerators, std::uint32_t ports, std::uint32_t group, std::uint32_t up,
                          std::uint32_t radix2) {
    FabricSpec spec = packet_fabric(accelerators, ports);
    spec.kind = FabricKind::two_level;
    spec.group = group;
    spec.level1 = {DeviceKind::ocs, group + up, group, up};
    spec.level2 = {DeviceKind::ocs, radix2, 0, 0};
    return spec;
}

std::vector<std::string> faults_of(const FabricSpec& spec) {
    const auto fabric = build_fabric(spec);
    return faults_of_circuits(fabric->spec, fabric->graph, device_matchings(*fabric));
}

// A random circuit for each accelerator of each rail, as long as racks have up links; rails are joined by a last pair
// along the accelerators, so that the fabric is connected.
FabricSpec random_rails(Random& random) {
    const auto groups = static_cast<std::uint32_t>(2 + random.below(6));
    const auto up = static_cast<std::uint32_t>(2 * (1 + random.below(3)));
    const auto group = up + static_cast<std::uint32_t>(random.below(3));
    // Devices of level 2 hold an even number of ports for each rack.
    const std::uint32_t each = random.below(2) == 0 ? 2 : up;
    FabricSpec spec = optical_levels(groups * group, 4, group, up, groups * each);
    spec.circuits.port_pairs.resize(4);
    for (std::uint32_t a = 0; a + 1 < groups * group; ++a) {
        spec.circuits.port_pairs[a % 2].emplace_back(a, a + 1);
    }
    for (std::uint32_t rail = 2; rail < 4; ++rail) {
        std::vector<std::uint32_t> left(groups, up);
        std::vector<std::uint32_t> free;
        for (std::uint32_t a = 0; a < groups * group; ++a) {
            free.insert(free.begin() + static_cast<std::ptrdiff_t>(random.below(free.size() + 1)), a);
        }
        for (std::size_t i = 0; i + 1 < free.size(); i += 2) {
            const std::uint32_t a = free[i] / group;
            const std::uint32_t b = free[i + 1] / group;
            if (a == b || (left[a] > 0 && left[b] > 0)) {
                left[a] -= a == b ? 0 : 1;
                left[b] -= a == b ? 0 : 1;
                spec.circuits.port_pairs[rail].emplace_back(free[i], free[i + 1]);
            }
        }
    }
    return spec;
}

// Twice round three racks of four on the last rail, which no two matchings cover.
FabricSpec racks_in_a_ring(std::uint32_t radix2) {
    FabricSpec spec = optical_levels(12, 3, 4, 4, radix2);
    spec.circuits.port_pairs = {{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}},
                                {{1, 2}, {5, 6}, {9, 10}},
                                {{0, 4}, {1, 5}, {6, 8}, {7, 9}, {10, 2}, {11, 3}}};
    return spec;
}

}  // namespace

TEST_CASE("as many colours as the largest degree suffice for the edges of a bipartite multigraph") {
    for_each_seed(7101, Cases::parts, [](Random& random) {
        const auto left = static_cast<std::uint32_t>(1 + random.below(6));
        const auto right = static_cast<std::uint32_t>(1 + random.below(6));
        std::vector<GraphEdge> edges;
        std::vector<std::uint32_t> degrees(left + right, 0);
        for (std::uint64_t i = random.below(40); i > 0; --i) {
            edges.emplace_back(random.below(left), random.below(right));
            ++degrees[edges.back().first];
            ++degrees[left + edges.back().second];
        }
        const std::uint32_t most = *std::max_element(degrees.begin(), degrees.end());
        const auto colours = colour_bipartite(left, right, edges, most);
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            CHECK(colours[i] < most);
            CHECK(seen.emplace(edges[i].first, colours[i]).second);
            CHECK(seen.emplace(left + edges[i].second, colours[i]).second);
        }
    });
}

TEST_CASE("a complete graph of odd size has one colour more than its degree, each vertex idle in one") {
    std::vector<GraphEdge> edges;
    for (std::uint32_t a = 0; a < 7; ++a) {
        for (std::uint32_t b = a + 1; b < 7; ++b) {
            edges.emplace_back(a, b);
        }
    }
    const auto colours = colour_simple(7, edges);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        CHECK(colours[i] < 7);
        CHECK(seen.emplace(edges[i].first, colours[i]).second);
        CHECK(seen.emplace(edges[i].second, colours[i]).second);
    }
}

TEST_CASE("edges are turned such that as many lead out of every vertex as into it") {
    for_each_seed(7102, Cases::parts, [](Random& random) {
        std::vector<GraphEdge> edges;
        for (std::uint64_t i = random.below(30); i > 0; --i) {
            const auto a = static_cast<std::uint32_t>(random.below(7));
            edges.emplace_back(a, (a + 1 + random.below(6)) % 7);
        }
        const auto turned = oriented(7, edges);
        std::vector<int> balance(7, 0);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            CHECK(std::minmax(turned[i].first, turned[i].second) == std::minmax(edges[i].first, edges[i].second));
            ++balance[turned[i].first];
            --balance[turned[i].second];
        }
        CHECK(std::all_of(balance.begin(), balance.end(), [](int b) { return b >= -1 && b <= 1; }));
    });
}

TEST_CASE("on one level a switch joins what the circuits of its port join") {
    const auto fabric = build_fabric(cube_fabric(8, 4));
    const auto devices = device_matchings(*fabric);
    REQUIRE(devices.size() == 4);
    CHECK(devices[1].joined == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
    CHECK(devices[3].joined.empty());  // the fourth port is idle
    CHECK(faults_of_circuits(fabric->spec, fabric->graph, devices).empty());
}

TEST_CASE("circuits across racks pass one device of level 2, with one matching in every device") {
    FabricSpec spec = optical_levels(512, 9, 32, 32, 72);
    spec.domain = 576;
    spec.circuits.cube = true;
    CHECK(faults_of(spec).empty());
    const auto devices = device_matchings(*build_fabric(spec));
    // 16 racks x 9 rails below; above each of the 4 rails that lead out, 8 devices.
    CHECK(std::count_if(devices.begin(), devices.end(), [](const auto& d) { return d.level == 1; }) == 144);
    CHECK(std::count_if(devices.begin(), devices.end(), [](const auto& d) { return d.level == 2; }) == 32);
}

TEST_CASE("three racks joined in a ring take 2-factors, both ends of a rack at one device") {
    CHECK_FALSE(sides_of(3, {{0, 1}, {1, 2}, {2, 0}}).has_value());
    const auto fabric = build_fabric(racks_in_a_ring(6));
    const auto devices = device_matchings(*fabric);
    CHECK(faults_of_circuits(fabric->spec, fabric->graph, devices).empty());
    CHECK(std::count_if(devices.begin(), devices.end(), [](const auto& d) { return d.level == 2; }) == 2);
}

TEST_CASE("devices too small for a ring of racks are refused") {
    // Four devices with one port for each rack.
    CHECK_THROWS_WITH(device_matchings(*build_fabric(racks_in_a_ring(3))),
                      "on rail 2 the circuits between racks need 2 pairs of up links of a rack, each to one level-2 "
                      "device; 4 up links over 4 devices give 0 pairs");
}

TEST_CASE("random circuits find their devices") {
    for_each_seed(7103, Cases::parts, [](Random& random) { CHECK(faults_of(random_rails(random)).empty()); });
}

TEST_CASE("circuits between racks of a hybrid fabric have devices, odd numbers of racks among them") {
    for (const std::uint32_t racks : {3U, 4U, 5U, 18U}) {
        FabricSpec spec = packet_fabric(racks * 4, 6);
        spec.kind = FabricKind::two_level;
        spec.group = 4;
        spec.level1 = {DeviceKind::eps, 16, 4, 4};
        spec.level2 = {DeviceKind::ocs, 2 * racks, 0, 0};
        spec.circuits.automatic = true;
        CAPTURE(racks);
        CHECK(faults_of(spec).empty());
        // Every pair of racks has as many circuits as any other, or one more.
        const auto fabric = build_fabric(spec);
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> circuits;
        for (const HostLink& link : fabric->graph.links) {
            if (link.from >= spec.accelerators && link.to >= spec.accelerators && link.from < link.to) {
                ++circuits[{(link.from - spec.accelerators) / 6, (link.to - spec.accelerators) / 6}];
            }
        }
        CHECK(circuits.size() == racks * (racks - 1) / 2);
        const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
        const auto [fewest, most] = std::minmax_element(circuits.begin(), circuits.end(), less);
        CHECK(most->second - fewest->second <= 1);
    }
}

TEST_CASE("the checker finds what is wrong with matchings and circuits") {
    FabricSpec spec = optical_levels(8, 3, 4, 4, 4);
    spec.circuits.cube = true;
    const auto fabric = build_fabric(spec);
    const auto good = device_matchings(*fabric);
    const auto fault = [&](const std::vector<DeviceMatching>& devices, const HostGraph& graph) {
        const auto faults = faults_of_circuits(spec, graph, devices);
        return faults.empty() ? "none" : faults.front();
    };
    REQUIRE(fault(good, fabric->graph) == "none");

    auto devices = good;
    devices.back().joined.pop_back();
    CHECK(fault(devices, fabric->graph).find("meets a device that does not pass it on") != std::string::npos);
    devices = good;
    std::swap(devices[0].joined[0].second, devices[0].joined[1].second);
    CHECK(fault(devices, fabric->graph) ==
          "the circuit from port 0 of node 0 ends at port 0 of node 3, not at port 0 of node 1");
    devices = good;
    devices[0].joined.emplace_back(0, 7);
    CHECK(fault(devices, fabric->graph) ==
          "port 0 of level-1 device 0 on rail 0 is joined twice; a device has one "
          "matching");
    devices = good;
    devices[0].joined.emplace_back(4, 8);
    CHECK(fault(devices, fabric->graph) == "port 8 of level-1 device 0 on rail 0 lies beyond the radix 8");
    devices = good;
    devices[0].joined.emplace_back(6, 7);
    CHECK(fault(devices, fabric->graph) == "port 6 of level-1 device 0 on rail 0 carries no circuit");

    HostGraph graph = fabric->graph;
    graph.links[1].from_port = 0;
    CHECK(fault(good, graph).find("is the second one of this port") != std::string::npos);
    CHECK(faults_of_generators(fabric->graph, RankGroup::binary(3), {1, 2, 4}, {1, 1, 1}).empty());
    CHECK(faults_of_generators(fabric->graph, RankGroup::binary(3), {1, 2, 4}, {1, 2, 1}).front() ==
          "accelerators 0 and 2 have 1 circuits; the plan says 2");
    CHECK(faults_of_generators(fabric->graph, RankGroup::binary(3), {1, 2}, {1, 1}).front() ==
          "there are 24 ways over circuits; the plan has 16");
}

TEST_CASE("light that loses more than a receiver stands is refused with the passes that would fit") {
    FabricSpec spec = optical_levels(8, 3, 4, 4, 4);
    spec.circuits.cube = true;
    CHECK_FALSE(optical_budget(spec).has_value());
    spec.optics = OpticsSpec{1'500, 250, 6'500};
    REQUIRE(optical_budget(spec).has_value());
    CHECK(optical_budget(spec)->passes == 3);
    CHECK(optical_budget(spec)->connectors == 8);
    CHECK(optical_budget(spec)->loss == 6'500);
    CHECK_NOTHROW(build_fabric(spec));
    spec.optics->limit = 6'499;
    CHECK_THROWS_WITH(build_fabric(spec),
                      "light loses 6.5 dB on 3 passes and 8 connectors, but `optics.limit` is 6.499 dB; 2 passes would "
                      "fit");
    FabricSpec one = cube_fabric(8, 3);
    one.optics = OpticsSpec{1'500, 250, 2'499};
    CHECK_THROWS_WITH(build_fabric(one), Catch::Contains("1 passes and 4 connectors") && Catch::Contains("no pass"));
    one.device = DeviceKind::eps;
    CHECK_NOTHROW(build_fabric(one));
}
