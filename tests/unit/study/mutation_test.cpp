// Shipped files with random damage: read or refused, never worse. A failure prints the seed that replays it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/base/random.hpp>
#include <simlette/study/document.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/schedule_file.hpp>
#include <simlette/study/study.hpp>
#include <simlette/study/study_file.hpp>
#include <simlette/study/topology_file.hpp>
#include <simlette/study/workload_file.hpp>

namespace simlette {
namespace {

const std::vector<std::string> fragments{"[",
                                         "]",
                                         "{",
                                         "}",
                                         ": ",
                                         "- ",
                                         "? ",
                                         "&a ",
                                         "*a ",
                                         "!t ",
                                         "|\n",
                                         ">\n",
                                         "\"",
                                         "'",
                                         "#",
                                         "\t",
                                         "\n",
                                         "\r\n",
                                         "---\n",
                                         "...\n",
                                         "<<: ",
                                         "\xEF\xBB\xBF",
                                         "\xC3\xA9",
                                         "\xFF",
                                         std::string(1, '\0'),
                                         ",",
                                         "9223372036854775808",
                                         "-1",
                                         ".nan",
                                         "1e9",
                                         "~",
                                         "true",
                                         "latency: {base: nominal}",
                                         "0..7",
                                         "unlimited",
                                         "circuits: {ports: [[[0, 1]]]}",
                                         "direct"};

std::string text_of(const std::string& path) {
    Problems problems;
    Source& source = problems.add_source(path, true);
    REQUIRE(read_bytes(source, problems));
    return source.text;
}

void damage(std::string& text, const std::vector<std::string>& originals, Random& random) {
    const std::size_t at = random.below(text.size() + 1);
    const std::string& other = originals[random.below(originals.size())];
    switch (random.below(4)) {
        case 0:
            text.insert(at, fragments[random.below(fragments.size())]);
            break;
        case 1:
            text.erase(at, random.below(12));
            break;
        case 2:
            text.insert(at, 1, static_cast<char>(random.below(256)));
            break;
        default:
            text.insert(at, other.substr(random.below(other.size()), random.below(60)));
    }
}

// What is said about a text; empty: it is read.
std::string verdict(const std::string& text) {
    Problems problems;
    Source& source = problems.add_source("f", true);
    source.text = text;
    Node root;
    NamedFiles files(problems);
    FabricSpec fabric;
    fabric.accelerators = 32;
    try {
        if (normalize_text(source, problems) && parse_document(source, problems, root)) {
            canonical_json(write_fields(topology_fields(), read_topology(root, problems, files)));
            canonical_json(write_fields(workload_fields(), read_workload(root, problems, fabric, files)));
            canonical_json(write_fields(study_fields(), read_study(root, problems)));
            ScheduleSpec schedule;
            const Value file(root, "", problems);
            if (read_schedule(file, schedule)) {
                prove_schedule(file, schedule, Primitive::all_reduce);
            }
        }
        problems.raise_any();
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a damaged file is read or refused with a place") {
    std::vector<std::string> originals;
    for (const char* path :
         {"topologies/single-level-eps.yaml", "topologies/single-level-ocs.yaml", "topologies/hybrid-512.yaml",
          "topologies/explicit-two-rows.yaml", "topologies/torus-4x4.yaml", "workloads/one-shot.yaml",
          "topologies/profiles/latencies.yaml", "workloads/studies/buffers.yaml", "tests/golden/sweep.yaml",
          "workloads/schedules/square.yaml", "workloads/schedules/racks-of-four.yaml", "workloads/experts-4.yaml"}) {
        originals.push_back(text_of(path));
    }
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        Random random(seed);
        std::string text = originals[random.below(originals.size())];
        for (std::uint64_t times = 1 + random.below(5); times > 0; --times) {
            damage(text, originals, random);
        }
        INFO("seed " << seed);
        CHECK(verdict(text).rfind("f", 0) == 0);  // a file cannot be a topology and a workload
    }
}

TEST_CASE("a damaged study is crossed or refused") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / "simlette-mutation-test";
    fs::remove_all(folder);
    fs::create_directories(folder / "tests/golden");
    fs::create_directory_symlink(fs::current_path() / "topologies", folder / "topologies");
    fs::create_directory_symlink(fs::current_path() / "workloads", folder / "workloads");
    const std::string path = (folder / "tests/golden/study.yaml").string();
    const std::vector<std::string> originals{text_of("tests/golden/sweep.yaml"),
                                             text_of("topologies/single-level-eps.yaml")};
    int crossed = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        std::string text = originals.front();
        damage(text, originals, random);
        std::ofstream(path, std::ios::binary) << text;
        INFO("seed " << seed);
        try {
            crossed += Study({path, {}, {}}).points().empty() ? 0 : 1;
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::input);
            CHECK(error.problems().size() <= 20);
        }
    }
    fs::remove_all(folder);
    CHECK(crossed > 5);
    CHECK(crossed < 95);
}

}  // namespace simlette
