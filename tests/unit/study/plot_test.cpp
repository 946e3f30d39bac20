#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/study/plot.hpp>

namespace simlette {
namespace {

const Study& study() {
    static const Study golden({"tests/golden/sweep.yaml", {}, {}});
    return golden;
}

std::string refusal(const std::string& text) {
    try {
        plot_request(text, study());
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "accepted";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("without series, lines are told apart by all that varies, of what moves in step by the first path") {
    const PlotRequest request = plot_request("x=topology.buffers,y=completion_ps", study());
    CHECK(request.x == "topology.buffers");
    CHECK(request.y == "completion_ps");
    CHECK(request.series ==
          std::vector<std::string>{"topology", "workload", "mode", "topology.routing", "topology.latency.switch"});
}

TEST_CASE("a plot that cannot be drawn is refused before anything runs") {
    CHECK(refusal("x=topology.buffer,y=completion_ps") ==
          "`--plot`: `x` is `topology.buffer`; did you mean `topology.buffers`?");
    CHECK(refusal("x=topology.buffers,y=completion") == "`--plot`: `y` is `completion`; did you mean `completion_ps`?");
    CHECK(has(refusal("x=topology.buffers,y=completion_ps,series=seed"), "`--plot`: `series` is `seed`; expected "));
    CHECK(refusal("y=cpu_seconds,x=topology,series=workload+mode+topology.routing+topology.buffers+"
                  "workload.collectives.0.bytes") ==
          "`--plot`: 48 lines, but one picture has room for 32; fix what varies with `--set study.vary=...`");
    CHECK(refusal("x=topology.buffers") == "`--plot`: expected both `x=` and `y=`");
    CHECK(has(refusal("x=topology.buffers,z=3"), "`--plot`: `z=3`; expected such as `x=topology.buffers,"));
    CHECK(refusal("x=topology.buffers,y=completion_ps,series=mode") ==
          "`--plot`: several points have `buffers 8 flits` in the line `flit`; name in `series` what else varies, or "
          "fix it");
}

TEST_CASE("numbers stand where they belong, words one after the other, and times are in us") {
    SweepTable table{{"topology.ports"}, {"completion_ps"}, {}};
    for (const std::int64_t ports : {8, 16, 64}) {
        SweepRow row;
        row.topology = "a/it's.yaml";
        row.values = {{std::to_string(ports), ports}};
        row.results.emplace_back(std::int64_t{800'000'000} / ports);
        table.rows.push_back(row);
    }
    table.rows.emplace_back(table.rows.front());
    table.rows.back().topology = "a/b.yaml";
    table.rows.back().results[0].reset();  // a point that failed
    const std::string script = plot_script({"topology.ports", "completion_ps", {"topology"}}, table);
    CHECK(has(script, "set xtics rotate by -45 ('8' 8, '16' 16, '64' 64)\n"));
    CHECK(has(script, "set logscale x 2\n"));
    CHECK(has(script, "set ylabel 'completion in us'\nset yrange [0:*]\n"));
    CHECK(has(plot_script({"topology.ports", "message_latency_ps.p50", {"topology"}}, table),
              "set ylabel 'message_latency.p50 in us'\n"));
    CHECK(has(script, "$line0 << END\n8 100\n16 50\n64 12.5\nEND\n"));
    CHECK(has(script, "title 'it''s'\n"));
    CHECK_FALSE(has(script, "$line1"));

    table.rows[1].values = {{"unlimited", std::nullopt}};
    const std::string words = plot_script({"topology.ports", "completion_ps", {"topology"}}, table);
    CHECK(has(words, "('8' 1, 'unlimited' 2, '64' 3)\n"));
    CHECK_FALSE(has(words, "logscale x"));
}

}  // namespace simlette
