// A small writer of SVG: shapes with classes, text escaped, numbers with at most two decimals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simlette {

struct Point {
    double x = 0;
    double y = 0;
};

constexpr Point operator+(Point a, Point b) {
    return {a.x + b.x, a.y + b.y};
}
constexpr Point operator-(Point a, Point b) {
    return {a.x - b.x, a.y - b.y};
}
constexpr Point operator*(Point a, double factor) {
    return {a.x * factor, a.y * factor};
}
constexpr Point middle(Point a, Point b) {
    return (a + b) * 0.5;
}

class SvgWriter {
public:
    SvgWriter(double width, double height, std::string_view title, std::string_view description,
              std::string_view style);

    void line(Point from, Point to, std::string_view classes, double width);
    // A line through all points.
    void path(const std::vector<Point>& points, std::string_view classes, double width);
    // A curve from `from` to `to`, drawn towards `control`.
    void curve(Point from, Point control, Point to, std::string_view classes, double width);
    void circle(Point centre, double radius, std::string_view classes);
    void rectangle(Point corner, double width, double height, double rounding, std::string_view classes);
    // `angle` in degrees, clockwise around `at`.
    void text(Point at, std::string_view words, std::string_view classes, double angle = 0);

    std::string finish();  // the whole file

private:
    std::string text_;
};

// The replacement character takes the place of what XML does not allow.
std::string xml_escaped(std::string_view text);

}  // namespace simlette
