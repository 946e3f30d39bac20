#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/study/document.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/load.hpp>

namespace simlette {
namespace {

using nlohmann::json;

json schema_json(const std::string& kind) {
    return json::parse(schema(kind));
}

// A tree from a file as JSON values: plain numbers and booleans as such.
json value_of(const Node& node) {
    if (node.kind == Node::Kind::scalar) {
        const bool literal =
            node.plain && std::regex_match(node.text, std::regex("true|false|(0|[1-9][0-9]*)([.][0-9]+)?"));
        return literal ? json::parse(node.text) : json(node.text);
    }
    json value = node.kind == Node::Kind::map ? json::object() : json::array();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (node.kind == Node::Kind::map) {
            value[node.keys[i].text] = value_of(node.items[i]);
        } else {
            value.push_back(value_of(node.items[i]));
        }
    }
    return value;
}

json file_value(const std::string& path) {
    Problems problems;
    Source& source = problems.add_source(path, true);
    Node root;
    REQUIRE(load_document(source, problems, root));
    return value_of(root);
}

bool conforms(const json& value, const json& rule);

bool has_required(const json& value, const json& rule) {
    const json keys = rule.value("required", json::array());
    return std::all_of(keys.begin(), keys.end(),
                       [&](const json& key) { return value.contains(key.get<std::string>()); });
}

bool object_conforms(const json& value, const json& rule) {
    const json forms = rule.value("anyOf", json::array({json::object()}));
    const bool any =
        std::any_of(forms.begin(), forms.end(), [&](const json& form) { return has_required(value, form); });
    if (!any || !has_required(value, rule)) {
        return false;
    }
    for (const auto& member : value.items()) {
        const json properties = rule.value("properties", json::object());
        const json& other = rule.at("additionalProperties");  // false, or the rule of all other keys
        const bool named = properties.contains(member.key());
        if ((!named && other == false) || !conforms(member.value(), named ? properties.at(member.key()) : other)) {
            return false;
        }
    }
    return true;
}

bool array_conforms(const json& value, const json& rule) {
    bool good = value.size() >= rule.value("minItems", std::size_t{0});
    for (const auto& item : value) {
        good = good && conforms(item, rule.at("items"));
    }
    return good;
}

int forms_met(const json& value, const json& forms) {
    int met = 0;
    for (const auto& form : forms) {
        met += conforms(value, form) ? 1 : 0;
    }
    return met;
}

// The part of JSON Schema that the schemas use.
bool conforms(const json& value, const json& rule) {
    if (rule.empty()) {
        return true;
    }
    if (rule.contains("oneOf")) {
        return forms_met(value, rule["oneOf"]) == 1;
    }
    if (rule.contains("enum")) {
        return std::find(rule["enum"].begin(), rule["enum"].end(), value) != rule["enum"].end();
    }
    const std::string type = rule.at("type");
    if (type == "object") {
        return value.is_object() && object_conforms(value, rule);
    }
    if (type == "array") {
        return value.is_array() && array_conforms(value, rule);
    }
    if (type == "integer") {
        return value.is_number_integer() && value >= rule.at("minimum") && value <= rule.at("maximum");
    }
    if (type == "number") {
        return value.is_number() && value > rule.at("exclusiveMinimum") && value <= rule.at("maximum");
    }
    if (type == "boolean") {
        return value.is_boolean();
    }
    return value.is_string() &&
           std::regex_match(value.get<std::string>(), std::regex(rule.value("pattern", std::string(".*"))));
}

std::vector<std::string> shipped_topologies() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator("topologies")) {
        if (entry.path().extension() == ".yaml") {
            paths.push_back(entry.path().generic_string());
        }
    }
    std::sort(paths.begin(), paths.end());
    REQUIRE(paths.size() >= 15);
    return paths;
}

}  // namespace

TEST_CASE("the shipped files and every resolved configuration conform to the schemas") {
    const json topology = schema_json("topology");
    const json workload = schema_json("workload");
    CHECK(topology.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
    for (const std::string& path : shipped_topologies()) {
        INFO(path);
        CHECK(conforms(file_value(path), topology));
        const json configuration = json::parse(load_run({path, "workloads/one-shot.yaml", {}, {}}).configuration);
        CHECK(conforms(configuration.at("topology"), topology));
        CHECK(conforms(configuration.at("workload"), workload));
    }
    for (const char* name : {"square", "racks-of-four"}) {
        CHECK(conforms(file_value("workloads/schedules/" + std::string(name) + ".yaml"), schema_json("schedule")));
        CHECK_FALSE(conforms(file_value("tests/refuse/schedules/keys.yaml"), schema_json("schedule")));
    }
    for (const char* name :
         {"one-shot", "two-shot", "recursive-doubling", "coset-parallel", "square", "experts-4", "uniform-traffic"}) {
        CHECK(conforms(file_value("workloads/" + std::string(name) + ".yaml"), workload));
    }
}

TEST_CASE("the schema refuses unknown keys, missing units and values out of range") {
    const json topology = schema_json("topology");
    for (const char* file :
         {"unknown-key", "missing-key", "no-unit", "wrong-unit", "negative", "zero", "not-built", "link-layer",
          "accelerator", "two-level", "explicit-fields", "torus-extents", "propagation"}) {
        INFO(file);
        CHECK_FALSE(conforms(file_value("tests/refuse/topology-" + std::string(file) + ".yaml"), topology));
    }
    CHECK(conforms(file_value("workloads/studies/buffers.yaml"), schema_json("study")));
    CHECK(conforms(file_value("tests/golden/sweep.yaml"), schema_json("study")));
    for (const char* file : {"unknown-key", "values"}) {
        INFO(file);
        CHECK_FALSE(conforms(file_value("tests/refuse/study-" + std::string(file) + ".yaml"), schema_json("study")));
    }
    for (const char* file : {"values", "read", "traffic-values", "traffic-missing"}) {
        INFO(file);
        CHECK_FALSE(
            conforms(file_value("tests/refuse/workload-" + std::string(file) + ".yaml"), schema_json("workload")));
    }
}

TEST_CASE("a kind of file that is not known has no schema") {
    CHECK_THROWS_WITH(schema("topologie"),
                      "unknown file kind `topologie`; expected topology, workload, schedule, plan or study");
}

}  // namespace simlette
