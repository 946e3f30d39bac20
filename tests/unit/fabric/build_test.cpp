#include <bit>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>

#include <support/random_case.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

std::string refusal(const FabricSpec& spec) {
    try {
        build_fabric(spec);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "built";
}

FabricSpec with_generators(std::uint32_t accelerators, std::uint32_t ports, std::vector<std::uint32_t> generators) {
    FabricSpec spec = cube_fabric(accelerators, ports);
    spec.circuits = {};
    spec.circuits.generators = std::move(generators);
    return spec;
}

using Pairs = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

FabricSpec with_pairs(std::uint32_t accelerators, std::uint32_t ports, Pairs pairs) {
    FabricSpec spec = cube_fabric(accelerators, ports);
    spec.circuits = {};
    spec.circuits.port_pairs = std::move(pairs);
    return spec;
}

// The least number of circuits between two halves, by trying every half that holds accelerator 0.
std::uint64_t bisection_by_trying(const HostGraph& graph) {
    std::uint64_t least = UINT64_MAX;
    for (std::uint32_t side = 1; side < 1U << graph.accelerators; side += 2) {
        if (std::popcount(side) * 2 != static_cast<int>(graph.accelerators)) {
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

TEST_CASE("a packet fabric has a switch a port, and every switch a port an accelerator") {
    const auto fabric = build_fabric(packet_fabric(3, 2));
    const HostGraph& graph = fabric->graph;
    CHECK(graph.packet_switches == 2);
    CHECK(graph.links.size() == 12);
    CHECK(graph.link_name(0) == "a0.p0->s0.p0");
    CHECK(graph.link_name(5) == "a2.p1->s1.p2");
    CHECK(graph.link_name(graph.only_way(1, 2)) == "s1.p2->a2.p1");
    CHECK_NOTHROW(graph.check());
}

TEST_CASE("generators lay their circuits in list order, the copies of one side by side") {
    FabricSpec spec = with_generators(4, 4, {2, 1});
    spec.circuits.multiplicity = {1, 2};
    const auto fabric = build_fabric(spec);
    const std::vector<std::string> expected{"a0.p0->a2.p0", "a0.p1->a1.p1", "a0.p2->a1.p2"};
    for (LinkId link = 0; link < 3; ++link) {
        CHECK(fabric->graph.link_name(link) == expected[link]);
    }
    CHECK(fabric->graph.links.size() == 12);
    const FabricDescription description = describe(*fabric);
    CHECK(description.generators == std::vector<std::string>{"10", "01"});
    CHECK(description.multiplicity == std::vector<std::uint32_t>{1, 2});
    CHECK(description.ports_used == 3);
    CHECK(description.circuits == 6);
}

TEST_CASE("the cube takes its generators as often as the ports allow and leaves the rest idle") {
    const FabricDescription description = describe(*build_fabric(cube_fabric(32, 13)));
    CHECK(description.multiplicity == std::vector<std::uint32_t>(5, 2));
    CHECK(description.ports_used == 10);
    CHECK(description.diameter == 5);
}

TEST_CASE("circuits that need more ports than there are, are refused") {
    CHECK(refusal(cube_fabric(32, 4)).find("the circuits need 5 ports per accelerator, but there are 4") !=
          std::string::npos);
    CHECK(refusal(with_pairs(2, 1, {{{0, 1}}, {{0, 1}}})).find("circuits are given for 2 ports") != std::string::npos);
}

TEST_CASE("circuits of one port must be a matching") {
    CHECK(refusal(with_pairs(3, 1, {{{0, 1}, {1, 2}}})).find("accelerator 1 is in two pairs of this port") !=
          std::string::npos);
    CHECK(refusal(with_pairs(3, 1, {{{1, 1}}})).find("joined to itself") != std::string::npos);
    CHECK(refusal(with_pairs(3, 1, {{{0, 3}}})).find("accelerators run from 0 to 2") != std::string::npos);
}

TEST_CASE("circuits must connect all accelerators") {
    CHECK(refusal(with_generators(8, 3, {1, 2, 3})).find("connect only 4 of 8 accelerators") != std::string::npos);
    CHECK(refusal(with_pairs(4, 1, {{{0, 1}, {2, 3}}})).find("none leads from accelerator 0 to accelerator 2") !=
          std::string::npos);
}

TEST_CASE("generators are non-zero labels, each named once, over a power of two of accelerators") {
    CHECK(refusal(with_generators(4, 4, {0, 1, 2})).find("generator 0 is not one of 1 to 3") != std::string::npos);
    CHECK(refusal(with_generators(4, 4, {4, 1, 2})).find("generator 4 is not one of 1 to 3") != std::string::npos);
    CHECK(refusal(with_generators(4, 4, {1, 2, 1})).find("generator 01 is given twice") != std::string::npos);
    CHECK(refusal(with_generators(6, 4, {1, 2, 4})).find("power of two") != std::string::npos);
}

TEST_CASE("a multiplicity is given for every generator and is never 0") {
    FabricSpec spec = with_generators(4, 4, {1, 2});
    spec.circuits.multiplicity = {1};
    CHECK(refusal(spec).find("has 1 entries for 2 generators") != std::string::npos);
    spec.circuits.multiplicity = {1, 0};
    CHECK(refusal(spec).find("has a 0") != std::string::npos);
}

TEST_CASE("a rate with a broken flit time is refused with the rates nearest to it") {
    FabricSpec spec = packet_fabric(2, 1);
    spec.port_rate = 212_Gbps;
    const NearestRates nearest = nearest_exact_rates(spec.port_rate);
    const std::string text = refusal(spec);
    CHECK(text.find("212 Gb/s") != std::string::npos);
    CHECK(nearest.below.per_second < spec.port_rate.per_second);
    CHECK(nearest.above.per_second > spec.port_rate.per_second);
    for (const BitRate works : {nearest.below, nearest.above}) {
        spec.port_rate = works;
        CHECK(refusal(spec) == "built");
    }
}

TEST_CASE("every reason against a fabric is told at once") {
    FabricSpec spec = packet_fabric(0, 0);
    spec.buffers.request = 0;
    spec.latency.propagation = Duration{-1};
    try {
        build_fabric(spec);
        FAIL("the fabric was built");
    } catch (const Error& error) {
        CHECK(error.problems().size() == 4);
    }
}

TEST_CASE("a switch has a port for every accelerator within its radix") {
    FabricSpec spec = packet_fabric(5, 1);
    spec.radix = 5;
    CHECK(refusal(spec) == "built");
    spec.radix = 4;
    CHECK(refusal(spec).find("needs 5 ports") != std::string::npos);
}

TEST_CASE("a placement names every accelerator once") {
    FabricSpec spec = packet_fabric(3, 1);
    spec.placement = {2, 0, 1};
    CHECK(refusal(spec) == "built");
    for (const std::vector<std::uint32_t>& wrong : {std::vector<std::uint32_t>{0, 1}, {0, 1, 1}, {0, 1, 3}}) {
        spec.placement = wrong;
        CHECK(refusal(spec).find("`placement`") != std::string::npos);
    }
}

TEST_CASE("the bisection of circuits by generators is the least of all even cuts") {
    for_each_seed(35, 10, [](Random& random) {
        FabricSpec spec;
        do {
            spec = FabricSpec{};
            spec.device = DeviceKind::ocs;
            random_generators(random, spec);
        } while (spec.accelerators > 8);
        const auto fabric = build_fabric(spec);
        CHECK(describe(*fabric).bisection_exact);
        CHECK(describe(*fabric).bisection_links == bisection_by_trying(fabric->graph));
    });
}

TEST_CASE("a graph whose links break the order by port is refused") {
    HostGraph graph = build_fabric(packet_fabric(3, 2))->graph;
    std::swap(graph.links[0], graph.links[2]);
    CHECK_THROWS_AS(graph.check(), Error);
    graph = build_fabric(packet_fabric(3, 2))->graph;
    std::swap(graph.links[0], graph.links.back());
    CHECK_THROWS_AS(graph.check(), Error);
    graph = build_fabric(packet_fabric(3, 2))->graph;
    graph.places.pop_back();
    CHECK_THROWS_AS(graph.check(), Error);
}
