#include <simlette/fabric/host_graph.hpp>

#include <algorithm>
#include <numeric>

#include <simlette/base/contract.hpp>

namespace simlette {

LinkId HostGraph::first_switch_link() const {
    const auto from_switch = [this](const HostLink& link) { return link.from >= accelerators; };
    return static_cast<LinkId>(std::find_if(links.begin(), links.end(), from_switch) - links.begin());
}

std::vector<LinkId> HostGraph::ways_back() const {
    std::vector<LinkId> back(links.size(), no_id);
    std::vector<std::vector<LinkId>> leaving(accelerators);  // by port
    const auto leaves = [&](NodeId node, std::uint32_t port) -> LinkId& {
        std::vector<LinkId>& ports = leaving[node];
        ports.resize(std::max<std::size_t>(ports.size(), port + 1), no_id);
        return ports[port];
    };
    const LinkId first_from_switch = first_switch_link();
    for (LinkId id = 0; id < first_from_switch; ++id) {
        leaves(links[id].from, links[id].from_port) = id;
    }
    for (LinkId id = 0; id < links.size(); ++id) {
        if (links[id].to < accelerators) {
            back[id] = leaves(links[id].to, links[id].to_port);
        }
    }
    return back;
}

std::vector<LinkId> HostGraph::first_links() const {
    const LinkId end = first_switch_link();
    std::vector<LinkId> first(accelerators + 1, end);
    for (LinkId link = end; link-- > 0;) {
        first[links[link].from] = link;
    }
    for (std::uint32_t a = accelerators; a-- > 0;) {
        first[a] = std::min(first[a], first[a + 1]);
    }
    return first;
}

bool HostGraph::has_levels() const {
    return std::any_of(links.begin(), links.end(),
                       [this](const HostLink& link) { return link.from >= accelerators && link.to >= accelerators; });
}

bool HostGraph::has_choices() const {
    return std::any_of(choices.begin(), choices.end(), [](const LinkChoice& choice) { return choice.count > 1; });
}

std::vector<std::uint32_t> HostGraph::spray_cycles() const {
    std::vector<std::uint32_t> all;
    for (const SwitchRoutes& routes : switches) {
        std::uint64_t cycle = 1;
        for (std::uint32_t group = 0; group < groups && !choices.empty(); ++group) {
            cycle = std::lcm(cycle, std::max<std::uint64_t>(choices[routes.first_choice + group].count, 1));
            if (cycle >= too_long_a_cycle) {
                break;
            }
        }
        all.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(cycle, too_long_a_cycle)));
    }
    return all;
}

std::string spray_problem(const HostGraph& graph) {
    const std::vector<std::uint32_t> cycles = graph.spray_cycles();
    const auto found = std::find(cycles.begin(), cycles.end(), HostGraph::too_long_a_cycle);
    if (found == cycles.end()) {
        return "";
    }
    return graph.node_name(graph.accelerators + static_cast<NodeId>(found - cycles.begin())) +
           " has too many different numbers of links to choose among on its ways: no number below 2^32 is a multiple "
           "of "
           "them all";
}

std::string HostGraph::node_name(NodeId node) const {
    if (node < accelerators) {
        return "a" + std::to_string(node);
    }
    const std::uint32_t at = node - accelerators;
    return switch_names.empty() ? "s" + std::to_string(at) : switch_names[at];
}

std::string HostGraph::port_name(LinkId link) const {
    return node_name(links[link].from) + ".p" + std::to_string(links[link].from_port);
}

std::string HostGraph::link_name(LinkId link) const {
    return port_name(link) + "->" + node_name(links[link].to) + ".p" + std::to_string(links[link].to_port);
}

void HostGraph::check() const {
    const LinkId first = first_switch_link();
    std::vector<std::uint32_t> next_port(accelerators + packet_switches, 0);
    for (LinkId id = 0; id < links.size(); ++id) {
        const HostLink& link = links[id];
        require(link.from < next_port.size() && link.to < next_port.size(), "a link joins nodes of the graph");
        require((link.from >= accelerators) == (id >= first), "links that leave accelerators come first");
        require(link.to < accelerators || link.to_port >= next_port[link.to], "link ids follow the ports of a switch");
        next_port[link.to] = link.to_port + 1;
    }
    require(packet_switches == 0 || (places.size() == accelerators && switches.size() == packet_switches),
            "switches know where accelerators hang");
    for (const SwitchRoutes& routes : switches) {
        require(groups == 1 || routes.first_choice + std::size_t{groups} <= choices.size(),
                "a switch has a choice per group");
    }
    for (const LinkChoice& choice : choices) {
        const auto begin = choice_links.begin() + choice.first;
        require(std::is_sorted(begin, begin + choice.count), "the links of a choice ascend");
    }
    require(ports_to_all != 0 || group_ports.size() == std::size_t{groups} * groups ||
                first_neighbour.size() == std::size_t{accelerators} + 1,
            "every accelerator knows its links");
}

Candidates::Candidates(const HostGraph& graph, std::uint32_t source, std::uint32_t destination) {
    if (graph.ports_to_all != 0) {
        first_ = source * graph.ports_to_all;
        size_ = graph.ports_to_all;
        return;
    }
    if (!graph.group_ports.empty()) {
        const LinkChoice& ports =
            graph.group_ports[std::size_t{graph.places[source].group} * graph.groups + graph.places[destination].group];
        first_ = graph.first_link[source];
        ports_ = graph.source_ports.data() + ports.first;
        size_ = ports.count;
        return;
    }
    const auto begin = graph.neighbours.begin() + graph.first_neighbour[source];
    const auto end = graph.neighbours.begin() + graph.first_neighbour[source + 1];
    const auto by_destination = [](const HostGraph::Neighbour& a, std::uint32_t d) { return a.destination < d; };
    const auto first = std::lower_bound(begin, end, destination, by_destination);
    const auto last = std::lower_bound(first, end, destination + 1, by_destination);
    neighbours_ = graph.neighbours.data() + (first - graph.neighbours.begin());
    size_ = static_cast<std::uint32_t>(last - first);
}

std::uint32_t Candidates::search(LinkId link) const {
    std::uint32_t i = 0;
    while (i < size_ && (*this)[i] != link) {
        ++i;
    }
    return i;
}

}  // namespace simlette
