// The other modes against flit mode and against closed forms.
#include <catch2/catch.hpp>

#include <simlette/link/flit.hpp>
#include <support/mode_case.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

constexpr std::uint64_t default_cases = 500;

std::int64_t busy_flits(const ModeResult& one) {
    std::int64_t flits = 0;
    for (const LinkStatistics& link : one.links) {
        flits += link.flits;
    }
    return flits;
}

void check_same(const ModeResult& message, const ModeResult& flit) {
    CHECK(message.end == flit.end);
    CHECK(message.drained == flit.drained);
    CHECK(first_difference(message.messages, flit.messages) == "");
    CHECK(message.hash == flit.hash);
    CHECK(message.statistics.response_flits == flit.statistics.response_flits);
    CHECK(message.statistics.request_flits == flit.statistics.request_flits);
    CHECK(message.statistics.payload_bytes == flit.statistics.payload_bytes);
    CHECK(message.statistics.first_injection == flit.statistics.first_injection);
    CHECK(message.statistics.stall_total == flit.statistics.stall_total);
    CHECK(message.statistics.stall_max_port == flit.statistics.stall_max_port);
    CHECK(busy_flits(message) == busy_flits(flit));
}

}  // namespace

TEST_CASE("with unlimited buffers message mode delivers every message when flit mode does") {
    for_each_seed(60, default_cases, [](Random& random) {
        const RandomCase one = random_mode_case(random, false);
        CAPTURE(text_of(one));
        const ModeResult message = run_in(Mode::message, one);
        check_same(message, run_in(Mode::flit, one));
        CHECK(message.validity.mode_ok);
        CHECK(message.validity.error_ppm == 0);
    });
}

TEST_CASE("with finite buffers message mode is exact unless it says that it may not be") {
    std::int64_t flagged = 0;
    std::int64_t flagged_and_off = 0;
    for_each_seed(61, default_cases, [&](Random& random) {
        const RandomCase one = random_mode_case(random, true);
        CAPTURE(text_of(one));
        const ModeResult message = run_in(Mode::message, one);
        const ModeResult flit = run_in(Mode::flit, one);
        if (message.validity.mode_ok) {
            CHECK(message.validity.error_ppm == 0);
            check_same(message, flit);
            return;
        }
        ++flagged;
        flagged_and_off += error_ppm(message, flit) >= 20'000 ? 1 : 0;
        CHECK(message.validity.reasons.size() == 1);
        CHECK(message.validity.error_ppm > 0);
    });
    INFO("of " << flagged << " flagged runs " << flagged_and_off << " are off by 2 % or more");
    CHECK((flagged == 0 || flagged_and_off > 0 || std::getenv("SIMLETTE_SEED") != nullptr));
}

TEST_CASE("on a lone link every window of credits gives message mode the closed form") {
    const std::int64_t flit = 12'800;
    for (std::int64_t window = 1; window <= 64; ++window) {
        for (const Duration credit_return : {Duration{0}, 255_ns}) {
            for (const std::int64_t flits : {std::int64_t{1}, window, window + 1, 3 * window + 2, std::int64_t{200}}) {
                FabricSpec spec = with_buffers(cube_fabric(2, 1), window);
                spec.credit_return = credit_return;
                const std::int64_t loop = flit + 520'000 + credit_return.ps;
                const std::int64_t last = flits - 1;
                const std::int64_t start = last / window * std::max(loop, window * flit) + last % window * flit;
                const ModeResult run = run_in(Mode::message, spec, send(0, 1, flits * 640));
                CAPTURE(window, credit_return.ps, flits);
                CHECK(run.end.ps == start + flit + 520'000);
                CHECK(run.validity.mode_ok);
            }
        }
    }
}

TEST_CASE("message mode has the known times of collectives with finite buffers") {
    const auto time = [](const FabricSpec& fabric, const CollectiveSpec& collective) {
        const ModeResult run = run_in(Mode::message, fabric, collective);
        CHECK(run.validity.mode_ok);
        return run.end.ps;
    };
    CHECK(time(with_buffers(packet_fabric(32, 8), 22), all_reduce(1 << 20)) == 168'240'400);
    CHECK(time(with_buffers(cube_fabric(32, 5), 22), all_reduce(1 << 20)) == 3'176'256'000);
    CHECK(time(with_buffers(packet_fabric(24, 5), 13), all_reduce(12'800)) == 4'899'800);
}

TEST_CASE("message mode flags flows that meet at an output with finite buffers, and names the port") {
    CollectiveSpec incast = all_reduce(40 * 1024);
    incast.send_order = SendOrder::same;
    const FabricSpec fabric = with_buffers(packet_fabric(32, 8), 24);
    const ModeResult message = run_in(Mode::message, fabric, incast);
    CHECK_FALSE(message.validity.mode_ok);
    REQUIRE(message.validity.reasons.size() == 1);
    CHECK(message.validity.reasons.front().find("wait at s") != std::string::npos);
    const std::int64_t off = error_ppm(message, run_in(Mode::flit, fabric, incast));
    CHECK(off > 200'000);
    CHECK(message.validity.error_ppm >= off);
}

TEST_CASE("message mode processes far fewer events than flit mode where messages are long") {
    const FabricSpec fabric = packet_fabric(16, 4);
    const ModeResult message = run_in(Mode::message, fabric, all_reduce(1 << 18));
    const ModeResult flit = run_in(Mode::flit, fabric, all_reduce(1 << 18));
    check_same(message, flit);
    CHECK(message.statistics.events * 10 < flit.statistics.events);
}

TEST_CASE("arbiters start afresh in message mode when flit mode's do: once the last credit is home") {
    FabricSpec fabric = with_buffers(packet_fabric(3, 1), 64);
    fabric.credit_return = 1_us;
    const Duration first_end = 810_ns + 25'600_ps;
    for (const Duration after : {999_ns, 1'000_ns}) {
        RandomCase one{fabric, {send(1, 0, 640), send(1, 0, 6'400), send(2, 0, 6'400)}};
        one.collectives[1].earliest_start = one.collectives[2].earliest_start = Time{0} + first_end + after;
        const ModeResult message = run_in(Mode::message, one);
        check_same(message, run_in(Mode::flit, one));
        const bool afresh = after == 1_us;
        CHECK((message.ends[1] < message.ends[2]) == afresh);
    }
}

TEST_CASE("analytic time is never above flit time where all ranks write alike") {
    for_each_seed(62, default_cases, [](Random& random) {
        RandomCase one = random_mode_case(random, random.below(2) == 0);
        one.collectives.resize(1);
        CollectiveSpec& collective = one.collectives.front();
        collective.operation = Operation::write;
        collective.earliest_start = {};
        const std::size_t ranks = collective.group.empty() ? one.fabric.accelerators : collective.group.size();
        collective.bytes = collective.bytes * static_cast<std::int64_t>(ranks);  // equal slices
        if (!one.fabric.circuits.port_pairs.empty() || collective.primitive == Primitive::broadcast) {
            return;  // ranks that have little to do run ahead, so that the dearest edges of two phases overlap
        }
        CAPTURE(text_of(one));
        CHECK(run_in(Mode::analytic, one).end <= run_in(Mode::flit, one).end);
    });
}

TEST_CASE("analytic mode takes each collective alone") {
    RandomCase two{packet_fabric(8, 2), {all_reduce(100'000), all_reduce(100'000)}};
    two.collectives[1].earliest_start = {1'000};
    const ModeResult run = run_in(Mode::analytic, two);
    CHECK(run.ends[1] == run.ends[0] + 1'000_ps);
    CHECK(run.statistics.flits == 2 * 8 * 7 * 157);
    CHECK(run.validity.error_ppm == Validity::unknown_error);
    CHECK(run.messages.empty());
    REQUIRE(run.validity.reasons.size() == 1);
    CHECK(run.validity.reasons.front().find("overlap") != std::string::npos);
    two.collectives[1].earliest_start = run.ends[0];
    CHECK(run_in(Mode::analytic, two).validity.mode_ok);
}

TEST_CASE("analytic mode says when buffers are too small for full rate") {
    // The loop of an uplink: two flit times, 255 ns to the switch and 300 ns through it, 580.6 ns or 45.4 flit times.
    const auto fits = [](std::int64_t credits) {
        return run_in(Mode::analytic, with_buffers(packet_fabric(4, 2), credits), all_reduce(1'000)).validity.mode_ok;
    };
    CHECK(fits(46));
    CHECK_FALSE(fits(45));
}
