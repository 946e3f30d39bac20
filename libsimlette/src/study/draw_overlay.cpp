#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <simlette/study/describe_overlay.hpp>
#include <simlette/study/fabric_drawing.hpp>
#include <simlette/study/format.hpp>

namespace simlette {

namespace {

// What still can be told apart.
constexpr std::uint32_t most_on_circle = 128;
constexpr std::uint32_t groups_on_circle = 64;
constexpr std::size_t most_colours = 24;

class OverlaySketcher {
public:
    explicit OverlaySketcher(const OverlayDescription& description)
        : description_(description), graph_(description.overlay.graph) {
        sketch_.circuits = true;
        add_groups();
        choose_colours();
    }

    FabricSketch draw() {
        for (Label rank = 0; rank < graph_.group.size(); ++rank) {
            for (const Label generator : graph_.generators) {
                add_edge(rank, graph_.group.plus(rank, generator), colour_of_.at(generator));
            }
        }
        for (const auto& [key, edge] : edges_) {
            const bool beside =
                !sketch_.edges.empty() && sketch_.edges.back().from == edge.from && sketch_.edges.back().to == edge.to;
            sketch_.edges.push_back(edge);
            sketch_.edges.back().parallel = beside ? sketch_.edges[sketch_.edges.size() - 2].parallel + 1 : 0;
        }
        if (sketch_.inside > 0) {
            sketch_.notes.push_back(count_text(sketch_.inside) + " circuits within groups not drawn");
        }
        return std::move(sketch_);
    }

private:
    void add_groups() {
        const std::uint32_t ranks = graph_.group.size();
        each_ = ranks <= most_on_circle ? 1 : (ranks + groups_on_circle - 1) / groups_on_circle;
        for (std::uint32_t first = 0; first < ranks; first += each_) {
            const std::uint32_t count = std::min(each_, ranks - first);
            const std::string name =
                count == 1 ? std::to_string(first) : fmt::format("{}\u2013{}", first, first + count - 1);
            sketch_.groups.push_back({name, count, 0});
        }
        sketch_.accelerator_groups = static_cast<std::uint32_t>(sketch_.groups.size());
        if (each_ > 1) {
            sketch_.notes.push_back(fmt::format("drawn in groups of {} ranks", each_));
        }
    }

    void add_colour(const std::string& name) {
        sketch_.colours.push_back(name);
        sketch_.colour_links.push_back(0);
    }

    // A generator and its inverse are the same circuits.
    void colour_by_generator() {
        for (const Label generator : graph_.generators) {
            const Label inverse = graph_.group.minus(0, generator);
            const auto found = colour_of_.find(inverse);
            const auto next = static_cast<std::uint32_t>(sketch_.colours.size());
            colour_of_[generator] = found == colour_of_.end() ? next : found->second;
            if (found == colour_of_.end()) {
                add_colour((inverse == generator ? "" : "\u00b1") + label_name(generator, graph_.group));
            }
        }
    }

    void colour_by_layer() {
        const std::size_t count = description_.layers ? description_.layers->layers.size() : 0;
        for (std::size_t layer = 0; layer < count; ++layer) {
            for (const Label generator : description_.layers->layers[layer]) {
                colour_of_[generator] = static_cast<std::uint32_t>(layer);
            }
            add_colour(fmt::format("layer {}, {} generators", layer + 1, description_.layers->layers[layer].size()));
        }
        for (const Label generator : graph_.generators) {
            colour_of_.emplace(generator, static_cast<std::uint32_t>(count));
        }
        const std::size_t others = graph_.generators.size() - (count > 0 ? description_.layers->degree() : 0);
        if (others > 0) {
            add_colour(fmt::format("{} {}generators", others, count > 0 ? "other " : ""));
        }
    }

    void choose_colours() {
        if (graph_.generators.size() <= most_colours) {
            colour_by_generator();
        } else {
            colour_by_layer();
        }
    }

    // Comes by every circuit twice, once from each end.
    void add_edge(Label rank, Label peer, std::uint32_t colour) {
        if (peer < rank) {
            return;
        }
        ++sketch_.colour_links[colour];
        const std::uint32_t from = rank / each_;
        const std::uint32_t to = peer / each_;
        if (from == to) {
            ++sketch_.inside;
            return;
        }
        SketchEdge& edge = edges_[{from, to, colour}];
        edge.from = from;
        edge.to = to;
        edge.colour = colour;
        ++edge.links;
    }

    const OverlayDescription& description_;
    const CayleyGraph& graph_;
    FabricSketch sketch_;
    std::uint32_t each_ = 1;
    std::map<Label, std::uint32_t> colour_of_;  // by generator
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, SketchEdge> edges_;
};

}  // namespace

std::string overlay_svg(const OverlayDescription& description) {
    const CayleyGraph& graph = description.overlay.graph;
    Picture picture;
    picture.title = "overlay " + description.overlay.name;
    picture.subtitle = fmt::format("{} ranks, degree {}", count_text(graph.group.size()), graph.generators.size());
    picture.facts.push_back(description.diameter ? fmt::format("diameter {}", *description.diameter)
                                                 : std::string("not connected"));
    picture.facts.push_back(description.layers ? fmt::format("{} coset layers", description.layers->count())
                                               : std::string("no coset layers found"));
    picture.facts.push_back(count_text(std::uint64_t{graph.group.size()} * graph.generators.size() / 2) + " circuits");
    picture.description = picture.subtitle;
    for (const std::string& fact : picture.facts) {
        picture.description += "; " + fact;
    }
    return drawing(OverlaySketcher(description).draw(), picture);
}

// Every circuit, with its generator.
std::string overlay_dot(const OverlayDescription& description) {
    const CayleyGraph& graph = description.overlay.graph;
    std::string text =
        fmt::format("graph \"{}\" {{\n  layout=circo;\n  node [shape=circle];\n", description.overlay.name);
    for (Label rank = 0; rank < graph.group.size(); ++rank) {
        fmt::format_to(std::back_inserter(text), "  {} [tooltip=\"{}\"];\n", rank, label_name(rank, graph.group));
    }
    for (Label rank = 0; rank < graph.group.size(); ++rank) {
        for (const Label generator : graph.generators) {
            const Label peer = graph.group.plus(rank, generator);
            if (rank < peer) {
                fmt::format_to(std::back_inserter(text), "  {} -- {} [label=\"{}\"];\n", rank, peer,
                               label_name(generator, graph.group));
            }
        }
    }
    return text + "}\n";
}

}  // namespace simlette
