#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include <simlette/study/describe_overlay.hpp>
#include <simlette/study/exact_text.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/names.hpp>

namespace simlette {

namespace {

constexpr std::size_t most_named = 10;

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> names_of(const std::vector<Label>& labels, const RankGroup& group) {
    std::vector<std::string> names;
    for (const Label label : labels) {
        names.push_back(label_name(label, group));
    }
    return names;
}

// The first ones, and how many more.
std::string shortened(const std::vector<Label>& labels, const RankGroup& group) {
    const std::size_t shown = labels.size() <= most_named ? labels.size() : most_named / 2;
    const std::vector<Label> first(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(shown));
    const std::string rest =
        shown < labels.size() ? fmt::format(" and {} more", count_text(labels.size() - shown)) : std::string();
    return fmt::format("{}{}", fmt::join(names_of(first, group), " "), rest);
}

std::string group_text(const RankGroup& group) {
    if (group.is_binary()) {
        return fmt::format("Z_2^{}", group.radices().size());
    }
    std::vector<std::string> factors;
    for (const std::uint32_t radix : group.radices()) {
        factors.push_back(fmt::format("Z_{}", radix));
    }
    return fmt::format("{}", fmt::join(factors, " x "));
}

// All masks of some bits.
bool is_block(const Layer& layer, const RankGroup& group) {
    Label bits = 0;
    for (const Label label : layer) {
        bits |= label;
    }
    return group.is_binary() && std::size_t{1} << std::popcount(bits) == layer.size() + 1;
}

const char* layer_kind(const Layer& layer, const RankGroup& group) {
    if (is_block(layer, group)) {
        return "block";
    }
    return all_subgroups({group, {layer}}) ? "subgroup" : "no subgroup";
}

std::string layers_text(const char* title, const CosetLayers& layers) {
    Rows rows{{"layer", "radix", "kind", "generators"}};
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
        rows.push_back({std::to_string(i + 1), std::to_string(layers.radix(i)),
                        layer_kind(layers.layers[i], layers.group), shortened(layers.layers[i], layers.group)});
    }
    return fmt::format("\n{}\n{}", title, aligned(rows, 4, "  "));
}

std::string all_layers_text(const OverlayDescription& description) {
    if (!description.layers) {
        return "\ncoset layers: none found\n";
    }
    std::string text = layers_text("coset layers", *description.layers);
    if (all_subgroups(*description.layers)) {
        return text;
    }
    return text + (description.subgroup_layers
                       ? layers_text("coset layers that join their ranks completely", *description.subgroup_layers)
                       : std::string("\ncoset layers that join their ranks completely: none found\n"));
}

std::string schedules_text(const OverlayDescription& description) {
    Rows rows{{"primitive", "schedule", "phases", "volume", "", "ports"}};
    std::string misfits;
    for (const OverlaySchedule& line : description.schedules) {
        const std::string primitive(name_of(line.primitive));
        const std::string schedule(name_of(line.kind));
        if (line.misfit) {
            misfits += fmt::format("  no {} by {}: it {}\n", primitive, schedule, *line.misfit);
        } else {
            rows.push_back({primitive, schedule, std::to_string(line.cost.phases), fraction_text(line.cost.volume),
                            decimal_text(line.cost.volume, 4), std::to_string(line.cost.ports)});
        }
    }
    return "\nschedules: bytes on the busiest circuit per byte of the buffer, ports driven at once\n" +
           aligned(rows, 2, "  ") + misfits;
}

// The cube and what is added to it.
std::string witness_text(const FrontierRow& row, const RankGroup& group) {
    if (row.witness.empty()) {
        return row.fold;
    }
    const auto bits = static_cast<std::ptrdiff_t>(group.radices().size());
    const std::vector<Label> added(row.witness.begin() + bits, row.witness.end());
    return fmt::format("Q{} and {}", bits, shortened(added, group));
}

std::string frontier_text(const OverlayDescription& description) {
    if (description.frontier.empty()) {
        return "";
    }
    const RankGroup& group = description.overlay.graph.group;
    Rows rows{{"phases", "schedulable", "by", "diameter", "at least", "by"}};
    for (const FrontierRow& row : description.frontier) {
        rows.push_back({std::to_string(row.phases), std::to_string(row.schedulable), row.fold,
                        std::to_string(row.diameter), std::to_string(row.bound), witness_text(row, group)});
    }
    return fmt::format("\nleast degree of {} ranks for so many phases\n{}", count_text(group.size()),
                       aligned(rows, 6, "  "));
}

std::string axes_text(const OverlayDescription& description) {
    if (description.axes.empty()) {
        return "";
    }
    const RankGroup& group = description.overlay.graph.group;
    Rows rows{{"axis", "ranks", "degree", "diameter"}};
    std::uint32_t sum = 0;
    bool whole = true;
    std::size_t helping = 0;
    for (const OverlayAxis& axis : description.axes) {
        rows.push_back({label_name(axis.bits, group), count_text(std::uint64_t{1} << std::popcount(axis.bits)),
                        std::to_string(axis.generators.size()),
                        axis.diameter ? std::to_string(*axis.diameter) : "not connected"});
        sum += axis.diameter.value_or(0);
        whole = whole && axis.diameter;
        helping += axis.generators.size();
    }
    std::string text = "\nmesh\n" + aligned(rows, 1, "  ");
    text += whole ? fmt::format("  diameter of the mesh {}", sum) : std::string("  no diameter");
    const std::size_t idle = description.overlay.graph.generators.size() - helping;
    return text + (idle > 0 ? fmt::format("; {} of the generators help no axis\n", idle) : "\n");
}

Node label_nodes(const std::vector<Label>& labels, const RankGroup& group) {
    std::vector<Node> nodes;
    for (const std::string& name : names_of(labels, group)) {
        nodes.push_back(text_node(name));
    }
    return list_node(std::move(nodes));
}

Node count_nodes(const std::vector<std::uint32_t>& counts) {
    std::vector<Node> nodes;
    for (const std::uint32_t count : counts) {
        nodes.push_back(number_node(std::uint64_t{count}));
    }
    return list_node(std::move(nodes));
}

Node count_node(const std::optional<std::uint32_t>& count) {
    return count ? number_node(std::uint64_t{*count}) : Node{};
}

Node layer_nodes(const std::optional<CosetLayers>& layers) {
    if (!layers) {
        return {};
    }
    std::vector<Node> nodes;
    for (const Layer& layer : layers->layers) {
        nodes.push_back(map_node({{"radix", number_node(std::uint64_t{layer.size() + 1})},
                                  {"block", boolean_node(is_block(layer, layers->group))},
                                  {"subgroup", boolean_node(all_subgroups({layers->group, {layer}}))},
                                  {"generators", label_nodes(layer, layers->group)}}));
    }
    return list_node(std::move(nodes));
}

Node schedule_node(const OverlaySchedule& line) {
    std::vector<std::pair<std::string, Node>> members{{"primitive", text_node(name_of(line.primitive))},
                                                      {"schedule", text_node(name_of(line.kind))},
                                                      {"valid", boolean_node(!line.misfit)}};
    if (line.misfit) {
        members.emplace_back("reason", text_node(*line.misfit));
    } else {
        members.emplace_back("phases", count_node(line.cost.phases));
        members.emplace_back("volume", text_node(fraction_text(line.cost.volume)));
        members.emplace_back("ports", count_node(line.cost.ports));
    }
    return map_node(std::move(members));
}

Node frontier_node(const FrontierRow& row, const RankGroup& group) {
    return map_node({{"phases", count_node(row.phases)},
                     {"schedulable_degree", count_node(row.schedulable)},
                     {"fold", text_node(row.fold)},
                     {"diameter_degree", count_node(row.diameter)},
                     {"degree_bound", count_node(row.bound)},
                     {"witness", row.witness.empty() ? text_node(row.fold) : label_nodes(row.witness, group)}});
}

Node axis_node(const OverlayAxis& axis, const RankGroup& group) {
    return map_node({{"bits", text_node(label_name(axis.bits, group))},
                     {"generators", label_nodes(axis.generators, group)},
                     {"diameter", count_node(axis.diameter)}});
}

template <class Item, class Write>
Node nodes_of(const std::vector<Item>& items, Write&& write) {
    std::vector<Node> nodes;
    for (const Item& item : items) {
        nodes.push_back(write(item));
    }
    return list_node(std::move(nodes));
}

}  // namespace

std::string overlay_text(const OverlayDescription& description) {
    const CayleyGraph& graph = description.overlay.graph;
    const std::string diameter = description.diameter
                                     ? fmt::format("diameter {}, no all-reduce in fewer than {} phases",
                                                   *description.diameter, *description.fewest_phases)
                                     : std::string("not connected");
    const std::string reached =
        description.connected ? std::string() : fmt::format("; {} are reached", count_text(description.balls.back()));
    std::string text = fmt::format("overlay     {}\nranks       {}, labels of {}\ndegree      {}, {}{}\n",
                                   description.overlay.name, count_text(graph.group.size()), group_text(graph.group),
                                   graph.generators.size(), diameter, reached);
    text += fmt::format("spheres     {}\nballs       {}\ngenerators  {}\n", fmt::join(description.spheres, " "),
                        fmt::join(description.balls, " "), shortened(graph.generators, graph.group));
    if (description.connected) {
        text += fmt::format("deliveries  {} by the busiest circuit in each phase of one-shot-dvo\n",
                            fmt::join(description.loads, " "));
    }
    return text + axes_text(description) + all_layers_text(description) + schedules_text(description) +
           frontier_text(description);
}

std::string overlay_json(const OverlayDescription& description) {
    const CayleyGraph& graph = description.overlay.graph;
    return readable_json(map_node({
        {"overlay", text_node(description.overlay.name)},
        {"group", text_node(group_text(graph.group))},
        {"ranks", count_node(graph.group.size())},
        {"degree", number_node(std::uint64_t{graph.generators.size()})},
        {"connected", boolean_node(description.connected)},
        {"diameter", count_node(description.diameter)},
        {"fewest_phases", count_node(description.fewest_phases)},
        {"spheres", count_nodes(description.spheres)},
        {"balls", count_nodes(description.balls)},
        {"generators", label_nodes(graph.generators, graph.group)},
        {"one_shot_dvo_loads", count_nodes(description.loads)},
        {"layers", layer_nodes(description.layers)},
        {"subgroup_layers", layer_nodes(description.subgroup_layers)},
        {"schedules", nodes_of(description.schedules, schedule_node)},
        {"frontier",
         nodes_of(description.frontier, [&](const FrontierRow& row) { return frontier_node(row, graph.group); })},
        {"axes", nodes_of(description.axes, [&](const OverlayAxis& axis) { return axis_node(axis, graph.group); })},
    }));
}

}  // namespace simlette
