// Plan files: written, read back, and followed by a topology and a workload.
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/prove_circuits.hpp>
#include <simlette/sim/simulator.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/plan_file.hpp>

#include <support/plans.hpp>
#include <support/run.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

PlanFile file_of_256() {
    PlanFile file;
    file.plan = plan_of_256();
    file.plan.total = file.plan.bound = Duration{601'920 + 1'695'360 + 1'121'920 + 1'121'920};
    file.request.ranks = 256;
    file.request.ports = 18;
    file.request.latency = file.request.latency_across = Duration{520'000};
    return file;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

const std::string optical =
    "{fabric: single-level, device: ocs, accelerators: 256, ports: 18, port_rate: 400 Gb/s, "
    "responses: none, circuits: p.yaml}";
const std::string electronic =
    "{fabric: single-level, device: eps, accelerators: 256, ports: 18, port_rate: 400 Gb/s, "
    "responses: none, placement: p.yaml}";
const std::string meshes = "meshes: {attention: {kvp: 4, tpa: 64}, ffn: {ep: 16, tpe: 16}}\n";
const std::string all_axes = meshes +
                             "collectives:\n"
                             "- {primitive: all-reduce, axis: attention.kvp, bytes: 4 KiB}\n"
                             "- {primitive: all-reduce, axis: attention.tpa, bytes: 32 KiB}\n"
                             "- {primitive: all-reduce, axis: ffn.ep, bytes: 4 KiB}\n"
                             "- {primitive: all-reduce, axis: ffn.tpe, bytes: 4 KiB}\n";

// Texts as files for one call; the plan lies beside the topology.
LoadedRun loaded(const std::string& topology, const std::string& workload, const std::string& plan) {
    const auto folder = std::filesystem::temp_directory_path() / "simlette-plan-file-test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "t.yaml", std::ios::binary) << topology;
    std::ofstream(folder / "w.yaml", std::ios::binary) << workload;
    std::ofstream(folder / "p.yaml", std::ios::binary) << plan;
    return load_run({(folder / "t.yaml").string(), (folder / "w.yaml").string(), {}, {}});
}

std::string refusal(const std::string& topology, const std::string& workload, const std::string& plan) {
    try {
        loaded(topology, workload, plan);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        const std::string text = error.what();
        return text.substr(text.find("simlette-plan-file-test/") + 24);
    }
    return "accepted";
}

std::vector<Duration> times_of(const LoadedRun& run, Mode mode) {
    std::vector<Duration> times;
    for (const WorkloadEntry& entry : run.workload.collectives) {
        SimulatorOptions options;
        options.mode = mode;
        Simulator simulator(build_fabric(run.fabric), options);
        simulator.register_collective(entry.collective);
        times.push_back(finish(simulator).front() - Time{0});
    }
    return times;
}

}  // namespace

TEST_CASE("a plan is written for people, and equal plans byte for byte") {
    const std::string text = plan_text(file_of_256());
    CHECK(text == plan_text(file_of_256()));
    CHECK_THAT(text, Contains("total: 4541120 ps\n") && Contains("generators: [\"00000001\", ") &&
                         Contains("multiplicity: [1, 1,"));
    CHECK_THAT(text, Contains("      - name: tpa\n"
                              "        size: 64\n"
                              "        bits: [5, 4, 3, 2, 1, 0]\n"
                              "        blocks: [[5, 4, 3], [2, 1, 0]]\n"
                              "        topology: Q6[3,3]\n"
                              "        degree: 14\n"
                              "        multiplicity: 1\n"
                              "        collectives:\n"
                              "          - primitive: all-reduce\n"
                              "            bytes: 32 KiB\n"
                              "            calls: 1\n"
                              "            schedule: coset-factored-parallel\n"
                              "            phases: 2\n"
                              "            time: 1695360 ps\n"));
}

TEST_CASE("a topology takes its circuits from a plan, and axes go where it has put them") {
    const LoadedRun run = loaded(optical, all_axes, plan_text(file_of_256()));
    const Plan plan = plan_of_256();
    CHECK(run.fabric.circuits.generators == plan.generators);
    CHECK(run.fabric.circuits.multiplicity == plan.copies);
    const auto fabric = build_fabric(run.fabric);
    CHECK(faults_of_generators(fabric->graph, labels_of(plan), plan.generators, plan.copies).empty());
    // The bits of tpe are 2 1 0 3: its second rank differs in bit 3, its ranks 0, 2, 4 and so on in the low bits.
    const auto& tpe = run.workload.collectives[3].collective;
    REQUIRE(tpe.groups.size() == 16);
    CHECK(tpe.groups[0] == std::vector<std::uint32_t>{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15});
    CHECK(tpe.groups[1].front() == 16);
    CHECK(tpe.schedule == ScheduleKind::coset_factored_parallel);
    CHECK(tpe.layers.generators == std::vector<std::vector<std::uint32_t>>{{2, 4, 6, 8, 10, 12, 14}, {1}});
    CHECK(run.configuration.find("\"4541120 ps\"") != std::string::npos);
}

TEST_CASE("what runs under a plan takes what was planned, in flits at most as many more as are rounded up") {
    const LoadedRun run = loaded(optical, all_axes, plan_text(file_of_256()));
    // With one circuit of each generator the price is exact.
    CHECK(times_of(run, Mode::analytic) ==
          std::vector<Duration>{Duration{601'920}, Duration{1'695'360}, Duration{1'121'920}, Duration{1'121'920}});
    // 7 flits; twice 26 of 16 KiB; twice 4 of 2 KiB; the same.
    constexpr std::int64_t flit = 12'800;
    CHECK(times_of(run, Mode::flit) ==
          std::vector<Duration>{Duration{520'000 + 7 * flit}, Duration{2 * (520'000 + 26 * flit)},
                                Duration{2 * (520'000 + 4 * flit)}, Duration{2 * (520'000 + 4 * flit)}});
}

TEST_CASE("on packet switches a plan places ranks and leaves schedules alone") {
    const LoadedRun run = loaded(electronic, all_axes, plan_text(file_of_256()));
    CHECK(run.workload.collectives[3].collective.groups[0][1] == 8);
    CHECK(run.workload.collectives[3].collective.schedule == ScheduleKind::automatic);
    CHECK_FALSE(run.workload.collectives[3].collective.layers.given());
}

TEST_CASE("a workload may name other schedules and sizes, which run on the planned blocks") {
    const LoadedRun run = loaded(optical,
                                 meshes +
                                     "collectives:\n"
                                     "- {primitive: all-reduce, axis: ffn.ep, bytes: 1 MiB, schedule: rs-ag}\n"
                                     "- {primitive: all-reduce, axis: ffn.ep, bytes: 8 KiB}\n"
                                     "- {primitive: all-reduce, axis: ffn.ep, bytes: 64 MiB}\n"
                                     "- {primitive: all-gather, axis: ffn.ep, bytes: 64 MiB}\n"
                                     "- {primitive: all-reduce, group: world, bytes: 1 KiB}\n",
                                 plan_text(file_of_256()));
    CHECK(run.workload.collectives[0].collective.schedule == ScheduleKind::rs_ag);
    CHECK(run.workload.collectives[0].collective.layers.generators.size() == 2);
    CHECK(run.workload.collectives[1].collective.schedule == ScheduleKind::coset_factored_parallel);
    CHECK(run.workload.collectives[2].collective.schedule == ScheduleKind::rs_ag_parallel);
    CHECK(run.workload.collectives[3].collective.schedule == ScheduleKind::rs_ag_parallel);
    CHECK(run.workload.collectives[3].collective.layers.generators.size() == 2);
    CHECK(run.workload.collectives[4].collective.schedule == ScheduleKind::automatic);
    CHECK(run.workload.collectives[4].collective.group.empty());
}

TEST_CASE("a schedule that one collective names is not that of another of the same size") {
    PlanFile file = file_of_256();
    PlannedAxis& ep = file.plan.meshes[1].axes[0];
    PlannedCollective slow = ep.collectives.front();
    slow.collective.schedule = ScheduleKind::rs_ag;
    slow.time = Duration{3'000'000};
    ep.collectives.insert(ep.collectives.begin(), slow);
    file.plan.total = file.plan.bound = file.plan.total + slow.time;
    const LoadedRun run = loaded(optical,
                                 meshes +
                                     "collectives:\n"
                                     "- {primitive: all-reduce, axis: ffn.ep, bytes: 4 KiB, schedule: rs-ag}\n"
                                     "- {primitive: all-reduce, axis: ffn.ep, bytes: 4 KiB}\n",
                                 plan_text(file));
    CHECK(run.workload.collectives[0].collective.schedule == ScheduleKind::rs_ag);
    CHECK(run.workload.collectives[1].collective.schedule == ScheduleKind::coset_factored_parallel);
}

TEST_CASE("meshes and axes that a plan does not know are refused where the workload names them") {
    const std::string plan = plan_text(file_of_256());
    const std::string end = "collectives: [{primitive: all-reduce, bytes: 1 KiB}]\n";
    CHECK(refusal(optical, "meshes: {decode: {a: 4, b: 64}}\n" + end, plan) ==
          "w.yaml:1:18: the plan has no mesh `decode`; it has `attention` (kvp 4 x tpa 64), `ffn` (ep 16 x tpe 16)");
    CHECK(refusal(optical, "meshes: {ffn: {ep: 64, tpe: 4}}\n" + end, plan) ==
          "w.yaml:1:15: `meshes.ffn` is ep 64 x tpe 4; in the plan it is ep 16 x tpe 16");
    PlanFile bare = file_of_256();
    PlannedAxis& kvp = bare.plan.meshes[0].axes[0];
    kvp.blocks.clear();
    kvp.collectives.clear();
    kvp.degree = kvp.multiplicity = 0;
    bare.plan.total = bare.plan.bound = bare.plan.total - Duration{601'920};
    CHECK(refusal(optical, all_axes, plan_text(bare)) ==
          "w.yaml:3:33: the plan has no circuits for `attention.kvp`; it has some for `attention.tpa`, `ffn.ep`, "
          "`ffn.tpe`");
}

TEST_CASE("a plan that contradicts itself is refused with its place") {
    const std::string plan = plan_text(file_of_256());
    const auto fault = [&](const std::string& from, const std::string& to) {
        return refusal(optical, all_axes, replaced(plan, from, to));
    };
    CHECK_THAT(fault("\"00000001\"", "\"0001\""),
               Contains("`generators.0` is `0001`, of 4 bits; expected 8 for 256 ranks"));
    CHECK_THAT(fault("\"00000010\"", "\"00000001\""), Contains("`generators.1` is `00000001`, which stands there "
                                                               "before; use `multiplicity`"));
    CHECK_THAT(fault("multiplicity: [1, 1, ", "multiplicity: [1, "),
               Contains("`multiplicity` has 16 numbers; expected 17, one for each generator"));
    CHECK_THAT(fault("ports_used: 17", "ports_used: 16"),
               Contains("`ports_used` is 16; the sum of `multiplicity` is 17"));
    CHECK_THAT(fault("ports: 18", "ports: 16"), Contains("`ports` is 16, but the circuits need 17"));
    CHECK_THAT(fault("degree: 17", "degree: 18"), Contains("`degree` is 18; there are 17 generators"));
    CHECK_THAT(fault("bits: [7, 6]", "bits: [7, 5]"),
               Contains("p.yaml:") && Contains("must hold every bit of `bits` once"));
    CHECK_THAT(fault("bits: [7, 6]", "bits: [7]"), Contains("`meshes.0.axes.0.bits` has 1 bits for a size of 4"));
    CHECK_THAT(fault("bits: [5, 4, 3, 2, 1, 0]", "bits: [6, 4, 3, 2, 1, 0]"),
               Contains("`meshes.0.axes.1.bits` names bit 6, which is taken already"));
    CHECK_THAT(fault("blocks: [[5, 4, 3], [2, 1, 0]]", "blocks: [[5, 4, 3, 2], [1, 0]]"),
               Contains("need 1 circuits of generator `00111100`; there are 0"));
    CHECK_THAT(fault("schedule: one-shot-dvo", "schedule: bruck"),
               Contains("is `bruck`, which carries out no all-reduce"));
    CHECK_THAT(fault("total: 4541120 ps", "total: 4 us"),
               Contains("`total` is 4 us; calls times time add up to 4541120 ps"));
    CHECK_THAT(fault("bound: 4541120 ps", "bound: 4 us"),
               Contains("`bound` is 4 us; expected 4541120 ps, the total of a plan that is optimal"));
    CHECK_THAT(fault("name: ffn", "name: attention"), Contains("the name of a mesh before"));
    CHECK_THAT(fault("ranks: 256", "ranks: 257"),
               Contains("`radices` must be the prime factors of 257 ranks in any order: 257"));
    CHECK_THAT(fault("space:", "spade:"), Contains("unknown key `spade`; did you mean `space`?"));
}

namespace {

// Meshes of 4 x 3 and 2 x 6 on one optical level.
PlanFile file_of_12() {
    PlanFile file;
    file.request.ranks = 12;
    file.request.ports = 9;
    file.request.same_port = true;
    file.request.latency = file.request.latency_across = Duration{520'000};
    const auto axis = [](const char* name, std::uint32_t size) {
        return PlanAxis{name, size, {{Primitive::all_reduce, Bytes{4096}}}};
    };
    file.request.meshes = {{"attention", {axis("kvp", 4), axis("tpa", 3)}}, {"ffn", {axis("ep", 2), axis("tpe", 6)}}};
    file.plan = plan(file.request);
    return file;
}

const std::string twelve =
    "{fabric: single-level, device: ocs, accelerators: 12, ports: 9, port_rate: 400 Gb/s, "
    "responses: none, circuits: p.yaml}";
const std::string axes_of_12 =
    "meshes: {attention: {kvp: 4, tpa: 3}, ffn: {ep: 2, tpe: 6}}\n"
    "collectives:\n"
    "- {primitive: all-reduce, axis: attention.kvp, bytes: 4 KiB}\n"
    "- {primitive: all-reduce, axis: attention.tpa, bytes: 4 KiB}\n"
    "- {primitive: all-reduce, axis: ffn.ep, bytes: 4 KiB}\n"
    "- {primitive: all-reduce, axis: ffn.tpe, bytes: 4 KiB}\n";

}  // namespace

TEST_CASE("a plan for twelve ranks is written with the digits of its labels, and followed") {
    const PlanFile file = file_of_12();
    const std::string text = plan_text(file);
    CHECK_THAT(text, Contains("radices: [2, 2, 3]\n") && Contains("generators: [\"(1,0,0)\", "));
    const LoadedRun run = loaded(twelve, axes_of_12, text);
    const auto fabric = build_fabric(run.fabric);
    CHECK(faults_of_generators(fabric->graph, labels_of(file.plan), file.plan.generators, file.plan.copies).empty());
    Duration total{0};
    for (const Duration time : times_of(run, Mode::analytic)) {
        total += time;
    }
    CHECK(total <= file.plan.total);
    const LoadedRun by_cable = loaded(replaced(twelve, "single-level, device: ocs", "direct"), axes_of_12, text);
    CHECK(faults_of_generators(build_fabric(by_cable.fabric)->graph, labels_of(file.plan), file.plan.generators,
                               file.plan.copies)
              .empty());
}

TEST_CASE("digits, labels and ports of a plan for twelve ranks are checked") {
    const std::string good = plan_text(file_of_12());
    const auto fault = [&](const std::string& from, const std::string& to) {
        return refusal(twelve, axes_of_12, replaced(good, from, to));
    };
    CHECK_THAT(fault("radices: [2, 2, 3]", "radices: [4, 3]"),
               Contains("`radices` must be the prime factors of 12 ranks in any order: 2, 2, 3"));
    CHECK_THAT(fault("radices: [2, 2, 3]\n", ""), Contains("`radices` must be the prime factors of 12 ranks"));
    CHECK_THAT(fault("\"(1,0,0)\"", "\"(2,0,0)\""), Contains("`generators.0` is `(2,0,0)`; expected a label such as"));
    CHECK_THAT(fault("\"(1,0,0)\"", "\"(1,0)\""), Contains("expected a label such as `(1,0,0)`"));
    CHECK_THAT(fault("\"(1,0,0)\"", "\"01\""), Contains("expected a label such as `(1,0,0)`"));
    CHECK_THAT(fault("\"(1,0,0)\"", "\"(0,0,0)\""), Contains("it would join each accelerator to itself"));
    CHECK_THAT(fault("\"(0,0,2)\"", "\"(1,1,2)\""),
               Contains("`generators.3` is `(0,0,1)`; `(0,0,2)`, which leads back, must have as many circuits"));
    CHECK_THAT(fault("ranks: 12", "ranks: 16"), Contains("`radices` goes with ranks that are no power of two"));
    CHECK_THAT(refusal(replaced(twelve, "ports: 9", "ports: 4"), axes_of_12, good),
               Contains("ports of each accelerator") && Contains("there are 4 (`ports`)"));
}

TEST_CASE("a topology that does not fit its plan is refused") {
    const std::string plan = plan_text(file_of_256());
    CHECK(refusal(replaced(optical, "accelerators: 256", "accelerators: 128"),
                  "collectives: [{primitive: all-reduce, "
                  "bytes: 1 KiB}]",
                  plan)
              .find("t.yaml:1:") == 0);
    CHECK_THAT(refusal(replaced(optical, "ports: 18", "ports: 16"), all_axes, plan),
               Contains("the plan needs 17 ports of each accelerator; there are 16 (`ports`)"));
    CHECK_THAT(refusal(replaced(optical, "p.yaml", "q.yaml"), all_axes, plan), Contains("q.yaml"));
    CHECK_THAT(refusal(replaced(optical, "p.yaml", "p.yaml, placement: ./q.yaml"), all_axes, plan),
               Contains("expected one plan for both"));
    CHECK(refusal(replaced(optical, "p.yaml", "p.yaml, placement: p.yaml"), all_axes, plan) == "accepted");
}

TEST_CASE("a plan may leave accelerators apart where nothing runs, and axes of one rank without a schedule") {
    PlanFile file;
    file.request.ranks = 16;
    file.request.ports = 8;
    file.request.latency = file.request.latency_across = Duration{520'000};
    const PlanCollective sum{Primitive::all_reduce, Bytes{4096}};
    file.request.meshes = {{"a", {{"s", 4, {}}, {"l", 4, {sum}}}}, {"b", {{"one", 1, {sum}}, {"all", 16, {}}}}};
    file.plan = plan(file.request);
    const std::string topology =
        "{fabric: single-level, device: ocs, accelerators: 16, ports: 8, port_rate: 400 Gb/s, responses: none, "
        "circuits: p.yaml}";
    const std::string workload =
        "meshes: {a: {s: 4, l: 4}, b: {one: 1, all: 16}}\n"
        "collectives:\n"
        "- {primitive: all-reduce, axis: a.l, bytes: 4 KiB}\n"
        "- {primitive: all-reduce, axis: b.one, bytes: 4 KiB}\n";
    const LoadedRun run = loaded(topology, workload, plan_text(file));
    CHECK(describe(*build_fabric(run.fabric)).parts == 4);
    const LoadedRun whole = loaded(topology, workload + "- {primitive: all-reduce, bytes: 4 KiB}\n", plan_text(file));
    CHECK_THROWS_WITH(times_of(whole, Mode::analytic), Contains("the circuits do not join the group"));
    CHECK_THAT(refusal(replaced(topology, "p.yaml", "auto"),
                       "meshes: {b: {one: 1, all: 16}}\n"
                       "collectives: [{primitive: all-reduce, axis: b.one, bytes: 4 KiB}]\n",
                       ""),
               Contains("no axis of more than one rank has a collective"));
}

TEST_CASE("`circuits: auto` plans for the workload first, and says so") {
    const std::string automatic =
        "{fabric: direct, accelerators: 16, ports: 5, port_rate: 400 Gb/s, responses: none, "
        "latency: {egress: {protocol: 140 ns}}, circuits: auto}";
    const std::string workload =
        "meshes: {a: {s: 2, l: 8}, b: {s: 4, l: 4}}\n"
        "collectives:\n"
        "- {primitive: all-reduce, axis: a.s, bytes: 1 KiB}\n"
        "- {primitive: all-reduce, axis: a.l, bytes: 1 KiB}\n"
        "- {primitive: all-reduce, axis: b.s, bytes: 1 KiB}\n"
        "- {primitive: all-reduce, axis: b.l, bytes: 1 KiB}\n";
    const LoadedRun run = loaded(automatic, workload, "");
    CHECK(run.planned == "5 generators on 5 of 5 ports, 3.20192 us in all, optimal");
    Duration total{0};
    for (const Duration time : times_of(run, Mode::analytic)) {
        total += time;
    }
    CHECK(total == Duration{3'201'920});
    CHECK_THAT(run.configuration, Contains("\"circuits\":\"auto\""));
    CHECK(refusal(automatic, "collectives: [{primitive: all-reduce, group: [0, 1], bytes: 1 KiB}]", "") ==
          "w.yaml:1:46: a plan serves all ranks and axes of meshes, not a group of its own; name a mesh with such "
          "groups");
    CHECK_THAT(refusal(replaced(automatic, "ports: 5", "ports: 3"), workload, ""), Contains("`circuits: auto`: "));
}

TEST_CASE("a schedule that a workload names is not that of an equal collective which leaves it open") {
    const LoadedRun run = loaded("{fabric: direct, accelerators: 16, ports: 8, port_rate: 400 Gb/s, circuits: auto}",
                                 "meshes: {m: {a: 4, b: 4}}\n"
                                 "collectives:\n"
                                 "- {primitive: all-reduce, axis: m.a, bytes: 4 MiB, schedule: rs-ag}\n"
                                 "- {primitive: all-reduce, axis: m.a, bytes: 4 MiB}\n"
                                 "- {primitive: all-reduce, axis: m.b, bytes: 4 MiB}\n",
                                 "");
    CHECK(run.workload.collectives[0].collective.schedule == ScheduleKind::rs_ag);
    CHECK(run.workload.collectives[1].collective.schedule == ScheduleKind::rs_ag_parallel);
}
