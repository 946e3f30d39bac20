#include <catch2/catch.hpp>

#include <numeric>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/study/link_measures.hpp>
#include <simlette/study/report_links.hpp>
#include <simlette/study/run.hpp>

#include <support/run.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

// Traffic from 0 to 10,000 ps.
RunReport report_of(const LinkLevels& levels, const std::vector<std::int64_t>& flits) {
    RunReport report;
    report.link_levels = levels;
    for (std::size_t id = 0; id < flits.size(); ++id) {
        LinkStatistics link;
        link.name = "link" + std::to_string(id);
        link.flits = flits[id];
        link.bytes = 640 * flits[id];
        link.busy = Duration{1'000} * flits[id];
        report.links.push_back(link);
    }
    report.statistics.flits = 1;
    report.statistics.first_injection = Time{0};
    report.statistics.last_delivery = Time{10'000};
    return report;
}

LoadedRun loaded_run(const FabricSpec& fabric, const std::vector<CollectiveSpec>& collectives) {
    LoadedRun loaded;
    loaded.fabric = fabric;
    loaded.configuration = "{}";
    for (const CollectiveSpec& collective : collectives) {
        loaded.workload.collectives.push_back({"", "world", collective, {}});
    }
    return loaded;
}

}  // namespace

TEST_CASE("a hot spot is the busiest link over the mean of its level") {
    const RunReport report = report_of({{"up 1", "down 1", "circuit"}, {0, 0, 0, 1, 1, 2}}, {2, 6, 4, 3, 3, 0});
    const std::vector<LevelMeasures> levels = measure_levels(report);
    REQUIRE(levels.size() == 3);
    CHECK(levels[0].links == 3);
    CHECK(levels[0].bytes == 12 * 640);
    CHECK(levels[0].busiest == 1);
    CHECK(levels[0].hot_spot->billionths == 1'500'000'000);
    CHECK(levels[0].mean_utilization.billionths == 400'000'000);
    CHECK(levels[0].max_utilization.billionths == 600'000'000);
    CHECK(levels[1].busiest == 3);
    CHECK(levels[1].hot_spot->billionths == 1'000'000'000);
    CHECK_FALSE(levels[2].hot_spot);
}

TEST_CASE("the hottest links come first, of equal ones the first, and idle ones not at all") {
    const RunReport report = report_of({{"circuit"}, {0, 0, 0, 0}}, {2, 5, 0, 5});
    CHECK(hot_links(report, 5) == std::vector<std::uint32_t>{1, 3, 0});
    CHECK(hot_links(report, 2) == std::vector<std::uint32_t>{1, 3});
}

TEST_CASE("queues and stalls of a level are summed and averaged over its links and time") {
    RunReport report = report_of({{"up 1"}, {0, 0}}, {1, 1});
    report.links[0].queue = 4;
    report.links[0].stall = {Duration{5}, Duration{6}};
    report.links[0].waited = Duration{30'000};
    report.links[1].queue = 7;
    report.links[1].stall = {Duration{0}, Duration{9}};
    report.links[1].waited = Duration{20'000};
    const LevelMeasures level = measure_levels(report).front();
    CHECK(level.queue == 7);
    CHECK(level.stall == Duration{20});
    CHECK(level.queue_mean->billionths == 2'500'000'000);
    CHECK(mean_queue(report, report.links[0])->billionths == 3'000'000'000);
    report.mode = Mode::message;
    CHECK_FALSE(measure_levels(report).front().queue_mean);
}

TEST_CASE("the table has the levels where there are several, and the hottest links where they are uneven") {
    const std::string even = links_table(report_of({{"up 1", "down 1"}, {0, 1}}, {3, 5}));
    CHECK_THAT(even, Contains("up 1") && Contains("down 1") && !Contains("hottest"));
    const std::string uneven = links_table(report_of({{"circuit"}, {0, 0}}, {3, 5}));
    CHECK_THAT(uneven, !Contains("links by level") && Contains("hottest links") && Contains("link1"));
    CHECK(links_table(report_of({{"circuit"}, {0, 0}}, {4, 4})).empty());
}

TEST_CASE("rows of links and tables tell whose flits they are, once that is asked for") {
    const LoadedRun loaded = loaded_run(packet_fabric(3, 1), {send(0, 1, 6'400), send(2, 1, 1'280), send(0, 1, 640)});
    RunControl control;
    control.count_shares = true;
    const RunReport report = run(loaded, {"t.yaml", "w.yaml", {}, {}}, control);
    const std::string csv = links_csv(report);
    CHECK_THAT(csv, Contains(",level,queue_mean,flits.0,flits.1,flits.2\n") && Contains("\ns0.p1->a1.p0,8320,13,"));
    CHECK_THAT(csv, Contains(",10,2,1\n") && Contains(",10,0,1\n") && Contains(",0,0,0\n"));
    CHECK_THAT(links_table(report), Contains("0 76.92 %, 1 15.38 %, 2 7.69 %"));
    CHECK(measure_levels(report)[0].shares.size() == 3);
    CHECK(measure_levels(report)[0].shares[0].flits == 10);
    CHECK_THAT(report_json(report), Contains("\"collectives\": ["));
    CHECK_THAT(links_csv(run(loaded, {"t.yaml", "w.yaml", {}, {}})), !Contains("flits.0"));
}

// Four accelerators send to one: its own switch gives it one link.
TEST_CASE("an incast shows as a hot spot of the links downwards, with the queue that it makes") {
    FabricSpec fabric = packet_fabric(5, 1);
    std::vector<CollectiveSpec> sends;
    for (std::uint32_t from = 1; from < 5; ++from) {
        sends.push_back(send(from, 0, 6'400));
    }
    const RunReport report = run(loaded_run(fabric, sends), {"t.yaml", "w.yaml", {}, {}});
    const std::vector<LevelMeasures> levels = measure_levels(report);
    REQUIRE(levels.size() == 2);
    CHECK(levels[0].hot_spot->billionths == 1'250'000'000);  // four of five
    CHECK(levels[1].hot_spot->billionths == 5'000'000'000);  // one of five
    CHECK(report.links[levels[1].busiest].name == "s0.p0->a0.p0");
    // Four flits come at once, one leaves: 3, 6, ... 27 and at last 30 wait; then one less each flit time.
    CHECK(levels[1].queue == 30);
    const std::int64_t flit_time = 12'800;
    const std::int64_t waited = 3 * flit_time * (9 * 10 / 2) + flit_time * (30 * 31 / 2);
    CHECK(report.links[levels[1].busiest].waited.ps == waited);
}
