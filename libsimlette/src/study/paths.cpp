#include <simlette/fabric/built_fabric.hpp>
#include <simlette/study/paths.hpp>

namespace simlette {

namespace {

constexpr std::uint32_t most_sources = 512;  // whose ways are all followed

void add_link(const HostGraph& graph, LinkId link, PathLatency& path) {
    const LatencyParts& parts = graph.class_of(link).latency;
    path.endpoint = path.endpoint + parts.endpoint;
    path.protocol = path.protocol + parts.protocol;
    path.propagation = path.propagation + parts.propagation;
    path.switching = path.switching + parts.switching;
}

PathLatency follow(const HostGraph& graph, std::uint32_t source, std::uint32_t destination, LinkId link) {
    PathLatency path;
    path.source = source;
    path.destination = destination;
    add_link(graph, link, path);
    while (graph.links[link].to >= graph.accelerators) {
        const std::uint32_t at = graph.links[link].to - graph.accelerators;
        link = graph.hangs_on(at, destination) ? graph.way_down(at, destination)
                                               : graph.choice_links[graph.choice(at, destination).first];
        add_link(graph, link, path);
        ++path.packet_switches;
    }
    return path;
}

}  // namespace

std::optional<PathRange> path_range(const Fabric& fabric) {
    const HostGraph& graph = fabric.graph;
    std::optional<PathRange> range;
    const std::uint32_t sources = graph.accelerators <= most_sources ? graph.accelerators : 1;
    for (std::uint32_t source = 0; source < sources; ++source) {
        for (std::uint32_t destination = 0; destination < graph.accelerators; ++destination) {
            const Candidates candidates(graph, source, destination);
            if (source == destination || candidates.size() == 0) {
                continue;
            }
            const PathLatency path = follow(graph, source, destination, candidates[0]);
            range = range ? range : PathRange{path, path};
            if (path.total() < range->shortest.total()) {
                range->shortest = path;
            }
            if (path.total() > range->longest.total()) {
                range->longest = path;
            }
        }
    }
    return range;
}

}  // namespace simlette
