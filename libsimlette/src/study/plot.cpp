#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <simlette/base/error.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/plot.hpp>

namespace simlette {

namespace {

constexpr std::size_t most_lines = 32;

// Of Okabe and Ito: told apart by people who see few colours.
constexpr std::array<const char*, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000"};

constexpr std::size_t dashes = 4;  // so that a line shows under another one

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorKind::input, "`--plot`: " + message);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

// What a row has under a name: `topology`, `workload`, `mode` or a parameter.
ParameterValue value_of(const SweepRow& row, const SweepTable& table, const std::string& name) {
    if (name == "topology" || name == "workload" || name == "mode") {
        return {name == "topology" ? row.topology : name == "workload" ? row.workload : row.mode, std::nullopt};
    }
    const auto found = std::find(table.parameters.begin(), table.parameters.end(), name);
    return row.values[static_cast<std::size_t>(found - table.parameters.begin())];
}

void expect_name(const std::string& key, const std::string& name, const std::vector<std::string>& names) {
    if (contains(names, name)) {
        return;
    }
    const std::string hint = nearest(name, names);
    refuse("`" + key + "` is " + quote(name) +
           (hint.empty() ? "; expected " + alternatives(names) : "; did you mean " + quote(hint) + "?"));
}

PlotRequest parse(const std::string& text) {
    PlotRequest request;
    for (const std::string& part : split(text, ',')) {
        const std::size_t equals = std::min(part.find('='), part.size());
        const std::string key = part.substr(0, equals);
        const std::string value = part.substr(std::min(equals + 1, part.size()));
        if (value.empty() || (key != "x" && key != "y" && key != "series")) {
            refuse(quote(part) + "; expected such as `x=topology.buffers,y=completion_ps,series=topology+mode`");
        }
        if (key == "series") {
            request.series = split(value, '+');
        } else {
            (key == "x" ? request.x : request.y) = value;
        }
    }
    if (request.x.empty() || request.y.empty()) {
        refuse("expected both `x=` and `y=`");
    }
    return request;
}

// Names under which the points of a study differ.
std::vector<std::string> varying(const Study& study) {
    std::vector<std::string> names;
    const auto add_if = [&names](bool varies, const char* name) {
        if (varies) {
            names.emplace_back(name);
        }
    };
    add_if(study.topologies().size() > 1, "topology");
    add_if(study.workloads().size() > 1, "workload");
    const std::vector<StudyPoint>& points = study.points();
    add_if(std::any_of(points.begin(), points.end(), [&](const auto& p) { return p.mode != points.front().mode; }),
           "mode");
    names.insert(names.end(), study.parameters().begin(), study.parameters().end());
    return names;
}

// `buffers 8 flits`, `eps`: short, for the key of the picture.
std::string label_of(const std::string& name, const std::string& value) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? value : name.substr(dot + 1) + ' ' + value;
}

std::string line_of(const SweepRow& row, const SweepTable& table, const std::vector<std::string>& series) {
    std::string line;
    for (const std::string& name : series) {
        line += (line.empty() ? "" : ", ") + label_of(name, value_of(row, table, name).text);
    }
    return line;
}

// A table of the points alone: what can be said before they have run.
SweepTable points_of(const Study& study) {
    SweepTable table{study.parameters(), {}, {}};
    for (const StudyPoint& point : study.points()) {
        SweepRow row;
        row.topology = study.topologies()[point.topology];
        row.workload = study.workloads()[point.workload];
        row.mode = std::string(name_of(point.mode));
        row.values = study.values(point);
        table.rows.push_back(std::move(row));
    }
    return table;
}

// A line and a place that two points share; none if there are no such.
std::optional<std::pair<std::string, std::string>> shared_place(const PlotRequest& request, const SweepTable& points) {
    std::set<std::pair<std::string, std::string>> places;
    for (const SweepRow& row : points.rows) {
        const auto place = places.emplace(line_of(row, points, request.series), value_of(row, points, request.x).text);
        if (!place.second) {
            return *place.first;
        }
    }
    return std::nullopt;
}

// Of all that varies, what is not told already by the rest, as by a path that moves in step.
std::vector<std::string> needed_series(PlotRequest request, const std::vector<std::string>& names,
                                       const SweepTable& points) {
    request.series = names;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        PlotRequest less = request;
        less.series.erase(std::find(less.series.begin(), less.series.end(), *name));
        request = *name == request.x || !shared_place(less, points) ? less : request;
    }
    return request.series;
}

void check_lines(const PlotRequest& request, const SweepTable& points) {
    if (const auto shared = shared_place(request, points)) {
        refuse("several points have " + quote(label_of(request.x, shared->second)) +
               (shared->first.empty() ? "" : " in the line " + quote(shared->first)) +
               "; name in `series` what else varies, or fix it");
    }
    std::set<std::string> lines;
    for (const SweepRow& row : points.rows) {
        lines.insert(line_of(row, points, request.series));
    }
    if (lines.size() > most_lines) {
        refuse(std::to_string(lines.size()) + " lines, but one picture has room for " + std::to_string(most_lines) +
               "; fix what varies with `--set study.vary=...`");
    }
}

std::string quoted(const std::string& text) {
    std::string safe = "'";
    for (const char c : text) {
        safe += c == '\'' ? "''" : std::string(1, c);
    }
    return safe + '\'';
}

// Where a step of the name ends in `_ps`; npos if none does.
std::size_t time_mark(const std::string& name) {
    const std::string steps = name + '.';
    return steps.find("_ps.");
}

bool is_time(const std::string& name) {
    return time_mark(name) != std::string::npos;
}

std::string label_of_result(std::string name) {
    return is_time(name) ? name.erase(time_mark(name), 3) + " in us" : name;
}

std::optional<double> height_of(const SweepRow& row, bool time) {
    const std::optional<ScalarValue>& value = row.results.front();
    if (!value || std::holds_alternative<std::string>(*value)) {
        return std::nullopt;
    }
    const auto* whole = std::get_if<std::int64_t>(&*value);
    return (whole != nullptr ? static_cast<double>(*whole) : std::get<double>(*value)) / (time ? 1e6 : 1);
}

bool spans(double low, double high, double factor) {
    return low > 0 && high >= factor * low;
}

// The values of x in the order of the study, and where each stands.
class Axis {
public:
    Axis(const SweepTable& table, const std::string& x) {
        for (const SweepRow& row : table.rows) {
            const ParameterValue value = value_of(row, table, x);
            if (places_.emplace(value.text, static_cast<double>(texts_.size() + 1)).second) {
                texts_.push_back(value.text);
                numbers_.push_back(value.base_number);
            }
        }
        const bool numeric = std::all_of(numbers_.begin(), numbers_.end(), [](const auto& n) { return n.has_value(); });
        for (std::size_t i = 0; numeric && i < texts_.size(); ++i) {
            places_[texts_[i]] = static_cast<double>(*numbers_[i]);
        }
        const auto [low, high] = std::minmax_element(numbers_.begin(), numbers_.end());
        logarithmic_ = numeric && spans(static_cast<double>(**low), static_cast<double>(**high), 8);
    }

    double place(const std::string& text) const { return places_.at(text); }

    std::string script() const {
        std::string tics;
        for (const std::string& text : texts_) {
            tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", quoted(text), place(text));
        }
        return std::string(logarithmic_ ? "set logscale x 2\n" : "") + "set xtics rotate by -45 (" + tics + ")\n";
    }

private:
    std::vector<std::string> texts_;
    std::vector<std::optional<std::int64_t>> numbers_;
    std::map<std::string, double> places_;
    bool logarithmic_ = false;
};

// The points of each line, in the order of the study.
class Lines {
public:
    Lines(const SweepTable& table, const PlotRequest& request, const Axis& axis) {
        for (const SweepRow& row : table.rows) {
            if (const std::optional<double> y = height_of(row, is_time(request.y))) {
                add(line_of(row, table, request.series), axis.place(value_of(row, table, request.x).text), *y);
            }
        }
        if (names_.empty()) {
            refuse("no point has a number for " + quote(request.y));
        }
    }

    const std::vector<std::string>& names() const { return names_; }

    std::string script() const {
        std::string data = spans(low_, high_, 20) ? "set logscale y\n" : "set yrange [0:*]\n";
        std::string plots;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            data += fmt::format("$line{} << END\n{}END\n", i, points_.at(names_[i]));
            plots += fmt::format("{}$line{} with linespoints lw 2 pt 7 ps 0.4 dt {} lc rgb '{}' {}",
                                 plots.empty() ? "plot " : ", ", i, i % dashes + 1, colours[i % colours.size()],
                                 names_[i].empty() ? "notitle" : "title " + quoted(names_[i]));
        }
        return data + plots + '\n';
    }

private:
    void add(const std::string& name, double x, double y) {
        low_ = names_.empty() ? y : std::min(low_, y);
        high_ = names_.empty() ? y : std::max(high_, y);
        const auto points = points_.emplace(name, "");
        if (points.second) {
            names_.push_back(name);
        }
        points.first->second += fmt::format("{} {}\n", x, y);
    }

    std::vector<std::string> names_;
    std::map<std::string, std::string> points_;
    double low_ = 0;
    double high_ = 0;
};

// Room for the lines, and beside them for their names.
std::string head(const std::vector<std::string>& lines) {
    const auto longest =
        std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const std::size_t width = 640 + 7 * longest->size();
    const std::size_t height = std::max<std::size_t>(480, 80 + 20 * lines.size());
    return fmt::format("set terminal svg noenhanced size {},{} font 'sans-serif,13' background 'white'\n", width,
                       height) +
           "set grid ytics lc rgb '#dddddd'\nset key outside right top Left reverse samplen 2\n"
           "set offsets graph 0.02, graph 0.02, 0, 0\n";
}

}  // namespace

PlotRequest plot_request(const std::string& text, const Study& study) {
    PlotRequest request = parse(text);
    const std::vector<std::string> names = varying(study);
    std::vector<std::string> results = value_names();
    results.insert(results.end(), cost_names().begin(), cost_names().end());
    if (names.empty()) {
        refuse("nothing varies in the study");
    }
    expect_name("x", request.x, names);
    expect_name("y", request.y, results);
    for (const std::string& name : request.series) {
        expect_name("series", name, names);
    }
    const SweepTable points = points_of(study);
    if (request.series.empty()) {
        request.series = needed_series(request, names, points);
    }
    check_lines(request, points);
    return request;
}

std::string plot_script(const PlotRequest& request, SweepTable table) {
    shorten_files(table);
    const Axis axis(table, request.x);
    const Lines lines(table, request, axis);
    return head(lines.names()) + axis.script() + "set xlabel " + quoted(request.x) + "\nset ylabel " +
           quoted(label_of_result(request.y)) + '\n' + lines.script();
}

}  // namespace simlette
