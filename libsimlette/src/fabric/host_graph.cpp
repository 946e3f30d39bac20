#include <simlette/fabric/host_graph.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

std::string node_name(const HostGraph& graph, NodeId node) {
    std::string name = node < graph.accelerators ? "a" : "s";
    return name += std::to_string(node < graph.accelerators ? node : node - graph.accelerators);
}

}  // namespace

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

std::string HostGraph::port_name(LinkId link) const {
    return node_name(*this, links[link].from) + ".p" + std::to_string(links[link].from_port);
}

std::string HostGraph::link_name(LinkId link) const {
    return port_name(link) + "->" + node_name(*this, links[link].to) + ".p" + std::to_string(links[link].to_port);
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
    require(routes.size() == std::size_t{packet_switches} * accelerators, "every switch has a route per accelerator");
    require(ports_to_all != 0 || first_neighbour.size() == std::size_t{accelerators} + 1,
            "every accelerator has a list of neighbours");
}

Candidates::Candidates(const HostGraph& graph, std::uint32_t source, std::uint32_t destination) {
    if (graph.ports_to_all != 0) {
        first_ = source * graph.ports_to_all;
        size_ = graph.ports_to_all;
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

std::uint32_t Candidates::position(LinkId link) const {
    if (neighbours_ == nullptr) {
        return link - first_ < size_ ? link - first_ : no_id;
    }
    const auto* end = neighbours_ + size_;
    const auto* found = std::find_if(neighbours_, end, [link](const auto& n) { return n.link == link; });
    return found == end ? no_id : static_cast<std::uint32_t>(found - neighbours_);
}

}  // namespace simlette
