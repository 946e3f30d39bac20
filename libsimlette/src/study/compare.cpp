#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <simlette/base/error.hpp>
#include <simlette/base/fingerprint.hpp>
#include <simlette/study/compare.hpp>
#include <simlette/study/document.hpp>
#include <simlette/study/kinds.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<std::pair<std::string, ScalarValue>>;

constexpr int deepest = 64;

const std::vector<std::string> identity_keys{"mode", "topology", "workload", "configuration_hash", "outcome", "error"};

[[noreturn]] void refuse(const Source& source, const std::string& message) {
    throw Error({Problem{source.name, 0, 0, message}});
}

Json parse(const Source& source) {
    const auto not_too_deep = [&source](int depth, Json::parse_event_t, const Json&) {
        if (depth > deepest) {
            refuse(source, "is nested more than 64 levels deep");
        }
        return true;
    };
    try {
        return Json::parse(source.text, not_too_deep);
    } catch (const Json::parse_error& error) {
        const std::string before = source.text.substr(0, error.byte == 0 ? 0 : error.byte - 1);
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        const std::size_t start = before.rfind('\n') == std::string::npos ? 0 : before.rfind('\n') + 1;
        throw Error({Problem{source.name, static_cast<int>(line), static_cast<int>(before.size() - start) + 1,
                             "not valid JSON; expected a result of `simlette run --json`"}});
    } catch (const Json::out_of_range&) {
        refuse(source, "has a number that is too large");
    }
}

bool is_run(const Json& json) {
    return json.is_object() && json.contains("mode") && json["mode"].is_string() &&
           (json.contains("completion_ps") || json.contains("error"));
}

// The runs of a result, one a mode.
std::vector<Json> runs_of(const Source& source) {
    const Json json = parse(source);
    std::vector<Json> runs{json};
    if (json.is_object() && json.contains("modes") && json["modes"].is_array()) {
        runs.assign(json["modes"].begin(), json["modes"].end());
    }
    if (runs.empty() || !std::all_of(runs.begin(), runs.end(), is_run)) {
        refuse(source, "is no result of `simlette run --json`");
    }
    return runs;
}

std::optional<ScalarValue> scalar_of(const Json& value) {
    if (value.is_string()) {
        return ScalarValue(value.get<std::string>());
    }
    const bool beyond = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
    if (value.is_number_float() || beyond) {
        return ScalarValue(value.get<double>());
    }
    if (value.is_number_integer()) {
        return ScalarValue(value.get<std::int64_t>());
    }
    return value.is_boolean() ? std::optional<ScalarValue>(std::string(value.get<bool>() ? "true" : "false"))
                              : std::nullopt;
}

// How many, and a fingerprint of what they hold.
std::string curve_text(const Json& spans) {
    return std::to_string(spans.size()) + " spans, " + hex_text(fnv1a(spans.dump()));
}

// Lists of lists are one value, and so is a curve over time.
void add_values(const Json& value, const std::string& name, Values& into) {
    if (value.is_array() && (value.empty() || value.front().is_array())) {
        into.emplace_back(name, value.dump());
    } else if (value.is_structured()) {
        for (const auto& member : value.items()) {
            const std::string inner = name.empty() ? member.key() : name + '.' + member.key();
            if (member.key() == "over_time") {
                into.emplace_back(inner, curve_text(member.value()));
            } else if (member.key() != "critical_path") {
                add_values(member.value(), inner, into);
            }
        }
    } else if (const auto scalar = scalar_of(value)) {
        into.emplace_back(name, *scalar);
    }
}

Values values_at(const Json& run, const std::string& key) {
    Values values;
    if (run.contains(key)) {
        add_values(run[key], "", values);
    }
    return values;
}

Values identity_of(const Json& run) {
    Values values;
    if (run.contains("simlette") && run["simlette"].is_object()) {
        add_values(run["simlette"], "simlette", values);
    }
    for (const std::string& key : identity_keys) {
        if (run.contains(key)) {
            add_values(run[key], key, values);
        }
    }
    return values;
}

Values results_of(const Json& run) {
    Values values;
    for (const auto& member : run.items()) {
        const std::string& key = member.key();
        if (!contains(identity_keys, key) && !contains(cost_names(), key) && key != "simlette" &&
            key != "configuration" && key != "assumptions") {
            add_values(member.value(), key, values);
        }
    }
    return values;
}

Values assumptions_of(const Json& run) {
    Values values;
    if (!run.contains("assumptions") || !run["assumptions"].is_array()) {
        return values;
    }
    for (const Json& assumption : run["assumptions"]) {
        const auto text = [&assumption](const char* key) {
            const bool there = assumption.is_object() && assumption.contains(key) && assumption[key].is_string();
            return there ? assumption[key].get<std::string>() : std::string();
        };
        values.emplace_back(text("id"), text("value"));
    }
    return values;
}

// In the order of A, then what only B has.
std::vector<ComparedValue> matched(const Values& a, const Values& b) {
    std::vector<ComparedValue> values;
    std::map<std::string, std::size_t> places;
    for (const auto& value : a) {
        if (places.emplace(value.first, values.size()).second) {
            values.push_back({value.first, value.second, std::nullopt});
        }
    }
    for (const auto& value : b) {
        const auto place = places.emplace(value.first, values.size());
        if (place.second) {
            values.push_back({value.first, std::nullopt, std::nullopt});
        }
        values[place.first->second].b = value.second;
    }
    return values;
}

std::vector<ComparedValue> differing(std::vector<ComparedValue> values) {
    const auto same = [](const ComparedValue& value) { return !value.differs(); };
    values.erase(std::remove_if(values.begin(), values.end(), same), values.end());
    return values;
}

std::string name_of_collective(const Json& run, std::size_t index) {
    if (!run.contains("collectives") || !run["collectives"].is_array() || run["collectives"].size() <= index) {
        return "";
    }
    for (const char* key : {"name", "primitive"}) {
        const Json& collective = run["collectives"][index];
        if (collective.is_object() && collective.contains(key) && collective[key].is_string()) {
            return collective[key].get<std::string>();
        }
    }
    return "";
}

std::vector<std::string> collectives_of(const Json& a, const Json& b) {
    std::vector<std::string> names;
    for (;;) {
        std::string name = name_of_collective(a, names.size());
        name = name.empty() ? name_of_collective(b, names.size()) : name;
        if (name.empty()) {
            return names;
        }
        names.push_back(std::move(name));
    }
}

// Everything that stands under `port` in hops of critical paths. None: no path is told.
std::optional<std::set<std::string>> path_ports(const Json& run) {
    std::optional<std::set<std::string>> ports;
    for (const Json& collective : run.value("collectives", Json::array())) {
        if (!collective.is_object() || !collective.contains("critical_path")) {
            continue;
        }
        ports = ports ? ports : std::set<std::string>();
        for (const Json& step : collective["critical_path"]) {
            for (const Json& hop : step.is_object() ? step.value("hops", Json::array()) : Json::array()) {
                if (hop.is_object() && hop.contains("port") && hop["port"].is_string()) {
                    ports->insert(hop["port"].get<std::string>());
                }
            }
        }
    }
    return ports;
}

std::vector<std::string> without(const std::set<std::string>& all, const std::set<std::string>& others) {
    std::vector<std::string> rest;
    std::set_difference(all.begin(), all.end(), others.begin(), others.end(), std::back_inserter(rest));
    return rest;
}

ComparedRun compared(const Json& a, const Json& b) {
    ComparedRun run;
    run.identity = matched(identity_of(a), identity_of(b));
    run.results = matched(results_of(a), results_of(b));
    run.collectives = collectives_of(a, b);
    run.assumptions = differing(matched(assumptions_of(a), assumptions_of(b)));
    run.configuration = differing(matched(values_at(a, "configuration"), values_at(b, "configuration")));
    const auto ports_a = path_ports(a);
    const auto ports_b = path_ports(b);
    run.explained = ports_a && ports_b;
    if (run.explained) {
        run.ports_only_a = without(*ports_a, *ports_b);
        run.ports_only_b = without(*ports_b, *ports_a);
    }
    return run;
}

Source read(const std::string& path) {
    Problems problems;
    Source source{path, "", true};
    read_bytes(source, problems);
    problems.raise_any();
    return source;
}

}  // namespace

Comparison compare(const std::string& a, const std::string& b) {
    const std::vector<Json> runs_a = runs_of(read(a));
    std::vector<Json> runs_b = runs_of(read(b));
    Comparison comparison{a, b, {}, {}};
    const bool alone = runs_a.size() == 1 && runs_b.size() == 1;
    for (const Json& run : runs_a) {
        const auto same = std::find_if(runs_b.begin(), runs_b.end(),
                                       [&](const Json& other) { return alone || other["mode"] == run["mode"]; });
        if (same == runs_b.end()) {
            comparison.unmatched.push_back(run["mode"].get<std::string>() + ", only in A");
            continue;
        }
        comparison.runs.push_back(compared(run, *same));
        runs_b.erase(same);
    }
    for (const Json& run : runs_b) {
        comparison.unmatched.push_back(run["mode"].get<std::string>() + ", only in B");
    }
    return comparison;
}

}  // namespace simlette
