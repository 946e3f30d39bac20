#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <simlette/study/draw_plan.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/picture_style.hpp>
#include <simlette/study/plan_report.hpp>
#include <simlette/study/svg.hpp>

namespace simlette {

namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// More do not stand apart on a circle: neighbours share a place then.
constexpr std::uint32_t most_places = 512;

constexpr std::size_t columns = 6;
constexpr double cell_width = 180;
constexpr double cell_height = 216;
constexpr double cell_radius = 70;
constexpr double sheet_top = 96;

std::uint32_t ranks_a_place(std::uint32_t ranks) {
    return (ranks + most_places - 1) / most_places;
}

class CirclePicture {
public:
    CirclePicture(SvgWriter& svg, Point centre, double radius, std::uint32_t ranks)
        : svg_(svg),
          centre_(centre),
          radius_(radius),
          each_(ranks_a_place(ranks)),
          places_((ranks + each_ - 1) / each_) {
        svg_.circle(centre_, radius_, "rim");
    }

    Point place(std::uint32_t place, double radius) const {
        const double angle = 2 * std::numbers::pi * place / places_;
        return centre_ + Point{std::sin(angle), -std::cos(angle)} * radius;
    }

    void join(const Pairs& pairs, const std::string& classes, double width) {
        std::set<std::pair<std::uint32_t, std::uint32_t>> chords;
        for (const auto& pair : pairs) {
            chords.emplace(pair.first / each_, pair.second / each_);
        }
        for (const auto& chord : chords) {
            if (chord.first == chord.second) {
                svg_.circle(place(chord.first, radius_), 2, "device");
            } else {
                svg_.line(place(chord.first, radius_), place(chord.second, radius_), classes, width);
            }
        }
    }

private:
    SvgWriter& svg_;
    Point centre_;
    double radius_;
    std::uint32_t each_;
    std::uint32_t places_;
};

Pairs pairs_of(Label generator, std::uint32_t ranks) {
    Pairs pairs;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        if (rank < (rank ^ generator)) {
            pairs.emplace_back(rank, rank ^ generator);
        }
    }
    return pairs;
}

double stroke_of(std::uint32_t ranks) {
    return ranks <= 64 ? 1.2 : 0.5;
}

std::string places_note(std::uint32_t ranks) {
    const std::uint32_t each = ranks_a_place(ranks);
    return each == 1 ? "" : fmt::format("; {} accelerators share a place, a dot joins some of one place", each);
}

void draw_cell(SvgWriter& svg, const Plan& plan, std::size_t index) {
    const Point corner{24 + cell_width * static_cast<double>(index % columns),
                       sheet_top + cell_height * static_cast<double>(index / columns)};
    const Point centre = corner + Point{cell_width / 2, cell_radius + 8};
    const std::vector<std::string> users = users_of(plan, plan.generators[index]);
    CirclePicture picture(svg, centre, cell_radius, plan.ranks);
    picture.join(pairs_of(plan.generators[index], plan.ranks), colour_class(static_cast<std::uint32_t>(index)),
                 stroke_of(plan.ranks));
    const double words = centre.y + cell_radius + 20;
    svg.text({centre.x, words},
             fmt::format("{}  \u00d7{}", generator_text(plan, plan.generators[index]), plan.copies[index]), "middle");
    svg.text({centre.x, words + 17}, fmt::format("{}", fmt::join(users, ", ")), "small middle soft");
}

}  // namespace

std::string plan_sheet_svg(const Plan& plan, const std::string& title) {
    const std::size_t rows = (plan.generators.size() + columns - 1) / columns;
    const std::string facts = fmt::format("{} accelerators, {} generators, {} of {} ports{}", count_text(plan.ranks),
                                          plan.generators.size(), plan.ports_used, plan.ports, places_note(plan.ranks));
    SvgWriter svg(48 + cell_width * columns, sheet_top + cell_height * static_cast<double>(rows), title, facts,
                  picture_style());
    svg.text({40, 42}, title, "head");
    svg.text({40, 66}, facts, "soft");
    for (std::size_t i = 0; i < plan.generators.size(); ++i) {
        draw_cell(svg, plan, i);
    }
    return svg.finish();
}

std::string matching_svg(const std::string& device, const Pairs& pairs, std::uint32_t accelerators) {
    constexpr double side = 760;
    constexpr double radius = 300;
    const std::string title = "device " + device;
    const std::string facts = fmt::format("joins {} pairs of {} accelerators{}", count_text(pairs.size()),
                                          count_text(accelerators), places_note(accelerators));
    SvgWriter svg(side, side + 40, title, facts, picture_style());
    svg.text({40, 42}, title, "head");
    svg.text({40, 66}, facts, "soft");
    CirclePicture picture(svg, {side / 2, side / 2 + 40}, radius, accelerators);
    picture.join(pairs, colour_class(0), stroke_of(accelerators));
    const std::uint32_t places = (accelerators - 1) / ranks_a_place(accelerators) + 1;
    const std::uint32_t step = std::max(1U, places / 32);
    for (std::uint32_t at = 0; at < places; at += step) {
        svg.text(picture.place(at, radius + 16) + Point{0, 4}, std::to_string(at * ranks_a_place(accelerators)),
                 "label middle");
    }
    return svg.finish();
}

}  // namespace simlette
