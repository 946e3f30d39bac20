#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <simlette/study/describe.hpp>
#include <simlette/study/draw_fabric.hpp>
#include <simlette/study/fabric_sketch.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/measures.hpp>
#include <simlette/study/picture_style.hpp>
#include <simlette/study/run_setup.hpp>
#include <simlette/study/svg.hpp>

namespace simlette {

namespace {

constexpr double width = 1200;
constexpr double legend_left = 905;
constexpr Point plot_centre{440, 500};

// What is drawn, and the words around it.
struct Picture {
    std::string title;
    std::string subtitle;
    std::string description;
    std::vector<std::string> facts;
    const RunReport* run = nullptr;  // with utilization
};

std::string group_name(char kind, const SketchGroup& group) {
    return group.count == 1 ? fmt::format("{}{}", kind, group.first)
                            : fmt::format("{}{}\u2013{}", kind, group.first, group.first + group.count - 1);
}

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
    double radius() const { return sketch_.accelerators.size() > 64 ? 345 : 330; }
    double angle_of(std::size_t i) const {
        const double turn = 2 * 3.14159265358979323846;
        return turn * static_cast<double>(i) / static_cast<double>(sketch_.accelerators.size()) - turn / 4;
    }
    double node_radius() const {
        const std::size_t n = sketch_.accelerators.size();
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
    void draw_circle();
    double box_width(char kind) const;
    static Point end_at(Point device, double box, std::size_t place, std::size_t places);
    void draw_row(char kind, const std::vector<SketchGroup>& groups, const std::vector<Point>& points);
    void draw_legend();
    void write(const std::string& words, const char* classes = "");
    void list_colours();
    void list_use();
    void list_busiest();

    const FabricSketch& sketch_;
    const Picture& picture_;
    double height_;
    SvgWriter svg_;
    std::vector<Point> accelerators_;
    std::vector<Point> switches_;
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
    if (!sketch_.circuits) {
        accelerators_ = row(sketch_.accelerators.size(), 590);
        switches_ = row(sketch_.switches.size(), 165);
        return;
    }
    for (std::size_t i = 0; i < sketch_.accelerators.size(); ++i) {
        const double angle = angle_of(i);
        accelerators_.push_back(plot_centre + Point{std::cos(angle), std::sin(angle)} * radius());
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

// Circuits bend towards the centre, around the devices between their ends; those side by side bend apart.
Point FabricDrawing::control(const SketchEdge& edge, Point from, Point to) const {
    if (!sketch_.circuits) {
        return middle(from, to);
    }
    const Point along = to - from;
    const double length = std::max(std::hypot(along.x, along.y), 1.0);
    const Point inwards = plot_centre - middle(from, to);
    const double depth = std::hypot(inwards.x, inwards.y);
    const double bend = depth < 1 ? 0 : std::min((20 + 0.4 * length) / depth, 0.6);
    return middle(from, to) + inwards * bend + Point{along.y, -along.x} * (18.0 * edge.parallel / length);
}

// Lines to a device of a packet fabric end side by side.
Point FabricDrawing::end_at(Point device, double box, std::size_t place, std::size_t places) {
    const double share = places < 2 ? 0 : static_cast<double>(place) / static_cast<double>(places - 1) - 0.5;
    return device + Point{share * box * 0.86, 0};
}

void FabricDrawing::draw_edge(const SketchEdge& edge) {
    const Point from = sketch_.circuits ? accelerators_[edge.from]
                                        : end_at(accelerators_[edge.from], box_width('a'), edge.to, switches_.size());
    const Point to = sketch_.circuits ? accelerators_[edge.to]
                                      : end_at(switches_[edge.to], box_width('s'), edge.from, accelerators_.size());
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
    const bool crowded = accelerators_.size() > 24;
    for (std::size_t i = 0; i < accelerators_.size(); ++i) {
        svg_.circle(accelerators_[i], node_radius(), "device");
        const double angle = angle_of(i);
        const bool left = std::cos(angle) < -1e-9;
        const Point at =
            plot_centre + Point{std::cos(angle), std::sin(angle)} * (radius() + node_radius() + (crowded ? 6 : 16));
        const std::string name = group_name('a', sketch_.accelerators[i]);
        if (crowded) {
            const double degrees = angle * 180 / 3.14159265358979323846;
            const char* size = accelerators_.size() > 64 ? "small" : "label";
            const Point down = Point{-std::sin(angle), std::cos(angle)} * (left ? -3.5 : 3.5);
            svg_.text(at + down, name, fmt::format("{}{}", size, left ? " end" : ""), degrees + (left ? 180 : 0));
        } else {
            svg_.text(at + Point{0, 4}, name, "label middle");
        }
    }
}

double FabricDrawing::box_width(char kind) const {
    const std::vector<Point>& points = kind == 's' ? switches_ : accelerators_;
    const double step = points.size() > 1 ? points[1].x - points[0].x : 150;
    return std::min(step * 0.76, kind == 's' ? 76.0 : 34.0);
}

void FabricDrawing::draw_row(char kind, const std::vector<SketchGroup>& groups, const std::vector<Point>& points) {
    const bool above = kind == 's';
    const double step = points.size() > 1 ? points[1].x - points[0].x : 150;
    const double box = box_width(kind);
    const double half = above ? 11 : 10;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        svg_.rectangle(points[i] - Point{box / 2, half}, box, 2 * half, 4, above ? "switch" : "device");
        const std::string name = group_name(kind, groups[i]);
        if (static_cast<double>(name.size()) * 6.5 <= step) {
            svg_.text(points[i] + Point{0, above ? -half - 8 : half + 16}, name, "label middle");
        } else {
            svg_.text(points[i] + Point{4, above ? -half - 6 : half + 8}, name, above ? "label" : "label end", -90);
        }
    }
}

void FabricDrawing::draw_devices() {
    if (sketch_.circuits) {
        draw_circle();
        return;
    }
    draw_row('s', sketch_.switches, switches_);
    draw_row('a', sketch_.accelerators, accelerators_);
}

void FabricDrawing::write(const std::string& words, const char* classes) {
    svg_.text({legend_left, legend_y_}, words, classes);
    legend_y_ += 21;
}

void FabricDrawing::list_colours() {
    constexpr std::size_t most = 24;
    std::size_t listed = 0;
    for (std::uint32_t i = 0; i < sketch_.colours.size(); ++i) {
        if (sketch_.colour_circuits[i] == 0 || ++listed > most) {
            continue;
        }
        svg_.line({legend_left, legend_y_ - 4}, {legend_left + 34, legend_y_ - 4}, colour_class(i), 4);
        svg_.text({legend_left + 46, legend_y_}, sketch_.colours[i], "");
        const std::string copies = sketch_.copies.empty() ? "" : fmt::format("\u00d7{}, ", sketch_.copies[i]);
        svg_.text({width - 30, legend_y_}, copies + count_text(sketch_.colour_circuits[i]) + " circuits", "soft end");
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
    const Duration window = traffic_window(run.statistics);
    std::vector<const LinkStatistics*> links;
    for (const LinkStatistics& link : run.links) {
        links.push_back(&link);
    }
    std::stable_sort(links.begin(), links.end(), [](const auto* a, const auto* b) { return a->busy > b->busy; });
    write("busiest links");
    for (std::size_t i = 0; i < std::min<std::size_t>(links.size(), 8); ++i) {
        svg_.text({width - 30, legend_y_}, percent_text(utilization(links[i]->busy, 1, window).billionths), "end");
        write(links[i]->name, "soft");
    }
}

void FabricDrawing::draw_legend() {
    for (const std::string& fact : picture_.facts) {
        write(fact);
    }
    if (!sketch_.accelerators.empty() && sketch_.accelerators[0].count > 1) {
        write(fmt::format("drawn in groups of {} accelerators", sketch_.accelerators[0].count), "soft");
    }
    if (!sketch_.switches.empty() && sketch_.switches[0].count > 1) {
        write(fmt::format("and of {} switches", sketch_.switches[0].count), "soft");
    }
    if (sketch_.inside > 0) {
        write(count_text(sketch_.inside) + " circuits within groups not drawn", "soft");
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
    if (description.packet_switches > 0) {
        picture.facts.push_back(
            counted(description.packet_switches, "electronic packet switch", "electronic packet switches"));
    }
    if (description.circuit_switches > 0) {
        picture.facts.push_back(
            counted(description.circuit_switches, "optical switch, one a port", "optical switches, one a port"));
    }
    picture.facts.push_back(count_text(description.links) + " directed links");
    if (description.circuits > 0) {
        picture.facts.push_back(counted(description.circuits, "circuit", "circuits") +
                                fmt::format(", diameter {}", description.diameter));
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

std::string fabric_svg(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const Picture picture = picture_of(*fabric, loaded.fabric, inputs.topology);
    return FabricDrawing(sketch(*fabric, {}), picture).draw();
}

std::string links_svg(const RunReport& report) {
    const auto fabric = build_fabric(report.fabric);
    Picture picture = picture_of(*fabric, report.fabric, report.inputs.topology + " with " + report.inputs.workload);
    picture.run = &report;
    picture.description += busiest_sentence(report);
    const Duration window = traffic_window(report.statistics);
    std::vector<std::int64_t> use;
    for (const LinkStatistics& link : report.links) {
        use.push_back(utilization(link.busy, 1, window).billionths);
    }
    return FabricDrawing(sketch(*fabric, use), picture).draw();
}

}  // namespace simlette
