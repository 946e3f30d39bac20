#include <catch2/catch.hpp>

#include <simlette/fabric/stall.hpp>

#include <support/switch_ring.hpp>
#include <support/traffic.hpp>

using namespace simlette;

namespace {

// Everybody sends to the accelerator two switches on.
std::vector<PlainSend> two_on(std::uint32_t size, std::int64_t flits) {
    std::vector<PlainSend> sends;
    for (std::uint32_t i = 0; i < size; ++i) {
        sends.push_back({i, (i + 2) % size, 640 * flits, Time{}});
    }
    return sends;
}

// The port of switch i that sends along the ring.
std::string ring_port(std::uint32_t i) {
    return std::string("s").append(std::to_string(i)).append(".p1");
}

}  // namespace

TEST_CASE("a ring of switches with one credit a link stands still, and the cycle of waits is named") {
    const std::uint32_t size = GENERATE(3U, 4U, 7U);
    const auto fabric = switch_ring(size, 1);
    FlitNetwork<LaneQueue> network(fabric->graph, {}, no_responses, 1);
    play(network, two_on(size, 3), [](Time) {});
    CHECK(network.next_instant() == Time::never());
    CHECK_FALSE(network.quiet());
    const StallReport report = network.explain();
    REQUIRE(report.cycle.size() == size);
    const std::string suffix = ".request";
    std::string text = "deadlock since " + std::to_string(report.since.ps) + " ps: ";
    for (std::uint32_t i = 0; i < size; ++i) {
        CHECK(report.cycle[i].port == ring_port(i));
        CHECK(report.cycle[i].channel == Channel::request);
        CHECK(report.cycle[i].waits_for == ring_port((i + 1) % size).append(suffix));
        text.append(ring_port(i)).append(suffix).append(" -> ");
    }
    CHECK(report.text == text.append("s0.p1").append(suffix).append(" (no credits)"));
}

TEST_CASE("the ring stands still from the instant at which the last flit has come to its switch") {
    const auto fabric = switch_ring(3, 1);
    FlitNetwork<LaneQueue> network(fabric->graph, {}, no_responses, 1);
    play(network, two_on(3, 1), [](Time) {});
    // Two links of 10 ps flit time and 100 ps latency.
    CHECK(network.explain().since == Time{220});
}

TEST_CASE("the ring with a credit more than flits that go round does not stand still") {
    const auto fabric = switch_ring(3, 2);
    FlitNetwork<LaneQueue> network(fabric->graph, {}, no_responses, 1);
    play(network, two_on(3, 1), [](Time) {});
    CHECK(network.quiet());
    CHECK(network.explain().cycle.empty());
}

TEST_CASE("a ring that stands still for requests lets a response go round") {
    const auto fabric = switch_ring(3, 1);
    FlitNetwork<LaneQueue> network(fabric->graph, {}, with_responses, 1);
    // What 0 writes to 1 arrives over three links of 110 ps. By the time its response has left accelerator 1 the others
    // have filled the ring; it comes home over four links, past every full buffer.
    std::vector<PlainSend> sends = two_on(3, 3);
    for (PlainSend& send : sends) {
        send.at = Time{100};
    }
    sends.push_back({0, 1, 640, Time{}});
    std::int64_t home = 0;
    play(network, sends, [&](Time t) { home = home == 0 && network.statistics().response_flits == 1 ? t.ps : home; });
    CHECK(home == 330 + 4 * 110);
    CHECK_FALSE(network.quiet());
    CHECK(network.statistics().port_messages == 1);
    const StallReport report = network.explain();
    REQUIRE(report.cycle.size() == 3);
    for (const BlockedPort& port : report.cycle) {
        CHECK(port.channel == Channel::request);
    }
}

TEST_CASE("a ring that stands still for responses lets requests pass") {
    HostGraph graph = switch_ring(3, 1)->graph;
    graph.classes[0].credits = {unlimited, 1};
    FlitNetwork<LaneQueue> network(graph, {}, with_responses, 1);
    // The response to what goes to the next switch has two links of the ring to go.
    std::vector<PlainSend> sends;
    for (std::uint32_t i = 0; i < 3; ++i) {
        sends.push_back({i, (i + 1) % 3, 640, Time{}});
    }
    sends.push_back({0, 2, 6400, Time{10'000}});
    network.record_messages(true);
    play(network, sends, [](Time) {});
    const StallReport report = network.explain();
    REQUIRE(report.cycle.size() == 3);
    for (const BlockedPort& port : report.cycle) {
        CHECK(port.channel == Channel::response);
    }
    CHECK(network.statistics().response_flits == 0);
    REQUIRE(sorted_records(network).size() == 4);
    CHECK(sorted_records(network)[3].delivered == Time{10'000 + 10 * 10 + 3 * 10 + 4 * 100});
}

TEST_CASE("of ports that wait, a cycle starts at its lowest port and leaves out who only waits for it") {
    const auto fabric = switch_ring(4, 1);
    // Link 4 + i is port 1 of switch i. Accelerator links 0 and 1 wait for the cycle of links 5 and 6.
    const StallReport report = explain_stall(fabric->graph, Time{7},
                                             {{0, Channel::request, {4}},
                                              {4, Channel::request, {6}},
                                              {5, Channel::request, {6}},
                                              {6, Channel::request, {5, 7}}});
    REQUIRE(report.cycle.size() == 2);
    CHECK(report.cycle[0].port == "s1.p1");
    CHECK(report.cycle[0].waits_for == "s2.p1.request");
    CHECK(report.cycle[1].port == "s2.p1");
    CHECK(report.cycle[1].waits_for == "s1.p1.request");
    CHECK(report.since == Time{7});
}

TEST_CASE("ports that wait in no circle are no deadlock") {
    const auto fabric = switch_ring(4, 1);
    const StallReport report =
        explain_stall(fabric->graph, Time{7}, {{4, Channel::request, {5}}, {5, Channel::request, {6}}});
    CHECK(report.cycle.empty());
    CHECK(report.text == "nothing moves and no port waits for another");
}
