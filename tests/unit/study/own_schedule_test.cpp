// Schedules of one's own and tables of sizes, from the file to the result.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/run.hpp>
#include <simlette/study/schedule_file.hpp>

#include <support/overlays.hpp>
#include <support/run.hpp>

namespace simlette {
namespace {

namespace fs = std::filesystem;

// A folder of its own for one test.
class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / "simlette-own-schedule-test") {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

private:
    fs::path path_;
};

// A schedule as one would write it: a send for each piece.
ScheduleSpec spec_of(const Schedule& schedule) {
    ScheduleSpec spec{"own", schedule.symmetry, schedule.ranks, schedule.blocks, schedule.slices, {}};
    const bool written_out = schedule.symmetry == Symmetry::none;
    for (const Phase& phase : schedule.phases) {
        spec.phases.push_back({phase.effect, {}});
        for (std::uint32_t rank = 0; rank < (written_out ? schedule.ranks : 1); ++rank) {
            for (const Send& send : schedule.sends_of(phase, rank)) {
                for (const Piece& piece : schedule.pieces_of(send)) {
                    ScheduleSpec::Send one{std::nullopt, send.peer, {piece.block}, {piece.slice}, {}};
                    if (written_out) {
                        one.from = rank;
                    }
                    if (phase.effect == Effect::collect) {
                        one.sources = {piece.source};
                    }
                    spec.phases.back().sends.push_back(one);
                }
            }
        }
    }
    return spec;
}

std::string yaml_of(const Schedule& schedule) {
    return canonical_json(write_fields(schedule_fields(), spec_of(schedule)));
}

LoadedRun load_on(const std::string& topology, const std::string& workload) {
    return load_run({topology, workload, {}, {}});
}

RunResult result_of(const LoadedRun& loaded) {
    std::vector<CollectiveSpec> collectives;
    for (const WorkloadEntry& entry : loaded.workload.collectives) {
        collectives.push_back(entry.collective);
    }
    return run(loaded.fabric, collectives);
}

std::string workload_text(const std::string& primitive, const std::string& schedule) {
    return "collectives: [{primitive: " + primitive + ", bytes: 60001 B, schedule: " + schedule + "}]";
}

const std::string eps = "topologies/single-level-eps.yaml";
const std::string ocs = "topologies/single-level-ocs.yaml";

}  // namespace

TEST_CASE("a built-in schedule written as a file gives the same history as the built-in one") {
    struct Case {
        Primitive primitive;
        ScheduleKind kind;
        std::string primitive_name;
        std::string name;
        std::string topology;
    };
    const std::vector<Case> cases{
        {Primitive::all_reduce, ScheduleKind::ring, "all-reduce", "ring", eps},
        {Primitive::all_reduce, ScheduleKind::one_shot, "all-reduce", "one-shot", ocs},
        {Primitive::all_to_all, ScheduleKind::pairwise, "all-to-all", "pairwise", eps},
        {Primitive::all_to_all, ScheduleKind::direct, "all-to-all", "direct", eps},
        {Primitive::all_reduce, ScheduleKind::coset_factored_parallel, "all-reduce", "coset-factored-parallel", ocs},
        {Primitive::broadcast, ScheduleKind::one_shot, "broadcast", "one-shot", ocs},
    };
    const Folder folder;
    for (const Case& one : cases) {
        INFO(one.primitive_name << ' ' << one.name);
        const Overlay overlay = one.topology == eps ? complete_overlay(32) : cube_overlay(5);
        folder.file("own.yaml", yaml_of(build_schedule(one.primitive, one.kind, overlay)));
        const RunResult own =
            result_of(load_on(one.topology, folder.file("w.yaml", workload_text(one.primitive_name, "own.yaml"))));
        const RunResult built_in =
            result_of(load_on(one.topology, folder.file("w.yaml", workload_text(one.primitive_name, one.name))));
        CHECK(first_difference(own.messages, built_in.messages) == "");
        CHECK(own.hash == built_in.hash);
        CHECK(own.ends == built_in.ends);
    }
}

TEST_CASE("a schedule of one's own runs in all modes under its name, and the configuration holds it") {
    const RunInputs inputs{"topologies/two-level-eps-16.yaml", "workloads/racks-of-four.yaml", {}, {}};
    const LoadedRun loaded = load_run(inputs);
    CHECK(loaded.named_files == std::vector<std::string>{"workloads/schedules/racks-of-four.yaml"});
    CHECK(loaded.configuration.find("\"schedule\":{\"blocks\":16,\"name\":\"racks-of-four\"") != std::string::npos);
}

TEST_CASE("the three phases of the square take three times a path and a buffer over one port, in every mode") {
    const RunInputs inputs{"docs/tutorial/four-accelerators.yaml", "workloads/square.yaml", {}, {}};
    const auto report_in = [&](Mode mode) {
        RunControl control;
        control.mode = mode;
        return simlette::run(load_run(inputs), inputs, control);
    };
    for (const Mode mode : {Mode::flit, Mode::message, Mode::analytic}) {
        const RunReport report = report_in(mode);
        REQUIRE(report.outcome == Outcome::finished);
        CHECK(report.collectives[0].collective.schedule == "square");
        CHECK(report.collectives[0].collective.form == "own");
        CHECK(report.collectives[0].collective.phases == 3);
        // 65,536 bytes are 102.4 flits of 12.8 ns: 103 whole ones, and one stored in the switch.
        const std::int64_t phase_ps = 810'000 + (mode == Mode::analytic ? 1'310'720 : 104 * 12'800);
        CHECK(report.collectives[0].collective.end.ps == 3 * phase_ps);
    }
}

TEST_CASE("a change in a schedule's file changes the hash of the configuration") {
    const Folder folder;
    const std::string workload =
        folder.file("w.yaml", "collectives: [{primitive: broadcast, group: 0..1, bytes: 1 KiB, schedule: own.yaml}]");
    const std::string start = "{name: own, ranks: 2, phases: [{effect: replace, sends: [{from: 0, to: 1}]}";
    folder.file("own.yaml", start + "]}");
    const std::string before = load_on(eps, workload).configuration_hash;
    CHECK(load_on(eps, workload).configuration_hash == before);
    folder.file("own.yaml", start + ", {effect: replace, sends: [{from: 1, to: 0}]}]}");
    CHECK(load_on(eps, workload).configuration_hash != before);
}

TEST_CASE("a schedule that leaves the circuits is refused with its ranks") {
    const Folder folder;
    folder.file("own.yaml",
                yaml_of(build_schedule(Primitive::all_reduce, ScheduleKind::two_shot, complete_overlay(32))));
    const RunInputs inputs{ocs, folder.file("w.yaml", workload_text("all-reduce", "own.yaml")), {}, {}};
    CHECK_THROWS_WITH(
        simlette::run(load_run(inputs), inputs),
        Catch::Matchers::Contains("schedule `own` sends from rank 0 to rank 3, but no circuit joins them"));
}

TEST_CASE("a caller's own schedule is refused with what is wrong") {
    Simulator simulator(build_fabric(packet_fabric(4, 2)));
    const auto refusal = [&](const ScheduleSpec& schedule) -> std::string {
        CollectiveSpec collective = all_reduce(640, ScheduleKind::automatic);
        collective.own_schedule = std::make_shared<const ScheduleSpec>(schedule);
        try {
            simulator.register_collective(collective);
        } catch (const Error& error) {
            return error.what();
        }
        return "registered";
    };
    ScheduleSpec doubling{"mine", Symmetry::exclusive_or, 4, 1, 1, {}};
    doubling.phases = {{Effect::reduce, {{std::nullopt, 1, {}, {}, {}}}},
                       {Effect::reduce, {{std::nullopt, 2, {}, {}, {}}}}};
    CHECK(refusal(doubling) == "registered");
    doubling.phases[1].sends[0].to = 1;
    CHECK(refusal(doubling) == "schedule `mine` is wrong: phase 1: rank 1 to rank 0, slice 0 would count rank 1 twice");
    doubling.phases[1].sends[0].to = 4;
    CHECK(refusal(doubling) == "schedule `mine`: `phases.1.sends.0.to` is 4; expected 0 to 3");
    doubling.phases[1].sends[0].to = 2;
    doubling.ranks = 8;
    doubling.phases.push_back({Effect::reduce, {{std::nullopt, 4, {}, {}, {}}}});
    CHECK(refusal(doubling) == "schedule `mine` is for 8 ranks, but the group has 4");
}

TEST_CASE("sizes from a file and from the workload are one configuration") {
    const Folder folder;
    const auto with_sizes = [&](const std::string& sizes) {
        return load_on(eps, folder.file("w.yaml", "collectives: [{primitive: all-to-all, group: 0..1, sizes: " + sizes +
                                                      ", schedule: direct}]"));
    };
    folder.file("sizes.csv", "# bytes\n7, 1024\r\n 2048,0\n");
    const LoadedRun file = with_sizes("sizes.csv");
    CHECK(file.configuration == with_sizes("[[0, 1 KiB], [2 KiB, 9 B]]").configuration);
    CHECK(file.workload.collectives[0].collective.bytes == Bytes{2048});
    CHECK(file.workload.collectives[0].collective.sizes->at(0).at(1) == Bytes{1024});
}

}  // namespace simlette
