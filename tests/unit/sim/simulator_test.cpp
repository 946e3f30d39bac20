#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>

#include <support/random_case.hpp>
#include <support/reference_collectives.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>
#include <support/switch_ring.hpp>

using namespace simlette;

namespace {

Simulator registered(const RandomCase& one) {
    Simulator simulator(build_fabric(one.fabric), {true});
    for (const CollectiveSpec& collective : one.collectives) {
        simulator.register_collective(collective);
    }
    return simulator;
}

// Runs in slices of random length; stops between them.
std::vector<Time> finish_in_slices(Simulator& simulator, Random& random) {
    std::vector<Time> ends(simulator.collectives());
    const std::int64_t slice = random.between(1, 400'000);
    while (true) {
        Limits limits;
        if (random.below(2) == 0) {
            limits.time = simulator.now() + Duration{random.between(0, slice)};
        } else {
            limits.events = random.below(40);
        }
        if (random.below(10) == 0) {
            simulator.request_stop();
        }
        const Advance step = simulator.advance(limits);
        CHECK(simulator.now() <= limits.time);
        if (const auto* done = std::get_if<Completed>(&step)) {
            ends[done->id] = done->end;
        } else if (std::holds_alternative<Idle>(step)) {
            return ends;
        } else {
            REQUIRE_FALSE(std::holds_alternative<Stalled>(step));
        }
    }
}

std::string refusal(Simulator& simulator, const CollectiveSpec& collective) {
    try {
        simulator.register_collective(collective);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "registered";
}

}  // namespace

TEST_CASE("a run cut into slices at random has the history of the run in one piece") {
    for_each_seed(40, Cases::slicing, [](Random& random) {
        const RandomCase one = random_case(random);
        INFO(text_of(one));
        const RunResult whole = run(one.fabric, one.collectives);
        Simulator sliced = registered(one);
        CHECK(finish_in_slices(sliced, random) == whole.ends);
        CHECK(sliced.event_hash() == whole.hash);
        CHECK(first_difference(sliced.messages(), whole.messages) == "");
        CHECK(sliced.statistics().stall_total == whole.statistics.stall_total);
    });
}

TEST_CASE("a time limit runs everything stamped up to and including it") {
    Simulator simulator(build_fabric(packet_fabric(2, 1)));
    simulator.register_collective(send(0, 1, 640));
    CHECK(std::holds_alternative<LimitReached>(simulator.advance({Time{835'599}, UINT64_MAX})));
    CHECK(simulator.now() == Time{835'599});
    CHECK(std::holds_alternative<Completed>(simulator.advance({Time{835'600}, UINT64_MAX})));
    CHECK(std::holds_alternative<Idle>(simulator.advance()));
}

TEST_CASE("what is registered at a completion starts in that same instant, as if it had been known before") {
    for_each_seed(41, Cases::slicing, [](Random& random) {
        RandomCase one = random_case(random);
        const CollectiveSpec first = one.collectives.front();
        CollectiveSpec second = random_collective(random, one.fabric);
        one.collectives = {first};
        Simulator simulator = registered(one);
        Advance step = simulator.advance();
        REQUIRE(std::holds_alternative<Completed>(step));
        const Time end = std::get<Completed>(step).end;
        CHECK(simulator.now() == end);
        second.earliest_start = end;
        simulator.register_collective(second);
        step = simulator.advance();
        REQUIRE(std::holds_alternative<Completed>(step));
        CHECK(std::get<Completed>(step).start == end);
        const RunResult known = run(one.fabric, {first, second});
        CHECK(first_difference(simulator.messages(), known.messages) == "");
        CHECK(simulator.event_hash() == known.hash);
        const ReferenceResult reference = run_reference(one.fabric, {first, second});
        CHECK(first_difference(simulator.messages(), reference.messages) == "");
    });
}

TEST_CASE("what is registered at a completion shares its ports with what is under way from that instant on") {
    for_each_seed(42, Cases::slicing, [](Random& random) {
        RandomCase one = random_case(random);
        one.collectives.resize(1, one.collectives.front());
        one.collectives.push_back(random_collective(random, one.fabric));
        Simulator simulator = registered(one);
        const Advance step = simulator.advance();
        REQUIRE(std::holds_alternative<Completed>(step));
        CollectiveSpec third = random_collective(random, one.fabric);
        third.earliest_start = simulator.now();
        simulator.register_collective(third);
        finish(simulator);
        one.collectives.push_back(third);
        const ReferenceResult reference = run_reference(one.fabric, one.collectives);
        CHECK(first_difference(simulator.messages(), reference.messages) == "");
    });
}

TEST_CASE("registering in the past is refused and changes nothing") {
    const RunResult undisturbed = run(packet_fabric(4, 2), {all_reduce(5'000)});
    Simulator simulator(build_fabric(packet_fabric(4, 2)), {true});
    simulator.register_collective(all_reduce(5'000));
    simulator.advance({Time{100'000}, UINT64_MAX});
    CollectiveSpec late = all_reduce(5'000);
    late.earliest_start = Time{99'999};
    CHECK(refusal(simulator, late).find("cannot start at 99999 ps: it is 100000 ps already") != std::string::npos);
    CHECK(simulator.collectives() == 1);
    CHECK(finish(simulator) == undisturbed.ends);
    CHECK(simulator.event_hash() == undisturbed.hash);
}

TEST_CASE("collectives that do not fit are refused and change nothing") {
    Simulator packets(build_fabric(packet_fabric(6, 2)));
    CollectiveSpec outside = all_reduce(100);
    outside.group = {0, 6};
    CHECK(refusal(packets, outside).find("rank 6 is outside the fabric") != std::string::npos);
    outside.group = {1, 2, 1};
    CHECK(refusal(packets, outside).find("rank 1 is in the group twice") != std::string::npos);
    CHECK(refusal(packets, all_reduce(0)).find("`bytes` is 0") != std::string::npos);
    CHECK(refusal(packets, all_reduce(-5)).find("`bytes` is -5") != std::string::npos);
    CHECK(refusal(packets, all_reduce(INT64_MAX)) != "registered");
    CHECK(refusal(packets, all_reduce(100, ScheduleKind::recursive_doubling)).find("power of two") !=
          std::string::npos);
    CollectiveSpec three = send(0, 1, 100);
    three.group = {0, 1, 2};
    CHECK(refusal(packets, three).find("exactly two ranks") != std::string::npos);
    Simulator circuits(build_fabric(cube_fabric(8, 3)));
    CHECK(refusal(circuits, all_reduce(100, ScheduleKind::two_shot)).find("no circuit joins them") !=
          std::string::npos);
    CollectiveSpec half = all_reduce(100);
    half.group = {0, 1, 6, 7};
    CHECK(refusal(circuits, half).find("do not join the group") != std::string::npos);
    CHECK(refusal(circuits, send(0, 3, 100)).find("no circuit joins them") != std::string::npos);
    for (Simulator* simulator : {&packets, &circuits}) {
        CHECK(simulator->collectives() == 0);
        CHECK(std::holds_alternative<Idle>(simulator->advance()));
    }
}

TEST_CASE("collectives that complete at one instant are returned one by one, by id") {
    Simulator simulator(build_fabric(packet_fabric(6, 1)));
    simulator.register_collective(send(2, 3, 640));
    simulator.register_collective(send(0, 1, 640));
    simulator.register_collective(send(4, 5, 640));
    for (const CollectiveId id : {0U, 1U, 2U}) {
        const Advance step = simulator.advance();
        REQUIRE(std::holds_alternative<Completed>(step));
        CHECK(std::get<Completed>(step).id == id);
        CHECK(std::get<Completed>(step).end == Time{835'600});
    }
    CHECK(std::holds_alternative<Idle>(simulator.advance()));
}

TEST_CASE("a rank alone has nothing to wait for") {
    CollectiveSpec alone = all_reduce(1'000);
    alone.group = {2};
    alone.earliest_start = Time{77};
    const RunResult done = run(packet_fabric(4, 1), {alone});
    CHECK(done.ends == std::vector<Time>{Time{77}});
    CHECK(done.messages.empty());
}

TEST_CASE("simulators on one shared fabric in two threads have equal histories") {
    const auto fabric = build_fabric(with_buffers(packet_fabric(16, 4), 5));
    std::array<std::uint64_t, 2> hashes{};
    const auto work = [&](std::size_t i) {
        Simulator simulator(fabric);
        simulator.register_collective(all_reduce(30'000));
        simulator.register_collective(all_reduce(9'000, ScheduleKind::two_shot));
        while (!std::holds_alternative<Idle>(simulator.advance())) {
        }
        hashes[i] = simulator.event_hash();
    };
    std::thread one(work, 0);
    std::thread other(work, 1);
    one.join();
    other.join();
    CHECK(hashes[0] != 0);
    CHECK(hashes[0] == hashes[1]);
}

TEST_CASE("a start after days of simulated time moves the history and changes nothing in it") {
    const Duration later = GENERATE(Duration{30 * ps_per_second}, Duration{100 * 86'400 * ps_per_second});
    const FabricSpec fabric = with_buffers(packet_fabric(8, 2), 3);
    CollectiveSpec collective = all_reduce(20'000, ScheduleKind::two_shot);
    RunResult expected = run(fabric, {collective});
    collective.earliest_start = Time{} + later;
    const RunResult moved = run(fabric, {collective});
    for (MessageRecord& record : expected.messages) {
        record.injected = record.injected + later;
        record.delivered = record.delivered + later;
    }
    CHECK(first_difference(moved.messages, expected.messages) == "");
    CHECK(moved.end() == expected.end() + later);
    CHECK(moved.statistics.first_injection == Time{} + later);
}

TEST_CASE("reset forgets all and the same input has the same history again") {
    for_each_seed(43, Cases::slicing, [](Random& random) {
        const RandomCase one = random_case(random);
        const RunResult fresh = run(one.fabric, one.collectives);
        Simulator simulator = registered(one);
        simulator.advance({Time{}, random.below(60)});
        simulator.advance({Time::never(), random.below(200)});
        simulator.reset();
        CHECK(simulator.now() == Time{});
        CHECK(simulator.collectives() == 0);
        CHECK(simulator.statistics().flits == 0);
        for (const CollectiveSpec& collective : one.collectives) {
            simulator.register_collective(collective);
        }
        CHECK(finish(simulator) == fresh.ends);
        CHECK(simulator.event_hash() == fresh.hash);
        CHECK(first_difference(simulator.messages(), fresh.messages) == "");
        CHECK(simulator.statistics().events == fresh.statistics.events);
    });
}

TEST_CASE("a stopped run goes on where it was") {
    const RunResult whole = run(packet_fabric(4, 2), {all_reduce(5'000)});
    Simulator simulator(build_fabric(packet_fabric(4, 2)));
    simulator.register_collective(all_reduce(5'000));
    simulator.advance({Time{400'000}, UINT64_MAX});
    simulator.request_stop();
    CHECK(std::holds_alternative<Stopped>(simulator.advance()));
    CHECK(simulator.now() == Time{400'000});
    CHECK(finish(simulator) == whole.ends);
    CHECK(simulator.event_hash() == whole.hash);
}

TEST_CASE("statistics count what was registered, delivered and when") {
    Simulator simulator(build_fabric(packet_fabric(4, 2)), {true});
    simulator.register_collective(all_reduce(5'000));
    CHECK(simulator.statistics().payload_bytes_due == 4 * 3 * 5'000);
    CHECK(simulator.statistics().payload_bytes == 0);
    CHECK(simulator.statistics().first_injection == Time::never());
    const Time end = finish(simulator)[0];
    const NetworkStatistics done = simulator.statistics();
    CHECK(done.payload_bytes == 4 * 3 * 5'000);
    CHECK(done.flits == 4 * 3 * 8);
    CHECK(done.port_messages == 4 * 3 * 2);
    CHECK(done.first_injection == Time{});
    CHECK(done.last_delivery == end);
    const CollectiveReport report = simulator.collective(0);
    CHECK(report.schedule == "one-shot");
    CHECK(report.form == "direct");
    CHECK(report.ranks == 4);
    CHECK(report.phases == 1);
    CHECK(report.finished);
    CHECK(report.end == end);
    CHECK(report.flits == done.flits);
}

TEST_CASE("a simulation that deadlocks says so, again and again, and takes nothing new") {
    Simulator simulator(switch_ring(3, 1));
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        simulator.register_collective(send(rank, (rank + 2) % 3, 4 * 640));
    }
    for (int times = 0; times < 2; ++times) {
        const Advance step = simulator.advance();
        REQUIRE(std::holds_alternative<Stalled>(step));
        CHECK(std::get<Stalled>(step).report.cycle.size() == 3);
        CHECK(std::get<Stalled>(step).report.text ==
              "deadlock since 230 ps: s0.p1.request -> s1.p1.request -> s2.p1.request -> s0.p1.request (no credits)");
    }
    CHECK(refusal(simulator, send(0, 1, 640)).find("stalled") != std::string::npos);
    simulator.reset();
    simulator.register_collective(send(0, 1, 640));
    CHECK(std::holds_alternative<Completed>(simulator.advance()));
}

TEST_CASE(
    "no part of a critical path is negative, and without tags, fences and late starts nothing is left to wait for") {
    for_each_seed(44, Cases::invariants, [](Random& random) {
        const RandomCase one = random_case(random);
        INFO(text_of(one));
        Simulator simulator(build_fabric(one.fabric));
        for (const CollectiveSpec& collective : one.collectives) {
            simulator.register_collective(collective);
        }
        finish(simulator);
        for (CollectiveId id = 0; id < one.collectives.size(); ++id) {
            REQUIRE(simulator.find_paths({id}));
            const CollectiveReport report = simulator.collective(id);
            const TimeParts& parts = report.critical_path;
            CHECK(parts.total() == report.end - report.start);
            CHECK(parts.wait == Duration{0});
            for (const Duration part : {parts.serialization, parts.credit_stall, parts.contention}) {
                CHECK(part >= Duration{0});
            }
        }
    });
}

TEST_CASE("a path that is not found because somebody lost patience can be found later") {
    Simulator simulator(build_fabric(packet_fabric(4, 2)));
    simulator.register_collective(all_reduce(10'000));
    finish(simulator);
    PathProgress last;
    const auto stop = [&last](const PathProgress& progress) {
        last = progress;
        return false;
    };
    CHECK_FALSE(simulator.find_paths({0}, stop));
    CHECK(last.end == simulator.collective(0).end);
    CHECK_FALSE(simulator.collective(0).explained);
    CHECK_THROWS_AS(simulator.explain(0), Error);
    CHECK(simulator.find_paths({0, 0}));
    CHECK(simulator.explain(0).size() == 1);
    CHECK(simulator.find_paths({0}, stop));  // known already
}

TEST_CASE("a collective that has not ended has no path yet, and one that sends nothing an empty one") {
    Simulator simulator(build_fabric(packet_fabric(4, 2)));
    simulator.register_collective(all_reduce(10'000));
    CollectiveSpec alone = all_reduce(640);
    alone.group = {2};
    simulator.register_collective(alone);
    REQUIRE(std::get<Completed>(simulator.advance()).id == 1);
    CHECK(simulator.find_paths({0, 1}));
    CHECK_FALSE(simulator.collective(0).explained);
    CHECK_THROWS_AS(simulator.explain(0), Error);
    CHECK(simulator.collective(1).explained);
    CHECK(simulator.explain(1).empty());
}

TEST_CASE("a reset simulator forgets the paths it has found") {
    Simulator simulator(build_fabric(packet_fabric(4, 2)));
    for (int i = 0; i < 2; ++i) {
        simulator.reset();
        simulator.register_collective(all_reduce(10'000));
        CHECK_FALSE(simulator.collective(0).explained);
        finish(simulator);
        CHECK_FALSE(simulator.collective(0).explained);
        CHECK(simulator.find_paths({0}));
        CHECK(simulator.collective(0).explained);
        CHECK(simulator.explain(0).size() == 1);
    }
}
