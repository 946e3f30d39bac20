#include <catch2/catch.hpp>

#include <atomic>
#include <limits>

#include <simlette/base/error.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/run.hpp>

using namespace simlette;
using namespace simlette::literals;
using Catch::Matchers::Contains;

namespace {

const RunInputs files{"t.yaml", "w.yaml", {}, {}};

// 4 accelerators on 2 packet switches.
LoadedRun small_run() {
    LoadedRun loaded;
    loaded.fabric.accelerators = 4;
    loaded.fabric.ports = 2;
    loaded.configuration = "{}";
    return loaded;
}

WorkloadEntry all_reduce(Bytes bytes, Duration start = {}, std::vector<std::size_t> after = {}) {
    WorkloadEntry entry;
    entry.collective.bytes = bytes;
    entry.collective.earliest_start = Time{0} + start;
    entry.after = std::move(after);
    return entry;
}

LoadedRun three_in_a_row() {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {all_reduce(64_KiB), all_reduce(1_KiB, 1_us), all_reduce(1_KiB, 2_us, {0, 1})};
    return loaded;
}

WorkloadEntry send(std::uint32_t from, std::uint32_t to, Bytes bytes) {
    WorkloadEntry entry = all_reduce(bytes);
    entry.collective.primitive = Primitive::send_recv;
    entry.collective.group = {from, to};
    return entry;
}

RunReport explained(const LoadedRun& loaded) {
    RunControl control;
    control.explain = true;
    return run(loaded, files, control);
}

std::int64_t flits_on_links(const RunReport& report) {
    std::int64_t flits = 0;
    for (const LinkStatistics& link : report.links) {
        flits += link.flits;
    }
    return flits;
}

Duration spent(const EntryReport& entry) {
    return entry.collective.end - entry.collective.start;
}

}  // namespace

TEST_CASE("an entry starts at the latest end of those it waits for, plus its own start") {
    const RunReport report = run(three_in_a_row(), files);
    REQUIRE(report.outcome == Outcome::finished);
    const auto& entries = report.collectives;
    CHECK(entries[0].collective.start == Time{0});
    CHECK(entries[1].collective.start == Time{1'000'000});
    const Time later = std::max(entries[0].collective.end, entries[1].collective.end);
    CHECK(entries[2].collective.start == later + 2_us);
    CHECK(report.completion == entries[2].collective.end);
}

TEST_CASE("an entry that waits takes as long on an idle network as one that does not") {
    LoadedRun alone = small_run();
    alone.workload.collectives = {all_reduce(1_KiB)};
    CHECK(spent(run(three_in_a_row(), files).collectives[2]) == spent(run(alone, files).collectives[0]));
}

TEST_CASE("an entry may start in the very instant in which another ends") {
    LoadedRun loaded = small_run();
    loaded.fabric.responses = ResponsePolicy::none;
    loaded.workload.collectives = {all_reduce(1_KiB), all_reduce(1_KiB, {}, {0})};
    const RunReport report = run(loaded, files);
    CHECK(report.collectives[1].collective.start == report.collectives[0].collective.end);
    CHECK(report.completion == Time{2 * report.collectives[0].collective.end.ps});
}

TEST_CASE("messages carry the place of their collective in the workload, whatever was registered first") {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {all_reduce(1_KiB), all_reduce(2_KiB, {}, {0}), all_reduce(4_KiB)};
    RunControl control;
    control.record_messages = true;
    const RunReport report = run(loaded, files, control);
    std::vector<std::int64_t> bytes(3, 0);
    std::uint32_t last = 0;
    for (const MessageRecord& message : report.messages) {
        bytes[message.collective] += message.bytes;
        CHECK(message.collective >= last);
        last = message.collective;
    }
    CHECK(bytes == std::vector<std::int64_t>{12 * 1024, 12 * 2048, 12 * 4096});
    CHECK(report.collectives[1].collective.id == 1);
}

TEST_CASE("a run ends in good order at its time limit, and what ends at that instant counts") {
    const RunReport whole = run(three_in_a_row(), files);
    RunControl control;
    control.until = *whole.completion;
    CHECK(run(three_in_a_row(), files, control).event_hash == whole.event_hash);

    control.until = *whole.completion - 1_ps;
    const RunReport cut = run(three_in_a_row(), files, control);
    CHECK(cut.outcome == Outcome::time_limit);
    CHECK(cut.collectives[1].collective.finished);
    CHECK(cut.collectives[2].started);
    CHECK_FALSE(cut.collectives[2].collective.finished);

    control.until = whole.collectives[2].collective.start - 1_ps;
    CHECK_FALSE(run(three_in_a_row(), files, control).collectives[2].started);
}

TEST_CASE("a run that is asked to stop says so and keeps what it has") {
    const std::atomic<bool> stop{true};
    RunControl control;
    control.stop = &stop;
    const RunReport report = run(three_in_a_row(), files, control);
    CHECK(report.outcome == Outcome::interrupted);
    CHECK_FALSE(report.completion.has_value());
    CHECK(report.collectives.size() == 3);
    CHECK_THAT(report_json(report), Contains("\"outcome\": \"interrupted\""));
}

TEST_CASE("latencies are the same with and without a record of the messages") {
    RunControl control;
    control.record_messages = true;
    const RunReport recorded = run(three_in_a_row(), files, control);
    const RunReport plain = run(three_in_a_row(), files);
    REQUIRE(plain.message_latency.has_value());
    CHECK(plain.message_latency->p50 == recorded.message_latency->p50);
    CHECK(plain.messages.empty());
    Duration largest{0};
    for (const MessageRecord& message : recorded.messages) {
        largest = std::max(largest, message.delivered - message.injected);
    }
    CHECK(plain.message_latency->max == largest);
}

TEST_CASE("progress is told against the bytes of the whole workload") {
    LoadedRun loaded = small_run();
    loaded.fabric.accelerators = 16;
    loaded.workload.collectives = {all_reduce(1_MiB), all_reduce(1_MiB, {}, {0})};
    RunControl control;
    control.progress_interval = 0;
    RunProgress first;
    control.progress = [&first](const RunProgress& progress) { first = first.events == 0 ? progress : first; };
    const RunReport report = run(loaded, files, control);
    CHECK(report.statistics.payload_bytes == 2 * 2 * 15 * (1_MiB).count);  // two-shot twice
    CHECK(first.due == report.statistics.payload_bytes);
    CHECK(first.done > 0);
    CHECK(first.done < first.due);
}

TEST_CASE("what it costs to find critical paths counts too, and its progress says so") {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {all_reduce(1_MiB), all_reduce(1_MiB, {}, {0}), all_reduce(1_KiB, {}, {1})};
    RunControl control;
    control.explain = true;
    control.progress_interval = 0;
    double seconds[2] = {0, 0};
    control.progress = [&seconds](const RunProgress& progress) { seconds[progress.paths] = progress.wall_seconds; };
    const RunReport report = run(loaded, files, control);
    CHECK(seconds[0] > 0);
    CHECK(seconds[1] > 0);
    CHECK(report.wall_seconds >= seconds[0] + seconds[1]);
}

TEST_CASE("an interrupt while critical paths are found leaves the run whole, and says so") {
    std::atomic<bool> stop{false};
    RunControl control;
    control.explain = true;
    control.stop = &stop;
    control.progress_interval = 0;
    control.progress = [&stop](const RunProgress& progress) { stop = progress.paths; };
    const RunReport report = run(three_in_a_row(), files, control);
    CHECK(report.outcome == Outcome::finished);
    CHECK(report.event_hash == run(three_in_a_row(), files).event_hash);
    CHECK(report.paths_missing);
    CHECK_FALSE(report.explained);
    CHECK_FALSE(report.collectives[2].collective.explained);
    CHECK(report.collectives[2].path.empty());
}

TEST_CASE("a run that the sweep cannot carry has its critical paths all the same") {
    RunControl control;
    control.explain = true;
    const std::string story = explanation_text(run(three_in_a_row(), files, control));
    control.record_trace = true;
    const RunReport traced = run(three_in_a_row(), files, control);
    CHECK(traced.engine == Engine::reference);
    CHECK(explanation_text(traced) == story);
    control.record_trace = false;
    LoadedRun adaptive = three_in_a_row();
    adaptive.fabric.routing.policy = RoutingPolicy::adaptive;
    const RunReport report = run(adaptive, files, control);
    CHECK(report.engine == Engine::reference);
    CHECK(explanation_text(report) == story);  // with one switch on the way there is nothing to adapt
}

TEST_CASE("a fabric that cannot be built is refused in the name of the topology file") {
    LoadedRun loaded = three_in_a_row();
    loaded.fabric.port_rate = {300'000'000'001};
    CHECK_THROWS_WITH(run(loaded, files), Contains("t.yaml: "));
    CHECK_THROWS_WITH(estimate(loaded, files), Contains("t.yaml: "));
}

TEST_CASE("a collective that does not fit is refused before anything runs, whatever it waits for") {
    LoadedRun loaded = three_in_a_row();
    loaded.workload.collectives[2].name = "last";
    loaded.workload.collectives[2].collective.group = {0, 9};
    loaded.workload.collectives[0].collective.group = {7};
    CHECK_THROWS_WITH(run(loaded, files),
                      Contains("w.yaml: collectives.0: ") && Contains("\nw.yaml: collectives.2 (`last`): "));
}

TEST_CASE("starts that add up past the end of simulated time are refused") {
    LoadedRun loaded = small_run();
    const Duration third{3'000'000 * ps_per_second};
    loaded.workload.collectives = {all_reduce(1_KiB, third), all_reduce(1_KiB, third, {0})};
    CHECK(run(loaded, files).completion > Time{0} + 2 * third);
    loaded.workload.collectives.push_back(all_reduce(1_KiB, third, {1}));
    CHECK_THROWS_WITH(run(loaded, files), Contains("w.yaml: collectives.2: starts after 8000000 s"));
}

TEST_CASE("the estimate counts the flits that the run will deliver") {
    const LoadedRun loaded = three_in_a_row();
    const RunEstimate sizes = estimate(loaded, files);
    const RunReport report = run(loaded, files);
    CHECK(sizes.flits == report.statistics.flits);
    CHECK(sizes.flit_hops == flits_on_links(report));
    CHECK(sizes.memory_bytes > 0);
}

TEST_CASE("the estimate counts a response for every port-message of a phase with one partner") {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {all_reduce(64_KiB)};
    for (const ScheduleKind schedule : {ScheduleKind::ring, ScheduleKind::halving_doubling}) {
        loaded.workload.collectives[0].collective.schedule = schedule;
        CHECK(estimate(loaded, files).flit_hops == flits_on_links(run(loaded, files)));
    }
}

TEST_CASE("the estimate counts packed flits, their answers and requests to read") {
    LoadedRun loaded = three_in_a_row();
    loaded.fabric.fidelity = Fidelity::ualink;
    loaded.fabric.responses = ResponsePolicy::per_transaction;
    for (const Operation operation : {Operation::write, Operation::read}) {
        for (WorkloadEntry& entry : loaded.workload.collectives) {
            entry.collective.operation = operation;
        }
        const RunReport report = run(loaded, files);
        CHECK(estimate(loaded, files).flits == report.statistics.flits);
        CHECK(estimate(loaded, files).flit_hops == flits_on_links(report));
    }
}

TEST_CASE("responses are drained after the completion and do not move it") {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {send(0, 1, 64_KiB)};
    const RunReport with = run(loaded, files);
    CHECK(with.statistics.response_flits == with.statistics.port_messages);
    CHECK(flits_on_links(with) == 2 * (with.statistics.flits + with.statistics.response_flits));
    loaded.fabric.responses = ResponsePolicy::none;
    const RunReport without = run(loaded, files);
    CHECK(without.statistics.response_flits == 0);
    CHECK(without.completion == with.completion);
    CHECK(without.event_hash == with.event_hash);
    CHECK(flits_on_links(without) == 2 * without.statistics.flits);
}

TEST_CASE("a time limit at the completion is no limit, though answers are then still under way") {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {send(0, 1, 64_KiB)};
    RunControl control;
    control.until = *run(loaded, files).completion;
    const RunReport report = run(loaded, files, control);
    CHECK(report.outcome == Outcome::finished);
    CHECK(report.statistics.response_flits == 0);
}

TEST_CASE("a read of one flit takes the way of its request and the way of its data") {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {send(0, 1, {640})};
    loaded.workload.collectives[0].collective.operation = Operation::read;
    const RunReport report = run(loaded, files);
    CHECK(report.completion == Time{1'671'200});
    CHECK(report.statistics.request_flits == 1);
    CHECK(report.statistics.flits == 1);
}

TEST_CASE("the parts of every critical path add up to the time of its collective") {
    LoadedRun loaded = three_in_a_row();
    loaded.fabric.buffers = {3, 1};
    const RunReport report = run(loaded, files);
    for (const EntryReport& entry : report.collectives) {
        CHECK(entry.collective.critical_path.total() == spent(entry));
        CHECK(entry.path.empty());
    }
    CHECK_FALSE(report.explained);
}

TEST_CASE("an explanation leads from the start to the end, port by port") {
    const RunReport report = explained(three_in_a_row());
    for (const EntryReport& entry : report.collectives) {
        REQUIRE_FALSE(entry.path.empty());
        CHECK(entry.path.front().ready == entry.collective.start);
        CHECK(entry.path.back().delivered == entry.collective.end);
    }
    CHECK(report.event_hash == run(three_in_a_row(), files).event_hash);
}

TEST_CASE("of two sends into one port the explanation of the later names the other") {
    LoadedRun loaded = small_run();
    loaded.fabric.ports = 1;
    loaded.fabric.responses = ResponsePolicy::none;
    loaded.workload.collectives = {send(0, 1, 64_KiB), send(2, 1, 64_KiB)};
    loaded.workload.collectives[0].name = "first";
    loaded.workload.collectives[1].name = "second";
    const RunReport report = explained(loaded);
    const PathStep& step = report.collectives[1].path.at(0);
    REQUIRE(step.hops.size() == 2);
    const PathHop& into_destination = step.hops[1];
    CHECK(into_destination.port == "s0.p1");
    CHECK(into_destination.contention > Duration{0});
    REQUIRE(into_destination.rivals.size() == 1);
    CHECK(into_destination.rivals[0].collective == 0);
    CHECK(into_destination.rivals[0].source == 0);
    CHECK_THAT(explanation_text(report),
               Contains("critical path of second: 1 message\n") && Contains("(first 0 -> 1, "));
    CHECK_THAT(report_json(report), Contains("\"rivals\": [\n") && Contains("\"critical_path\": [\n"));
}

TEST_CASE("sends in the same order contend with each other, and the explanation says with whom") {
    LoadedRun loaded = small_run();
    loaded.fabric.accelerators = 8;
    loaded.workload.collectives = {all_reduce(64_KiB)};
    loaded.workload.collectives[0].collective.schedule = ScheduleKind::two_shot;
    loaded.workload.collectives[0].collective.send_order = SendOrder::same;
    const RunReport report = explained(loaded);
    Duration contention{0};
    for (const PathStep& step : report.collectives[0].path) {
        for (const PathHop& hop : step.hops) {
            contention += hop.contention;
            CHECK((hop.contention > Duration{0}) == !hop.rivals.empty());
        }
    }
    CHECK(contention > Duration{0});
    CHECK(contention == report.collectives[0].collective.critical_path.contention);
    CHECK_THAT(explanation_text(report), Contains("waited for contention ") || Contains(" + contention "));
}

TEST_CASE("of more than three collectives the last three to end are explained") {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {all_reduce(64_KiB), send(0, 1, 1_KiB), all_reduce(1_KiB, {}, {0}),
                                   all_reduce(1_KiB, {}, {2}), all_reduce(1_KiB, {}, {2})};
    const RunReport report = explained(loaded);
    std::vector<bool> has_path;
    for (const EntryReport& entry : report.collectives) {
        has_path.push_back(!entry.path.empty());
    }
    CHECK(has_path == std::vector<bool>{false, false, true, true, true});
    CHECK_THAT(explanation_text(report), Contains("critical paths of the last 3 of 5 collectives to end\n"));
}

TEST_CASE("the parts of a path add up to its latency on every kind of fabric") {
    LoadedRun loaded = small_run();
    const RunInputs topology{"t.yaml", "", {}, {}};
    CHECK_THAT(description_text(loaded, topology),
               Contains("810 ns = endpoint 250 ns + protocol 240 ns + propagation 20 ns + switch 300 ns"));
    loaded.fabric.circuits.cube = true;
    loaded.fabric.device = DeviceKind::ocs;
    CHECK_THAT(description_text(loaded, topology),
               Contains("520 ns = endpoint 250 ns + protocol 240 ns + propagation 20 ns + switch 10 ns"));
    loaded.fabric.kind = FabricKind::direct;
    CHECK_THAT(description_text(loaded, topology),
               Contains("500 ns = endpoint 250 ns + protocol 240 ns + propagation 10 ns + switch 0 ns"));
}

TEST_CASE("a time is read with its unit, exactly") {
    CHECK(time_of("`--until`", "0.52 us") == Time{520'000});
    for (const char* text : {"5", "", "five us", "-1 ns", "1e3 ns", "0.5 ps", "nan us"}) {
        CHECK_THROWS_WITH(time_of("`--until`", text), Contains("`--until` is ") && Contains("300 ns"));
    }
}

TEST_CASE("three modes run on one input, and message mode has the times of flit mode") {
    RunControl control;
    control.record_messages = true;
    control.explain = true;
    const std::vector<ModeRun> runs = run_modes(three_in_a_row(), files, control);
    REQUIRE(runs.size() == 3);
    for (const ModeRun& one : runs) {
        REQUIRE(one.report);
        CHECK(one.report->mode == one.mode);
        const bool flit = one.mode == Mode::flit;
        CHECK(one.report->messages.empty() != flit);
        CHECK(one.report->explained == flit);
        CHECK(one.report->collectives[2].collective.explained == flit);
    }
    CHECK(runs[1].report->completion == runs[0].report->completion);
    CHECK(runs[1].report->event_hash == runs[0].report->event_hash);
    CHECK(runs[1].report->validity.mode_ok);
    CHECK_FALSE(runs[2].report->validity.mode_ok);  // the first two overlap
}

TEST_CASE("what message mode refuses is told beside the others; alone it is an error") {
    LoadedRun loaded = small_run();
    loaded.fabric.fidelity = Fidelity::ualink;
    loaded.fabric.responses = ResponsePolicy::per_transaction;
    loaded.workload.collectives = {all_reduce(1_KiB)};
    const std::vector<ModeRun> runs = run_modes(loaded, files);
    CHECK((runs[0].report && !runs[1].report && runs[2].report));
    CHECK_THAT(runs[1].refused, Contains("not in this version"));
    RunControl control;
    control.mode = Mode::message;
    CHECK_THROWS_WITH(run(loaded, files, control), runs[1].refused);
}

TEST_CASE("what flit mode refuses is an error for all modes") {
    LoadedRun loaded = small_run();
    loaded.workload.collectives = {send(0, 9, 1_KiB)};
    CHECK_THROWS_WITH(run_modes(loaded, files), Contains("rank 9 is outside the fabric"));
}
