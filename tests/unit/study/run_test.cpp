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
    loaded.fabric.responses = ResponsePolicy::none;
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
    CHECK(report.statistics.payload_bytes == 2 * 16 * 15 * (1_MiB).count);
    CHECK(first.payload_due == report.statistics.payload_bytes);
    CHECK(first.payload_delivered > 0);
    CHECK(first.payload_delivered < first.payload_due);
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
    std::int64_t hops = 0;
    for (const LinkStatistics& link : report.links) {
        hops += link.flits;
    }
    CHECK(sizes.flit_hops == hops);
    CHECK(sizes.memory_bytes > 0);
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
