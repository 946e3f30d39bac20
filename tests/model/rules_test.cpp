// Published and derived numbers of the model, to the picosecond.
#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>

#include <support/run.hpp>
#include <support/traffic.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

constexpr std::int64_t ki = 1024;
constexpr std::int64_t mi = 1024 * 1024;

Time completion(const FabricSpec& fabric, const CollectiveSpec& collective) {
    return run(fabric, {collective}, false).end();
}

FabricSpec restarting(FabricSpec spec) {
    spec.routing.stripe = Stripe::restart;
    return spec;
}

CollectiveSpec in_same_order(CollectiveSpec spec) {
    spec.send_order = SendOrder::same;
    return spec;
}

CollectiveSpec with_barrier(CollectiveSpec spec) {
    spec.phase_barrier = true;
    return spec;
}

// The inferred split of the 510 ns that are not the switch: 139.45 ns before it, 370.55 ns after it.
FabricSpec receive_heavy(FabricSpec spec) {
    spec.latency.egress_protocol = 4'450_ps;
    spec.latency.ingress_protocol = 235'550_ps;
    return spec;
}

FabricSpec direct(FabricSpec spec) {
    spec.kind = FabricKind::direct;
    return spec;
}

struct BothStripes {
    Time carried_on;
    Time restarted;
};

void check_both(const FabricSpec& fabric, const CollectiveSpec& collective, BothStripes expected) {
    CHECK(completion(fabric, collective).ps == expected.carried_on.ps);
    CHECK(completion(restarting(fabric), collective).ps == expected.restarted.ps);
}

}  // namespace

TEST_CASE("one flit takes the latency of its path and its serialization on every electronic hop") {
    CHECK(completion(packet_fabric(2, 1), send(0, 1, 640)).ps == 835'600);
    CHECK(completion(cube_fabric(2, 1), send(0, 1, 640)).ps == 532'800);
    CHECK(completion(direct(cube_fabric(2, 1)), send(0, 1, 640)).ps == 512'800);
}

TEST_CASE("the latency of a path is the sum of its segments") {
    CHECK(describe(*build_fabric(packet_fabric(2, 1))).path_latency == 810_ns);
    CHECK(describe(*build_fabric(cube_fabric(2, 1))).path_latency == 520_ns);
    CHECK(describe(*build_fabric(direct(cube_fabric(2, 1)))).path_latency == 500_ns);
}

TEST_CASE("one-shot on the cube Q5 takes five latencies and the flits of the contributions held in each phase") {
    const std::int64_t bytes = GENERATE(std::int64_t{640}, 1024, 2048, 16 * ki, 64 * ki);
    std::int64_t expected = 5 * 520'000;
    for (const std::int64_t held : {1, 6, 16, 26, 31}) {
        expected += (held * bytes + 639) / 640 * 12'800;
    }
    CHECK(completion(cube_fabric(32, 5), all_reduce(bytes)).ps == expected);
}

TEST_CASE("one-shot on the cube Q5: 64 KiB take 107.496 us, 1 MiB 1680.360 us") {
    CHECK(completion(cube_fabric(32, 5), all_reduce(64 * ki)).ps == 107'496'000);
    CHECK(completion(cube_fabric(32, 5), all_reduce(mi)).ps == 1'680'360'000);
}

TEST_CASE("one-shot on the cube Q5 with 22 credits and free return takes 3176.256 us for 1 MiB") {
    CHECK(completion(with_buffers(cube_fabric(32, 5), 22), all_reduce(mi)).ps == 3'176'256'000);
}

TEST_CASE("one-shot on the cube Q8 takes eight latencies and the flits of the contributions held") {
    std::int64_t expected = 8 * 520'000;
    for (const std::int64_t held : {1, 9, 37, 93, 163, 219, 247, 255}) {
        expected += (held * 2048 + 639) / 640 * 12'800;
    }
    CHECK(completion(cube_fabric(256, 8), all_reduce(2048)).ps == expected);
}

TEST_CASE("one-shot on the cube Q8 takes 843.0208 us for 40 KiB") {
    CHECK(completion(cube_fabric(256, 8), all_reduce(40 * ki)).ps == 843'020'800);
}

TEST_CASE("recursive doubling on the cube Q8 takes 10.7136 us for 40 KiB") {
    CHECK(completion(cube_fabric(256, 8), all_reduce(40 * ki, ScheduleKind::recursive_doubling)).ps == 10'713'600);
}

TEST_CASE("coset-factored parallel on the cube takes a latency and a slice of the buffer in every phase") {
    // 65536 bytes in 5 slices: the largest is 13108 bytes, 21 flits.
    CHECK(completion(cube_fabric(32, 5), all_reduce(64 * ki, ScheduleKind::coset_factored_parallel)).ps ==
          5 * (520'000 + 21 * 12'800));
}

TEST_CASE("striping over copies of circuits counts along the generators in the order of their list") {
    FabricSpec fabric = cube_fabric(4, 4);
    fabric.circuits = {};
    fabric.circuits.generators = {2, 1};
    fabric.circuits.multiplicity = {2, 2};
    // One flit along generator 2, on its first copy, then one along generator 1, on its second.
    for (const ScheduleKind schedule : {ScheduleKind::one_shot, ScheduleKind::coset_factored_parallel}) {
        const RunResult done = run(fabric, {all_reduce(2, schedule)});
        REQUIRE(done.messages.size() >= 2);
        CHECK(done.messages[0].destination == 1);
        CHECK(done.messages[0].port == 3);
        CHECK(done.messages[1].destination == 2);
        CHECK(done.messages[1].port == 0);
    }
}

TEST_CASE("one-shot of 1 MiB among 32 accelerators on 8 ports takes 82.1284 us") {
    check_both(packet_fabric(32, 8), all_reduce(mi), {{82'128'400}, {82'166'800}});
}

TEST_CASE("the same with 22 credits and free return takes 168.2404 us") {
    check_both(with_buffers(packet_fabric(32, 8), 22), all_reduce(mi), {{168'240'400}, {168'278'800}});
}

TEST_CASE("the same with the inferred latency split takes 134.9620 us") {
    check_both(receive_heavy(with_buffers(packet_fabric(32, 8), 22)), all_reduce(mi), {{134'962'000}, {135'000'400}});
}

TEST_CASE("the same order of sending with 24 credits takes 1172.4828 us") {
    check_both(with_buffers(packet_fabric(32, 8), 24), in_same_order(all_reduce(mi)),
               {{1'172'482'800}, {1'173'097'200}});
}

TEST_CASE("two-shot of 1 MiB among 32 accelerators on 8 ports") {
    const CollectiveSpec two_shot = all_reduce(mi, ScheduleKind::two_shot);
    check_both(packet_fabric(32, 8), two_shot, {{6'816'800}, {7'200'800}});
    check_both(packet_fabric(32, 8), in_same_order(two_shot), {{9'684'000}, {9'888'800}});
    check_both(packet_fabric(32, 8), with_barrier(in_same_order(two_shot)), {{12'192'800}, {12'576'800}});
}

TEST_CASE("small messages over many ports: the start moves on, or it does not") {
    check_both(packet_fabric(32, 24), all_reduce(16 * ki), {{1'258'000}, {1'616'400}});
    check_both(packet_fabric(32, 8), all_reduce(1024), {{925'200}, {925'200}});
}

TEST_CASE("one-shot of 40 KiB among 256 accelerators on 8 ports takes 26.9348 us") {
    CHECK(completion(packet_fabric(256, 8), all_reduce(40 * ki)).ps == 26'934'800);
}

TEST_CASE("one-shot of 40 KiB among 256 accelerators takes the same when every message restarts at the first port") {
    CHECK(completion(restarting(packet_fabric(256, 8)), all_reduce(40 * ki)).ps == 26'934'800);
}

TEST_CASE("with few credits one-shot is bound by the credit loop of its uplinks") {
    struct Loop {
        std::int64_t credits;
        Duration credit_return;
    };
    const auto loop = GENERATE(Loop{22, 0_ps}, Loop{24, 0_ps}, Loop{32, 0_ps}, Loop{39, 244'800_ps},
                               Loop{40, 265'800_ps}, Loop{64, 772'300_ps}, Loop{39, 255'000_ps}, Loop{7, 1_ps});
    FabricSpec fabric = with_buffers(packet_fabric(32, 8), loop.credits);
    fabric.credit_return = loop.credit_return;
    // 64 KiB are 103 flits: 31 messages put ceil(31 * 103 / 8) flits on the first port, or 31 * ceil(103 / 8).
    const std::int64_t period = 12'800 + 255'000 + 300'000 + 12'800 + loop.credit_return.ps;
    const auto expected = [&](std::int64_t last) {
        return Time{last / loop.credits * std::max(period, loop.credits * 12'800) + last % loop.credits * 12'800 +
                    25'600 + 810'000};
    };
    check_both(fabric, all_reduce(64 * ki), {expected(399), expected(402)});
}

TEST_CASE("1 MiB with 39 credits that take 244.8 ns to return takes 135 us") {
    FabricSpec fabric = restarting(with_buffers(packet_fabric(32, 8), 39));
    fabric.credit_return = 244'800_ps;
    const std::int64_t period = 825'400;
    CHECK(completion(fabric, all_reduce(mi)).ps == 6354 / 39 * period + 6354 % 39 * 12'800 + 25'600 + 810'000);
}

TEST_CASE("the port that waits most for credits waits 2.8994 us on packet switches and 71.568 us on the cube") {
    const RunResult packets = run(with_buffers(packet_fabric(24, 5), 13), {all_reduce(20 * 640)}, false);
    CHECK(packets.end().ps == 4'899'800);
    CHECK(packets.statistics.stall_max_port == 2'899'400_ps);
    const RunResult circuits = run(with_buffers(cube_fabric(32, 5), 15), {all_reduce(40 * 640)}, false);
    CHECK(circuits.end().ps == 115'128'000);
    CHECK(circuits.statistics.stall_max_port == 71'568'000_ps);
}

namespace {

// Starts of flits 0, 1, 2, ... of a source that has them all at time 0; each flit is a message of its own.
std::vector<Time> flit_starts(const FabricSpec& spec, std::size_t flits) {
    const auto fabric = build_fabric(spec);
    FlitNetwork<LaneQueue> network(fabric->graph, spec.routing, no_responses, spec.seed);
    network.record_messages(true);
    play(network, std::vector<PlainSend>(flits, {0, 1, 640, Time{}}), [](Time) {});
    std::vector<Time> starts;
    for (const MessageRecord& record : sorted_records(network)) {
        starts.push_back(record.injected);
    }
    return starts;
}

std::vector<Time> closed_form(std::int64_t credits, Duration loop, Duration flit, std::size_t flits) {
    std::vector<Time> starts;
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(flits); ++k) {
        starts.push_back(Time{} + k / credits * std::max(loop, credits * flit) + k % credits * flit);
    }
    return starts;
}

bool all_equal(const std::vector<Time>& a, const std::vector<Time>& b) {
    return a == b;
}

}  // namespace

TEST_CASE("on a lone link flit k starts floor(k/W) loops and k mod W flit times after the first, for every W") {
    const Duration credit_return = GENERATE(0_ps, 1_ps, 255_ns, 310_ns);
    for (std::int64_t credits = 1; credits <= 64; ++credits) {
        CAPTURE(credits, credit_return.ps);
        FabricSpec packets = with_buffers(packet_fabric(2, 1), credits);
        packets.credit_return = credit_return;
        const Duration through_switch = 12'800_ps + 555_ns + 12'800_ps + credit_return;
        CHECK(all_equal(flit_starts(packets, 200), closed_form(credits, through_switch, 12'800_ps, 200)));
        FabricSpec circuit = with_buffers(cube_fabric(2, 1), credits);
        circuit.credit_return = credit_return;
        const Duration to_core = 12'800_ps + 520_ns + credit_return;
        CHECK(all_equal(flit_starts(circuit, 200), closed_form(credits, to_core, 12'800_ps, 200)));
    }
}

TEST_CASE("a lone link waits for credits as long as the closed form says") {
    const std::int64_t credits = GENERATE(std::int64_t{1}, 3, 17, 40, 41, 42);
    // 200 flits: 200/W - 1 full bursts and a rest wait; each wait is the loop less the burst before it.
    const RunResult done = run(with_buffers(cube_fabric(2, 1), credits), {send(0, 1, 200 * 640)}, false);
    const Duration wait = std::max(0_ps, 12'800_ps + 520_ns - credits * 12'800_ps);
    CHECK(done.statistics.stall_total == (199 / credits) * wait);
    CHECK(done.statistics.stall_max_port == done.statistics.stall_total);
}

TEST_CASE("the slot at a switch is freed when the tail of its flit leaves the output, not a picosecond sooner") {
    // One credit: the second flit starts when the first has left the switch.
    const auto fabric = build_fabric(with_buffers(packet_fabric(2, 1), 1));
    Simulator simulator(fabric, {true});
    simulator.register_collective(send(0, 1, 1280));
    const std::int64_t tail_left = 12'800 + 555'000 + 12'800;
    CHECK(std::holds_alternative<LimitReached>(simulator.advance({Time{tail_left - 1}, UINT64_MAX})));
    CHECK(simulator.links()[0].flits == 1);
    CHECK(simulator.links()[0].stall[0] == Duration{tail_left - 1 - 12'800});
    CHECK(std::holds_alternative<LimitReached>(simulator.advance({Time{tail_left + 1}, UINT64_MAX})));
    CHECK(simulator.links()[0].flits == 2);
    CHECK(simulator.links()[0].stall[0] == Duration{tail_left - 12'800});
}

TEST_CASE("a flit lands when its latency is over, and not a picosecond sooner") {
    Simulator simulator(build_fabric(packet_fabric(2, 1)));
    simulator.register_collective(send(0, 1, 640));
    CHECK(std::holds_alternative<LimitReached>(simulator.advance({Time{835'599}, UINT64_MAX})));
    CHECK(simulator.statistics().flits == 0);
    CHECK(std::holds_alternative<Completed>(simulator.advance({Time{835'600}, UINT64_MAX})));
    CHECK(simulator.now() == Time{835'600});
}
