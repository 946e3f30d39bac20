#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/device_matchings.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/study/draw_plan.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/picture_style.hpp>
#include <simlette/study/plan_report.hpp>
#include <simlette/study/planning.hpp>
#include <simlette/study/problems.hpp>
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

Pairs pairs_of(Label generator, const RankGroup& labels) {
    Pairs pairs;
    for (std::uint32_t rank = 0; rank < labels.size(); ++rank) {
        pairs.push_back(std::minmax(rank, labels.plus(rank, generator)));
    }
    return pairs;
}

double stroke_of(std::uint32_t ranks) {
    return ranks <= 64 ? 1.2 : 0.5;
}

std::string places_note(std::uint32_t ranks, const char* what) {
    const std::uint32_t each = ranks_a_place(ranks);
    return each == 1 ? "" : fmt::format("; {} {} share a place, a dot joins some of one place", each, what);
}

void draw_cell(SvgWriter& svg, const Plan& plan, std::size_t index) {
    const std::size_t row = index / columns;
    const Point corner{24 + cell_width * static_cast<double>(index % columns),
                       sheet_top + cell_height * static_cast<double>(row)};
    const Point centre = corner + Point{cell_width / 2, cell_radius + 8};
    const std::vector<std::string> users = users_of(plan, plan.generators[index]);
    CirclePicture picture(svg, centre, cell_radius, plan.ranks);
    picture.join(pairs_of(plan.generators[index], labels_of(plan)), colour_class(static_cast<std::uint32_t>(index)),
                 stroke_of(plan.ranks));
    const double words = centre.y + cell_radius + 20;
    svg.text({centre.x, words},
             fmt::format("{}  \u00d7{}", generator_text(plan, plan.generators[index]), plan.copies[index]), "middle");
    svg.text({centre.x, words + 17}, fmt::format("{}", fmt::join(users, ", ")), "small middle soft");
}

}  // namespace

std::string plan_sheet_svg(const Plan& plan, const std::string& title) {
    const std::size_t rows = (plan.generators.size() + columns - 1) / columns;
    const std::string facts =
        fmt::format("{} accelerators, {} generators, {} of {} ports{}", count_text(plan.ranks), plan.generators.size(),
                    plan.ports_used, plan.ports, places_note(plan.ranks, "accelerators"));
    SvgWriter svg(48 + cell_width * columns, sheet_top + cell_height * static_cast<double>(rows), title, facts,
                  picture_style());
    svg.text({40, 42}, title, "head");
    svg.text({40, 66}, facts, "soft");
    for (std::size_t i = 0; i < plan.generators.size(); ++i) {
        draw_cell(svg, plan, i);
    }
    return svg.finish();
}

namespace {

std::string matching_svg(const std::string& device, const Pairs& pairs, std::uint32_t ports) {
    constexpr double side = 760;
    constexpr double radius = 300;
    const std::string title = "device " + device;
    const std::string facts = fmt::format("joins {} pairs of its {} ports{}", count_text(pairs.size()),
                                          count_text(ports), places_note(ports, "ports"));
    SvgWriter svg(side, side + 40, title, facts, picture_style());
    svg.text({40, 42}, title, "head");
    svg.text({40, 66}, facts, "soft");
    CirclePicture picture(svg, {side / 2, side / 2 + 40}, radius, ports);
    picture.join(pairs, colour_class(0), stroke_of(ports));
    const std::uint32_t places = (ports - 1) / ranks_a_place(ports) + 1;
    const std::uint32_t step = std::max(1U, places / 32);
    for (std::uint32_t at = 0; at < places; at += step) {
        svg.text(picture.place(at, radius + 16) + Point{0, 4}, std::to_string(at * ranks_a_place(ports)),
                 "label middle");
    }
    return svg.finish();
}

std::string device_name(const DeviceMatching& matching, FabricKind kind) {
    if (kind == FabricKind::single_level) {
        return fmt::format("rail{}", matching.rail);
    }
    return fmt::format("level{}.rail{}.{}{}", matching.level, matching.rail, matching.level == 1 ? "rack" : "device",
                       matching.device);
}

std::uint32_t ports_of(const DeviceMatching& matching, const FabricSpec& fabric) {
    std::uint32_t ports = fabric.kind == FabricKind::single_level ? fabric.accelerators : 0;
    for (const auto& pair : matching.joined) {
        ports = std::max(ports, pair.second + 1);
    }
    return ports;
}

}  // namespace

std::string device_svg(const Plan& plan, const FabricSpec& fabric, const std::string& device) {
    std::vector<std::string> names;
    for (const DeviceMatching& matching : device_matchings(*build_fabric(planned_fabric(plan, fabric)))) {
        names.push_back(device_name(matching, fabric.kind));
        if (names.back() == device) {
            return matching_svg(device, matching.joined, ports_of(matching, fabric));
        }
    }
    const std::string near = nearest(device, names);
    throw Error(ErrorKind::input, fmt::format("no circuit of the plan passes a device `{}`; {}", device,
                                              names.empty()  ? std::string("the fabric has none")
                                              : near.empty() ? fmt::format("names are such as `{}`", names.front())
                                                             : fmt::format("did you mean `{}`?", near)));
}

}  // namespace simlette
