#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
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

// The links that leave an accelerator, in port order.
std::vector<std::string> links_of(const FabricSpec& spec, std::uint32_t accelerator) {
    const auto fabric = build_fabric(spec);
    std::vector<std::string> names;
    for (LinkId link = 0; link < fabric->graph.links.size(); ++link) {
        if (fabric->graph.links[link].from == accelerator) {
            names.push_back(fabric->graph.link_name(link));
        }
    }
    return names;
}

std::string refusal(const FabricSpec& spec) {
    try {
        build_fabric(spec);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "built";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a ring leaves forwards by port 0 and backwards by port 1") {
    CHECK(links_of(shaped(5, 2, CircuitShape::ring), 0) == Names{"a0.p0->a1.p1", "a0.p1->a4.p0"});
    CHECK(links_of(shaped(5, 2, CircuitShape::ring), 4) == Names{"a4.p0->a0.p1", "a4.p1->a3.p0"});
    CHECK(links_of(shaped(2, 1, CircuitShape::ring), 1) == Names{"a1.p0->a0.p0"});
    CHECK(links_of(shaped(1, 1, CircuitShape::ring), 0).empty());
}

TEST_CASE("a full mesh leads to every other accelerator, the next one first") {
    CHECK(links_of(shaped(4, 3, CircuitShape::full_mesh), 1) == Names{"a1.p0->a2.p2", "a1.p1->a3.p1", "a1.p2->a0.p0"});
    CHECK(links_of(shaped(3, 2, CircuitShape::full_mesh), 0) == links_of(shaped(3, 2, CircuitShape::ring), 0));
}

TEST_CASE("a torus is a ring per dimension, one circuit where the extent is 2 and none where it is 1") {
    // Accelerator 7 of 4 x 1 x 3 is (2, 0, 1): (3, 0, 1) = 10, (1, 0, 1) = 4, (2, 0, 2) = 8, (2, 0, 0) = 6.
    CHECK(links_of(shaped(12, 4, CircuitShape::torus, {4, 1, 3}), 7) ==
          Names{"a7.p0->a10.p1", "a7.p1->a4.p0", "a7.p2->a8.p3", "a7.p3->a6.p2"});
    // Accelerator 5 of 2 x 3 is (1, 2): (0, 2) = 2, (1, 0) = 3, (1, 1) = 4.
    CHECK(links_of(shaped(6, 3, CircuitShape::torus, {2, 3}), 5) ==
          Names{"a5.p0->a2.p0", "a5.p1->a3.p2", "a5.p2->a4.p1"});
}

TEST_CASE("ports beyond what a shape needs hold copies side by side, the rest are dark") {
    CHECK(links_of(shaped(5, 5, CircuitShape::ring), 0) ==
          Names{"a0.p0->a1.p2", "a0.p1->a1.p3", "a0.p2->a4.p0", "a0.p3->a4.p1"});
    CHECK(links_of(shaped(2, 3, CircuitShape::ring), 0).size() == 3);
}

TEST_CASE("an answer takes the circuit of its request, whatever the numbers of the ports") {
    const auto fabric = build_fabric(shaped(6, 5, CircuitShape::torus, {2, 3}));
    const HostGraph& graph = fabric->graph;
    const std::vector<LinkId> back = graph.ways_back();
    for (LinkId link = 0; link < graph.links.size(); ++link) {
        REQUIRE(back[link] != no_id);
        CHECK(graph.links[back[link]].to == graph.links[link].from);
        CHECK(graph.links[back[link]].to_port == graph.links[link].from_port);
    }
}

TEST_CASE("shapes that do not fit are refused with the arithmetic") {
    CHECK(refusal(shaped(5, 1, CircuitShape::ring)) ==
          "a ring of 5 accelerators needs 2 ports per accelerator, but there are 1");
    CHECK(refusal(shaped(9, 7, CircuitShape::full_mesh)) ==
          "a full mesh of 9 accelerators needs 9 - 1 = 8 ports per accelerator, but there are 7");
    CHECK(refusal(shaped(24, 4, CircuitShape::torus, {4, 1, 2, 3})) ==
          "a torus of 4 x 1 x 2 x 3 needs 2 + 0 + 1 + 2 = 5 ports per accelerator, but there are 4");
    CHECK(refusal(shaped(24, 8, CircuitShape::torus, {4, 3})) ==
          "a torus of 4 x 3 has 12 accelerators, but `accelerators` is 24");
    CHECK(refusal(shaped(24, 8, CircuitShape::torus, {65'536, 65'536, 65'536})) ==
          "a torus of 65536 x 65536 x 65536 has over 2147483648 accelerators, but `accelerators` is 24");
    CHECK(refusal(shaped(24, 8, CircuitShape::torus, {0, 24})) ==
          "a torus of 0 x 24 has 0 accelerators, but `accelerators` is 24");
    CHECK(refusal(shaped(24, 8, CircuitShape::torus)) ==
          "a torus has no extents; expected one per dimension, such as [4, 4]");
}

TEST_CASE("shapes belong to direct fabrics and take no multiplicity") {
    FabricSpec spec = shaped(4, 2, CircuitShape::ring);
    spec.circuits.multiplicity = {1};
    CHECK(refusal(spec).find("`multiplicity` goes with generators; a ring of 4 accelerators takes") == 0);
    spec = shaped(4, 2, CircuitShape::ring);
    spec.kind = FabricKind::single_level;
    spec.device = DeviceKind::ocs;
    CHECK(refusal(spec).find("a ring of 4 accelerators needs `fabric: direct`") == 0);
}

TEST_CASE("a collective floods a ring, and its answers go against the stream") {
    // Seven accelerators, three on either side. A rank passes on all it holds, 1, 3 and 5 flits, over paths of 500 ns.
    FabricSpec spec = shaped(7, 2, CircuitShape::ring);
    CHECK(run(spec, {all_reduce(640)}).end().ps == 3 * 500'000 + (1 + 3 + 5) * 12'800);
    // After a request it is an answer's turn: one of phase 1 and one of phase 2 goes before the next request.
    spec.responses = ResponsePolicy::per_message;
    CHECK(run(spec, {all_reduce(640)}).end().ps == 3 * 500'000 + (1 + 3 + 5 + 2) * 12'800);
}
