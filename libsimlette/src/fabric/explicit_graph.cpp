// Graphs given link by link. A message takes a way of fewest links; of the links that such ways begin with, the routing
// chooses. It passes switches only, never another accelerator.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <simlette/fabric/builders.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/fabric/routes.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

// What routes take in steps and in memory: a search over all links, and a table of all nodes, for each accelerator.
constexpr std::uint64_t most_route_steps = 1U << 27U;
// About 2 GiB of state.
constexpr std::uint64_t most_directed_links = 1U << 22U;
constexpr std::size_t most_link_classes = 4'096;
constexpr std::uint32_t most_optical_passes = 1'000;

BitRate rate_of(const FabricSpec& spec, const GraphSpec::Link& link) {
    return link.rate.value_or(spec.port_rate);
}

class GraphCheck {
public:
    GraphCheck(const FabricSpec& spec, std::vector<Problem>& problems) : spec_(spec), problems_(problems) {}

    void run() {
        const std::size_t before = problems_.size();
        check_names();
        for (std::size_t i = 0; i < spec_.graph.links.size(); ++i) {
            check_link(i);
        }
        if (problems_.size() == before) {
            check_ports();
            check_extent();
        }
    }

private:
    void add(std::string message) { problems_.push_back({"", 0, 0, std::move(message)}); }
    std::size_t nodes() const { return spec_.accelerators + spec_.graph.devices.size(); }
    std::string name(std::uint32_t node) const {
        return node < spec_.accelerators ? "a" + std::to_string(node)
                                         : spec_.graph.devices[node - spec_.accelerators].name;
    }

    void check_names() {
        std::set<std::string> names;
        for (const GraphSpec::Device& device : spec_.graph.devices) {
            const bool like_accelerator = device.name.size() > 1 && device.name[0] == 'a' &&
                                          device.name.find_first_not_of("0123456789", 1) == std::string::npos;
            if (device.name.empty() || like_accelerator) {
                add(fmt::format("`{}` is no name for a device; a0, a1 and so on are the accelerators", device.name));
            } else if (!names.insert(device.name).second) {
                add(fmt::format("two devices have the name `{}`", device.name));
            }
        }
    }

    void check_link(std::size_t i) {
        const GraphSpec::Link& link = spec_.graph.links[i];
        if (link.from >= nodes() || link.to >= nodes()) {
            add(fmt::format("link {} names node {}, but there are {} accelerators and {} devices", i,
                            std::max(link.from, link.to), spec_.accelerators, spec_.graph.devices.size()));
            return;
        }
        const std::string ends = fmt::format("link {}, {} to {}", i, name(link.from), name(link.to));
        if (link.from == link.to) {
            add(ends + ", joins a node to itself");
        }
        if (link.count == 0) {
            add(ends + ", has a `count` of 0; expected at least 1");
        }
        const BitRate rate = rate_of(spec_, link);
        if (!is_exact_rate(rate)) {
            const NearestRates nearest = nearest_exact_rates(rate);
            add(
                fmt::format("{}: at {} b/s a flit of 640 bytes takes no whole number of picoseconds; the nearest rates "
                            "that work are {} b/s and {} b/s",
                            ends, rate.per_second, nearest.below.per_second, nearest.above.per_second));
        }
        const Duration propagation = link.propagation.value_or(spec_.latency.propagation);
        if (propagation < Duration{0} || propagation > Duration{ps_per_second}) {
            add(fmt::format("{}: a propagation of {} ps is out of range; expected 0 to 1 s", ends, propagation.ps));
        }
        if (link.optical_passes > most_optical_passes) {
            add(fmt::format("{}, passes {} circuit switches; expected at most {}", ends, link.optical_passes,
                            most_optical_passes));
        }
    }

    void check_ports() {
        std::vector<std::uint64_t> used(nodes(), 0);
        for (const GraphSpec::Link& link : spec_.graph.links) {
            used[link.from] += link.count;
            used[link.to] += link.count;
        }
        for (std::uint32_t node = 0; node < nodes(); ++node) {
            const bool accelerator = node < spec_.accelerators;
            const std::uint32_t radix =
                accelerator ? spec_.ports : spec_.graph.devices[node - spec_.accelerators].radix;
            if (radix != 0 && used[node] > radix) {
                add(fmt::format("{} has {} links, but {} {}", name(node), used[node],
                                accelerator ? "`ports` is" : "its `radix` is", radix));
            }
        }
    }

    void check_extent() {
        std::uint64_t links = 0;
        for (const GraphSpec::Link& link : spec_.graph.links) {
            links += 2ULL * link.count;
        }
        const std::uint64_t steps = spec_.accelerators * (links + nodes());
        if (links > most_directed_links) {
            add(fmt::format("{} directed links are more than an explicit graph may have, which is {}", links,
                            most_directed_links));
        } else if (steps > most_route_steps) {
            add(
                fmt::format("{} accelerators x ({} directed links + {} nodes) is more than an explicit graph may have, "
                            "which is {}",
                            spec_.accelerators, links, nodes(), most_route_steps));
        }
    }

    const FabricSpec& spec_;
    std::vector<Problem>& problems_;
};

class GraphBuilder {
public:
    explicit GraphBuilder(const FabricSpec& spec) : spec_(spec) {
        graph_.accelerators = spec.accelerators;
        graph_.packet_switches = static_cast<std::uint32_t>(spec.graph.devices.size());
        for (const GraphSpec::Device& device : spec.graph.devices) {
            graph_.switch_names.push_back(device.name);
        }
        number_ports();
        add_links();
    }

    HostGraph take() { return std::move(graph_); }

private:
    // One of the links of a GraphSpec::Link, with its port at either end.
    struct Wire {
        std::uint32_t kind = 0;  // place in the list of links
        NodeId ends[2] = {0, 0};
        std::uint32_t ports[2] = {0, 0};
    };

    bool is_switch(NodeId node) const { return node >= spec_.accelerators; }

    // Ports of an accelerator count up in the order of the list. Those of a switch begin with the links to
    // accelerators, by accelerator, so that links into it ascend with its ports when those of accelerators come first.
    void number_ports() {
        for (std::uint32_t i = 0; i < spec_.graph.links.size(); ++i) {
            const GraphSpec::Link& link = spec_.graph.links[i];
            for (std::uint32_t copy = 0; copy < link.count; ++copy) {
                wires_.push_back({i, {link.from, link.to}, {0, 0}});
            }
        }
        std::vector<std::vector<std::pair<Wire*, int>>> leaving(spec_.accelerators + spec_.graph.devices.size());
        for (Wire& wire : wires_) {
            leaving[wire.ends[0]].emplace_back(&wire, 0);
            leaving[wire.ends[1]].emplace_back(&wire, 1);
        }
        for (NodeId node = 0; node < leaving.size(); ++node) {
            if (is_switch(node)) {
                std::stable_sort(leaving[node].begin(), leaving[node].end(), [this](const auto& a, const auto& b) {
                    return std::min(a.first->ends[1 - a.second], spec_.accelerators) <
                           std::min(b.first->ends[1 - b.second], spec_.accelerators);
                });
            }
            for (std::uint32_t port = 0; port < leaving[node].size(); ++port) {
                const auto& [wire, end] = leaving[node][port];
                wire->ports[end] = port;
            }
        }
    }

    // From accelerators by port, from switches to accelerators by port, between switches in the order of the list.
    void add_links() {
        std::vector<HostLink> from_accelerators;
        std::vector<HostLink> down;
        std::vector<HostLink> between;
        for (const Wire& wire : wires_) {
            for (const int end : {0, 1}) {
                const HostLink link{wire.ends[end], wire.ends[1 - end], wire.ports[end], wire.ports[1 - end],
                                    class_of(wire, end)};
                (!is_switch(link.from) ? from_accelerators : !is_switch(link.to) ? down : between).push_back(link);
            }
        }
        const auto by_port = [](const HostLink& a, const HostLink& b) {
            return std::tie(a.from, a.from_port) < std::tie(b.from, b.from_port);
        };
        std::sort(from_accelerators.begin(), from_accelerators.end(), by_port);
        std::sort(down.begin(), down.end(), by_port);
        for (const auto* some : {&from_accelerators, &down, &between}) {
            graph_.links.insert(graph_.links.end(), some->begin(), some->end());
        }
    }

    std::uint32_t class_of(const Wire& wire, int end) {
        const GraphSpec::Link& link = spec_.graph.links[wire.kind];
        const bool from_switch = is_switch(wire.ends[end]);
        const bool to_switch = is_switch(wire.ends[1 - end]);
        const auto key =
            std::make_tuple(rate_of(spec_, link).per_second, link.propagation.value_or(spec_.latency.propagation).ps,
                            link.optical_passes, from_switch, to_switch);
        const auto [found, fresh] = class_ids_.emplace(key, static_cast<std::uint32_t>(graph_.classes.size()));
        if (fresh) {
            graph_.classes.push_back(link_class(spec_, latency(link, from_switch, to_switch)));
            graph_.classes.back().flit_time = flit_time(rate_of(spec_, link));
        }
        return found->second;
    }

    LatencyParts latency(const GraphSpec::Link& link, bool from_switch, bool to_switch) const {
        const LatencySpec& l = spec_.latency;
        LatencyParts parts;
        if (!from_switch) {
            parts.endpoint += l.egress_endpoint;
            parts.protocol += l.egress_protocol;
        }
        if (!to_switch) {
            parts.endpoint += l.ingress_endpoint;
            parts.protocol += l.ingress_protocol;
        }
        parts.propagation = link.propagation.value_or(l.propagation);
        parts.switching = l.circuit_switch * std::int64_t{link.optical_passes};
        if (to_switch) {
            parts.switching += l.packet_switch;
        }
        if (from_switch && to_switch) {
            parts += further_hop(spec_);
        }
        return parts;
    }

    const FabricSpec& spec_;
    HostGraph graph_;
    std::vector<Wire> wires_;
    std::map<std::tuple<std::int64_t, std::int64_t, std::uint32_t, bool, bool>, std::uint32_t> class_ids_;
};

// Every accelerator is a group of its own: whatever it hangs on, a switch finds the way by a table.
class Router {
public:
    explicit Router(HostGraph& graph)
        : graph_(graph), map_(graph), leaving_(graph.accelerators + graph.packet_switches) {
        for (LinkId link = 0; link < graph.links.size(); ++link) {
            leaving_[graph.links[link].from].push_back(link);
        }
        graph_.first_link = graph_.first_links();
        graph_.groups = graph.accelerators;
        graph_.group_ports.resize(std::size_t{graph.accelerators} * graph.accelerators);
        graph_.choices.resize(std::size_t{graph.packet_switches} * graph.accelerators);
    }

    // The first pair without a way, if any.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> route() {
        for (std::uint32_t d = 0; d < graph_.accelerators; ++d) {
            graph_.places.push_back({d, 0});
            const std::vector<std::uint32_t> hops = map_.hops_to(switches_at(d));
            for (std::uint32_t at = 0; at < graph_.packet_switches; ++at) {
                graph_.choices[std::size_t{at} * graph_.groups + d] =
                    shared(choices_, graph_.choice_links, shortest(graph_.accelerators + at, d, hops));
            }
            for (std::uint32_t s = 0; s < graph_.accelerators; ++s) {
                std::vector<LinkId> links = s == d ? std::vector<LinkId>{} : shortest(s, d, hops);
                if (s != d && links.empty()) {
                    return std::pair{s, d};
                }
                for (LinkId& link : links) {
                    link -= graph_.first_link[s];
                }
                graph_.group_ports[std::size_t{s} * graph_.groups + d] = shared(ports_, graph_.source_ports, links);
            }
        }
        add_switches();
        return std::nullopt;
    }

private:
    using Lists = std::map<std::vector<std::uint32_t>, LinkChoice>;

    std::vector<std::uint32_t> switches_at(std::uint32_t accelerator) const {
        std::vector<std::uint32_t> switches;
        for (const LinkId link : leaving_[accelerator]) {
            if (graph_.links[link].to >= graph_.accelerators) {
                switches.push_back(graph_.links[link].to - graph_.accelerators);
            }
        }
        std::sort(switches.begin(), switches.end());
        switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
        return switches;
    }

    // The links of a node that begin a shortest way, in port order.
    std::vector<LinkId> shortest(NodeId node, std::uint32_t destination, const std::vector<std::uint32_t>& hops) const {
        std::vector<LinkId> links;
        std::uint32_t least = no_id;
        for (const LinkId link : leaving_[node]) {
            const NodeId to = graph_.links[link].to;
            const std::uint32_t left = to >= graph_.accelerators ? hops[to - graph_.accelerators]
                                       : to == destination       ? 0
                                                                 : no_id;
            const std::uint32_t all = left == no_id ? no_id : left + (to == destination ? 0 : 1);
            if (all < least) {
                least = all;
                links.clear();
            }
            if (all == least && all != no_id) {
                links.push_back(link);
            }
        }
        return links;
    }

    // Lists that are alike are kept once.
    static LinkChoice shared(Lists& lists, std::vector<std::uint32_t>& kept, const std::vector<std::uint32_t>& list) {
        const LinkChoice fresh{static_cast<std::uint32_t>(kept.size()), static_cast<std::uint32_t>(list.size())};
        const auto [found, added] = lists.emplace(list, fresh);
        if (added) {
            kept.insert(kept.end(), list.begin(), list.end());
        }
        return found->second;
    }

    // Levels count from the accelerators.
    void add_switches() {
        std::vector<std::uint32_t> lowest;
        for (std::uint32_t a = 0; a < graph_.accelerators; ++a) {
            const std::vector<std::uint32_t> switches = switches_at(a);
            lowest.insert(lowest.end(), switches.begin(), switches.end());
        }
        std::sort(lowest.begin(), lowest.end());
        lowest.erase(std::unique(lowest.begin(), lowest.end()), lowest.end());
        const std::vector<std::uint32_t> hops = map_.hops_to(lowest);
        for (std::uint32_t at = 0; at < graph_.packet_switches; ++at) {
            const std::uint32_t level = hops[at] == no_id ? 1 : hops[at] + 1;  // 1: no message comes there
            graph_.switches.push_back({no_id, no_id, at * graph_.groups, level, 1});
        }
    }

    HostGraph& graph_;
    SwitchMap map_;
    std::vector<std::vector<LinkId>> leaving_;  // by node, in port order
    Lists choices_;
    Lists ports_;
};

// Static routing divides by the ports of an accelerator at level 1, and at a further level also by the most links that
// a switch of each level below it chooses among. Larger divisors than there are accelerators are all alike.
void set_static_divisors(HostGraph& graph, std::uint32_t ports) {
    std::map<std::uint32_t, std::uint64_t> most_links;  // by level
    for (std::uint32_t at = 0; at < graph.packet_switches; ++at) {
        std::uint64_t& most = most_links.emplace(graph.switches[at].level, 1).first->second;
        for (std::uint32_t d = 0; d < graph.groups; ++d) {
            most = std::max<std::uint64_t>(most, graph.choice(at, d).count);
        }
    }
    std::map<std::uint32_t, std::uint64_t> divisors;
    std::uint64_t divisor = ports;
    for (const auto& [level, links] : most_links) {
        divisors[level] = divisor;
        divisor = std::min<std::uint64_t>(divisor * links, UINT32_MAX);
    }
    for (SwitchRoutes& routes : graph.switches) {
        routes.static_divisor = divisors[routes.level];
    }
}

// Latencies of a path add up in 64 bits, and a link has its class in a small number.
std::string latency_problem(const HostGraph& graph) {
    if (graph.classes.size() > most_link_classes) {
        return fmt::format("the links differ in {} ways, by rate, length and passes; expected at most {}",
                           graph.classes.size(), most_link_classes);
    }
    constexpr std::int64_t most_seconds = 1'000'000;
    Duration longest{0};
    for (const LinkClass& kind : graph.classes) {
        longest = std::max(longest, kind.latency.total());
    }
    const auto hops = static_cast<std::int64_t>(graph.packet_switches) + 1;
    return longest.ps / ps_per_second * hops < most_seconds
               ? ""
               : fmt::format("a path through {} switches with links as slow as {} s could take more than {} s",
                             graph.packet_switches, longest.ps / ps_per_second, most_seconds);
}

std::string cycle_problem(const HostGraph& graph) {
    const std::vector<LinkId> cycle = dependency_cycle(graph);
    if (cycle.empty()) {
        return "";
    }
    std::string text = "links may wait for each other in a circle when buffers are full: ";
    for (const LinkId link : cycle) {
        text += graph.link_name(link) + ", ";
    }
    return text +
           "and the first again; shortest ways need switches without such circles, as in trees and levels: take a "
           "link of the circle out, or join its switches by a further one";
}

}  // namespace

HostGraph build_explicit(const FabricSpec& spec, std::vector<Problem>& problems) {
    const std::size_t before = problems.size();
    GraphCheck(spec, problems).run();
    if (problems.size() != before) {
        return {};
    }
    HostGraph graph = GraphBuilder(spec).take();
    if (graph.packet_switches == 0) {
        list_neighbours(graph);
        check_connected(graph, problems);
        return graph;
    }
    std::string problem;
    if (const auto pair = Router(graph).route()) {
        problem = fmt::format("no way leads from a{} to a{}; ways pass switches, never another accelerator",
                              pair->first, pair->second);
    } else {
        for (const auto& check : {latency_problem, spray_problem, cycle_problem}) {
            problem = problem.empty() ? check(graph) : problem;
        }
    }
    if (!problem.empty()) {
        problems.push_back({"", 0, 0, std::move(problem)});
        return {};
    }
    set_static_divisors(graph, spec.ports);
    return graph;
}

}  // namespace simlette
