#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/study/sweep.hpp>

namespace simlette {
namespace {

const StudyInputs inputs{"tests/golden/sweep.yaml", {{"study.vary", "{topology.buffers: [8 flits, unlimited]}"}}, {}};
constexpr std::size_t runs = 32;  // eight of them refused

SweepControl control_of(unsigned jobs) {
    SweepControl control;
    control.jobs = jobs;
    return control;
}

std::string result_of(unsigned jobs) {
    const Study study(inputs);
    SweepStore store("", study, Database::Access::shared);
    CHECK(sweep(study, store, control_of(jobs)));
    return sweep_csv(store.table({}));
}

}  // namespace

TEST_CASE("the results of a sweep do not depend on how many threads run it") {
    const std::string one = result_of(1);
    CHECK(result_of(4) == one);
    CHECK(one.find(",finished,") != std::string::npos);
    CHECK(one.find(",refused,") != std::string::npos);
}

TEST_CASE("what is in the store is not run again, and its results stay") {
    const Study study(inputs);
    SweepStore store("", study, Database::Access::shared);
    const std::string run = study.points()[3].run;
    store.add({run,
               study.points()[3].configuration_hash,
               "{}",
               Mode::flit,
               "finished",
               "",
               {{{"completion_ps", std::int64_t{42}}}, {}, "[]"}});
    std::size_t told = 0;
    SweepControl control = control_of(2);
    control.progress_interval = 0;
    control.progress = [&](const SweepProgress& progress) {
        CHECK(progress.runs == runs);
        CHECK(progress.before == 1);
        told = progress.done;
    };
    CHECK(sweep(study, store, control));
    CHECK(told == runs);
    CHECK(store.finished().size() == runs);
    CHECK(*store.table({"completion_ps"}).rows[3].results[0] == ScalarValue(std::int64_t{42}));
}

TEST_CASE("a sweep that is stopped keeps only whole runs") {
    const Study study(inputs);
    SweepStore store("", study, Database::Access::shared);
    std::atomic<bool> stop{false};
    SweepControl control = control_of(1);
    control.progress_interval = 0;
    control.progress = [&](const SweepProgress& progress) { stop = progress.done >= 3; };
    control.stop = &stop;
    CHECK_FALSE(sweep(study, store, control));
    CHECK(store.finished().size() >= 3);
    CHECK(store.finished().size() < runs);
    const SweepTable table = store.table({"completion_ps"});
    for (const SweepRow& row : table.rows) {
        CHECK((row.outcome == "finished") == row.results[0].has_value());
    }
    CHECK(sweep(study, store, control_of(1)));
    CHECK(sweep_csv(store.table({})) == result_of(1));
}

TEST_CASE("shares divide the runs of a study, each run once") {
    const Study study(inputs);
    std::set<std::string> all;
    std::size_t count = 0;
    for (std::size_t share = 0; share < 3; ++share) {
        SweepStore store("", study, Database::Access::shared);
        SweepControl control = control_of(1);
        control.share = share;
        control.shares = 3;
        control.finished = {study.points()[1].run};  // of share 1
        CHECK(sweep(study, store, control));
        count += store.finished().size();
        for (const std::string& run : store.finished()) {
            all.insert(run);
        }
        CHECK(store.finished().size() == (share == 0 ? 11 : 10));
    }
    CHECK(count == runs - 1);
    CHECK(all.size() == runs - 1);
}

TEST_CASE("what a refused point leaves in the store does not depend on who comes first") {
    const std::string file = (std::filesystem::temp_directory_path() / "simlette-sweep-test.sqlite").string();
    std::vector<std::string> kept;
    for (const char* modes : {"[message, flit]", "[flit, message]"}) {  // message mode cannot carry it
        const Study study({"workloads/studies/buffers.yaml",
                           {{"study.mode", modes},
                            {"study.vary", "{topology.fidelity: [ualink]}"},
                            {"study.topologies", "../../topologies/single-level-eps.yaml"}},
                           {}});
        std::filesystem::remove(file);
        SweepStore store(file, study, Database::Access::shared);
        CHECK(sweep(study, store, control_of(1)));
        Database database(file, Database::Access::shared);
        CHECK(database.number("SELECT count(*) FROM runs WHERE outcome = 'refused'") == 1);
        Statement select = database.prepare("SELECT assumptions FROM configurations");
        REQUIRE(select.step());
        kept.push_back(select.text(0));
        CHECK_FALSE(select.step());
    }
    std::filesystem::remove(file);
    CHECK(kept[0].find("buffer-sizes") != std::string::npos);
    CHECK(kept[0] == kept[1]);
}

TEST_CASE("what was taken from a share is in the file itself when the share may go") {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "simlette-take-test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const auto file = [&folder](const char* name) { return (folder / name).string(); };
    const Study study(inputs);
    {
        SweepStore share(file("share"), study, Database::Access::alone);
        CHECK(sweep(study, share, control_of(1)));
    }
    SweepStore store(file("all"), study, Database::Access::shared);
    store.take(file("share"));
    std::filesystem::copy_file(file("all"), file("without-log"));  // all that is sure to be on the disk
    CHECK(finished_in(file("without-log")).size() == runs);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a store in memory is empty, and a folder is none") {
    const Study study(inputs);
    CHECK(SweepStore("", study, Database::Access::shared).finished().empty());
    CHECK_THROWS_AS(SweepStore("topologies", study, Database::Access::shared), Error);
}

TEST_CASE("the table of a sweep shows what varies, times in us") {
    const Study study(
        {"workloads/studies/buffers.yaml", {{"study.topologies", "../../topologies/single-level-eps.yaml"}}, {}});
    SweepStore store("", study, Database::Access::shared);
    CHECK(sweep(study, store, control_of(2)));
    CHECK(sweep_table(store.table(study.record())) ==
          "  topology.buffers  completion us  credits.stall_max_port us\n"
          "           8 flits        29.3746                    23.4318\n"
          "          16 flits         14.962                     9.0192\n"
          "          32 flits         7.9948                      2.052\n"
          "          64 flits         5.9428                          0\n"
          "         unlimited         5.9428                          0\n");
}

}  // namespace simlette
