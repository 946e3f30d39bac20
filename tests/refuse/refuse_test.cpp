// Bad inputs and the exact text of what is said about them. Runs in the root of the tree.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/study.hpp>

namespace simlette {
namespace {

namespace fs = std::filesystem;

const char* const topology = "topologies/single-level-eps.yaml";
const char* const workload = "workloads/one-shot.yaml";

std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

template <class Load>
std::string refusal_of(const Load& load) {
    try {
        load();
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        CHECK(error.problems().size() <= 20);
        return error.what();
    }
    return "accepted";
}

std::string refusal(const RunInputs& inputs) {
    return refusal_of([&] { load_run(inputs); });
}

std::string refusal(const StudyInputs& inputs) {
    return refusal_of([&] { const Study study(inputs); });
}

std::string refusal_of_topology(const std::string& path) {
    return refusal(RunInputs{path, workload, {}, {}});
}

std::vector<fs::path> bad_files() {
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator("tests/refuse")) {
        if (entry.path().extension() == ".yaml") {
            paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

// A folder of its own for files that cannot be kept in the tree.
class Scratch {
public:
    Scratch() : folder_(fs::temp_directory_path() / "simlette-refuse-test") {
        fs::remove_all(folder_);
        fs::create_directory(folder_);
    }
    ~Scratch() { fs::remove_all(folder_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    std::string file(const std::string& bytes) const {
        std::ofstream(path("file.yaml"), std::ios::binary) << bytes;
        return path("file.yaml");
    }

private:
    fs::path folder_;
};

std::string in_utf16(const std::string& text, bool big_endian) {
    std::string bytes;
    for (const char c : text) {
        bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
    }
    return bytes;
}

}  // namespace

TEST_CASE("every bad file is refused with the text beside it") {
    REQUIRE(bad_files().size() > 30);
    for (const fs::path& path : bad_files()) {
        const std::string file = path.generic_string();
        INFO(file);
        const std::string name = path.filename().string();
        const std::string said = name.rfind("study-", 0) == 0      ? refusal(StudyInputs{file, {}, {}})
                                 : name.rfind("workload-", 0) == 0 ? refusal(RunInputs{topology, file, {}, {}})
                                                                   : refusal(RunInputs{file, workload, {}, {}});
        CHECK(said + '\n' == text_of(fs::path(path).replace_extension(".expect")));
    }
}

TEST_CASE("bytes that are no text are refused with their place") {
    const Scratch scratch;
    const std::string text = text_of(topology);
    const std::vector<std::pair<std::string, std::string>> cases{
        {in_utf16(text, false), ": is UTF-16; save it as UTF-8"},
        {in_utf16(text, true), ": is UTF-16; save it as UTF-8"},
        {"\xFF\xFE" + in_utf16(text, false), ": is UTF-16; save it as UTF-8"},
        {"\x7F"
         "ELF\x02\x01\x01",
         ":1:1: control byte 0x7F; expected UTF-8 text"},
        {"fabric: direct\nports: \x01 8\n", ":2:8: control byte 0x01; expected UTF-8 text"},
        {std::string("ports: 8\0\n", 10), ":1:9: a NUL byte; expected UTF-8 text"},
        {"ports: 8\rseed: 1\n", ":1:9: a carriage return without a line feed"},
        {"# caf\xC3\xA9 \xFF\n", ":1:8: byte 0xFF is not UTF-8"},
        {"# \xC0\xAF overlong\n", ":1:3: byte 0xC0 is not UTF-8"},
        {"# \xED\xA0\x80 surrogate\n", ":1:3: byte 0xED is not UTF-8"},
        {"# \xE2\x82", ":1:3: byte 0xE2 is not UTF-8"},
        {"# \xC2\x85 next line\n", ":1:3: control character U+0085"},
        {"\xEF\xBB\xBFports: \x01\r\n", ":1:8: control byte 0x01; expected UTF-8 text"},
        {"", ": the file is empty"},
        {" \n", ": holds no values; expected a map of keys"},
        {std::string((std::size_t{16} << 20U) + 1, ' '), ": is larger than 16 MiB"},
    };
    for (const auto& example : cases) {
        const std::string path = scratch.file(example.first);
        CHECK(refusal_of_topology(path) == path + example.second);
    }
}

TEST_CASE("what is no readable file is refused by its name") {
    const Scratch scratch;
    fs::create_symlink("nowhere.yaml", scratch.path("link.yaml"));
    CHECK(refusal_of_topology("topologies") == "topologies: is a directory; expected a file");
    CHECK(refusal_of_topology("no-such.yaml") == "no-such.yaml: there is no such file");
    CHECK(refusal_of_topology(scratch.path("link.yaml")) ==
          scratch.path("link.yaml") + ": is a link to `nowhere.yaml`, which does not exist");
    CHECK(refusal_of_topology("topologies/single-level-eps.yaml/x") ==
          "topologies/single-level-eps.yaml/x: there is no such file");
    CHECK(refusal_of_topology("/proc/self/mem") == "/proc/self/mem: cannot be read: Input/output error");
}

TEST_CASE("a bad override is refused by its path") {
    const std::vector<std::pair<Override, std::string>> cases{
        {{"topology.raddix", "64"}, "unknown key `raddix`; did you mean `radix`?"},
        {{"topology.routing.polcy", "spray"}, "unknown key `polcy`; did you mean `policy`?"},
        {{"topology.jitter", "1 ns"}, "known key `jitter`, not in this version"},
        {{"topology.fabric", "two-levle"},
         "`fabric` is `two-levle`; expected single-level, two-level, direct or explicit; did you mean `two-level`?"},
        {{"topology.group", "8"}, "`group` goes with `fabric: two-level`, not with `single-level`"},
        {{"topology.accelerators", "0"}, "`accelerators` is `0`; expected a whole number, 1 to 65536"},
        {{"topology.accelerators", "[1"}, "not valid YAML: a list in brackets does not end in `]`"},
        {{"topology.accelerators", ""}, "the value is empty"},
        {{"topology.accelerators", "&a 8"}, "an anchor `&a`; write each value out where it is used"},
        {{"topology.accelerators", "\x01"}, "control byte 0x01; expected UTF-8 text"},
        {{"topology.ports.0", "8"}, "`ports` is a map; expected a whole number, 1 to 1024"},
        {{"topology.latency.swich", "150 ns"}, "unknown key `swich`; did you mean `switch`?"},
        {{"topology.radix", "16"},
         "a switch needs 32 ports, one for each accelerator, but `radix` is 16; at most 16 accelerators fit, or more "
         "on two levels"},
        {{"accelerators", "8"}, "the path names no file; did you mean `topology.accelerators`?"},
        {{"collectives.0.bytes", "1 B"}, "the path names no file; did you mean `workload.collectives.0.bytes`?"},
        {{"fabrik.ports", "8"}, "the path names no file; expected one that starts with `topology.` or `workload.`"},
        {{"topology", "8"}, "the path has an empty step; expected such as `topology.fabric`"},
        {{"topology..ports", "8"}, "the path has an empty step; expected such as `topology.fabric`"},
        {{"workload.collectives.1.bytes", "1 B"},
         "`1` is no item of `workload.collectives`, which has one item; expected 0"},
        {{"workload.collectives.ar.bytes", "1 B"},
         "`ar` is no item of `workload.collectives`, which has one item; expected 0"},
        {{"workload.collectives.0.bytes", "1"},
         "`collectives.0.bytes` is `1`; the unit is missing; expected a size in B, KiB, MiB, GiB, TiB, kB, MB, GB or "
         "TB, such as `64 KiB`"},
    };
    for (const auto& example : cases) {
        CHECK(refusal(RunInputs{topology, workload, {example.first}, {}}) ==
              "--set " + example.first.path + ": " + example.second);
    }
    CHECK(refusal(RunInputs{topology, "", {{"workload.collectives.0.bytes", "1 B"}}, {}}) ==
          "--set workload.collectives.0.bytes: the path names no file; expected one that starts with `topology.`");
    CHECK(refusal(RunInputs{topology, workload, {}, UINT64_MAX}) ==
          "--seed: `seed` is `18446744073709551615`; expected a whole number, 0 to 9223372036854775807");
}

TEST_CASE("a bad override of a study is refused by its path") {
    const std::string study = "workloads/studies/buffers.yaml";
    const auto refused = [&](const Override& override) { return refusal(StudyInputs{study, {override}, {}}); };
    CHECK(refused({"topology.buffers.request", "8 flits"}) ==
          "--set topology.buffers.request: the study varies `topology.buffers`");
    CHECK(refused({"topology.raddix", "64"}) == "--set topology.raddix: unknown key `raddix`; did you mean `radix`?");
    CHECK(refused({"study.moode", "[flit]"}) == "--set study.moode: unknown key `moode`; did you mean `mode`?");
    CHECK(refused({"study.topologies", "[x.yaml]"}) == "workloads/studies/x.yaml: there is no such file");
    CHECK(refused({"mode", "[flit]"}) ==
          "--set mode: the path names no file; expected one that starts with `topology.` or `workload.`");
    CHECK(refusal(StudyInputs{study, {}, UINT64_MAX}) ==
          "--seed: `seed` is `18446744073709551615`; expected a whole number, 0 to 9223372036854775807");
}

TEST_CASE("the problems of both files and of the overrides come in one go, in this order") {
    CHECK(refusal(RunInputs{"tests/refuse/topology-unknown-key.yaml",
                            "tests/refuse/workload-unknown-key.yaml",
                            {{"topology.seed", "x"}},
                            {}}) ==
          "tests/refuse/topology-unknown-key.yaml:7:1: unknown key `raddix`; did you mean `radix`?\n"
          "tests/refuse/workload-unknown-key.yaml:2:5: missing key `bytes` in `collectives.0`: the larger of a rank's "
          "input and output buffer, such as `64 KiB`\n"
          "tests/refuse/workload-unknown-key.yaml:2:29: unknown key `byts`; did you mean `bytes`?\n"
          "--set topology.seed: `seed` is `x`; expected a whole number, 0 to 9223372036854775807");
}

}  // namespace simlette
