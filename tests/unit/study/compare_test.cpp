#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include <simlette/base/error.hpp>
#include <simlette/study/compare.hpp>
#include <simlette/study/run.hpp>

namespace simlette {
namespace {

namespace fs = std::filesystem;

// Two files for one call.
class Pair {
public:
    Pair(const std::string& a, const std::string& b) : folder_(fs::temp_directory_path() / "simlette-compare-test") {
        fs::create_directories(folder_);
        std::ofstream(folder_ / "a.json") << a;
        std::ofstream(folder_ / "b.json") << b;
    }
    ~Pair() { fs::remove_all(folder_); }
    Pair(const Pair&) = delete;
    Pair& operator=(const Pair&) = delete;

    Comparison compared() const { return compare((folder_ / "a.json").string(), (folder_ / "b.json").string()); }

    std::string refusal() const {
        try {
            compared();
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::input);
            return error.problems().front().text().substr((folder_ / "a.json").string().size());
        }
        return "accepted";
    }

private:
    fs::path folder_;
};

std::string result(std::vector<Override> overrides, const RunControl& control = {}) {
    const RunInputs inputs{"topologies/single-level-eps.yaml", "workloads/two-shot.yaml", std::move(overrides), {}};
    return report_json(run(load_run(inputs), inputs, control));
}

std::string all_modes() {
    const RunInputs inputs{"topologies/single-level-eps.yaml", "workloads/two-shot.yaml", {}, {}};
    return modes_json(run_modes(load_run(inputs), inputs));
}

const ComparedValue* value(const std::vector<ComparedValue>& values, const std::string& name) {
    const auto found = std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.name == name; });
    return found == values.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("what differs between two runs is told: times, parts, keys and assumptions") {
    const Comparison both =
        Pair(result({}), result({{"workload.collectives.0.send_order", "same"}, {"topology.responses", "per-message"}}))
            .compared();
    REQUIRE(both.runs.size() == 1);
    const ComparedRun& run = both.runs.front();
    CHECK(run.configuration.size() == 2);
    REQUIRE(value(run.configuration, "workload.collectives.0.send_order") != nullptr);
    CHECK(*value(run.configuration, "workload.collectives.0.send_order")->b == ScalarValue("same"));
    REQUIRE(run.assumptions.size() == 1);
    CHECK(run.assumptions[0].name == "responses");
    CHECK(*value(run.results, "completion_ps")->a == ScalarValue(std::int64_t{2'055'200}));
    CHECK(value(run.results, "collectives.0.critical_path_ps.contention")->differs());
    CHECK(value(run.results, "wall_seconds") == nullptr);

    const auto json = nlohmann::json::parse(comparison_json(both)).at("runs").at(0);
    std::int64_t parts = 0;
    for (const auto& part : json.at("critical_path_ps")) {
        parts += part.at("difference").get<std::int64_t>();
    }
    CHECK(json.at("completion_ps").at("difference") == parts);
}

TEST_CASE("two runs of one input are the same") {
    const Comparison both = Pair(result({}), result({})).compared();
    const ComparedRun& run = both.runs.front();
    CHECK(std::none_of(run.results.begin(), run.results.end(), [](const auto& one) { return one.differs(); }));
    CHECK(run.configuration.empty());
    CHECK(run.assumptions.empty());
    const std::string table = comparison_table(both);
    for (const char* text : {"other results: the same\n", "configuration: the same\n", "assumptions: the same\n"}) {
        CHECK(table.find(text) != std::string::npos);
    }
}

TEST_CASE("ports that only one critical path takes are named when both are explained") {
    RunControl explain;
    explain.explain = true;
    const std::string rotated = result({}, explain);
    const std::string same = result({{"workload.collectives.0.send_order", "same"}}, explain);
    const ComparedRun moved = Pair(rotated, same).compared().runs.front();
    CHECK(moved.explained);
    CHECK(std::count(moved.ports_only_a.begin(), moved.ports_only_a.end(), "s0.p0") == 1);
    CHECK(std::count(moved.ports_only_b.begin(), moved.ports_only_b.end(), "s0.p6") == 1);
    CHECK_FALSE(Pair(rotated, result({})).compared().runs.front().explained);
}

TEST_CASE("a curve over time is one value, which differs where a span does") {
    RunControl control;
    control.record_utilization = true;
    const std::string rotated = result({}, control);
    const std::string same = result({{"workload.collectives.0.send_order", "same"}}, control);
    const auto curve_of = [](const Pair& pair) {
        return *value(pair.compared().runs.front().results, "links.over_time");
    };
    CHECK(curve_of(Pair(rotated, same)).differs());
    CHECK_FALSE(curve_of(Pair(rotated, rotated)).differs());
    CHECK_FALSE(curve_of(Pair(rotated, result({}))).b);
    CHECK(value(Pair(rotated, same).compared().runs.front().results, "links.over_time.0.end_ps") == nullptr);
}

TEST_CASE("runs of several modes are compared mode by mode") {
    CHECK(Pair(all_modes(), all_modes()).compared().runs.size() == 3);
    RunControl message;
    message.mode = Mode::message;
    const Comparison one = Pair(result({}, message), all_modes()).compared();
    CHECK(one.runs.size() == 1);
    CHECK(one.unmatched == std::vector<std::string>{"flit, only in B", "analytic, only in B"});
    CHECK(Pair(result({}, message), result({})).compared().runs.size() == 1);
}

TEST_CASE("what is no result is refused, however strange") {
    const std::string good = result({});
    const std::string not_json = ": not valid JSON; expected a result of `simlette run --json`";
    const std::string no_result = ": is no result of `simlette run --json`";
    CHECK(Pair("{\n  \"mode\": x}", good).refusal() == ":2:11" + not_json);
    CHECK(Pair("", good).refusal() == ": the file is empty");
    CHECK(Pair(good, good.substr(0, 100)).refusal().find(not_json) != std::string::npos);
    for (const char* text :
         {"{}", "[]", "3", "null", R"({"modes": []})", R"({"modes": [3]})", R"({"mode": 3, "completion_ps": 1})"}) {
        CHECK(Pair(text, good).refusal() == no_result);
    }
    CHECK(Pair(std::string(100, '[') + std::string(100, ']'), good).refusal() ==
          ": is nested more than 64 levels deep");
    CHECK(Pair(R"({"mode": "flit", "completion_ps": 1e999})", good).refusal() == ": has a number that is too large");
    const char* const strange =
        R"({"mode": "flit", "completion_ps": "soon", "collectives": [3, {"critical_path": "x", "name": 4}],
            "configuration": 7, "assumptions": [1, {"id": []}], "simlette": 1})";
    CHECK(Pair(strange, good).refusal() == "accepted");
    CHECK_FALSE(comparison_table(Pair(strange, good).compared()).empty());
}

TEST_CASE("values of any type and size are compared, and none is taken for another") {
    const std::string deep = std::string(50, '[') + "7" + std::string(50, ']');
    for (const std::string value : {"1e308", "-1e308", "1e-999", "18446744073709551615", "-9223372036854775808",
                                    "9223372036854775807", "99999999999999999999999", "null", "true", "[]", "{}",
                                    "[[], {}]", R"([{"critical_path": [[{"hops": 3}], {"hops": [3, []]}, 4]}])",
                                    R"({"a": {"critical_path": 1, "name": []}})", R"("\u0000")", deep.c_str()}) {
        for (const char* key : {"completion_ps", "collectives", "assumptions", "configuration", "simlette", "links",
                                "outcome", "configuration_hash", "validity"}) {
            const std::string one =
                std::string(R"({"mode": "flit", "completion_ps": -5, ")") + key + "\": " + value + '}';
            const std::string other = R"({"mode": "flit", "completion_ps": 9223372036854775807})";
            CAPTURE(one);
            for (const auto& pair : {std::pair(one, other), std::pair(other, one), std::pair(one, one)}) {
                const Comparison both = Pair(pair.first, pair.second).compared();
                CHECK_FALSE(comparison_table(both).empty());
                CHECK_FALSE(comparison_json(both).empty());
            }
        }
    }
    const char* const largest = R"({"mode": "flit", "completion_ps": 18446744073709551615})";
    const Comparison both = Pair(largest, R"({"mode": "flit", "completion_ps": -1})").compared();
    CHECK(value(both.runs.front().results, "completion_ps")->differs());
}

}  // namespace simlette
