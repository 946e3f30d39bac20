#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include <simlette/study/format.hpp>
#include <simlette/study/sweep.hpp>
#include <simlette/version.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

constexpr std::size_t most_shown = 60;

std::string csv_line(const Cells& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += (i == 0 ? "" : ",") + csv_field(cells[i]);
    }
    return line + '\n';
}

std::string text_of(const std::optional<ScalarValue>& value) {
    if (!value) {
        return "";
    }
    if (const auto* text = std::get_if<std::string>(&*value)) {
        return *text;
    }
    const auto* number = std::get_if<std::int64_t>(&*value);
    return number != nullptr ? std::to_string(*number) : fmt::format("{}", std::get<double>(*value));
}

bool ends_in_ps(const std::string& name) {
    return name.size() > 3 && name.compare(name.size() - 3, 3, "_ps") == 0;
}

// Times in us.
std::string shown(const std::string& name, const std::optional<ScalarValue>& value) {
    const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    if (number != nullptr && ends_in_ps(name)) {
        return microseconds(*number);
    }
    return value ? text_of(value) : "-";
}

std::string heading(const std::string& name) {
    return ends_in_ps(name) ? name.substr(0, name.size() - 3) + " us" : name;
}

Json json_of(const std::optional<ScalarValue>& value) {
    return value ? std::visit([](const auto& held) { return Json(held); }, *value) : Json(nullptr);
}

Json row_json(const SweepTable& table, const SweepRow& row) {
    Json json{{"point", row.point},
              {"topology", row.topology},
              {"workload", row.workload},
              {"mode", row.mode},
              {"parameters", Json::object()},
              {"configuration_hash", row.configuration_hash},
              {"outcome", row.outcome.empty() ? Json(nullptr) : Json(row.outcome)},
              {"error", row.error.empty() ? Json(nullptr) : Json(row.error)},
              {"results", Json::object()}};
    for (std::size_t i = 0; i < table.parameters.size(); ++i) {
        json["parameters"][table.parameters[i]] = row.values[i].text;
    }
    for (std::size_t i = 0; i < table.names.size(); ++i) {
        json["results"][table.names[i]] = json_of(row.results[i]);
    }
    return json;
}

template <class Member>
bool varies(const SweepTable& table, Member member) {
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [&](const SweepRow& row) { return row.*member != table.rows.front().*member; });
}

const std::pair<const char*, std::string SweepRow::*> ways[] = {
    {"topology", &SweepRow::topology}, {"workload", &SweepRow::workload}, {"mode", &SweepRow::mode}};

void shorten(SweepTable& table, std::string SweepRow::*member) {
    std::map<std::string, std::string> files;  // by short name
    for (const SweepRow& row : table.rows) {
        const std::string& file = row.*member;
        if (files.emplace(std::filesystem::path(file).stem().string(), file).first->second != file) {
            return;
        }
    }
    for (SweepRow& row : table.rows) {
        row.*member = std::filesystem::path(row.*member).stem().string();
    }
}

std::vector<Cells> table_rows(const SweepTable& table, std::size_t& left) {
    std::vector<Cells> rows(1);
    for (std::size_t i = 0; i < std::min(table.rows.size(), most_shown); ++i) {
        rows.emplace_back();
    }
    const auto add = [&](const std::string& name, const auto& cell) {
        rows[0].push_back(name);
        for (std::size_t i = 1; i < rows.size(); ++i) {
            rows[i].push_back(cell(table.rows[i - 1]));
        }
    };
    for (const auto& [name, member] : ways) {
        const auto way = member;
        if (varies(table, way)) {
            add(name, [way](const SweepRow& row) { return row.*way; });
        }
    }
    left = rows[0].size();
    for (std::size_t k = 0; k < table.parameters.size(); ++k) {
        add(table.parameters[k], [k](const SweepRow& row) { return row.values[k].text; });
    }
    for (std::size_t k = 0; k < table.names.size(); ++k) {
        add(heading(table.names[k]), [&, k](const SweepRow& row) { return shown(table.names[k], row.results[k]); });
    }
    if (table.rows.empty() || varies(table, &SweepRow::outcome) || table.rows.front().outcome != "finished") {
        add("outcome", [](const SweepRow& row) { return row.outcome.empty() ? std::string("-") : row.outcome; });
    }
    return rows;
}

}  // namespace

std::string sweep_csv(const SweepTable& table) {
    Cells header{"point", "topology", "workload", "mode"};
    header.insert(header.end(), table.parameters.begin(), table.parameters.end());
    for (const char* name : {"configuration_hash", "outcome", "error"}) {
        header.emplace_back(name);
    }
    header.insert(header.end(), table.names.begin(), table.names.end());
    std::string text = csv_line(header);
    for (const SweepRow& row : table.rows) {
        Cells cells{std::to_string(row.point), row.topology, row.workload, row.mode};
        for (const ParameterValue& value : row.values) {
            cells.push_back(value.text);
        }
        cells.insert(cells.end(), {row.configuration_hash, row.outcome, row.error});
        for (const auto& result : row.results) {
            cells.push_back(text_of(result));
        }
        text += csv_line(cells);
    }
    return text;
}

std::string sweep_json(const SweepTable& table) {
    Json points = Json::array();
    for (const SweepRow& row : table.rows) {
        points.push_back(row_json(table, row));
    }
    const Json json{{"simlette", {{"version", version()}, {"schema", 1}}}, {"points", points}};
    // A name of a file may hold bytes that are no UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void shorten_files(SweepTable& table) {
    shorten(table, &SweepRow::topology);
    shorten(table, &SweepRow::workload);
}

std::string sweep_table(SweepTable table) {
    shorten_files(table);
    std::size_t left = 0;
    const std::vector<Cells> rows = table_rows(table, left);
    std::string text = aligned(rows, left, "  ");
    if (table.rows.size() > most_shown) {
        text += fmt::format("  and {} points more, in the database and in `--csv`\n", table.rows.size() - most_shown);
    }
    return text;
}

}  // namespace simlette
