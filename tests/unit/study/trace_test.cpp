#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include <simlette/fabric/port_log.hpp>
#include <simlette/study/run.hpp>
#include <simlette/study/trace.hpp>
#include <simlette/study/trace_slices.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

using Json = nlohmann::json;

LoadedRun contended_run() {
    LoadedRun loaded;
    loaded.fabric.accelerators = 6;
    loaded.fabric.ports = 2;
    loaded.fabric.buffers = {5, 5};
    WorkloadEntry entry;
    entry.name = "two \"shots\"";
    entry.collective.schedule = ScheduleKind::two_shot;
    entry.collective.send_order = SendOrder::same;
    entry.collective.bytes = 40_KiB;
    WorkloadEntry later = entry;
    later.name = "";
    later.collective.group = {4, 1, 3};
    later.collective.earliest_start = Time{700'000};
    loaded.workload.collectives = {entry, later};
    return loaded;
}

RunReport traced(const LoadedRun& loaded, RunControl control = {}) {
    control.record_trace = true;
    control.record_messages = true;
    return run(loaded, {"t.yaml", "w.yaml", {}, {}}, control);
}

std::string trace_text(const RunReport& report) {
    std::string text;
    write_trace(report, [&](std::string_view piece) { text += piece; });
    return text;
}

std::vector<Json> events(const RunReport& report, const std::string& phase) {
    const Json trace = Json::parse(trace_text(report));
    std::vector<Json> found;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") == phase) {
            found.push_back(event);
        }
    }
    return found;
}

// Of a number with six decimals, as it stands in the file.
std::int64_t picoseconds(const Json& us) {
    return static_cast<std::int64_t>(us.get<double>() * 1e6 + 0.5);
}

// Slices of one thread, in order, that overlap without lying one within the other once `to_viewer` has made times of
// them.
template <class ToViewer>
std::size_t crossings(const std::vector<Json>& slices, ToViewer to_viewer) {
    std::map<std::tuple<int, int>, std::vector<std::int64_t>> open;
    std::size_t crossing = 0;
    for (const Json& slice : slices) {
        std::vector<std::int64_t>& ends = open[{slice.at("pid"), slice.at("tid")}];
        const std::int64_t start = to_viewer(picoseconds(slice.at("ts")));
        const std::int64_t end = start + to_viewer(picoseconds(slice.at("dur")));
        while (!ends.empty() && ends.back() <= start) {
            ends.pop_back();
        }
        if (!ends.empty() && ends.back() < end) {
            ++crossing;
        }
        ends.push_back(end);
    }
    return crossing;
}

std::int64_t exact(std::int64_t ps) {
    return ps;
}
std::int64_t rounded(std::int64_t ps) {
    return (ps + 500) / 1000;
}
std::int64_t cut(std::int64_t ps) {
    return ps / 1000;
}

}  // namespace

TEST_CASE("every slice of a trace has its time, its length and its thread, and starts are sorted") {
    const RunReport report = traced(contended_run());
    const std::vector<Json> slices = events(report, "X");
    REQUIRE(slices.size() > 200);
    std::int64_t last = 0;
    for (const Json& slice : slices) {
        CHECK(slice.at("name").is_string());
        CHECK(slice.at("cat").is_string());
        CHECK(slice.at("pid").get<int>() >= 1);
        CHECK(slice.at("tid").get<int>() >= 1);
        CHECK(picoseconds(slice.at("dur")) >= 0);
        CHECK(picoseconds(slice.at("ts")) >= last);
        last = picoseconds(slice.at("ts"));
    }
}

TEST_CASE("slices of one thread nest or are disjoint, exactly and for viewers that round or cut to nanoseconds") {
    const std::vector<Json> slices = events(traced(contended_run()), "X");
    CHECK(crossings(slices, exact) == 0);
    CHECK(crossings(slices, rounded) == 0);
    CHECK(crossings(slices, cut) == 0);
}

TEST_CASE("every process and every thread of a trace has a name, and no two threads have one number") {
    const RunReport report = traced(contended_run());
    std::map<int, std::string> processes;
    std::map<int, std::tuple<int, std::string>> threads;
    for (const Json& name : events(report, "M")) {
        if (name.at("name") == "process_name") {
            processes[name.at("pid")] = name.at("args").at("name");
        } else if (name.at("name") == "thread_name") {
            CHECK(threads.count(name.at("tid")) == 0);
            threads[name.at("tid")] = {name.at("pid"), name.at("args").at("name")};
        }
    }
    CHECK(processes == std::map<int, std::string>{{1, "collectives"}, {2, "ranks"}, {3, "ports"}});
    for (const Json& slice : events(report, "X")) {
        REQUIRE(threads.count(slice.at("tid")) == 1);
        CHECK(std::get<0>(threads[slice.at("tid")]) == slice.at("pid"));
    }
}

TEST_CASE("the ports of a trace carry every flit of every link and stand still as long as the statistics say") {
    const RunReport report = traced(contended_run());
    std::vector<std::int64_t> flits(report.links.size(), 0);
    for (const PassageRecord& passage : report.trace->passages) {
        flits[passage.link] += passage.flits;
    }
    std::vector<std::array<Duration, channel_count>> stalls(report.links.size());
    for (const StallRecord& stall : report.trace->stalls) {
        REQUIRE(stall.wants != StallRecord::Wants::tag);
        stalls[stall.link][static_cast<std::size_t>(stall.wants)] += stall.end - stall.start;
    }
    for (std::size_t link = 0; link < report.links.size(); ++link) {
        CHECK(flits[link] == report.links[link].flits);
        CHECK(stalls[link] == report.links[link].stall);
    }
    CHECK(report.statistics.stall_total > Duration{0});
}

TEST_CASE("a passage at the source port starts when its message was injected") {
    const RunReport report = traced(contended_run());
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    std::map<Key, Time> starts;
    for (const PassageRecord& p : report.trace->passages) {
        const std::string& name = report.links[p.link].name;
        if (p.half == TransactionHalf::write && name[0] == 'a') {
            const auto port = static_cast<std::uint32_t>(std::stoul(name.substr(name.find('p') + 1)));
            starts[Key{p.collective, p.phase, p.source, p.destination, port}] = p.start;
        }
    }
    REQUIRE(starts.size() == report.messages.size());
    for (const MessageRecord& m : report.messages) {
        CHECK(starts.at(Key{m.collective, m.phase, m.source, m.destination, m.port}) == m.injected);
    }
}

TEST_CASE("a rank is in a phase from the last delivery that the phase before needs to the last that it needs itself") {
    const RunReport report = traced(contended_run());
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Time> delivered;  // collective, phase, rank
    for (const MessageRecord& m : report.messages) {
        Time& last = delivered[{m.collective, m.phase, m.destination}];
        last = std::max(last, m.delivered);
    }
    REQUIRE(report.trace->phases.size() == 2 * (6 + 3));
    for (const PhaseRecord& p : report.trace->phases) {
        const Time start = report.collectives[p.collective].collective.start;
        CHECK(p.ended);
        CHECK(p.start == (p.phase == 0 ? start : delivered.at({p.collective, p.phase - 1, p.rank})));
        CHECK(p.end == delivered.at({p.collective, p.phase, p.rank}));
    }
}

TEST_CASE("a run that is cut short has slices that say so") {
    RunControl control;
    control.until = Time{1'000'000};
    const RunReport report = traced(contended_run(), control);
    std::map<std::string, int> unfinished;
    for (const Json& slice : events(report, "X")) {
        unfinished[slice.at("cat")] += slice.contains("args") && slice["args"].contains("unfinished") ? 1 : 0;
        CHECK(picoseconds(slice.at("ts")) <= 1'000'000);
    }
    CHECK(unfinished["collective"] == 2);
    CHECK(unfinished["phase"] == 6 + 3);
    CHECK(unfinished["message"] > 0);
}

TEST_CASE("recording a trace does not change what is simulated") {
    RunControl reference;
    reference.engine = Engine::reference;
    const RunReport plain = run(contended_run(), {"t.yaml", "w.yaml", {}, {}}, reference);
    const RunReport report = traced(contended_run());
    CHECK(plain.event_hash == report.event_hash);
    CHECK(plain.statistics.events == report.statistics.events);
    CHECK(trace_text(report) == trace_text(traced(contended_run())));
}

TEST_CASE("the names of a trace are those of the files, escaped") {
    std::map<std::string, int> names;
    for (const Json& slice : events(traced(contended_run()), "X")) {
        ++names[slice.at("name")];
    }
    CHECK(names["two \"shots\""] == 1);
    CHECK(names["collective 1"] == 1);
    CHECK(names["two \"shots\" phase 1"] == 6);
    CHECK(names["collective 1 phase 0"] == 3);
    CHECK(names["no request credit"] > 0);
    CHECK(names["5->0"] > 0);
}

TEST_CASE("a recorder keeps what comes first and counts the rest") {
    PortLog log;
    log.turn_on(1);
    PassageRecord flit;
    flit.end = Time{10};
    log.depart(7, false, flit);
    flit.link = 1;
    log.depart(8, false, flit);
    log.depart(8, true, flit);
    flit.link = 0;
    flit.end = Time{20};
    log.depart(7, true, flit);
    log.stall({});
    log.stall({});
    REQUIRE(log.passages().size() == 1);
    CHECK(log.passages()[0].flits == 2);
    CHECK(log.passages()[0].end == Time{20});
    CHECK(log.passages()[0].whole);
    CHECK(log.stalls().size() == 1);
    CHECK(log.left_out() == 2);
}

TEST_CASE("slices that touch stay on one lane and are drawn apart, slices that cross do not") {
    std::vector<TraceSlice> slices(3);
    for (TraceSlice& slice : slices) {
        slice.kind = TraceSlice::Kind::passage;
    }
    slices[0].start = Time{25'600};
    slices[0].end = Time{38'400};
    slices[1].start = Time{38'400};
    slices[1].end = Time{51'200};
    slices[2].start = Time{30'000};
    slices[2].end = Time{60'000};
    assign_lanes(slices);
    CHECK(slices[0].lane == 0);
    CHECK(slices[0].shown == Duration{12'499});  // 26 + 12 <= 38
    CHECK(slices[1].lane == 1);
    CHECK(slices[1].shown == Duration{30'000});
    CHECK(slices[2].lane == 0);
    CHECK(slices[2].shown == Duration{12'800});
}

TEST_CASE("an inner slice lies within another unless their ends could change places by rounding") {
    for (const std::int64_t ahead : {1'999, 2'000}) {
        std::vector<TraceSlice> slices(2);
        slices[0].kind = TraceSlice::Kind::passage;
        slices[0].end = Time{50'000};
        slices[1].kind = TraceSlice::Kind::stall;
        slices[1].inner = true;
        slices[1].start = Time{10'000};
        slices[1].end = Time{50'000 - ahead};
        assign_lanes(slices);
        CHECK(slices[1].lane == (ahead < 2'000 ? 1 : 0));
    }
}
