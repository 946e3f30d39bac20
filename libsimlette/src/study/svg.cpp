#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include <simlette/study/svg.hpp>

namespace simlette {

namespace {

// Two decimals, no idle zeros, no minus zero.
std::string number(double value) {
    const auto hundredths = std::llround(value * 100);
    std::string text = fmt::format("{}{}", hundredths < 0 ? "-" : "", std::llabs(hundredths) / 100);
    const auto fraction = std::llabs(hundredths) % 100;
    if (fraction != 0) {
        text += fraction % 10 == 0 ? fmt::format(".{}", fraction / 10) : fmt::format(".{:02}", fraction);
    }
    return text;
}

std::string point(Point p) {
    return number(p.x) + ' ' + number(p.y);
}

}  // namespace

std::string xml_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped +=
                    static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? std::string("\xef\xbf\xbd") : std::string(1, c);
        }
    }
    return escaped;
}

SvgWriter::SvgWriter(double width, double height, std::string_view title, std::string_view description,
                     std::string_view style)
    : text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                        "height=\"{1}\" role=\"img\" aria-labelledby=\"title description\">\n"
                        "<title id=\"title\">{2}</title>\n<desc id=\"description\">{3}</desc>\n<style>\n{4}</style>\n",
                        number(width), number(height), xml_escaped(title), xml_escaped(description), style)) {
    rectangle({0, 0}, width, height, 0, "paper");
}

void SvgWriter::line(Point from, Point to, std::string_view classes, double width) {
    fmt::format_to(std::back_inserter(text_), "<path class=\"{}\" stroke-width=\"{}\" d=\"M{}L{}\"/>\n", classes,
                   number(width), point(from), point(to));
}

void SvgWriter::path(const std::vector<Point>& points, std::string_view classes, double width) {
    std::string way;
    for (const Point& p : points) {
        way += (way.empty() ? 'M' : 'L') + point(p);
    }
    fmt::format_to(std::back_inserter(text_), "<path class=\"{}\" stroke-width=\"{}\" d=\"{}\"/>\n", classes,
                   number(width), way);
}

void SvgWriter::curve(Point from, Point control, Point to, std::string_view classes, double width) {
    fmt::format_to(std::back_inserter(text_), "<path class=\"{}\" stroke-width=\"{}\" d=\"M{}Q{} {}\"/>\n", classes,
                   number(width), point(from), point(control), point(to));
}

void SvgWriter::circle(Point centre, double radius, std::string_view classes) {
    fmt::format_to(std::back_inserter(text_), "<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", classes,
                   number(centre.x), number(centre.y), number(radius));
}

void SvgWriter::rectangle(Point corner, double width, double height, double rounding, std::string_view classes) {
    fmt::format_to(std::back_inserter(text_),
                   "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>\n", classes,
                   number(corner.x), number(corner.y), number(width), number(height), number(rounding));
}

void SvgWriter::text(Point at, std::string_view words, std::string_view classes, double angle) {
    const std::string turned =
        angle == 0 ? std::string() : fmt::format(" transform=\"rotate({} {})\"", number(angle), point(at));
    fmt::format_to(std::back_inserter(text_), "<text class=\"{}\" x=\"{}\" y=\"{}\"{}>{}</text>\n", classes,
                   number(at.x), number(at.y), turned, xml_escaped(words));
}

std::string SvgWriter::finish() {
    return text_ + "</svg>\n";
}

}  // namespace simlette
