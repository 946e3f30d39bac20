// `auto-simulated` against simulating every one of its candidates to the end.
#include <catch2/catch.hpp>

#include <algorithm>

#include <simlette/collective/build_schedule.hpp>
#include <support/run.hpp>

using namespace simlette;

namespace {

// Four racks of four, two rails, one up link a leaf: 4:1.
FabricSpec racks() {
    FabricSpec spec;
    spec.kind = FabricKind::two_level;
    spec.accelerators = spec.domain = 16;
    spec.group = 4;
    spec.ports = 2;
    spec.level1 = {DeviceKind::eps, 6, 4, 1};
    spec.level2 = {DeviceKind::eps, 4, 0, 0};
    spec.responses = ResponsePolicy::none;
    return spec;
}

CollectiveSpec collective(Primitive primitive, ScheduleKind schedule, std::int64_t bytes) {
    CollectiveSpec spec;
    spec.primitive = primitive;
    spec.schedule = schedule;
    spec.bytes = Bytes{bytes};
    return spec;
}

CollectiveReport reported(Simulator& simulator, const CollectiveSpec& spec) {
    const CollectiveId id = simulator.register_collective(spec);
    while (std::holds_alternative<Completed>(simulator.advance())) {
    }
    return simulator.collective(id);
}

// Every candidate to the end; a trial may stop early, but must not say more than is true.
void check_choice(const FabricSpec& fabric, CollectiveSpec spec) {
    Simulator simulator(build_fabric(fabric));
    const CollectiveReport ours = reported(simulator, spec);
    REQUIRE(ours.trials.size() > 1);
    const ScheduleTrial* fastest = nullptr;
    Duration best{0};
    for (const ScheduleTrial& trial : ours.trials) {
        INFO(trial.schedule << ' ' << spec.bytes.count);
        spec.schedule = trial.kind;
        const Duration takes = run(fabric, {spec}).end() - Time{0};
        CHECK(trial.at_least <= takes);
        CHECK(trial.takes.value_or(takes) == takes);
        CHECK(trial.takes.has_value() == trial.reason.empty());
        if (fastest == nullptr || takes < best) {
            fastest = &trial;
            best = takes;
        }
    }
    for (const ScheduleTrial& trial : ours.trials) {
        CHECK(trial.chosen == (&trial == fastest));
    }
    CHECK(ours.schedule == fastest->schedule);
    CHECK(ours.end - ours.start == best);
}

}  // namespace

TEST_CASE("auto-simulated takes the fastest of the choices of auto, of equal ones the first") {
    for (const Primitive primitive : {Primitive::all_reduce, Primitive::all_to_all, Primitive::all_gather}) {
        for (const std::int64_t bytes : {1, 1'000, 5'000, 20'480, 100'000, 2'000'000}) {
            check_choice(racks(), collective(primitive, ScheduleKind::automatic_simulated, bytes));
        }
    }
    check_choice(cube_fabric(8, 3), collective(Primitive::all_to_all, ScheduleKind::automatic_simulated, 40'000));
    check_choice(cube_fabric(8, 3), collective(Primitive::all_gather, ScheduleKind::automatic_simulated, 40'000));
}

TEST_CASE("auto-simulated takes what is fast alone, whatever else is under way, and leaves that alone") {
    CollectiveSpec spec = collective(Primitive::all_reduce, ScheduleKind::automatic_simulated, 20'480);
    spec.earliest_start = Time{1'000'000};
    Simulator alone(build_fabric(racks()));
    const CollectiveReport expected = reported(alone, spec);
    Simulator busy(build_fabric(racks()));
    busy.register_collective(collective(Primitive::all_to_all, ScheduleKind::direct, 200'000));
    const Time before = busy.now();
    const CollectiveReport ours = reported(busy, spec);
    CHECK(before == Time{0});
    CHECK(ours.schedule == expected.schedule);
    CHECK(ours.end > expected.end);
    for (const ScheduleTrial& trial : ours.trials) {
        CHECK((!trial.chosen || trial.takes == expected.end - expected.start));
    }
    busy.reset();
    CHECK(reported(busy, spec).end == expected.end);
}

TEST_CASE("auto-simulated means auto in analytic mode") {
    SimulatorOptions options;
    options.mode = Mode::analytic;
    Simulator simulator(build_fabric(racks()), options);
    const CollectiveReport ours =
        reported(simulator, collective(Primitive::all_reduce, ScheduleKind::automatic_simulated, 20'480));
    simulator.reset();
    const CollectiveReport automatic =
        reported(simulator, collective(Primitive::all_reduce, ScheduleKind::automatic, 20'480));
    CHECK(ours.trials.empty());
    CHECK(ours.schedule == automatic.schedule);
}

TEST_CASE("auto-simulated does not try a schedule with too many phases to keep account of") {
    Simulator simulator(build_fabric(packet_fabric(2'048, 1)));
    const std::vector<ScheduleTrial> trials =
        simulator.try_schedules(collective(Primitive::all_gather, ScheduleKind::automatic_simulated, 1));
    REQUIRE(trials.size() == 2);
    CHECK(trials[0].chosen);
    CHECK(trials[0].takes.has_value());
    CHECK(trials[1].schedule == "ring");
    CHECK_FALSE(trials[1].takes.has_value());
    CHECK(trials[1].reason == "too many phases to keep account of");
}

TEST_CASE("trials end early when they are told to stop") {
    const std::atomic<bool> stop{true};
    const Simulator simulator(build_fabric(racks()));
    CHECK(simulator.try_schedules(collective(Primitive::all_reduce, ScheduleKind::automatic_simulated, 20'480), &stop)
              .empty());
}
