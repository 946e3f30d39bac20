#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/study/resolve.hpp>
#include <simlette/study/study.hpp>

namespace simlette {
namespace {

namespace fs = std::filesystem;

// A study file in a folder of its own; paths of the tree are given from its root.
class Written {
public:
    explicit Written(const std::string& text) : folder_(fs::temp_directory_path() / "simlette-study-test") {
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "deep");
        fs::create_directory_symlink(fs::current_path() / "topologies", folder_ / "topologies");
        fs::create_directory_symlink(fs::current_path() / "workloads", folder_ / "workloads");
        std::ofstream(path()) << text;
    }
    ~Written() { fs::remove_all(folder_); }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;

    std::string path() const { return (folder_ / "study.yaml").string(); }

private:
    fs::path folder_;
};

const std::string crossed = R"(
topologies: [topologies/single-level-eps.yaml, topologies/single-level-ocs.yaml]
workloads: [workloads/one-shot.yaml]
mode: [flit, analytic]
vary: {topology.latency.switch: [150 ns, 300 ns, 0.3 us], topology.buffers: [{request: 8 flits}, unlimited]}
zip: [{topology.ports: [8, 16], workload.collectives.0.bytes: [64 KiB, 128 KiB]}]
)";

std::vector<std::string> texts(const Study& study, std::size_t point) {
    std::vector<std::string> texts;
    for (const ParameterValue& value : study.values(study.points()[point])) {
        texts.push_back(value.text);
    }
    return texts;
}

}  // namespace

TEST_CASE("a study has a point for every combination, the last one changing first") {
    const Written file(crossed);
    const Study study({file.path(), {}, {}});
    CHECK(study.parameters() == std::vector<std::string>{"topology.latency.switch", "topology.buffers",
                                                         "topology.ports", "workload.collectives.0.bytes"});
    REQUIRE(study.points().size() == 2 * 1 * 2 * 3 * 2 * 2);
    using Texts = std::vector<std::string>;
    CHECK(texts(study, 0) == Texts{"150 ns", R"({"request":"8 flits"})", "8", "64 KiB"});
    CHECK(texts(study, 1) == Texts{"150 ns", R"({"request":"8 flits"})", "16", "128 KiB"});
    CHECK(texts(study, 2) == Texts{"150 ns", "unlimited", "8", "64 KiB"});
    CHECK(texts(study, 47) == Texts{"0.3 us", "unlimited", "16", "128 KiB"});
    CHECK(study.points()[11].mode == Mode::flit);
    CHECK(study.points()[12].mode == Mode::analytic);
    CHECK(study.points()[23].topology == 0);
    CHECK(study.points()[24].topology == 1);
}

TEST_CASE("the shipped studies are read") {
    std::size_t points = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator("workloads/studies")) {
        points += Study({entry.path().string(), {}, {}}).points().size();
    }
    CHECK(points > 2'000);
}

TEST_CASE("a point loads what a run with the same overrides loads") {
    const Written file(crossed);
    const Study study({file.path(), {{"topology.credit_return", "5 ns"}}, 9});
    const LoadedRun point = study.load(study.points()[27]);
    const LoadedRun run = load_run({"topologies/single-level-ocs.yaml",
                                    "workloads/one-shot.yaml",
                                    {{"topology.credit_return", "5 ns"},
                                     {"topology.latency.switch", "150 ns"},
                                     {"topology.buffers", "unlimited"},
                                     {"topology.ports", "16"},
                                     {"workload.collectives.0.bytes", "128 KiB"}},
                                    9});
    CHECK(point.configuration == run.configuration);
    CHECK(study.points()[27].configuration_hash == run.configuration_hash);
    CHECK(point.fabric.ports == 16);
    CHECK(point.workload.collectives[0].collective.bytes == Bytes{131'072});
}

TEST_CASE("points with equal configuration and mode are one run") {
    const Written file(crossed);
    const Study study({file.path(), {}, {}});
    std::set<std::string> runs;
    for (const StudyPoint& point : study.points()) {
        runs.insert(point.run);
    }
    CHECK(runs.size() == 2 * 2 * 2 * 2 * 2);  // 300 ns and 0.3 us are the same
    CHECK(study.points()[4].run == study.points()[8].run);
    CHECK(study.points()[0].configuration_hash == study.points()[12].configuration_hash);
    CHECK(study.points()[0].run != study.points()[12].run);
}

TEST_CASE("values that are numbers or quantities have a number in the base unit") {
    const Written file(
        "topologies: topologies/single-level-eps.yaml\nworkloads: workloads/one-shot.yaml\n"
        "zip: [{topology.ports: [7, 8], topology.port_rate: [400 Gb/s, 50 GB/s], topology.buffers: [22 flits, "
        "unlimited],"
        " topology.latency.ocs: [0.5 ns, 1 us], workload.collectives.0.bytes: [1 KiB, 1 kB]}]");
    const Study study({file.path(), {}, {}});
    REQUIRE(study.points().size() == 2);
    const std::vector<std::vector<std::optional<std::int64_t>>> expected{
        {7, 400'000'000'000, 22, 500, 1024}, {8, 400'000'000'000, std::nullopt, 1'000'000, 1000}};
    for (std::size_t point = 0; point < 2; ++point) {
        const std::vector<ParameterValue> values = study.values(study.points()[point]);
        for (std::size_t i = 0; i < values.size(); ++i) {
            CHECK(values[i].base_number == expected[point][i]);
        }
    }
}

TEST_CASE("a study searches for each different plan once, and its points and a run take the same") {
    const Written file(
        "topologies: topologies/planned-256.yaml\nworkloads: workloads/plan-256.yaml\nmode: [flit, analytic]\n"
        "vary: {topology.buffers: [22 flits, unlimited], workload.collectives.0.bytes: [4 KiB, 8 KiB]}\n");
    std::size_t searches = 0;
    const auto counted = [&](const PlanRequest& request) {
        ++searches;
        return plan(request);
    };
    const Study study({file.path(), {}, {}}, counted);
    REQUIRE(study.points().size() == 8);
    for (const StudyPoint& point : study.points()) {
        CHECK(study.load(point).planned == "17 generators on 17 of 18 ports, " +
                                               std::string(point.choices[1] == 0 ? "4.54112" : "4.62304") +
                                               " us in all, optimal");
    }
    CHECK(searches == 2);
    CHECK(load_run({"topologies/planned-256.yaml", "workloads/plan-256.yaml", {}, {}}, counted).planned ==
          study.load(study.points().front()).planned);
    CHECK(searches == 3);
}

TEST_CASE("fabrics are built once for all points that can only stand or fall together") {
    const auto built = [](const std::vector<Override>& overrides) {
        FabricChecks checks;
        Problems problems;
        NamedFiles files(problems);
        PlanCache plans(search_plan);
        for (const Override& override : overrides) {
            InputTrees trees{parse_input("topologies/all-eps-512.yaml", problems), {}};
            apply_change(*change_of(override, problems), named_trees(trees), problems);
            resolve(trees, files, plans, &checks, problems);
        }
        CHECK(problems.size() == 0);
        return checks.seen.size();
    };
    CHECK(built({{"topology.seed", "2"},
                 {"topology.seed", "3"},
                 {"topology.buffers", "8 flits"},
                 {"topology.latency.switch", "150 ns"},
                 {"topology.credit_return", "5 ns"},
                 {"topology.hop_reading", "per-hop"},
                 {"topology.routing", "{policy: hashed}"}}) == 1);
    CHECK(built({{"topology.seed", "2"}, {"topology.accelerators", "256"}, {"topology.port_rate", "200 Gb/s"}}) == 3);
}

TEST_CASE("a study can be changed from the command line") {
    const Written file(crossed);
    const Study study(
        {file.path(), {{"study.mode", "message"}, {"study.vary", "{topology.ports: [6]}"}, {"study.zip", "[]"}}, {}});
    REQUIRE(study.points().size() == 2);
    CHECK(study.points()[0].mode == Mode::message);
    CHECK(texts(study, 0) == std::vector<std::string>{"6"});
}

TEST_CASE("every name that a run has can be recorded, items of lists by their number") {
    const auto study_of = [](const std::string& record) {
        const Written file(
            "topologies: topologies/single-level-eps.yaml\nworkloads: workloads/one-shot.yaml\nrecord: " + record);
        return Study({file.path(), {}, {}}).record();
    };
    CHECK(study_of("[completion_ps, collectives.17.critical_path_ps.wait, message_latency_ps.p99, peak_rss_bytes, "
                   "validity.mode_ok, validity.reasons.3, bus_bandwidth_bps, credits.stall_total_ps, event_hash]")
              .size() == 9);
    CHECK_THROWS_AS(study_of("[configuration_hash]"), Error);
    CHECK_THROWS_AS(study_of("[collectives.x.end_ps]"), Error);
}

}  // namespace simlette
