#include <simlette/fabric/describe_switches.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include <simlette/fabric/routes.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

// Sums of rates stop here.
constexpr std::int64_t most_rate = std::int64_t{1} << 62U;

std::int64_t rate_of(const HostGraph& graph, const HostLink& link) {
    return flit_bits_ps / graph.classes[link.link_class].flit_time.ps;
}

void describe_each_switch(const Fabric& fabric, std::vector<LevelDescription>& levels) {
    const HostGraph& graph = fabric.graph;
    std::vector<std::uint32_t> used(graph.packet_switches, 0);
    for (const HostLink& link : graph.links) {
        if (link.from >= graph.accelerators) {
            ++used[link.from - graph.accelerators];
        }
    }
    for (std::uint32_t at = 0; at < graph.packet_switches; ++at) {
        const std::uint32_t level = graph.switches[at].level;
        levels.resize(std::max<std::size_t>(levels.size(), level));
        LevelDescription& known = levels[level - 1];
        const std::uint32_t radix = fabric.spec.graph.devices[at].radix;
        const bool bounded = radix != 0 && (known.devices == 0 || known.radix != 0);
        known.radix = bounded ? std::max(known.radix, radix) : 0;
        ++known.devices;
        known.ports_used = std::max(known.ports_used, used[at]);
    }
}

// The capacity of a switch towards accelerators and towards other switches.
struct Capacity {
    std::int64_t down = 0;
    std::int64_t up = 0;

    double ratio() const { return static_cast<double>(down) / static_cast<double>(up); }
};

void describe_oversubscription(const std::vector<Capacity>& switches, FabricDescription& description) {
    const Capacity* worst = nullptr;
    for (const Capacity& capacity : switches) {
        if (capacity.down > 0 && capacity.up > 0 && (worst == nullptr || capacity.ratio() > worst->ratio())) {
            worst = &capacity;
        }
    }
    if (worst != nullptr) {
        const std::int64_t shared = std::gcd(worst->down, worst->up);
        description.oversubscription_down = static_cast<std::uint64_t>(worst->down / shared);
        description.oversubscription_up = static_cast<std::uint64_t>(worst->up / shared);
    }
}

struct Range {
    Duration least{INT64_MAX};
    Duration most{-1};  // less than none

    void take(const Range& more) {
        least = std::min(least, more.least);
        most = std::max(most, more.most);
    }
};

// Latencies of the ways to one destination, nearest switches first.
class Ways {
public:
    Ways(const HostGraph& graph, const SwitchMap& map, const std::vector<std::uint32_t>& last_switches,
         std::uint32_t destination)
        : graph_(graph), from_(graph.packet_switches) {
        const std::vector<std::uint32_t> hops = map.hops_to(last_switches);
        std::vector<std::uint32_t> order(graph.packet_switches);
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return hops[a] < hops[b]; });
        for (const std::uint32_t at : order) {
            if (graph.hangs_on(at, destination)) {
                from_[at] = by(graph.way_down(at, destination));
                continue;
            }
            const LinkChoice& choice = graph.choice(at, destination);
            for (std::uint32_t i = 0; i < choice.count; ++i) {
                from_[at].take(by(graph.choice_links[choice.first + i]));
            }
        }
    }

    Range by(LinkId link) const {
        const Duration own = graph_.class_of(link).latency.total();
        const NodeId to = graph_.links[link].to;
        const Range rest = to < graph_.accelerators ? Range{Duration{0}, Duration{0}} : from_[to - graph_.accelerators];
        return {own + rest.least, own + rest.most};
    }

private:
    const HostGraph& graph_;
    std::vector<Range> from_;  // by switch
};

std::vector<std::vector<std::uint32_t>> switches_of_accelerators(const HostGraph& graph) {
    std::vector<std::vector<std::uint32_t>> switches(graph.accelerators);
    for (const HostLink& link : graph.links) {
        if (link.from < graph.accelerators && link.to >= graph.accelerators) {
            switches[link.from].push_back(link.to - graph.accelerators);
        }
    }
    return switches;
}

}  // namespace

void describe_switches(const Fabric& fabric, FabricDescription& description) {
    const HostGraph& graph = fabric.graph;
    describe_each_switch(fabric, description.levels);
    std::vector<Capacity> capacities(graph.packet_switches);
    for (const HostLink& link : graph.links) {
        if (link.from < graph.accelerators) {
            continue;
        }
        const std::uint32_t at = link.from - graph.accelerators;
        const bool down = link.to < graph.accelerators;
        const std::uint32_t below = down ? 0 : graph.switches[link.to - graph.accelerators].level;
        const std::uint32_t level = graph.switches[at].level;
        description.levels[level - 1].links += below + 1 == level ? 1 : 0;
        std::int64_t& rate = down ? capacities[at].down : capacities[at].up;
        rate = std::min(rate + rate_of(graph, link), most_rate);
    }
    describe_oversubscription(capacities, description);
}

void describe_switch_paths(const Fabric& fabric, FabricDescription& description) {
    const HostGraph& graph = fabric.graph;
    const bool alike = fabric.spec.kind != FabricKind::explicit_graph;
    const SwitchMap map(graph);
    const auto switches = switches_of_accelerators(graph);
    Range all;
    for (std::uint32_t destination = 0; destination < (alike ? 1 : graph.accelerators); ++destination) {
        const Ways ways(graph, map, switches[destination], destination);
        for (std::uint32_t source = 0; source < graph.accelerators; ++source) {
            const bool other = source != destination || graph.accelerators == 1;  // alone: to itself and back
            const Candidates links(graph, source, destination);
            for (std::uint32_t i = 0; other && i < links.size(); ++i) {
                all.take(ways.by(links[i]));
            }
        }
    }
    if (all.most >= Duration{0}) {
        description.path_latency = all.least;
        description.path_latency_most = all.most;
    }
}

}  // namespace simlette
