// One door for all modes.
#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <support/mode_case.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

SimulatorOptions in_mode(Mode mode) {
    SimulatorOptions options;
    options.mode = mode;
    return options;
}

constexpr Mode all_modes[] = {Mode::flit, Mode::message, Mode::analytic};

}  // namespace

TEST_CASE("in every mode a run that is cut into slices has the history of the run in one piece") {
    for_each_seed(66, Cases::slicing, [](Random& random) {
        const RandomCase one = random_mode_case(random, one_in(random, 2));
        CAPTURE(text_of(one));
        for (const Mode mode : all_modes) {
            const ModeResult whole = run_in(mode, one);
            Simulator sliced(build_fabric(one.fabric), in_mode(mode));
            for (const CollectiveSpec& collective : one.collectives) {
                sliced.register_collective(collective);
            }
            const std::int64_t slice = std::max<std::int64_t>(1, whole.end.ps / random.between(1, 50));
            std::vector<Time> ends(one.collectives.size());
            while (true) {
                const Advance step = sliced.advance({sliced.now() + Duration{slice}, UINT64_MAX});
                if (const auto* done = std::get_if<Completed>(&step)) {
                    ends[done->id] = done->end;
                } else if (!std::holds_alternative<LimitReached>(step)) {
                    break;
                }
            }
            CHECK(ends == whole.ends);
            CHECK(sliced.event_hash() == whole.hash);
        }
    });
}

TEST_CASE("in every mode what is registered at a completion starts in that instant") {
    for (const Mode mode : all_modes) {
        Simulator simulator(build_fabric(packet_fabric(8, 2)), in_mode(mode));
        simulator.register_collective(all_reduce(10'000));
        const auto first = std::get<Completed>(simulator.advance());
        CollectiveSpec next = all_reduce(10'000);
        next.earliest_start = first.end;
        simulator.register_collective(next);
        const auto second = std::get<Completed>(simulator.advance());
        CHECK(second.start == first.end);
        CHECK(second.end > second.start);
        CHECK(std::holds_alternative<Idle>(simulator.advance()));
        CHECK(simulator.collective(1).finished);
        next.earliest_start = first.end;
        CHECK_THROWS_AS(simulator.register_collective(next), Error);
    }
}

TEST_CASE("in every mode a reset simulator repeats itself") {
    for (const Mode mode : all_modes) {
        FabricSpec fabric = with_buffers(packet_fabric(8, 2), 9);
        CollectiveSpec collective = all_reduce(30'000);
        collective.send_order = SendOrder::same;
        Simulator simulator(build_fabric(fabric), in_mode(mode));
        simulator.register_collective(collective);
        const auto first = std::get<Completed>(simulator.advance());
        const std::uint64_t hash = simulator.event_hash();
        const Validity validity = simulator.validity();
        simulator.reset();
        CHECK(simulator.now() == Time{0});
        CHECK(simulator.validity().mode_ok == (mode != Mode::analytic));
        simulator.register_collective(collective);
        CHECK(std::get<Completed>(simulator.advance()).end == first.end);
        CHECK(simulator.event_hash() == hash);
        CHECK(simulator.validity().reasons == validity.reasons);
        CHECK(validity.mode_ok == (mode == Mode::flit));
    }
}

TEST_CASE("in every mode the report of a collective says what it carried and when it ended") {
    for (const Mode mode : all_modes) {
        Simulator simulator(build_fabric(cube_fabric(8, 3)), in_mode(mode));
        const CollectiveId id = simulator.register_collective(all_reduce(6'400));
        CHECK_FALSE(simulator.collective(id).finished);
        const auto done = std::get<Completed>(simulator.advance());
        const CollectiveReport report = simulator.collective(id);
        CHECK(report.finished);
        CHECK(report.end == done.end);
        CHECK(report.flits == simulator.statistics().flits);
        CHECK(report.payload.count == simulator.statistics().payload_bytes);
        CHECK(simulator.statistics().last_delivery == done.end);
        CHECK(simulator.links().size() == 24);
    }
}

TEST_CASE("in every mode collectives are known by the ids they were given") {
    for (const Mode mode : all_modes) {
        Simulator simulator(build_fabric(packet_fabric(8, 2)), in_mode(mode));
        CollectiveSpec collective = all_reduce(10'000);
        for (const std::uint32_t id : {7U, 3U, 4'000'000'000U}) {
            collective.id = id;
            CHECK(simulator.register_collective(collective) == id);
        }
        for (int i = 0; i < 3; ++i) {
            const auto done = std::get<Completed>(simulator.advance());
            CHECK(simulator.collective(done.id).end == done.end);
        }
        CHECK(simulator.collective(3).finished);
        CHECK(simulator.collective(4'000'000'000U).finished);
    }
}

TEST_CASE("flit mode alone explains where the time of a collective went") {
    for (const Mode mode : all_modes) {
        Simulator simulator(build_fabric(packet_fabric(8, 2)), in_mode(mode));
        const CollectiveId id = simulator.register_collective(all_reduce(10'000));
        CHECK_FALSE(simulator.collective(id).explained);
        simulator.advance();
        const bool flit = mode == Mode::flit;
        if (flit) {
            CHECK(simulator.find_paths({id}));
        } else {
            CHECK_THROWS_AS(simulator.find_paths({id}), Error);
            CHECK_THROWS_AS(simulator.explain(id), Error);
        }
        const CollectiveReport report = simulator.collective(id);
        CHECK(report.explained == flit);
        CHECK(report.critical_path.total() == (flit ? report.end - report.start : Duration{0}));
    }
}

TEST_CASE("packed transactions are refused in message mode, and analytic mode says that it does not count them") {
    FabricSpec packed = packet_fabric(8, 2);
    packed.fidelity = Fidelity::ualink;
    CHECK_THROWS_WITH(Simulator(build_fabric(packed), in_mode(Mode::message)),
                      "known value `ualink` with `mode: message`, not in this version");
    Simulator analytic(build_fabric(packed), in_mode(Mode::analytic));
    const CollectiveId id = analytic.register_collective(all_reduce(10'000));
    analytic.advance();
    const Duration takes = analytic.collective(id).end - Time{0};
    CHECK(takes.ps == run_in(Mode::analytic, packet_fabric(8, 2), all_reduce(10'000)).end.ps);
    CHECK_FALSE(analytic.validity().mode_ok);
    REQUIRE(analytic.validity().reasons.size() == 1);
    CHECK(analytic.validity().reasons.front().find("packed") != std::string::npos);
}

TEST_CASE("latencies of reads are counted once a port-message, in flit mode and in message mode") {
    for (const Mode mode : {Mode::flit, Mode::message}) {
        SimulatorOptions options = in_mode(mode);
        options.tally_latency = true;
        FabricSpec fabric = packet_fabric(2, 1);
        fabric.responses = ResponsePolicy::per_message;
        Simulator simulator(build_fabric(fabric), options);
        CollectiveSpec read = send(0, 1, 640);
        read.operation = Operation::read;
        simulator.register_collective(read);
        const auto done = std::get<Completed>(simulator.advance());
        CHECK(simulator.message_latency(1) == done.end - Time{0});
    }
}

TEST_CASE("latencies are counted of each port-message, whatever the engine") {
    const auto latencies = [](Engine engine) {
        SimulatorOptions options;
        options.engine = engine;
        options.tally_latency = true;
        Simulator simulator(build_fabric(packet_fabric(32, 2)), options);
        CollectiveSpec incast = all_reduce(100'000);
        incast.send_order = SendOrder::same;
        simulator.register_collective(incast);
        simulator.drain();
        std::vector<Duration> found;
        for (const unsigned percent : {1U, 10U, 25U, 50U, 75U, 90U, 100U}) {
            found.push_back(simulator.message_latency(percent));
        }
        return found;
    };
    CHECK(latencies(Engine::sweep) == latencies(Engine::reference));
}
