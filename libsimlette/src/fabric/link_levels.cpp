#include <simlette/fabric/link_levels.hpp>

#include <map>
#include <utility>

#include <simlette/fabric/built_fabric.hpp>

namespace simlette {

namespace {

enum class Way : std::uint8_t { up, across, down };

// Sorts as a message goes.
using Place = std::pair<Way, std::int64_t>;

// Hops from the accelerators, which are level 0.
std::int64_t level_of(const HostGraph& graph, NodeId node) {
    return node < graph.accelerators ? 0 : graph.switches[node - graph.accelerators].level;
}

Place place_of(const Fabric& fabric, const HostLink& link) {
    const std::int64_t from = level_of(fabric.graph, link.from);
    const std::int64_t to = level_of(fabric.graph, link.to);
    if (from == to) {
        const FabricSpec& spec = fabric.spec;
        const bool between_racks =
            fabric.circuits() && spec.kind == FabricKind::two_level && link.from / spec.group != link.to / spec.group;
        return {Way::across, from + (between_racks ? 1 : 0)};
    }
    return from < to ? Place{Way::up, to} : Place{Way::down, -from};
}

std::string across_name(const Fabric& fabric, std::int64_t level) {
    if (fabric.spec.kind == FabricKind::explicit_graph && level > 0) {
        return "across " + std::to_string(level);
    }
    if (fabric.circuits() && fabric.spec.kind == FabricKind::two_level) {
        return level == 0 ? "circuit in rack" : "circuit across racks";
    }
    return "circuit";
}

std::string name_of(const Fabric& fabric, const Place& place) {
    switch (place.first) {
        case Way::up:
            return "up " + std::to_string(place.second);
        case Way::down:
            return "down " + std::to_string(-place.second);
        case Way::across:
            break;
    }
    return across_name(fabric, place.second);
}

}  // namespace

LinkLevels link_levels(const Fabric& fabric) {
    std::map<Place, std::uint32_t> numbers;
    for (const HostLink& link : fabric.graph.links) {
        numbers.emplace(place_of(fabric, link), 0);
    }
    LinkLevels levels;
    for (auto& [place, number] : numbers) {
        number = static_cast<std::uint32_t>(levels.names.size());
        levels.names.push_back(name_of(fabric, place));
    }
    for (const HostLink& link : fabric.graph.links) {
        levels.of.push_back(numbers.at(place_of(fabric, link)));
    }
    return levels;
}

}  // namespace simlette
