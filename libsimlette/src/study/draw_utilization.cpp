#include <fmt/format.h>

#include <simlette/study/draw_utilization.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/measures.hpp>
#include <simlette/study/picture_style.hpp>
#include <simlette/study/svg.hpp>

namespace simlette {

namespace {

constexpr double width = 1100;
constexpr double height = 560;
constexpr Point corner{90, 110};  // of the plot, above on the left
constexpr double plot_width = 760;
constexpr double plot_height = 370;
constexpr double legend_left = 885;

class UtilizationDrawing {
public:
    explicit UtilizationDrawing(const RunReport& report)
        : report_(report),
          end_(report.utilization.empty() ? Time{1} : report.utilization.back().end),
          svg_(width, height, "Utilization of the links over time",
               "Lines for the mean and for the busiest link of each level", picture_style()) {}

    std::string draw() {
        svg_.text({40, 46}, "Utilization of the links over time", "head");
        svg_.text({40, 70}, report_.inputs.topology + " with " + report_.inputs.workload, "soft");
        draw_scale();
        draw_time();
        for (std::uint32_t level = 0; level < report_.link_levels.names.size(); ++level) {
            svg_.path(steps(level, &UseSpan::Level::most), colour_class(level) + " dashed", 1.2);
        }
        for (std::uint32_t level = 0; level < report_.link_levels.names.size(); ++level) {
            svg_.path(steps(level, &UseSpan::Level::busy), colour_class(level), 2.2);
        }
        draw_legend();
        return svg_.finish();
    }

private:
    double x_of(Time t) const {
        return corner.x + plot_width * static_cast<double>(t.ps) / static_cast<double>(end_.ps);
    }
    static double y_of(double share) { return corner.y + plot_height * (1 - share); }

    // A level stands for the whole of a span.
    std::vector<Point> steps(std::uint32_t level, Duration UseSpan::Level::*time) const {
        std::vector<Point> points;
        for (const UseSpan& span : report_.utilization) {
            const UseSpan::Level& use = span.levels[level];
            const std::int64_t links = time == &UseSpan::Level::busy ? use.links : 1;
            const double y = y_of(utilization(use.*time, links, span.end - span.start).value());
            if (points.empty() || points.back().y != y) {
                points.push_back({x_of(span.start), y});
            }
            points.push_back({x_of(span.end), y});
        }
        return points;
    }

    void draw_scale() {
        for (int percent = 0; percent <= 100; percent += 25) {
            const double y = y_of(percent / 100.0);
            svg_.line({corner.x, y}, {corner.x + plot_width, y}, "rim", 1);
            svg_.text({corner.x - 10, y + 4}, fmt::format("{} %", percent), "label end");
        }
    }

    // Ticks at 1, 2 or 5 times a power of ten picoseconds, at most ten of them.
    std::int64_t tick() const {
        std::int64_t step = 1;
        for (int i = 0; end_.ps / step > 10; ++i) {
            step = i % 3 == 1 ? step / 2 * 5 : step * 2;
        }
        return step;
    }

    void draw_time() {
        const double base = corner.y + plot_height;
        for (std::int64_t t = 0; t <= end_.ps; t += tick()) {
            const double x = x_of(Time{t});
            svg_.line({x, base}, {x, base + 6}, "rim", 1);
            svg_.text({x, base + 22}, microseconds(t), "label middle");
        }
        svg_.text({corner.x + plot_width / 2, base + 46}, "simulated time in us", "soft middle");
    }

    void draw_legend() {
        double y = corner.y + 10;
        const auto sample = [&](const std::string& classes, double stroke, const std::string& words) {
            svg_.line({legend_left, y - 4}, {legend_left + 34, y - 4}, classes, stroke);
            svg_.text({legend_left + 46, y}, words, "");
            y += 21;
        };
        for (std::uint32_t level = 0; level < report_.link_levels.names.size(); ++level) {
            sample(colour_class(level), 2.2, report_.link_levels.names[level]);
        }
        y += 14;
        for (const char* words : {"Full lines: mean of the links", "Dashed: the busiest link"}) {
            svg_.text({legend_left, y}, words, "soft");
            y += 21;
        }
        if (!report_.utilization.empty()) {
            const UseSpan& first = report_.utilization.front();
            svg_.text({legend_left, y}, "Spans of " + time_text((first.end - first.start).ps), "soft");
        }
    }

    const RunReport& report_;
    Time end_;
    SvgWriter svg_;
};

}  // namespace

std::string utilization_svg(const RunReport& report) {
    return UtilizationDrawing(report).draw();
}

}  // namespace simlette
