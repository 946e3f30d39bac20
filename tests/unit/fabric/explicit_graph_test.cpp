#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/routes.hpp>

#include <support/run.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

using Devices = std::vector<GraphSpec::Device>;
using Links = std::vector<GraphSpec::Link>;

FabricSpec graph_of(std::uint32_t accelerators, Devices devices, Links links) {
    FabricSpec spec = packet_fabric(accelerators, 8);
    spec.kind = FabricKind::explicit_graph;
    spec.graph.devices = std::move(devices);
    spec.graph.links = std::move(links);
    return spec;
}

GraphSpec::Link joined(std::uint32_t from, std::uint32_t to, std::uint32_t count = 1) {
    GraphSpec::Link link;
    link.from = from;
    link.to = to;
    link.count = count;
    return link;
}

GraphSpec::Link at_rate(std::uint32_t from, std::uint32_t to, BitRate rate) {
    GraphSpec::Link link = joined(from, to);
    link.rate = rate;
    return link;
}

// Two racks of two accelerators; both leaves hang on both spines.
FabricSpec two_racks() {
    return graph_of(4, {{"leaf0", 4}, {"leaf1", 0}, {"spine0", 0}, {"spine1", 0}},
                    {joined(0, 4), joined(1, 4), joined(2, 5), joined(3, 5), joined(4, 6), joined(4, 7), joined(5, 6),
                     joined(5, 7)});
}

// Accelerator i on switch i of a circle.
FabricSpec circle(std::uint32_t size) {
    FabricSpec spec = graph_of(size, {}, {});
    for (std::uint32_t i = 0; i < size; ++i) {
        spec.graph.devices.push_back({"ring" + std::to_string(i), 0});
        spec.graph.links.push_back(joined(i, size + i));
    }
    for (std::uint32_t i = 0; i < size; ++i) {
        spec.graph.links.push_back(joined(size + i, size + (i + 1) % size));
    }
    return spec;
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

std::vector<std::string> candidates_of(const HostGraph& graph, std::uint32_t from, std::uint32_t to) {
    const Candidates links(graph, from, to);
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < links.size(); ++i) {
        names.push_back(graph.link_name(links[i]));
    }
    return names;
}

std::vector<std::string> choice_of(const HostGraph& graph, std::uint32_t at, std::uint32_t to) {
    const LinkChoice& choice = graph.choice(at, to);
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < choice.count; ++i) {
        names.push_back(graph.link_name(graph.choice_links[choice.first + i]));
    }
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("an explicit graph routes by all links that begin a shortest way") {
    const auto fabric = build_fabric(two_racks());
    const HostGraph& graph = fabric->graph;
    CHECK_NOTHROW(graph.check());
    CHECK(!fabric->circuits());
    CHECK(candidates_of(graph, 0, 3) == Names{"a0.p0->leaf0.p0"});
    CHECK(choice_of(graph, 0, 3) == Names{"leaf0.p2->spine0.p0", "leaf0.p3->spine1.p0"});
    CHECK(choice_of(graph, 0, 1) == Names{"leaf0.p1->a1.p0"});
    CHECK(choice_of(graph, 2, 3) == Names{"spine0.p1->leaf1.p2"});
    CHECK(graph.switches[1].level == 1);
    CHECK(graph.switches[2].level == 2);
    CHECK(graph.switches[1].static_divisor == 8);
    CHECK(graph.switches[2].static_divisor == 8 * 2);
}

TEST_CASE("ports of a switch begin with those of accelerators, in their order") {
    // The list names the switch first, then accelerator 1, then 0.
    const auto fabric =
        build_fabric(graph_of(3, {{"s", 0}, {"t", 0}}, {joined(4, 3), joined(1, 3), joined(3, 0), joined(2, 4)}));
    const HostGraph& graph = fabric->graph;
    CHECK_NOTHROW(graph.check());
    CHECK(candidates_of(graph, 0, 1) == Names{"a0.p0->s.p0"});
    CHECK(candidates_of(graph, 1, 0) == Names{"a1.p0->s.p1"});
    CHECK(choice_of(graph, 1, 0) == Names{"t.p1->s.p2"});
}

TEST_CASE("a message takes a direct link where there is one, and several where they are equally short") {
    // a0 has two links to switch s, one to switch t, one to a1. a2 hangs on both switches.
    const auto fabric =
        build_fabric(graph_of(3, {{"s", 0}, {"t", 0}},
                              {joined(0, 3, 2), joined(0, 4), joined(0, 1), joined(1, 3), joined(2, 3), joined(2, 4)}));
    const HostGraph& graph = fabric->graph;
    CHECK(candidates_of(graph, 0, 1) == Names{"a0.p3->a1.p0"});
    CHECK(candidates_of(graph, 0, 2) == Names{"a0.p0->s.p0", "a0.p1->s.p1", "a0.p2->t.p0"});
    CHECK(candidates_of(graph, 1, 2) == Names{"a1.p1->s.p2"});
    CHECK(choice_of(graph, 0, 0) == Names{"s.p0->a0.p0", "s.p1->a0.p1"});
}

TEST_CASE("a message never passes through another accelerator") {
    CHECK(refusal(graph_of(3, {{"s", 0}}, {joined(0, 3), joined(1, 3), joined(1, 2)})) ==
          "no way leads from a2 to a0; ways pass switches, never another accelerator");
    // Without switches links are circuits, and collectives relay.
    const auto fabric = build_fabric(graph_of(3, {}, {joined(0, 1), joined(1, 2)}));
    CHECK(fabric->circuits());
    CHECK(describe(*fabric).diameter == 2);
    CHECK(refusal(graph_of(3, {}, {joined(0, 1)})) ==
          "the circuits connect only 2 of 3 accelerators; none leads from accelerator 0 to accelerator 2");
}

TEST_CASE("a flit crosses a slow and a fast link in the time of each") {
    // 200 Gb/s: 25.6 ns a flit; 800 Gb/s: 6.4 ns. 245 + 10 + 300 ns to the switch, 10 + 245 ns from it.
    const FabricSpec spec = graph_of(2, {{"s", 0}}, {at_rate(0, 2, 200_Gbps), at_rate(1, 2, 800_Gbps)});
    CHECK(run(spec, {send(0, 1, 640)}).end().ps == 810'000 + 25'600 + 6'400);
    CHECK(run(spec, {send(0, 1, 10 * 640)}).end().ps == 810'000 + 10 * 25'600 + 6'400);
    CHECK(run(spec, {send(1, 0, 10 * 640)}).end().ps == 810'000 + 6'400 + 10 * 25'600);
}

TEST_CASE("a link has its own length, end to end, and the circuit switches that it passes") {
    FabricSpec spec = two_racks();
    spec.graph.links.resize(6);  // one spine
    spec.graph.links.back() = joined(5, 6);
    spec.graph.devices.pop_back();
    spec.graph.links[4].propagation = 100_ns;
    spec.graph.links[5].optical_passes = 2;
    // 245 + 10 + 300 | 100 + 300 | 10 + 2 x 10 + 300 | 10 + 245, and four times 12.8 ns
    CHECK(run(spec, {send(0, 2, 640)}).end().ps == (555 + 400 + 330 + 255) * 1'000 + 4 * 12'800);
    CHECK(run(spec, {send(2, 0, 640)}).end().ps == (555 + 400 + 330 + 255) * 1'000 + 4 * 12'800);
    CHECK(run(spec, {send(0, 1, 640)}).end().ps == 835'600);
    spec.hop_reading = HopReading::per_hop;  // two further switches, each with 490 ns at the ends and another link
    CHECK(run(spec, {send(0, 2, 640)}).end().ps == (555 + 400 + 330 + 255 + 2 * 500) * 1'000 + 4 * 12'800);
}

TEST_CASE("switches on a circle of four are refused, and the circle is named") {
    CHECK(refusal(circle(3)) == "built");  // nobody passes two switches after another
    CHECK(refusal(circle(4)) ==
          "links may wait for each other in a circle when buffers are full: ring0.p1->ring1.p1, ring1.p2->ring2.p1, "
          "ring2.p2->ring3.p1, ring3.p2->ring0.p2, and the first again; shortest ways need switches without such "
          "circles, as in trees and levels: take a link of the circle out, or join its switches by a further one");
    FabricSpec cut = circle(4);
    cut.graph.links.pop_back();
    CHECK(refusal(cut) == "built");
}

TEST_CASE("links of two levels never wait for each other in a circle") {
    CHECK(dependency_cycle(build_fabric(two_racks())->graph).empty());
    FabricSpec spec = packet_fabric(12, 3);
    spec.kind = FabricKind::two_level;
    spec.group = 4;
    spec.level1 = {DeviceKind::eps, 0, 4, 2};
    spec.level2 = {DeviceKind::eps, 0, 0, 0};
    CHECK(dependency_cycle(build_fabric(spec)->graph).empty());
}

TEST_CASE("links of an explicit graph that cannot be are refused, all at once") {
    FabricSpec spec = graph_of(2, {{"s", 1}, {"s", 0}, {"a7", 0}},
                               {joined(0, 2), joined(1, 1), joined(0, 9), joined(0, 2, 0), at_rate(0, 2, 212_Gbps)});
    spec.graph.links[0].propagation = Duration{-1};
    const std::string text = refusal(spec);
    CHECK(text.find("two devices have the name `s`") != std::string::npos);
    CHECK(text.find("`a7` is no name for a device; a0, a1 and so on are the accelerators") != std::string::npos);
    CHECK(text.find("link 1, a1 to a1, joins a node to itself") != std::string::npos);
    CHECK(text.find("link 2 names node 9, but there are 2 accelerators and 3 devices") != std::string::npos);
    CHECK(text.find("link 3, a0 to s, has a `count` of 0; expected at least 1") != std::string::npos);
    CHECK(text.find("link 4, a0 to s: at 212000000000 b/s a flit of 640 bytes takes no whole number") !=
          std::string::npos);
    CHECK(text.find("link 0, a0 to s: a propagation of -1 ps is out of range; expected 0 to 1 s") != std::string::npos);
}

TEST_CASE("devices have no more links than their radix, accelerators no more than their ports") {
    FabricSpec spec = two_racks();
    spec.graph.devices[0].radix = 3;
    CHECK(refusal(spec) == "leaf0 has 4 links, but its `radix` is 3");
    spec = two_racks();
    spec.ports = 1;
    CHECK(refusal(spec) == "built");
    spec.graph.links.push_back(joined(0, 4));
    spec.graph.devices[0].radix = 0;
    CHECK(refusal(spec) == "a0 has 2 links, but `ports` is 1");
    spec.graph.links.back() = joined(4, 6, 4'000'000'000U);
    CHECK(refusal(spec).find("are more than an explicit graph may have, which is 4194304") != std::string::npos);
}

TEST_CASE("an explicit graph like two levels runs as they do") {
    FabricSpec levels = packet_fabric(8, 2);
    levels.kind = FabricKind::two_level;
    levels.group = 2;
    levels.level1 = {DeviceKind::eps, 0, 2, 2};
    levels.level2 = {DeviceKind::eps, 4, 0, 0};  // two devices a rail, one port of each for a rack
    levels.responses = ResponsePolicy::per_message;
    levels.buffers = {6, 5};
    FabricSpec spec = levels;
    spec.kind = FabricKind::explicit_graph;
    // Nodes: 8 accelerators, leaves by rack and rail from 8 on, spines by rail from 16 on.
    for (std::uint32_t i = 0; i < 12; ++i) {
        spec.graph.devices.push_back({"d" + std::to_string(i), 0});
    }
    for (std::uint32_t a = 0; a < 8; ++a) {
        spec.graph.links.push_back(joined(a, 8 + a / 2 * 2));
        spec.graph.links.push_back(joined(a, 8 + a / 2 * 2 + 1));
    }
    for (std::uint32_t rack = 0; rack < 4; ++rack) {
        for (std::uint32_t rail = 0; rail < 2; ++rail) {
            spec.graph.links.push_back(joined(8 + rack * 2 + rail, 16 + rail * 2));
            spec.graph.links.push_back(joined(8 + rack * 2 + rail, 16 + rail * 2 + 1));
        }
    }
    for (const RoutingPolicy policy : {RoutingPolicy::spray, RoutingPolicy::hashed, RoutingPolicy::fixed}) {
        levels.routing.policy = spec.routing.policy = policy;
        const RunResult ours = run(spec, {all_reduce(40'000)});
        const RunResult theirs = run(levels, {all_reduce(40'000)});
        CHECK(first_difference(ours.messages, theirs.messages).empty());
        CHECK(ours.hash == theirs.hash);
    }
}

TEST_CASE("only flit mode knows links of unequal rates") {
    const auto fabric = build_fabric(graph_of(2, {{"s", 0}}, {at_rate(0, 2, 200_Gbps), joined(1, 2)}));
    for (const Mode mode : {Mode::message, Mode::analytic}) {
        SimulatorOptions options;
        options.mode = mode;
        CHECK_THROWS_WITH(Simulator(fabric, options), Catch::Contains("links of unequal rates, not in this version"));
    }
    CHECK_NOTHROW(Simulator(fabric, {}));
}

TEST_CASE("analytic mode says that it does not count links between the switches of an explicit graph") {
    SimulatorOptions options;
    options.mode = Mode::analytic;
    Simulator simulator(build_fabric(two_racks()), options);
    simulator.register_collective(all_reduce(40'000));
    finish(simulator);
    const Validity validity = simulator.validity();
    CHECK(!validity.mode_ok);
    REQUIRE(validity.reasons.size() == 1);
    CHECK(validity.reasons[0].find("links between the switches of an explicit graph") == 0);
}
