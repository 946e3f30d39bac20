// The pages about files, against the tables that files are read with. Runs in the root of the tree.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include <simlette/study/load.hpp>

namespace simlette {
namespace {

using nlohmann::json;

// Paths of all keys of a schema, with `*` for the items of a list.
void add_keys(const json& rule, const std::string& path, std::set<std::string>& keys) {
    for (const auto& form : rule.value("oneOf", json::array())) {
        add_keys(form, path, keys);
    }
    if (rule.contains("items")) {
        add_keys(rule.at("items"), path + ".*", keys);
    }
    const json properties = rule.value("properties", json::object());
    for (const auto& property : properties.items()) {
        const std::string key = path.empty() ? property.key() : path + '.' + property.key();
        keys.insert(key);
        add_keys(property.value(), key, keys);
    }
}

std::set<std::string> known_keys(const std::string& kind) {
    std::set<std::string> keys;
    add_keys(json::parse(schema(kind)), "", keys);
    return keys;
}

// The first column of the table under a heading of docs/config.md.
std::set<std::string> documented_keys(const std::string& heading) {
    std::ifstream page("docs/config.md");
    REQUIRE(page);
    std::set<std::string> keys;
    bool here = false;
    const std::regex row("^\\| `([^`]+)` \\|.*");
    std::smatch match;
    for (std::string line; std::getline(page, line);) {
        here = line.rfind("## ", 0) == 0 ? line == heading : here;
        if (here && std::regex_match(line, match, row)) {
            CHECK(keys.insert(match[1]).second);
        }
    }
    return keys;
}

}  // namespace

TEST_CASE("the page about files lists every key that is read, and no other") {
    CHECK(documented_keys("## Keys of a topology") == known_keys("topology"));
    CHECK(documented_keys("## Keys of a workload") == known_keys("workload"));
    CHECK(documented_keys("## Keys of a schedule") == known_keys("schedule"));
    CHECK(documented_keys("## Keys of a plan") == known_keys("plan"));
    CHECK(documented_keys("## Keys of a study") == known_keys("study"));
}

}  // namespace simlette
