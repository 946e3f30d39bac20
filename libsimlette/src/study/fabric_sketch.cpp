#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include <simlette/base/label.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/study/fabric_sketch.hpp>

namespace simlette {

namespace {

// What still can be told apart and labelled.
constexpr std::uint32_t most_below = 32;  // accelerators of a packet fabric
constexpr std::uint32_t most_switches = 16;
constexpr std::uint32_t most_on_circle = 128;
constexpr std::uint32_t groups_on_circle = 64;

std::uint32_t group_size(std::uint32_t devices, std::uint32_t most, std::uint32_t groups) {
    return devices <= most ? 1 : (devices + groups - 1) / groups;
}

std::vector<SketchGroup> groups_of(std::uint32_t devices, std::uint32_t size) {
    std::vector<SketchGroup> groups;
    for (std::uint32_t first = 0; first < devices; first += size) {
        groups.push_back({first, std::min(size, devices - first)});
    }
    return groups;
}

class Sketcher {
public:
    Sketcher(const Fabric& fabric, const std::vector<std::int64_t>& use) : graph_(fabric.graph), use_(use) {
        sketch_.circuits = fabric.circuits();
        const std::uint32_t n = graph_.accelerators;
        accelerators_each_ =
            sketch_.circuits ? group_size(n, most_on_circle, groups_on_circle) : group_size(n, most_below, most_below);
        switches_each_ = group_size(graph_.packet_switches, most_switches, most_switches);
        sketch_.accelerators = groups_of(n, accelerators_each_);
        sketch_.switches = groups_of(graph_.packet_switches, switches_each_);
        if (sketch_.circuits && use.empty()) {
            name_colours(describe(fabric));
        }
    }

    FabricSketch draw() {
        for (LinkId id = 0; id < graph_.links.size(); ++id) {
            add(id);
        }
        for (const auto& [key, edge] : edges_) {
            const bool beside =
                !sketch_.edges.empty() && sketch_.edges.back().from == edge.from && sketch_.edges.back().to == edge.to;
            sketch_.edges.push_back(edge);
            sketch_.edges.back().parallel = beside ? sketch_.edges[sketch_.edges.size() - 2].parallel + 1 : 0;
        }
        sketch_.inside /= 2;
        return std::move(sketch_);
    }

private:
    void name_colours(const FabricDescription& description) {
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
        sketch_.colour_circuits.assign(sketch_.colours.size(), 0);
    }

    void add(LinkId id) {
        const HostLink& link = graph_.links[id];
        const bool up = link.to >= graph_.accelerators;
        const bool forth = up || (sketch_.circuits && link.from < link.to);
        const std::uint32_t near = forth ? link.from : link.to;
        const std::uint32_t far = forth ? link.to : link.from;
        const std::uint32_t colour = colour_of(link, far);
        if (forth && colour < sketch_.colour_circuits.size()) {
            ++sketch_.colour_circuits[colour];
        }
        const std::uint32_t from = near / accelerators_each_;
        const std::uint32_t to =
            sketch_.circuits ? far / accelerators_each_ : (far - graph_.accelerators) / switches_each_;
        if (sketch_.circuits && from == to) {
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

    std::uint32_t colour_of(const HostLink& link, std::uint32_t far) const {
        if (!use_.empty()) {
            return 0;
        }
        if (!sketch_.circuits) {
            return (far - graph_.accelerators) / switches_each_;
        }
        return colour_of_port_[link.from_port];
    }

    const HostGraph& graph_;
    const std::vector<std::int64_t>& use_;
    FabricSketch sketch_;
    std::uint32_t accelerators_each_ = 1;
    std::uint32_t switches_each_ = 1;
    std::vector<std::uint32_t> colour_of_port_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, SketchEdge> edges_;
};

}  // namespace

FabricSketch sketch(const Fabric& fabric, const std::vector<std::int64_t>& use) {
    return Sketcher(fabric, use).draw();
}

}  // namespace simlette
