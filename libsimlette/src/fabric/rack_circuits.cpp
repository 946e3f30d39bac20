#include <simlette/fabric/rack_circuits.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/edge_colouring.hpp>

namespace simlette {

namespace {

std::uint32_t rounds_of(std::uint32_t racks) {
    return racks % 2 == 0 ? racks - 1 : racks;
}

// The circle method: round t joins racks a and b when a + b = t modulo the rounds; of an even number of racks the last
// one meets the a with 2 a = t. no_id: a bye.
std::uint32_t partner(std::uint32_t racks, std::uint32_t rack, std::uint32_t round) {
    const std::uint32_t rounds = rounds_of(racks);
    if (racks % 2 == 0 && rack == racks - 1) {
        return round % 2 == 0 ? round / 2 : (round + rounds) / 2;
    }
    const std::uint32_t other = (round + rounds - rack % rounds) % rounds;
    if (other != rack) {
        return other;
    }
    return racks % 2 == 0 ? racks - 1 : no_id;
}

void add_problem(std::string message, std::vector<Problem>& problems) {
    problems.push_back({"", 0, 0, std::move(message)});
}

std::string links_text(const LevelSizes& sizes) {
    return fmt::format("{} rails x {} = {}", sizes.rails, sizes.up, sizes.rails * sizes.up);
}

std::vector<RackEnd> by_circle(const LevelSizes& sizes, std::vector<Problem>& problems) {
    const std::uint32_t racks = sizes.serving_groups;
    const std::uint32_t links = sizes.rails * sizes.up;
    std::vector<RackEnd> ends(std::size_t{racks} * links);
    if (racks > 1 && links < rounds_of(racks)) {
        add_problem(fmt::format("circuits between {} serving groups need {} up links of a group; there are {}", racks,
                                rounds_of(racks), links_text(sizes)),
                    problems);
        return ends;
    }
    for (std::uint32_t at = 0; at < ends.size() && racks > 1; ++at) {
        ends[at] = {partner(racks, at / links, at % links % rounds_of(racks)), at % sizes.up};
    }
    return ends;
}

// Cables from a file, or from a plan.
class CableCheck {
public:
    CableCheck(const LevelSizes& sizes, std::vector<Problem>& problems)
        : sizes_(sizes),
          problems_(problems),
          links_(sizes.rails * sizes.up),
          ends_(std::size_t{sizes.serving_groups} * links_) {}

    std::vector<RackEnd> run(const std::vector<CircuitSpec::Cable>& cables) {
        const std::size_t before = problems_.size();
        for (const CircuitSpec::Cable& cable : cables) {
            lay(cable);
        }
        if (problems_.size() == before) {
            check_joined(cables);
        }
        return std::move(ends_);
    }

private:
    void lay(const CircuitSpec::Cable& cable) {
        const std::string name = fmt::format("the circuit from up link {} of rack {} to up link {} of rack {}",
                                             cable.from_port, cable.from, cable.to_port, cable.to);
        if (std::max(cable.from, cable.to) >= sizes_.serving_groups || cable.from == cable.to ||
            std::max(cable.from_port, cable.to_port) >= links_) {
            add_problem(name + fmt::format(" does not join two of the {} serving racks; each has {} up links",
                                           sizes_.serving_groups, links_text(sizes_)),
                        problems_);
            return;
        }
        const std::uint32_t from = cable.from_port % sizes_.up;
        const std::uint32_t to = cable.to_port % sizes_.up;
        if (cable.from_port / sizes_.up != cable.to_port / sizes_.up ||
            sizes_.level2_device(from) != sizes_.level2_device(to)) {
            add_problem(name + " does not begin and end at the same level-2 device", problems_);
            return;
        }
        RackEnd& there = ends_[std::size_t{cable.from} * links_ + cable.from_port];
        RackEnd& back = ends_[std::size_t{cable.to} * links_ + cable.to_port];
        if (there.rack != no_id || back.rack != no_id) {
            add_problem(name + " ends at an up link that has a circuit already", problems_);
            return;
        }
        there = {cable.to, to};
        back = {cable.from, from};
    }

    // Nothing is relayed through a third rack.
    void check_joined(const std::vector<CircuitSpec::Cable>& cables) {
        std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
        for (const CircuitSpec::Cable& cable : cables) {
            joined.insert(std::minmax(cable.from, cable.to));
        }
        for (std::uint32_t a = 0; a < sizes_.serving_groups; ++a) {
            for (std::uint32_t b = a + 1; b < sizes_.serving_groups; ++b) {
                if (joined.count({a, b}) == 0) {
                    add_problem(fmt::format("no circuit joins racks {} and {}", a, b), problems_);
                    return;
                }
            }
        }
    }

    const LevelSizes& sizes_;
    std::vector<Problem>& problems_;
    std::uint32_t links_;  // up links of a rack
    std::vector<RackEnd> ends_;
};

// Of an odd number of racks: rounds of the circle method, each with a bye, and 2-factors.
class EvenRacks {
public:
    explicit EvenRacks(const LevelSizes& sizes)
        : sizes_(sizes), racks_(sizes.serving_groups), factors_(square()), circuits_(square()) {
        for (std::uint32_t u = 0; u < sizes.up; ++u) {
            const bool first = u / sizes.devices_each % 2 == 0;
            if (first && u + sizes.devices_each < sizes.up) {
                pairs_.emplace_back(u, u + sizes.devices_each);
            } else if (first) {
                singles_.push_back(u);
            }
        }
    }

    std::vector<CircuitSpec::Cable> run() {
        lay_rounds();
        choose_factors();
        even_out();
        check_joined();
        lay_factors();
        return std::move(cables_);
    }

private:
    using Table = std::vector<std::vector<std::uint32_t>>;  // by two racks, both ways

    Table square() const { return Table(racks_, std::vector<std::uint32_t>(racks_, 0)); }

    void lay(std::uint32_t rail, std::uint32_t from, std::uint32_t up_from, std::uint32_t to, std::uint32_t up_to) {
        cables_.push_back({from, rail * sizes_.up + up_from, to, rail * sizes_.up + up_to});
    }

    void lay_rounds() {
        for (std::uint32_t i = 0; i < sizes_.rails * singles_.size(); ++i) {
            const auto rail = static_cast<std::uint32_t>(i / singles_.size());
            const std::uint32_t up = singles_[i % singles_.size()];
            for (std::uint32_t a = 0; a < racks_; ++a) {
                const std::uint32_t b = partner(racks_, a, i % racks_);
                if (b != no_id) {
                    ++circuits_[a][b];
                }
                if (b != no_id && a < b) {
                    lay(rail, a, up, b, up);
                }
            }
        }
    }

    // Every 2-factor joins the racks of one distance on the circle.
    void choose_factors() {
        const std::uint32_t distances = (racks_ - 1) / 2;
        for (std::uint32_t i = 0; i < sizes_.rails * pairs_.size(); ++i) {
            for (std::uint32_t a = 0; a < racks_; ++a) {
                add(a, (a + 1 + i % distances) % racks_, 1);
            }
        }
    }

    void add(std::uint32_t a, std::uint32_t b, std::uint32_t change) {
        factors_[a][b] += change;
        factors_[b][a] += change;
        circuits_[a][b] += change;
        circuits_[b][a] += change;
    }

    // Rounds count by the sum of two racks and 2-factors by their distance, so some pairs get one more of both. Two
    // circuits of 2-factors change ends as long as that makes the numbers more equal.
    void even_out() {
        for (bool better = true; better;) {
            better = false;
            for (std::uint32_t a = 0; a < racks_; ++a) {
                for (std::uint32_t b = 0; b < racks_; ++b) {
                    better = (factors_[a][b] > 0 && change_ends(a, b)) || better;
                }
            }
        }
    }

    bool change_ends(std::uint32_t a, std::uint32_t b) {
        for (std::uint32_t c = 0; c < racks_; ++c) {
            for (std::uint32_t d = 0; d < racks_ && c != a && c != b; ++d) {
                if (d != a && d != b && factors_[c][d] > 0 &&
                    circuits_[a][b] + circuits_[c][d] > circuits_[a][c] + circuits_[b][d] + 2) {
                    add(a, b, UINT32_MAX);
                    add(c, d, UINT32_MAX);
                    add(a, c, 1);
                    add(b, d, 1);
                    return true;
                }
            }
        }
        return false;
    }

    void check_joined() const {
        for (std::uint32_t a = 0; a < racks_; ++a) {
            if (std::count(circuits_[a].begin(), circuits_[a].end(), 0U) > 1) {  // its own
                throw Error(ErrorKind::input,
                            fmt::format("{} up links of a rack do not join {} racks, of which each round leaves one "
                                        "dark; {} would do",
                                        links_text(sizes_), racks_, racks_));
            }
        }
    }

    // Turned along Euler tours as many circuits lead out of a rack as in; coloured from out to in each colour is a
    // 2-factor.
    void lay_factors() {
        std::vector<GraphEdge> edges;
        for (std::uint32_t a = 0; a < racks_; ++a) {
            for (std::uint32_t b = a + 1; b < racks_; ++b) {
                edges.insert(edges.end(), factors_[a][b], {a, b});
            }
        }
        const std::vector<GraphEdge> turned = oriented(racks_, edges);
        const auto count = static_cast<std::uint32_t>(sizes_.rails * pairs_.size());
        const std::vector<std::uint32_t> colours = colour_bipartite(racks_, racks_, turned, count);
        for (std::size_t i = 0; i < turned.size(); ++i) {
            const GraphEdge& pair = pairs_[colours[i] % pairs_.size()];
            lay(static_cast<std::uint32_t>(colours[i] / pairs_.size()), turned[i].first, pair.first, turned[i].second,
                pair.second);
        }
    }

    const LevelSizes& sizes_;
    std::uint32_t racks_;
    std::vector<GraphEdge> pairs_;        // up links of a rail that lead to the same device, two by two
    std::vector<std::uint32_t> singles_;  // those that are left
    Table factors_;                       // circuits of 2-factors
    Table circuits_;                      // all of them
    std::vector<CircuitSpec::Cable> cables_;
};

std::vector<CircuitSpec::Cable> circle_cables(const LevelSizes& sizes) {
    std::vector<CircuitSpec::Cable> cables;
    for (std::uint32_t rack = 0; rack < sizes.serving_groups; ++rack) {
        for (std::uint32_t link = 0; link < sizes.rails * sizes.up; ++link) {
            const std::uint32_t other = partner(sizes.serving_groups, rack, link % rounds_of(sizes.serving_groups));
            if (other != no_id && rack < other) {
                cables.push_back({rack, link, other, link});
            }
        }
    }
    return cables;
}

}  // namespace

std::vector<RackEnd> rack_ends(const FabricSpec& spec, const LevelSizes& sizes, std::vector<Problem>& problems) {
    if (!spec.circuits.cables.empty()) {
        return CableCheck(sizes, problems).run(spec.circuits.cables);
    }
    if (!spec.circuits.automatic) {
        add_problem("circuits above electronic switches are laid by `circuits: auto` or a plan", problems);
        return {};
    }
    return by_circle(sizes, problems);
}

std::vector<CircuitSpec::Cable> even_rack_cables(const LevelSizes& sizes) {
    const std::uint32_t racks = sizes.serving_groups;
    if (racks < 2) {
        return {};
    }
    if (sizes.rails * sizes.up < racks - 1) {
        throw Error(ErrorKind::input, fmt::format("circuits between {} racks need {} up links of a rack; there are {}",
                                                  racks, racks - 1, links_text(sizes)));
    }
    return racks % 2 == 0 ? circle_cables(sizes) : EvenRacks(sizes).run();
}

}  // namespace simlette
