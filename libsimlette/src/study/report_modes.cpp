#include <fmt/format.h>

#include <sstream>

#include <simlette/base/contract.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/run.hpp>

namespace simlette {

namespace {

using Row = std::vector<std::string>;

std::string error_text(const RunReport& report, const RunReport& flit) {
    if (!report.completion || !flit.completion || *flit.completion <= Time{0}) {
        return "-";
    }
    return signed_percent_text(*report.completion - *flit.completion, *flit.completion - Time{0});
}

std::string speed_up_text(const RunReport& report, const RunReport& flit) {
    return report.cpu_seconds > 0 ? fmt::format("{:.1f}", flit.cpu_seconds / report.cpu_seconds) : "-";
}

Row row_of(const RunReport& report, const RunReport& flit) {
    return {std::string(name_of(report.mode)),
            report.completion ? microseconds(report.completion->ps) : "-",
            error_text(report, flit),
            fmt::format("{:.3f}", report.cpu_seconds * 1e3),
            count_text(report.statistics.events),
            count_text(static_cast<std::uint64_t>(report.statistics.flits)),
            speed_up_text(report, flit)};
}

// The last column, not padded: reasons are long.
std::string valid_text(const ModeRun& run) {
    if (!run.report) {
        return "no: " + run.refused;
    }
    const Validity& validity = run.report->validity;
    return validity.mode_ok || validity.reasons.empty() ? "yes" : "no: " + validity.reasons.front();
}

}  // namespace

std::string modes_table(const std::vector<ModeRun>& runs) {
    require(!runs.empty() && runs.front().report.has_value(), "the first mode has a report");
    std::vector<Row> rows{{"mode", "completion us", "error %", "CPU ms", "events", "flits", "speed-up"}};
    for (const ModeRun& run : runs) {
        rows.push_back(run.report ? row_of(*run.report, *runs.front().report)
                                  : Row{std::string(name_of(run.mode)), "-", "-", "-", "-", "-", "-"});
    }
    std::istringstream lines(aligned(rows, 1, "  "));
    std::string line;
    std::getline(lines, line);
    std::string text = "modes\n" + line + "  valid\n";
    for (const ModeRun& run : runs) {
        std::getline(lines, line);
        text += line + "  " + valid_text(run) + '\n';
    }
    return text;
}

}  // namespace simlette
