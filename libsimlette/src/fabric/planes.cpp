#include <simlette/fabric/planes.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/pending/disjoint_sets.hpp>

namespace simlette {

std::vector<std::uint32_t> joined_switches(const HostGraph& graph) {
    boost::disjoint_sets_with_storage<> sets(graph.packet_switches);
    for (std::uint32_t at = 0; at < graph.packet_switches; ++at) {
        sets.make_set(at);
    }
    for (const HostLink& link : graph.links) {
        if (link.from >= graph.accelerators && link.to >= graph.accelerators) {
            sets.union_set(link.from - graph.accelerators, link.to - graph.accelerators);
        }
    }
    std::vector<std::uint32_t> joined(graph.packet_switches);
    for (std::uint32_t at = 0; at < graph.packet_switches; ++at) {
        joined[at] = static_cast<std::uint32_t>(sets.find_set(at));
    }
    return joined;
}

namespace {

// A graph cut into as many parts as an accelerator has ports.
class Cut {
public:
    explicit Cut(const HostGraph& whole) : whole_(whole), planes_(whole.ports_to_all) {}

    Planes planes() {
        if (!takes_ports() || !takes_links()) {
            return {};
        }
        Planes found;
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
            HostGraph graph = graph_of(plane);
            if (plane == 0) {
                found.graph = std::move(graph);
            } else if (!alike(found.graph, graph)) {
                return {};
            }
        }
        found.links = std::move(links_);
        return found;
    }

private:
    // Whether each port of an accelerator leads to a part of its own, the same for all accelerators.
    bool takes_ports() {
        if (planes_ < 2 || whole_.first_switch_link() != whole_.accelerators * planes_) {
            return false;
        }
        const std::vector<std::uint32_t> joined = joined_switches(whole_);
        std::vector<std::uint32_t> plane_of(whole_.packet_switches, no_id);
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
            std::uint32_t& known = plane_of[joined[whole_.links[plane].to - whole_.accelerators]];
            if (known != no_id) {
                return false;
            }
            known = plane;
        }
        plane_.resize(whole_.packet_switches);
        place_.resize(whole_.packet_switches);
        std::vector<std::uint32_t> switches(planes_, 0);
        for (std::uint32_t at = 0; at < whole_.packet_switches; ++at) {
            plane_[at] = plane_of[joined[at]];
            if (plane_[at] == no_id) {
                return false;
            }
            place_[at] = switches[plane_[at]]++;
        }
        return std::all_of(switches.begin(), switches.end(), [&](std::uint32_t n) { return n == switches.front(); });
    }

    bool takes_links() {
        links_.assign(planes_, {});
        in_plane_.resize(whole_.links.size());
        for (LinkId id = 0; id < whole_.links.size(); ++id) {
            const HostLink& link = whole_.links[id];
            const NodeId end = std::max(link.from, link.to);
            if (end < whole_.accelerators) {
                return false;
            }
            const std::uint32_t plane = plane_[end - whole_.accelerators];
            if (link.from < whole_.accelerators && plane != id % planes_) {
                return false;
            }
            in_plane_[id] = static_cast<LinkId>(links_[plane].size());
            links_[plane].push_back(id);
        }
        return true;
    }

    NodeId node_in_plane(NodeId node) const {
        return node < whole_.accelerators ? node : whole_.accelerators + place_[node - whole_.accelerators];
    }

    HostGraph graph_of(std::uint32_t plane) const {
        HostGraph graph;
        graph.accelerators = whole_.accelerators;
        graph.classes = whole_.classes;
        graph.ports_to_all = 1;
        graph.places = whole_.places;
        graph.groups = whole_.groups;
        for (const LinkId id : links_[plane]) {
            HostLink link = whole_.links[id];
            link.from_port -= link.from < whole_.accelerators ? plane : 0;
            link.to_port -= link.to < whole_.accelerators ? plane : 0;
            link.from = node_in_plane(link.from);
            link.to = node_in_plane(link.to);
            graph.links.push_back(link);
        }
        for (std::uint32_t at = 0; at < whole_.packet_switches; ++at) {
            if (plane_[at] == plane) {
                add_switch(at, graph);
            }
        }
        return graph;
    }

    void add_switch(std::uint32_t at, HostGraph& graph) const {
        SwitchRoutes routes = whole_.switches[at];
        const std::uint32_t first_choice = routes.first_choice;
        ++graph.packet_switches;
        routes.first_down = routes.first_down == no_id ? no_id : in_plane_[routes.first_down];
        routes.first_choice = static_cast<std::uint32_t>(graph.choices.size());
        graph.switches.push_back(routes);
        for (std::uint32_t group = 0; !whole_.choices.empty() && group < whole_.groups; ++group) {
            const LinkChoice choice = whole_.choices[first_choice + group];
            graph.choices.push_back({static_cast<std::uint32_t>(graph.choice_links.size()), choice.count});
            const auto first = whole_.choice_links.begin() + choice.first;
            std::transform(first, first + choice.count, std::back_inserter(graph.choice_links),
                           [this](LinkId id) { return in_plane_[id]; });
        }
    }

    static bool alike(const HostGraph& a, const HostGraph& b) {
        const auto same_link = [](const HostLink& x, const HostLink& y) {
            return x.from == y.from && x.to == y.to && x.from_port == y.from_port && x.to_port == y.to_port &&
                   x.link_class == y.link_class;
        };
        const auto same_routes = [](const SwitchRoutes& x, const SwitchRoutes& y) {
            return x.own_group == y.own_group && x.first_down == y.first_down && x.first_choice == y.first_choice &&
                   x.level == y.level && x.static_divisor == y.static_divisor;
        };
        const auto same_choice = [](const LinkChoice& x, const LinkChoice& y) {
            return x.first == y.first && x.count == y.count;
        };
        return std::equal(a.links.begin(), a.links.end(), b.links.begin(), b.links.end(), same_link) &&
               std::equal(a.switches.begin(), a.switches.end(), b.switches.begin(), b.switches.end(), same_routes) &&
               std::equal(a.choices.begin(), a.choices.end(), b.choices.begin(), b.choices.end(), same_choice) &&
               a.choice_links == b.choice_links;
    }

    const HostGraph& whole_;
    std::uint32_t planes_;
    std::vector<std::uint32_t> plane_;  // of each switch
    std::vector<std::uint32_t> place_;  // of each switch in its plane
    std::vector<LinkId> in_plane_;      // of each link
    std::vector<std::vector<LinkId>> links_;
};

}  // namespace

Planes planes_of(const HostGraph& graph) {
    return Cut(graph).planes();
}

}  // namespace simlette
