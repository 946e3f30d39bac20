#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <simlette/study/compare.hpp>
#include <simlette/study/format.hpp>
#include <simlette/version.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

const std::string parts_key = ".critical_path_ps.";

std::optional<std::int64_t> number_of(const std::optional<ScalarValue>& value) {
    const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    return number == nullptr ? std::nullopt : std::optional<std::int64_t>(*number);
}

std::optional<std::int64_t> difference(const ComparedValue& value) {
    const auto a = number_of(value.a);
    const auto b = number_of(value.b);
    std::int64_t gap = 0;
    if (!a || !b || __builtin_sub_overflow(*b, *a, &gap)) {
        return std::nullopt;
    }
    return gap;
}

bool is_time(const std::string& name) {
    return name.find("_ps") != std::string::npos;
}

// Times in us.
std::string text_of(const std::string& name, const std::optional<ScalarValue>& value) {
    if (const auto number = number_of(value)) {
        return is_time(name) ? microseconds(*number) : std::to_string(*number);
    }
    if (!value) {
        return "-";
    }
    const auto* text = std::get_if<std::string>(&*value);
    return text != nullptr ? *text : fmt::format("{}", std::get<double>(*value));
}

std::string difference_text(const ComparedValue& value) {
    const auto gap = difference(value);
    const std::string sign = gap && *gap > 0 ? "+" : "";
    return !gap ? "-" : sign + (is_time(value.name) ? microseconds(*gap) : std::to_string(*gap));
}

const ComparedValue* find(const std::vector<ComparedValue>& values, const std::string& name) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const ComparedValue& value) { return value.name == name; });
    return found == values.end() ? nullptr : &*found;
}

std::string completion_text(const ComparedRun& run) {
    const ComparedValue* completion = find(run.results, "completion_ps");
    if (completion == nullptr) {
        return "";
    }
    std::string text = "completion us  A " + text_of(completion->name, completion->a) + ", B " +
                       text_of(completion->name, completion->b);
    const auto gap = difference(*completion);
    const auto whole = number_of(completion->a);
    if (gap && *gap != 0) {
        text += ", B - A " + difference_text(*completion);
        text += *whole > 0 ? " (" + signed_percent_text({*gap}, {*whole}) + " %)" : "";
    }
    return text + '\n';
}

// Of each collective, the parts that are not nothing in both.
std::vector<Row> part_rows(const ComparedRun& run) {
    std::vector<Row> rows{{"collective", "part", "A us", "B us", "B - A us"}};
    for (std::size_t i = 0; i < run.collectives.size(); ++i) {
        const std::string start = "collectives." + std::to_string(i) + parts_key;
        std::string name = run.collectives[i];
        for (const ComparedValue& value : run.results) {
            const bool part = value.name.rfind(start, 0) == 0;
            if (part && (number_of(value.a).value_or(0) != 0 || number_of(value.b).value_or(0) != 0)) {
                rows.push_back({name, value.name.substr(start.size()), text_of(value.name, value.a),
                                text_of(value.name, value.b), difference_text(value)});
                name.clear();
            }
        }
    }
    return rows;
}

std::vector<Row> value_rows(const std::vector<ComparedValue>& values, const std::string& what) {
    std::vector<Row> rows{{what, "A", "B"}};
    for (const ComparedValue& value : values) {
        if (value.differs()) {
            rows.push_back({value.name, text_of("", value.a), text_of("", value.b)});
        }
    }
    return rows;
}

std::vector<Row> result_rows(const ComparedRun& run) {
    std::vector<Row> rows{{"result", "A", "B", "B - A"}};
    for (const ComparedValue& value : run.results) {
        const bool told = value.name == "completion_ps" || value.name.find(parts_key) != std::string::npos;
        if (value.differs() && !told) {
            rows.push_back({is_time(value.name) ? value.name + " in us" : value.name, text_of(value.name, value.a),
                            text_of(value.name, value.b), difference_text(value)});
        }
    }
    return rows;
}

// Nothing but a heading says that all is the same.
std::string section(const std::vector<Row>& rows, std::size_t left, const std::string& what) {
    return '\n' + (rows.size() == 1 ? what + ": the same\n" : what + '\n' + aligned(rows, left, "  "));
}

std::string list_text(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) {
        list += (list.empty() ? "" : ", ") + text;
    }
    return texts.empty() ? "none" : list;
}

std::string run_text(const ComparedRun& run) {
    std::vector<Row> identity;
    for (const ComparedValue& value : run.identity) {
        if (value.differs() || value.name == "mode") {
            identity.push_back({value.name, text_of("", value.a), text_of("", value.b)});
        }
    }
    std::string text = aligned(identity, 3, "") + completion_text(run);
    text += section(part_rows(run), 2, "where the time went");
    if (run.explained) {
        text += "\nports on the critical path\n  only in A  " + list_text(run.ports_only_a) + "\n  only in B  " +
                list_text(run.ports_only_b) + '\n';
    }
    text += section(result_rows(run), 1, "other results");
    text += section(value_rows(run.configuration, "key"), 3, "configuration");
    return text + section(value_rows(run.assumptions, "assumption"), 3, "assumptions");
}

Json json_of(const std::optional<ScalarValue>& value) {
    return value ? std::visit([](const auto& held) { return Json(held); }, *value) : Json(nullptr);
}

Json values_json(const std::vector<ComparedValue>& values, bool all) {
    Json json = Json::object();
    for (const ComparedValue& value : values) {
        if (all || value.differs()) {
            json[value.name] = {{"a", json_of(value.a)}, {"b", json_of(value.b)}};
            if (const auto gap = difference(value)) {
                json[value.name]["difference"] = *gap;
            }
        }
    }
    return json;
}

Json run_json(const ComparedRun& run) {
    std::vector<ComparedValue> parts;
    std::vector<ComparedValue> others;
    for (const ComparedValue& value : run.results) {
        (value.name.find(parts_key) == std::string::npos ? others : parts).push_back(value);
    }
    const ComparedValue* completion = find(run.results, "completion_ps");
    Json json{{"identity", values_json(run.identity, true)},
              {"completion_ps", completion == nullptr ? Json(nullptr) : values_json({*completion}, true).front()},
              {"critical_path_ps", values_json(parts, true)},
              {"results", values_json(others, false)},
              {"configuration", values_json(run.configuration, false)},
              {"assumptions", values_json(run.assumptions, false)}};
    if (run.explained) {
        json["critical_path_ports"] = {{"only_a", run.ports_only_a}, {"only_b", run.ports_only_b}};
    }
    return json;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
    Json runs = Json::array();
    for (const ComparedRun& run : comparison.runs) {
        runs.push_back(run_json(run));
    }
    const Json json{{"simlette", {{"version", version()}, {"schema", 1}}},
                    {"a", comparison.a},
                    {"b", comparison.b},
                    {"runs", runs},
                    {"unmatched", comparison.unmatched}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string comparison_table(const Comparison& comparison) {
    std::string text = "A  " + comparison.a + "\nB  " + comparison.b + '\n';
    for (const ComparedRun& run : comparison.runs) {
        text += '\n' + run_text(run);
    }
    for (const std::string& mode : comparison.unmatched) {
        text += "\nmode " + mode + '\n';
    }
    return text;
}

}  // namespace simlette
