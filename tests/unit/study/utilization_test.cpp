#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <simlette/study/draw_utilization.hpp>
#include <simlette/study/link_history.hpp>
#include <simlette/study/run.hpp>

#include <support/random_levels.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

const RunInputs files{"t.yaml", "w.yaml", {}, {}};

LoadedRun loaded_run(const RandomCase& one) {
    LoadedRun loaded;
    loaded.fabric = one.fabric;
    loaded.configuration = "{}";
    for (const CollectiveSpec& collective : one.collectives) {
        loaded.workload.collectives.push_back({"", "world", collective, {}});
    }
    return loaded;
}

RunReport recorded(const LoadedRun& loaded, RunControl control = {}) {
    control.record_utilization = true;
    return run(loaded, files, control);
}

// What a run prints, less the cost of the run itself and what only one of two has.
nlohmann::json results(const RunReport& report) {
    nlohmann::json json = nlohmann::json::parse(report_json(report));
    for (const char* cost : {"wall_seconds", "cpu_seconds", "peak_rss_bytes"}) {
        json.erase(cost);
    }
    json["links"].erase("over_time");
    return json;
}

// Spans follow each other from 0 to the end, equally wide but the last; what they hold is what the links were busy.
void check_spans(const RunReport& report) {
    const std::vector<UseSpan>& spans = report.utilization;
    REQUIRE(!spans.empty());
    CHECK(spans.size() <= LinkHistory::most_spans);
    Time start{0};
    std::vector<Duration> busy(report.link_levels.names.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
        CHECK(spans[i].start == start);
        const bool last = i + 1 == spans.size();
        const Duration width = spans[i].end - spans[i].start;
        CHECK((last ? width <= spans[0].end - start || spans.size() > 1 : width == spans[0].end - spans[0].start));
        for (std::size_t level = 0; level < busy.size(); ++level) {
            const UseSpan::Level& use = spans[i].levels[level];
            CHECK(use.most <= width);
            CHECK(use.busy <= use.most * use.links);
            busy[level] += use.busy;
        }
        start = spans[i].end;
    }
    CHECK(start == report.ended);
    std::vector<Duration> counted(busy.size());
    for (std::size_t id = 0; id < report.links.size(); ++id) {
        counted[report.link_levels.of[id]] += report.links[id].busy;
    }
    CHECK(busy == counted);
}

void check_case(const RandomCase& one, Mode mode) {
    const LoadedRun loaded = loaded_run(one);
    RunControl control;
    control.mode = mode;
    control.engine = Engine::reference;  // its events do not depend on how the run is sliced
    const RunReport plain = run(loaded, files, control);
    const RunReport sliced = recorded(loaded, control);
    CHECK(results(sliced) == results(plain));
    if (plain.outcome == Outcome::finished && plain.statistics.flits > 0) {
        check_spans(sliced);
    }
}

}  // namespace

TEST_CASE("looking at the links between slices changes no result, and no busy time is lost") {
    for_each_seed(0x071e, Cases::slicing, [](Random& random) { check_case(random_answered_case(random), Mode::flit); });
    for_each_seed(0x071f, Cases::slicing, [](Random& random) { check_case(random_levels_case(random), Mode::flit); });
    for_each_seed(0x0720, Cases::slicing, [](Random& random) {
        RandomCase one = random_responses_case(random);
        check_case(one, Mode::message);
    });
}

TEST_CASE("a run cut short, or that stalls, has its utilization up to there") {
    const LoadedRun loaded = loaded_run({packet_fabric(4, 2), {all_reduce(64 * 1024)}});
    RunControl control;
    control.until = Time{1'000'000};
    const RunReport report = recorded(loaded, control);
    REQUIRE(report.outcome == Outcome::time_limit);
    CHECK(report.utilization.back().end == Time{1'000'000});
    control.until = Time{0};
    const RunReport nothing = recorded(loaded, control);
    CHECK(nothing.utilization.empty());
    CHECK_THAT(utilization_svg(nothing), Contains("</svg>"));
}

TEST_CASE("spans double their width once there would be too many") {
    LinkHistory history(Duration{10});
    std::vector<Duration> wires{Duration{0}, Duration{0}};
    for (std::int64_t i = 1; i < 128; ++i) {
        CHECK(history.next() == Time{10 * i});
        wires[0] += Duration{4};
        history.look(wires);
    }
    CHECK(history.spans({{"circuit"}, {0, 0}}, Time{1'275}, wires).size() == 128);
    CHECK(history.next() == Time{1'280});
    wires[1] += Duration{6};
    history.look(wires);
    CHECK(history.next() == Time{1'300});
    wires[1] += Duration{1};
    const std::vector<UseSpan> spans = history.spans({{"circuit"}, {0, 0}}, Time{1'295}, wires);
    REQUIRE(spans.size() == 65);
    CHECK(spans[0].end == Time{20});
    CHECK(spans[0].levels[0].busy == Duration{8});
    CHECK(spans[0].levels[0].hottest == 0);
    CHECK(spans[63].start == Time{1'260});
    CHECK(spans[63].levels[0].busy == Duration{10});
    CHECK(spans[63].levels[0].most == Duration{6});
    CHECK(spans[63].levels[0].hottest == 1);
    CHECK(spans[64].start == Time{1'280});
    CHECK(spans[64].end == Time{1'295});
    CHECK(spans[64].levels[0].busy == Duration{1});
}

// One flit in each span of a flit time: it leaves the accelerator in the first, and the switch at 577,800 ps.
TEST_CASE("rows over time say when which link was busy") {
    const LoadedRun loaded = loaded_run({packet_fabric(2, 1), {send(1, 0, 640)}});
    const RunReport report = recorded(loaded);
    const std::string csv = utilization_csv(report);
    CHECK_THAT(csv, Contains("start_ps,end_ps,level,mean,max,hottest\n"
                             "0,12800,up 1,0.500000000,1.000000000,a1.p0->s0.p1\n"
                             "0,12800,down 1,0.000000000,0.000000000,\n"
                             "12800,25600,up 1,0.000000000,0.000000000,\n"));
    CHECK_THAT(report_json(report), Contains("\"over_time\": ["));
    CHECK_THAT(report_json(run(loaded, files)), !Contains("over_time"));
}

TEST_CASE("the picture has two lines a level") {
    const LoadedRun loaded = loaded_run({packet_fabric(4, 2), {all_reduce(64 * 1024)}});
    const std::string svg = utilization_svg(recorded(loaded));
    for (const char* line :
         {"<path class=\"c0\" stroke-width=\"2.2\"", "<path class=\"c0 dashed\" stroke-width=\"1.2\"",
          "<path class=\"c1\" stroke-width=\"2.2\"", "<path class=\"c1 dashed\" stroke-width=\"1.2\""}) {
        CHECK_THAT(svg, Contains(line));
    }
    CHECK_THAT(svg, Contains(">up 1</text>") && Contains(">down 1</text>") && !Contains("nan"));
}
