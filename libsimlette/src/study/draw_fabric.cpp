#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <simlette/study/describe.hpp>
#include <simlette/study/draw_fabric.hpp>
#include <simlette/study/fabric_drawing.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/link_measures.hpp>
#include <simlette/study/picture_style.hpp>
#include <simlette/study/run_setup.hpp>
#include <simlette/study/svg.hpp>

namespace simlette {

namespace {

constexpr double width = 1200;
constexpr double legend_left = 905;
constexpr Point plot_centre{440, 500};

class FabricDrawing {
public:
    FabricDrawing(const FabricSketch& sketch, const Picture& picture)
        : sketch_(sketch),
          picture_(picture),
          height_(sketch.circuits ? 900 : 700),
          svg_(width, height_, picture.title, picture.description, picture_style()) {}

    std::string draw() {
        svg_.text({40, 46}, picture_.title, "head");
        svg_.text({40, 70}, picture_.subtitle, "soft");
        place();
        for (const SketchEdge& edge : ordered_edges()) {
            draw_edge(edge);
        }
        draw_devices();
        draw_legend();
        return svg_.finish();
    }

private:
    double radius() const { return accelerators() > 64 ? 345 : 330; }
    std::size_t accelerators() const { return sketch_.accelerator_groups; }
    bool on_circle() const { return sketch_.circuits && sketch_.columns == 0; }
    double angle_of(std::size_t i) const {
        const double turn = 2 * 3.14159265358979323846;
        return turn * static_cast<double>(i) / static_cast<double>(accelerators()) - turn / 4;
    }
    double node_radius() const {
        const std::size_t n = accelerators();
        return n > 64 ? 3.5 : n > 32 ? 5 : 8;
    }
    // Thinner the more of them; a little thicker for more links in one line.
    double edge_width(const SketchEdge& edge) const {
        const double thin = sketch_.edges.size() > 600 ? 0.6 : sketch_.edges.size() > 160 ? 1.0 : 1.8;
        const double links = static_cast<double>(std::max<std::uint64_t>(edge.links, 1));
        return thin * (1 + 0.25 * std::log2(links));
    }

    void place();
    std::vector<SketchEdge> ordered_edges() const;
    Point control(const SketchEdge& edge, Point from, Point to) const;
    void draw_edge(const SketchEdge& edge);
    void draw_devices();
    void place_rows();
    void place_grid();
    std::vector<std::uint32_t> row_order(std::uint32_t level) const;
    double towards_below(std::uint32_t group) const;
    void sort_ends();
    Point end_of(std::uint32_t group, std::uint32_t other) const;
    void draw_circle();
    void draw_grid();
    void draw_box(std::uint32_t group);
    double box_width(std::uint32_t group) const;
    double longest_name(std::uint32_t level) const;
    std::uint32_t levels() const { return sketch_.groups.back().level; }
    bool has_arcs() const;
    void draw_legend();
    void write(const std::string& words, const char* classes = "");
    void list_colours();
    void list_use();
    void list_busiest();

    const FabricSketch& sketch_;
    const Picture& picture_;
    double height_;
    SvgWriter svg_;
    std::vector<Point> points_;                     // of each group
    std::vector<double> steps_;                     // between neighbours of a row, by level
    std::vector<std::vector<std::uint32_t>> ends_;  // of each group: the others that it is joined to, left to right
    double legend_y_ = 120;
};

std::vector<Point> row(std::size_t count, double y) {
    std::vector<Point> points;
    const double step = std::min(800.0 / static_cast<double>(count), 150.0);
    for (std::size_t i = 0; i < count; ++i) {
        points.push_back({plot_centre.x + (static_cast<double>(i) - static_cast<double>(count - 1) / 2) * step, y});
    }
    return points;
}

void FabricDrawing::place() {
    points_.resize(sketch_.groups.size());
    if (!sketch_.circuits) {
        place_rows();
    } else if (sketch_.columns != 0) {
        place_grid();
    } else {
        for (std::size_t i = 0; i < accelerators(); ++i) {
            const double angle = angle_of(i);
            points_[i] = plot_centre + Point{std::cos(angle), std::sin(angle)} * radius();
        }
    }
}

void FabricDrawing::place_grid() {
    const auto columns = static_cast<double>(sketch_.columns);
    const double rows = static_cast<double>(accelerators()) / columns;
    const double step = std::min(660 / std::max(columns, rows), 150.0);
    steps_ = {step};
    for (std::uint32_t i = 0; i < accelerators(); ++i) {
        const std::uint32_t row = i / sketch_.columns;
        const Point place{static_cast<double>(i % sketch_.columns), static_cast<double>(row)};
        points_[i] = plot_centre + (place - Point{(columns - 1) / 2, (rows - 1) / 2}) * step;
    }
}

// Links between devices of one level, which need room above them.
bool FabricDrawing::has_arcs() const {
    return std::any_of(sketch_.edges.begin(), sketch_.edges.end(), [this](const SketchEdge& edge) {
        return sketch_.groups[edge.from].level == sketch_.groups[edge.to].level;
    });
}

// Accelerators below, then one row for each level.
void FabricDrawing::place_rows() {
    const double rise = (590.0 - 165.0) / std::max(1.0, levels() + (has_arcs() ? 1.0 : 0.0));
    for (std::uint32_t level = 0; level <= levels(); ++level) {
        const std::vector<std::uint32_t> order = row_order(level);
        const std::vector<Point> places = row(order.size(), 590 - rise * level);
        steps_.push_back(places.size() > 1 ? places[1].x - places[0].x : 150);
        for (std::size_t i = 0; i < order.size(); ++i) {
            points_[order[i]] = places[i];
        }
    }
    sort_ends();
}

// Devices over the middle of what hangs below them, so that lines cross little. Those of two levels stand as they come.
std::vector<std::uint32_t> FabricDrawing::row_order(std::uint32_t level) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t group = 0; group < sketch_.groups.size(); ++group) {
        if (sketch_.groups[group].level == level) {
            order.push_back(group);
        }
    }
    if (level > 0) {
        std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
            return towards_below(a) < towards_below(b) - 1e-6;
        });
    }
    return order;
}

// The mean place of those below that it is joined to.
double FabricDrawing::towards_below(std::uint32_t group) const {
    double sum = 0;
    double count = 0;
    for (const SketchEdge& edge : sketch_.edges) {
        const std::uint32_t other = edge.to == group ? edge.from : edge.to;
        const bool joined = edge.from == group || edge.to == group;
        if (joined && sketch_.groups[other].level < sketch_.groups[group].level) {
            sum += points_[other].x;
            count += 1;
        }
    }
    return count > 0 ? sum / count : plot_centre.x;
}

void FabricDrawing::sort_ends() {
    ends_.resize(sketch_.groups.size());
    for (const SketchEdge& edge : sketch_.edges) {
        ends_[edge.from].push_back(edge.to);
        ends_[edge.to].push_back(edge.from);
    }
    for (auto& others : ends_) {
        std::sort(others.begin(), others.end(), [this](std::uint32_t a, std::uint32_t b) {
            return std::make_pair(points_[a].x, a) < std::make_pair(points_[b].x, b);
        });
        others.erase(std::unique(others.begin(), others.end()), others.end());
    }
}

// The busiest last, on top of the others.
std::vector<SketchEdge> FabricDrawing::ordered_edges() const {
    std::vector<SketchEdge> edges = sketch_.edges;
    const auto use = [](const SketchEdge& edge) { return std::max(edge.use_forth, edge.use_back); };
    std::stable_sort(edges.begin(), edges.end(),
                     [&](const SketchEdge& a, const SketchEdge& b) { return use(a) < use(b); });
    return edges;
}

// Circuits on the circle bend towards the centre, around the devices between their ends; those side by side bend apart.
// Links between devices of one row rise above it.
Point FabricDrawing::control(const SketchEdge& edge, Point from, Point to) const {
    const Point along = to - from;
    const double length = std::max(std::hypot(along.x, along.y), 1.0);
    const Point aside = Point{along.y, -along.x} * (1 / length);
    if (on_circle()) {
        const Point inwards = plot_centre - middle(from, to);
        const double depth = std::hypot(inwards.x, inwards.y);
        const double bend = depth < 1 ? 0 : std::min((20 + 0.4 * length) / depth, 0.6);
        return middle(from, to) + inwards * bend + aside * (18.0 * edge.parallel);
    }
    if (sketch_.columns != 0) {
        const double around = length > 1.5 * steps_[0] ? 0.8 * steps_[0] : 0;
        return middle(from, to) + aside * (around + 18.0 * edge.parallel);
    }
    const bool arc = sketch_.groups[edge.from].level == sketch_.groups[edge.to].level;
    const double room = from.y - 110;
    return middle(from, to) - Point{0, arc ? std::min(2 * room, 30 + 0.9 * length + 12.0 * edge.parallel) : 0};
}

// Lines of one side of a device end side by side, in the order of where they go.
Point FabricDrawing::end_of(std::uint32_t group, std::uint32_t other) const {
    const auto level = [this](std::uint32_t g) { return sketch_.groups[g].level; };
    const bool below = level(other) < level(group);
    std::size_t place = 0;
    std::size_t places = 0;
    for (const std::uint32_t end : ends_[group]) {
        if ((level(end) < level(group)) == below) {
            place = end == other ? places : place;
            ++places;
        }
    }
    const double share = places < 2 ? 0 : static_cast<double>(place) / static_cast<double>(places - 1) - 0.5;
    return points_[group] + Point{share * box_width(group) * 0.86, 0};
}

void FabricDrawing::draw_edge(const SketchEdge& edge) {
    const Point from = sketch_.circuits ? points_[edge.from] : end_of(edge.from, edge.to);
    const Point to = sketch_.circuits ? points_[edge.to] : end_of(edge.to, edge.from);
    const Point bend = control(edge, from, to);
    if (picture_.run == nullptr) {
        const std::string classes =
            sketch_.circuits ? colour_class(edge.colour) : colour_class(edge.colour % colour_count) + " faint";
        svg_.curve(from, bend, to, classes, edge_width(edge));
        return;
    }
    const Point half = (from + bend * 2 + to) * 0.25;
    svg_.curve(from, middle(from, bend), half, use_class(edge.use_forth), edge_width(edge));
    svg_.curve(to, middle(to, bend), half, use_class(edge.use_back), edge_width(edge));
}

void FabricDrawing::draw_circle() {
    const bool crowded = accelerators() > 24;
    for (std::size_t i = 0; i < accelerators(); ++i) {
        svg_.circle(points_[i], node_radius(), "device");
        const double angle = angle_of(i);
        const bool left = std::cos(angle) < -1e-9;
        const Point at =
            plot_centre + Point{std::cos(angle), std::sin(angle)} * (radius() + node_radius() + (crowded ? 6 : 16));
        const std::string& name = sketch_.groups[i].name;
        if (crowded) {
            const double degrees = angle * 180 / 3.14159265358979323846;
            const char* size = accelerators() > 64 ? "small" : "label";
            const Point down = Point{-std::sin(angle), std::cos(angle)} * (left ? -3.5 : 3.5);
            svg_.text(at + down, name, fmt::format("{}{}", size, left ? " end" : ""), degrees + (left ? 180 : 0));
        } else {
            svg_.text(at + Point{0, 4}, name, "label middle");
        }
    }
}

void FabricDrawing::draw_grid() {
    for (std::size_t i = 0; i < accelerators(); ++i) {
        svg_.circle(points_[i], node_radius(), "device");
        svg_.text(points_[i] + Point{-node_radius(), node_radius() + 9}, sketch_.groups[i].name, "label end");
    }
}

double FabricDrawing::box_width(std::uint32_t group) const {
    const std::uint32_t level = sketch_.groups[group].level;
    return std::min(steps_[level] * 0.76, level > 0 ? 76.0 : 34.0);
}

double FabricDrawing::longest_name(std::uint32_t level) const {
    std::size_t longest = 0;
    for (const SketchGroup& group : sketch_.groups) {
        longest = group.level == level ? std::max(longest, group.name.size()) : longest;
    }
    return static_cast<double>(longest);
}

// The names of the lowest and the highest row stand outside, where there are no lines; the others in the boxes.
void FabricDrawing::draw_box(std::uint32_t group) {
    const SketchGroup& drawn = sketch_.groups[group];
    const double box = box_width(group);
    const bool above = drawn.level > 0;
    const bool inside = above && (drawn.level < levels() || has_arcs());
    const double text = longest_name(drawn.level) * (inside ? 5.4 : 6.5);
    const bool flat = text <= (inside ? box - 2 : steps_[drawn.level]);
    const double half = inside && !flat ? text / 2 + 3 : above ? 11 : 10;
    const Point at = points_[group];
    svg_.rectangle(at - Point{box / 2, half}, box, 2 * half, 4, above ? "switch" : "device");
    if (inside) {
        svg_.text(at + (flat ? Point{0, 3} : Point{3, 0}), drawn.name, "small middle", flat ? 0 : -90);
    } else if (flat) {
        svg_.text(at + Point{0, above ? -half - 8 : half + 16}, drawn.name, "label middle");
    } else {
        svg_.text(at + Point{4, above ? -half - 6 : half + 8}, drawn.name, above ? "label" : "label end", -90);
    }
}

void FabricDrawing::draw_devices() {
    if (on_circle()) {
        draw_circle();
    } else if (sketch_.circuits) {
        draw_grid();
    } else {
        for (std::uint32_t group = 0; group < sketch_.groups.size(); ++group) {
            draw_box(group);
        }
    }
}

void FabricDrawing::write(const std::string& words, const char* classes) {
    svg_.text({legend_left, legend_y_}, words, classes);
    legend_y_ += 21;
}

void FabricDrawing::list_colours() {
    constexpr std::size_t most = 24;
    std::size_t listed = 0;
    for (std::uint32_t i = 0; i < sketch_.colours.size(); ++i) {
        if (sketch_.colour_links[i] == 0 || ++listed > most) {
            continue;
        }
        svg_.line({legend_left, legend_y_ - 4}, {legend_left + 34, legend_y_ - 4}, colour_class(i), 4);
        svg_.text({legend_left + 46, legend_y_}, sketch_.colours[i], "");
        const std::string copies = sketch_.copies.empty() ? "" : fmt::format("\u00d7{}, ", sketch_.copies[i]);
        svg_.text({width - 30, legend_y_},
                  copies + count_text(sketch_.colour_links[i]) + (sketch_.circuits ? " circuits" : " links"),
                  "soft end");
        legend_y_ += 21;
    }
    if (listed > most) {
        write(fmt::format("and {} more", listed - most), "soft");
    }
}

void FabricDrawing::list_use() {
    write("utilization of the links");
    legend_y_ += 4;
    constexpr double box = 26;
    for (std::int64_t step = 0; step < use_steps; ++step) {
        const double x = legend_left + box * static_cast<double>(step);
        svg_.line({x, legend_y_}, {x + box + 0.4, legend_y_}, fmt::format("u{}", step), 14);
    }
    svg_.text({legend_left, legend_y_ + 23}, "0", "label");
    svg_.text({legend_left + box * 5, legend_y_ + 23}, "50 %", "label middle");
    svg_.text({legend_left + box * 10, legend_y_ + 23}, "100 %", "label end");
    legend_y_ += 48;
    svg_.line({legend_left, legend_y_ - 4}, {legend_left + 34, legend_y_ - 4}, "idle", 2);
    svg_.text({legend_left + 46, legend_y_}, "nothing sent", "");
    legend_y_ += 21;
    write("The half of a line next to a device", "soft");
    write("is what that device sends.", "soft");
    legend_y_ += 14;
}

void FabricDrawing::list_busiest() {
    const RunReport& run = *picture_.run;
    const Duration window = link_window(run);
    write("busiest links");
    for (const std::uint32_t id : hot_links(run, 8)) {
        const LinkStatistics& link = run.links[id];
        svg_.text({width - 30, legend_y_}, percent_text(utilization(link.busy, 1, window).billionths), "end");
        write(link.name, "soft");
    }
}

void FabricDrawing::draw_legend() {
    for (const std::string& fact : picture_.facts) {
        write(fact);
    }
    for (const std::string& note : sketch_.notes) {
        write(note, "soft");
    }
    legend_y_ += 14;
    if (picture_.run != nullptr) {
        list_use();
        list_busiest();
    } else {
        list_colours();
    }
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
    return count_text(count) + ' ' + (count == 1 ? one : many);
}

Picture picture_of(const Fabric& fabric, const FabricSpec& spec, const std::string& file) {
    const FabricDescription description = describe(fabric);
    Picture picture;
    picture.title = fabric_line(spec);
    picture.subtitle = file;
    picture.facts.push_back(counted(description.accelerators, "accelerator", "accelerators"));
    for (std::size_t i = 0; i < description.levels.size(); ++i) {
        const LevelDescription& level = description.levels[i];
        const std::string where = description.levels.size() > 1 ? fmt::format(" in level {}", i + 1) : std::string();
        const std::string device =
            level.device == DeviceKind::ocs ? "optical circuit switch" : "electronic packet switch";
        picture.facts.push_back(counted(level.devices, device, device + "es") + where);
    }
    if (!spec.graph.devices.empty()) {
        picture.facts.push_back(
            counted(spec.graph.devices.size(), "electronic packet switch", "electronic packet switches"));
    }
    picture.facts.push_back(count_text(description.links) + " directed links");
    if (description.circuits > 0) {
        picture.facts.push_back(counted(description.circuits, "circuit", "circuits") +
                                (description.parts == 1 ? fmt::format(", diameter {}", description.diameter)
                                                        : fmt::format(", {} parts", description.parts)));
    }
    for (const std::string& fact : picture.facts) {
        picture.description += (picture.description.empty() ? "" : "; ") + fact;
    }
    return picture;
}

std::string busiest_sentence(const RunReport& run) {
    return fmt::format("; utilization of the links: {} at most, {} on average",
                       percent_text(measure(run).max_utilization.billionths),
                       percent_text(measure(run).mean_utilization.billionths));
}

}  // namespace

std::string drawing(const FabricSketch& sketch, const Picture& picture) {
    return FabricDrawing(sketch, picture).draw();
}

std::string fabric_svg(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const Picture picture = picture_of(*fabric, loaded.fabric, inputs.topology);
    return drawing(sketch(*fabric, {}), picture);
}

std::string links_svg(const RunReport& report) {
    const auto fabric = build_fabric(report.fabric);
    Picture picture = picture_of(*fabric, report.fabric, report.inputs.topology + " with " + report.inputs.workload);
    picture.run = &report;
    picture.description += busiest_sentence(report);
    const Duration window = link_window(report);
    std::vector<std::int64_t> use;
    for (const LinkStatistics& link : report.links) {
        use.push_back(utilization(link.busy, 1, window).billionths);
    }
    return drawing(sketch(*fabric, use), picture);
}

}  // namespace simlette
