#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include <simlette/fabric/fabric.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/study/fabric_sketch.hpp>
#include <simlette/study/format.hpp>

namespace simlette {

namespace {

// What still can be told apart and labelled.
constexpr std::uint32_t most_below = 32;  // accelerators of a packet fabric
constexpr std::uint32_t most_switches = 16;
constexpr std::uint32_t most_on_circle = 128;
constexpr std::uint32_t groups_on_circle = 64;
constexpr std::uint32_t most_leaves = 16;
constexpr std::uint32_t most_in_row = 64;

std::uint32_t group_size(std::uint32_t devices, std::uint32_t most, std::uint32_t groups) {
    return devices <= most ? 1 : (devices + groups - 1) / groups;
}

std::string span_name(const std::string& kind, std::uint32_t first, std::uint32_t count) {
    return count == 1 ? fmt::format("{}{}", kind, first) : fmt::format("{}{}\u2013{}", kind, first, first + count - 1);
}

class Sketcher {
public:
    Sketcher(const Fabric& fabric, const std::vector<std::int64_t>& use)
        : spec_(fabric.spec), graph_(fabric.graph), use_(use) {
        sketch_.circuits = fabric.circuits();
        group_of_.resize(std::size_t{graph_.accelerators} + graph_.packet_switches, no_id);
        if (sketch_.circuits) {
            add_accelerators(group_size(graph_.accelerators, most_on_circle, groups_on_circle));
            const std::vector<std::uint32_t>& torus = spec_.circuits.torus;
            sketch_.columns = torus.size() == 2 && graph_.accelerators <= most_on_circle ? torus.back() : 0;
            name_ports(describe(fabric));
        } else if (spec_.kind == FabricKind::two_level) {
            add_two_levels();
        } else {
            add_accelerators(group_size(graph_.accelerators, most_below, most_below));
            add_levels();
        }
    }

    FabricSketch draw() {
        for (LinkId id = 0; id < graph_.links.size(); ++id) {
            add_link(id);
        }
        for (const auto& [key, edge] : edges_) {
            const bool beside =
                !sketch_.edges.empty() && sketch_.edges.back().from == edge.from && sketch_.edges.back().to == edge.to;
            sketch_.edges.push_back(edge);
            sketch_.edges.back().parallel = beside ? sketch_.edges[sketch_.edges.size() - 2].parallel + 1 : 0;
        }
        sketch_.inside /= 2;
        if (sketch_.inside > 0) {
            sketch_.notes.push_back(count_text(sketch_.inside) + " circuits within groups not drawn");
        }
        return std::move(sketch_);
    }

private:
    // `count` nodes from `first` on become one group.
    void add_group(NodeId first, std::uint32_t count, std::string name, std::uint32_t level) {
        std::fill_n(group_of_.begin() + first, count, static_cast<std::uint32_t>(sketch_.groups.size()));
        sketch_.groups.push_back({std::move(name), count, level});
    }

    void add_accelerators(std::uint32_t each) {
        for (std::uint32_t first = 0; first < graph_.accelerators; first += each) {
            const std::uint32_t count = std::min(each, graph_.accelerators - first);
            add_group(first, count, span_name("a", first, count), 0);
        }
        sketch_.accelerator_groups = static_cast<std::uint32_t>(sketch_.groups.size());
        if (each > 1) {
            sketch_.notes.push_back(fmt::format("drawn in groups of {} accelerators", each));
        }
    }

    // Switches by level; many of one level in groups.
    void add_levels() {
        std::map<std::uint32_t, std::vector<std::uint32_t>> levels;
        for (std::uint32_t at = 0; at < graph_.packet_switches; ++at) {
            levels[graph_.switches[at].level].push_back(at);
        }
        for (const auto& [level, switches] : levels) {
            const auto each = group_size(static_cast<std::uint32_t>(switches.size()), most_switches, most_switches);
            for (std::size_t i = 0; i < switches.size(); i += each) {
                const std::size_t count = std::min<std::size_t>(each, switches.size() - i);
                const NodeId first = graph_.accelerators + switches[i];
                add_group(first, 1, graph_.node_name(first), level);
                for (std::size_t more = 1; more < count; ++more) {
                    const NodeId node = graph_.accelerators + switches[i + more];
                    group_of_[node] = group_of_[first];
                    sketch_.groups.back().name = graph_.node_name(first) + "\u2013" + graph_.node_name(node);
                    ++sketch_.groups.back().count;
                }
            }
            if (each > 1) {
                sketch_.notes.push_back(fmt::format("and of {} switches", each));
            }
        }
    }

    // A rack stays together, and its devices of level 1 stand above it; of many rails only some are drawn.
    void add_two_levels() {
        std::vector<Problem> none;
        sizes_ = level_sizes(spec_, none);
        const std::uint32_t racks = sizes_.serving_groups;
        const std::uint32_t racks_each = group_size(racks, most_in_row, most_in_row);
        const std::uint32_t places = (racks + racks_each - 1) / racks_each;
        choose_rails(std::clamp(most_leaves / places, 1U, sizes_.rails));
        const bool alone = graph_.accelerators <= most_below;
        add_accelerators(alone ? 1 : sizes_.group * racks_each);
        for (std::uint32_t rack = 0; rack < racks; rack += racks_each) {
            for (const std::uint32_t rail : rails_) {
                for (std::uint32_t i = rack; i < std::min(rack + racks_each, racks); ++i) {
                    add_device(i * sizes_.rails + rail, i > rack, 1);
                }
            }
        }
        for (const std::uint32_t rail : rails_) {
            const std::uint32_t first = racks * sizes_.rails + rail * sizes_.devices_each;
            const std::uint32_t each = group_size(sizes_.devices_each, most_switches, most_switches);
            for (std::uint32_t i = 0; has_spines() && i < sizes_.devices_each; ++i) {
                add_device(first + i, i % each != 0, 2);
            }
        }
        name_rails();
    }

    bool has_spines() const { return spec_.level2.device == DeviceKind::eps; }

    // A group of its own, or one of the group before it.
    void add_device(std::uint32_t at, bool joins, std::uint32_t level) {
        const NodeId node = graph_.accelerators + at;
        if (!joins) {
            add_group(node, 1, graph_.node_name(node), level);
            return;
        }
        group_of_[node] = static_cast<std::uint32_t>(sketch_.groups.size() - 1);
        SketchGroup& group = sketch_.groups.back();
        group.name = group.name.substr(0, group.name.find("\u2013")) + "\u2013" + graph_.node_name(node);
        ++group.count;
    }

    std::uint32_t rail_of(const HostLink& link) const {
        const std::uint32_t at = std::max(link.from, link.to) - graph_.accelerators;
        const std::uint32_t leaves = sizes_.serving_groups * sizes_.rails;
        return at < leaves ? at % sizes_.rails : (at - leaves) / sizes_.devices_each;
    }

    // The first ones; of a run those with the busiest links.
    void choose_rails(std::uint32_t count) {
        std::vector<std::pair<std::int64_t, std::uint32_t>> idle;
        for (std::uint32_t rail = 0; rail < sizes_.rails; ++rail) {
            idle.emplace_back(0, rail);
        }
        for (LinkId id = 0; id < use_.size(); ++id) {
            std::int64_t& least = idle[rail_of(graph_.links[id])].first;
            least = std::min(least, -use_[id]);
        }
        std::sort(idle.begin(), idle.end());
        for (std::uint32_t i = 0; i < count; ++i) {
            rails_.push_back(idle[i].second);
        }
        std::sort(rails_.begin(), rails_.end());
        if (count < sizes_.rails) {
            sketch_.notes.push_back(fmt::format("drawn: rail{} {} of {}{}", count == 1 ? "" : "s",
                                                fmt::join(rails_, ", "), sizes_.rails,
                                                use_.empty() ? "" : ", the busiest"));
        }
    }

    void name_rails() {
        if (!use_.empty()) {
            return;
        }
        if (rails_.size() > 1) {
            for (const std::uint32_t rail : rails_) {
                sketch_.colours.push_back(fmt::format("rail {}", rail));
            }
        } else {
            sketch_.colours.emplace_back("to accelerators");
            for (std::uint32_t i = 0; i < (has_spines() ? sizes_.devices_each : sizes_.up); ++i) {
                sketch_.colours.push_back(fmt::format("{} {}", has_spines() ? "to level-2 switch" : "up link", i));
            }
        }
        sketch_.colour_links.assign(sketch_.colours.size(), 0);
    }

    std::uint32_t rail_colour(const HostLink& link) const {
        if (rails_.size() > 1) {
            const auto found = std::find(rails_.begin(), rails_.end(), rail_of(link));
            return static_cast<std::uint32_t>(found - rails_.begin());
        }
        if (std::min(link.from, link.to) < graph_.accelerators) {
            return 0;
        }
        const std::uint32_t up = (link.from < link.to ? link.from_port : link.to_port) - sizes_.down;
        return 1 + (has_spines() ? sizes_.level2_device(up) : up);
    }

    void name_ports(const FabricDescription& description) {
        if (!use_.empty()) {
            return;
        }
        std::uint32_t port = 0;
        for (std::size_t i = 0; i < description.generators.size(); ++i) {
            sketch_.colours.push_back(description.generators[i]);
            sketch_.copies.push_back(description.multiplicity[i]);
            for (std::uint32_t copy = 0; copy < description.multiplicity[i]; ++copy, ++port) {
                colour_of_port_.push_back(static_cast<std::uint32_t>(i));
            }
        }
        for (; description.generators.empty() && port < description.ports; ++port) {
            sketch_.colours.push_back(fmt::format("port {}", port));
            colour_of_port_.push_back(port);
        }
        sketch_.colour_links.assign(sketch_.colours.size(), 0);
    }

    void add_link(LinkId id) {
        const HostLink& link = graph_.links[id];
        const bool forth = link.from < link.to;
        const std::uint32_t from = group_of_[std::min(link.from, link.to)];
        const std::uint32_t to = group_of_[std::max(link.from, link.to)];
        if (from == no_id || to == no_id) {
            return;
        }
        const std::uint32_t colour = use_.empty() ? colour_of(link, to) : 0;
        if (forth && colour < sketch_.colour_links.size()) {
            ++sketch_.colour_links[colour];
            if (link.from_port != link.to_port && sketch_.circuits) {
                sketch_.colours[colour] =
                    fmt::format("ports {} and {}", colour, std::max(link.from_port, link.to_port));
            }
        }
        if (from == to) {
            ++sketch_.inside;
            return;
        }
        SketchEdge& edge = edges_[{from, to, colour}];
        edge.from = from;
        edge.to = to;
        edge.colour = colour;
        edge.links += forth ? 1 : 0;
        std::int64_t& use = forth ? edge.use_forth : edge.use_back;
        use = use_.empty() ? 0 : std::max(use, use_[id]);
    }

    std::uint32_t colour_of(const HostLink& link, std::uint32_t to) const {
        if (sketch_.circuits) {
            return colour_of_port_[std::min(link.from_port, link.to_port)];
        }
        return rails_.empty() ? to - sketch_.accelerator_groups : rail_colour(link);
    }

    const FabricSpec& spec_;
    const HostGraph& graph_;
    const std::vector<std::int64_t>& use_;
    FabricSketch sketch_;
    std::vector<std::uint32_t> group_of_;  // by node; no_id: not drawn
    std::vector<std::uint32_t> rails_;     // drawn ones, of two levels
    LevelSizes sizes_;
    std::vector<std::uint32_t> colour_of_port_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, SketchEdge> edges_;
};

}  // namespace

FabricSketch sketch(const Fabric& fabric, const std::vector<std::int64_t>& use) {
    return Sketcher(fabric, use).draw();
}

}  // namespace simlette
