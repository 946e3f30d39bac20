// Requests and their answers: numbers of the model with responses, reads, and flits packed from transactions.
#include <catch2/catch.hpp>

#include <support/run.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

constexpr std::int64_t ki = 1024;
constexpr std::int64_t mi = 1024 * 1024;

FabricSpec answered(FabricSpec spec, ResponsePolicy responses = ResponsePolicy::per_message) {
    spec.responses = responses;
    return spec;
}

FabricSpec restarting(FabricSpec spec) {
    spec.routing.stripe = Stripe::restart;
    return spec;
}

FabricSpec packed(FabricSpec spec, std::int64_t tags = unlimited) {
    spec.fidelity = Fidelity::ualink;
    spec.responses = ResponsePolicy::per_transaction;
    spec.tags = tags;
    return spec;
}

CollectiveSpec reading(CollectiveSpec spec) {
    spec.operation = Operation::read;
    return spec;
}

// One collective, and all that comes home after it.
struct Drained {
    Time end;
    NetworkStatistics statistics;
    std::vector<LinkStatistics> links;
    TimeParts path;
};

Drained drained(const FabricSpec& fabric, const CollectiveSpec& collective) {
    Simulator simulator(build_fabric(fabric));
    const CollectiveId id = simulator.register_collective(collective);
    Drained result;
    result.end = finish(simulator).front();
    REQUIRE(std::holds_alternative<Idle>(simulator.drain()));
    result.statistics = simulator.statistics();
    result.links = simulator.links();
    REQUIRE(simulator.find_paths({id}));
    result.path = simulator.collective(id).critical_path;
    return result;
}

std::int64_t end_ps(const FabricSpec& fabric, const CollectiveSpec& collective) {
    return drained(fabric, collective).end.ps;
}

}  // namespace

TEST_CASE("responses on the same wires slow one-shot of 40 KiB among 256 accelerators to 30.0964 us") {
    CHECK(end_ps(packet_fabric(256, 8), all_reduce(40 * ki)) == 26'934'800);
    CHECK(end_ps(answered(packet_fabric(256, 8)), all_reduce(40 * ki)) == 30'096'400);
}

TEST_CASE("responses slow one-shot of 1 MiB among 32 accelerators to 82.5124 us") {
    const FabricSpec fabric = packet_fabric(32, 8);
    CHECK(end_ps(fabric, all_reduce(mi)) == 82'128'400);
    CHECK(end_ps(answered(fabric), all_reduce(mi)) == 82'512'400);
    CHECK(end_ps(restarting(fabric), all_reduce(mi)) == 82'166'800);
    CHECK(end_ps(answered(restarting(fabric)), all_reduce(mi)) == 82'550'800);
}

TEST_CASE("a read of one flit takes the path there and back: 1.6712 us through a switch, 1.0656 us by light") {
    CHECK(end_ps(answered(packet_fabric(2, 1)), reading(send(0, 1, 640))) == 1'671'200);
    CHECK(end_ps(answered(cube_fabric(2, 1)), reading(send(0, 1, 640))) == 1'065'600);
}

TEST_CASE("a read asks once a port-message, and its data alone is counted as data") {
    const std::uint32_t ports = GENERATE(1U, 3U, 8U);
    const Drained one = drained(answered(packet_fabric(2, ports)), reading(send(0, 1, 20 * 640)));
    CHECK(one.statistics.request_flits == ports);
    CHECK(one.statistics.port_messages == ports);
    CHECK(one.statistics.flits == 20);
    CHECK(one.statistics.response_flits == 0);
    CHECK(one.statistics.payload_bytes == 20 * 640);
    const std::int64_t hops = 2;
    std::int64_t carried = 0;
    for (const LinkStatistics& link : one.links) {
        carried += link.flits;
    }
    CHECK(carried == hops * (20 + ports));
}

TEST_CASE("every port-message that is written has one response, and it counts in no data") {
    const Drained one = drained(answered(packet_fabric(9, 4)), all_reduce(7 * 640));
    const Drained bare = drained(packet_fabric(9, 4), all_reduce(7 * 640));
    CHECK(one.statistics.port_messages == 9 * 8 * 4);
    CHECK(one.statistics.response_flits == one.statistics.port_messages);
    CHECK(one.statistics.flits == bare.statistics.flits);
    CHECK(one.statistics.payload_bytes == bare.statistics.payload_bytes);
    CHECK(bare.statistics.response_flits == 0);
}

TEST_CASE("the critical path names 2.8994 us of waiting for credits on packet switches, 71.568 us on the cube") {
    const Drained packets = drained(with_buffers(packet_fabric(24, 5), 13), all_reduce(20 * 640));
    CHECK(packets.end.ps == 4'899'800);
    CHECK(packets.path.credit_stall.ps == 2'899'400);
    const Drained circuits = drained(with_buffers(cube_fabric(32, 5), 15), all_reduce(40 * 640));
    CHECK(circuits.end.ps == 115'128'000);
    CHECK(circuits.path.credit_stall.ps == 71'568'000);
}

TEST_CASE("with ample credits a rotated one-shot is latency by name and serialization") {
    const Drained one = drained(packet_fabric(32, 8), all_reduce(mi));
    CHECK(one.path.endpoint == 250_ns);
    CHECK(one.path.protocol == 240_ns);
    CHECK(one.path.propagation == 20_ns);
    CHECK(one.path.switching == 300_ns);
    CHECK(one.path.credit_stall == 0_ps);
    CHECK(one.path.contention == 0_ps);
    CHECK(one.path.wait == 0_ps);
    CHECK(one.path.serialization == one.end - Time{} - 810_ns);
}

namespace {

// Flits of a message on one port.
struct Golden {
    std::int64_t bytes;
    std::int64_t write;          // four requests to a control
    std::int64_t write_twos;     // two
    std::int64_t responses;      // to writes
    std::int64_t read_requests;  // four to a control
    std::int64_t read_data;
};

constexpr Golden golden[] = {
    {64, 1, 1, 1, 1, 1},
    {256, 1, 1, 1, 1, 1},
    {4 * ki, 7, 7, 1, 1, 7},
    {40 * ki, 68, 70, 3, 5, 67},
    {mi, 1722, 1775, 53, 105, 1696},
};

}  // namespace

TEST_CASE("packed messages on one port take the flits of the golden tables, forward and back") {
    const FabricSpec fabric = GENERATE(packet_fabric(2, 1), cube_fabric(2, 1));
    for (const Golden& row : golden) {
        CAPTURE(row.bytes);
        const NetworkStatistics write = drained(packed(fabric), send(0, 1, row.bytes)).statistics;
        CHECK(write.flits == row.write);
        CHECK(write.response_flits == row.responses);
        CHECK(write.request_flits == 0);
        const NetworkStatistics read = drained(packed(fabric), reading(send(0, 1, row.bytes))).statistics;
        CHECK(read.flits == row.read_data);
        CHECK(read.request_flits == row.read_requests);
        CHECK(read.response_flits == 0);
        const NetworkStatistics both = drained(packed(fabric), all_reduce(row.bytes)).statistics;
        CHECK(both.flits == 2 * row.write_twos);
        CHECK(both.response_flits == 2 * row.responses);
    }
}

TEST_CASE("links carry exactly the flits that were counted, forward and back") {
    const std::int64_t bytes = GENERATE(40 * ki, mi);
    const Drained one = drained(packed(packet_fabric(2, 1)), send(0, 1, bytes));
    CHECK(one.links[0].flits == one.statistics.flits);
    CHECK(one.links[1].flits == one.statistics.response_flits);
    CHECK(one.links[0].bytes == 640 * one.links[0].flits);
}

TEST_CASE("a message of many more requests than there are tags waits for them and completes") {
    // 4096 requests, 128 tags: a window of tags must go there and back before the next can leave.
    const FabricSpec fabric = GENERATE(packet_fabric(2, 1), cube_fabric(2, 1));
    const Drained free = drained(packed(fabric), send(0, 1, mi));
    const Drained bound = drained(packed(fabric, 128), send(0, 1, mi));
    CHECK(bound.statistics.flits == free.statistics.flits);
    CHECK(bound.statistics.response_flits >= free.statistics.response_flits);
    CHECK(bound.end > free.end);
    CHECK(free.path.wait == 0_ps);
    CHECK(bound.path.wait > 0_ps);
    CHECK(bound.path.total() == bound.end - Time{});
    // 4096 requests in windows of at most 128, each of them out and back before it opens again.
    const std::int64_t there_and_back = 2 * (fabric.device == DeviceKind::eps ? 810'000 : 520'000);
    CHECK(bound.end.ps >= (4096 / 128 - 1) * there_and_back);
    CHECK(end_ps(packed(fabric, 4096), send(0, 1, mi)) == free.end.ps);
}

TEST_CASE("more tags never slow a message that runs alone") {
    const CollectiveSpec message = GENERATE(send(0, 1, 40 * ki), reading(send(0, 1, 40 * ki)));
    const FabricSpec fabric = packet_fabric(2, 1);
    std::int64_t before = INT64_MAX;
    for (std::int64_t tags = 256; tags <= 4096; tags += 64) {
        CAPTURE(tags);
        const std::int64_t now = end_ps(packed(fabric, tags), message);
        CHECK(now <= before);
        before = now;
    }
    CHECK(before == end_ps(packed(fabric), message));
}

namespace {

// Of writes that all have 256 bytes, four to a control: 33 half-flits of 32 bytes, the control in the lower half of a
// TL flit. Its four requests are open with the first DL flit, 628 bytes, that holds a byte of that TL flit.
std::int64_t opened_by(std::int64_t flits) {
    std::int64_t control = 0;
    while (33 * control / 2 * 64 < 628 * flits) {
        ++control;
    }
    return 4 * control;
}

// Eight responses to a TL flit of 64 bytes, whole with its last byte.
std::int64_t closed_by(std::int64_t flits) {
    return 8 * (628 * flits / 64);
}

}  // namespace

TEST_CASE("before the first response comes a port sends as many flits as its tags open, and no more") {
    for (const std::int64_t tags : {128, 132, 200, 256}) {
        CAPTURE(tags);
        Simulator simulator(build_fabric(packed(packet_fabric(2, 1), tags)));
        simulator.register_collective(send(0, 1, mi));
        simulator.advance({Time{1'600'000}, UINT64_MAX});
        std::int64_t flits = 0;
        while (opened_by(flits + 1) <= tags) {
            ++flits;
        }
        CHECK(simulator.links()[0].flits == flits);
    }
}

TEST_CASE("never are more transactions open than there are tags") {
    const std::int64_t tags = GENERATE(std::int64_t{128}, 150, 256);
    const std::int64_t requests = 480;
    Simulator simulator(build_fabric(packed(packet_fabric(2, 1), tags)));
    simulator.register_collective(send(0, 1, requests * 256));
    // All times are multiples of a step. A response that starts at the switch is home 267.8 ns later.
    const std::int64_t step = 200;
    const std::size_t home = 267'800 / step;
    std::vector<std::int64_t> started;
    std::int64_t most_open = 0;
    bool within = true;
    Advance last = LimitReached{};
    for (std::int64_t t = 0; std::holds_alternative<LimitReached>(last); t += step) {
        last = simulator.advance({Time{t}, UINT64_MAX});
        const std::vector<LinkStatistics> links = simulator.links();
        REQUIRE(links[2].name == "s0.p0->a0.p0");
        started.push_back(links[2].flits);
        const std::int64_t came = started.size() > home ? started[started.size() - 1 - home] : 0;
        const std::int64_t open = std::min(opened_by(links[0].flits), requests) - std::min(closed_by(came), requests);
        within = within && open >= 0 && open <= tags;
        most_open = std::max(most_open, open);
    }
    CHECK(within);
    CHECK(most_open > tags - 8);
}
