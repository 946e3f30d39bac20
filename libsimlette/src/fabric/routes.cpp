#include <simlette/fabric/routes.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/pending/queue.hpp>

namespace simlette {

namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

std::vector<Pair> joined_switches(const HostGraph& graph) {
    std::vector<Pair> pairs;
    for (const HostLink& link : graph.links) {
        if (link.from >= graph.accelerators && link.to >= graph.accelerators) {
            pairs.emplace_back(link.from - graph.accelerators, link.to - graph.accelerators);
        }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

// Which link is followed by which. Links from or to an accelerator are on no cycle, and those side by side between two
// switches are followed alike, so the nodes are the pairs of joined switches.
class Dependencies {
public:
    explicit Dependencies(const HostGraph& graph)
        : graph_(graph), pairs_(joined_switches(graph)), next_(graph.packet_switches) {
        for (const HostLink& link : graph.links) {
            const bool between = link.from >= graph.accelerators && link.to >= graph.accelerators;
            const Pair pair{link.from - graph.accelerators, link.to - graph.accelerators};
            const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
            node_of_.push_back(between ? static_cast<std::uint32_t>(found - pairs_.begin()) : no_id);
        }
        for (std::uint32_t destination = 0; destination < graph.accelerators; ++destination) {
            follow(destination);
        }
        tidy();
    }

    const std::vector<Pair>& edges() const { return edges_; }
    std::size_t nodes() const { return pairs_.size(); }

    // One of the links between the two switches of a node.
    LinkId link_of(std::uint32_t node) const {
        const auto found = std::find_if(graph_.links.begin(), graph_.links.end(), [&](const HostLink& link) {
            return link.from == pairs_[node].first + graph_.accelerators &&
                   link.to == pairs_[node].second + graph_.accelerators;
        });
        return static_cast<LinkId>(found - graph_.links.begin());
    }

private:
    // The nodes that a switch uses towards a destination.
    void find_next(std::uint32_t at, std::uint32_t destination) {
        std::vector<std::uint32_t>& nodes = next_[at];
        nodes.clear();
        if (graph_.hangs_on(at, destination)) {
            return;
        }
        const LinkChoice& choice = graph_.choice(at, destination);
        for (std::uint32_t i = 0; i < choice.count; ++i) {
            const std::uint32_t node = node_of_[graph_.choice_links[choice.first + i]];
            if (node != no_id) {
                nodes.push_back(node);
            }
        }
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }

    // Switches that messages for a destination come to, from the sources on.
    void follow(std::uint32_t destination) {
        std::vector<bool> seen(graph_.packet_switches, false);
        std::vector<std::uint32_t> front;
        const auto visit = [&](NodeId node) {
            if (node >= graph_.accelerators && !seen[node - graph_.accelerators]) {
                seen[node - graph_.accelerators] = true;
                front.push_back(node - graph_.accelerators);
            }
        };
        for (std::uint32_t source = 0; source < graph_.accelerators; ++source) {
            const Candidates links(graph_, source, destination);
            for (std::uint32_t i = 0; source != destination && i < links.size(); ++i) {
                visit(graph_.links[links[i]].to);
            }
        }
        for (std::size_t i = 0; i < front.size(); ++i) {
            find_next(front[i], destination);
            for (const std::uint32_t node : next_[front[i]]) {
                visit(pairs_[node].second + graph_.accelerators);
            }
        }
        for (const std::uint32_t at : front) {
            for (const std::uint32_t node : next_[at]) {
                for (const std::uint32_t next : next_[pairs_[node].second]) {
                    edges_.emplace_back(node, next);
                }
            }
        }
        if (edges_.size() > 2 * distinct_ + (1U << 20U)) {
            tidy();
        }
    }

    void tidy() {
        std::sort(edges_.begin(), edges_.end());
        edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
        distinct_ = edges_.size();
    }

    const HostGraph& graph_;
    std::vector<Pair> pairs_;                       // ascending
    std::vector<std::uint32_t> node_of_;            // by link; no_id if not between switches
    std::vector<std::vector<std::uint32_t>> next_;  // by switch, towards the destination that is followed
    std::vector<Pair> edges_;
    std::size_t distinct_ = 0;
};

// Keeps the way to the node under way, and the part of it that the first edge back closes.
struct CycleFinder : boost::default_dfs_visitor {
    std::vector<std::uint32_t>& way;
    std::vector<std::uint32_t>& cycle;

    CycleFinder(std::vector<std::uint32_t>& w, std::vector<std::uint32_t>& c) : way(w), cycle(c) {}

    template <class Graph>
    void discover_vertex(std::size_t node, const Graph&) {
        way.push_back(static_cast<std::uint32_t>(node));
    }
    template <class Graph>
    void finish_vertex(std::size_t, const Graph&) {
        way.pop_back();
    }
    template <class Edge, class Graph>
    void back_edge(const Edge& edge, const Graph& graph) {
        if (cycle.empty()) {
            cycle.assign(std::find(way.begin(), way.end(), target(edge, graph)), way.end());
        }
    }
};

}  // namespace

SwitchMap::SwitchMap(const HostGraph& graph) {
    const std::vector<Pair> pairs = joined_switches(graph);
    joined_ = {boost::edges_are_sorted, pairs.begin(), pairs.end(), graph.packet_switches};
}

std::vector<std::uint32_t> SwitchMap::hops_to(const std::vector<std::uint32_t>& targets) const {
    std::vector<std::uint32_t> hops(num_vertices(joined_), no_id);
    std::vector<boost::default_color_type> colours(hops.size());
    for (const std::uint32_t target : targets) {
        hops[target] = 0;
    }
    boost::queue<std::size_t> front;
    const auto recorder = boost::make_bfs_visitor(boost::record_distances(hops.data(), boost::on_tree_edge()));
    const auto places = get(boost::vertex_index, joined_);
    boost::breadth_first_search(joined_, targets.begin(), targets.end(), front, recorder,
                                boost::make_iterator_property_map(colours.begin(), places));
    return hops;
}

std::vector<LinkId> dependency_cycle(const HostGraph& graph) {
    const Dependencies dependencies(graph);
    const auto& edges = dependencies.edges();
    const boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> follows(edges.begin(), edges.end(),
                                                                                    dependencies.nodes());
    std::vector<std::uint32_t> way;
    std::vector<std::uint32_t> cycle;
    boost::depth_first_search(follows, boost::visitor(CycleFinder(way, cycle)));
    std::vector<LinkId> links;
    for (const std::uint32_t node : cycle) {
        links.push_back(dependencies.link_of(node));
    }
    return links;
}

}  // namespace simlette
