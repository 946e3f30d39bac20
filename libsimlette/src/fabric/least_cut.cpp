#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include <simlette/fabric/bisection.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

// Sums of rates stop here.
constexpr std::int64_t most_rate = std::int64_t{1} << 62U;

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using EdgeState = boost::property<boost::edge_capacity_t, std::int64_t,
                                  boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                                  boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, EdgeState>;

// Node 0 is the first half of the accelerators, node 1 the second; then the switches.
class Flow {
public:
    explicit Flow(const HostGraph& graph) : graph_(graph), flow_(graph.packet_switches + 2) {
        std::map<std::pair<std::size_t, std::size_t>, std::int64_t> links;
        for (const HostLink& link : graph.links) {
            if (node_of(link.from) != node_of(link.to)) {
                ++links[{node_of(link.from), node_of(link.to)}];
            }
        }
        for (const auto& [ends, count] : links) {
            add(ends.first, ends.second, count);
        }
        push_relabel_max_flow(flow_, 0, 1);
    }

    Cut cut() const {
        const std::vector<bool> far = far_side();
        Cut cut;
        for (const HostLink& link : graph_.links) {
            if (!far[node_of(link.from)] && far[node_of(link.to)]) {
                ++cut.links;
                const std::int64_t rate = flit_bits_ps / graph_.classes[link.link_class].flit_time.ps;
                cut.rate.per_second = std::min(cut.rate.per_second + rate, most_rate);
            }
        }
        return cut;
    }

private:
    // The flow needs a way back of no capacity for each direction.
    void add(std::size_t from, std::size_t to, std::int64_t count) {
        const auto there = add_edge(from, to, flow_).first;
        const auto back = add_edge(to, from, flow_).first;
        put(boost::edge_capacity, flow_, there, count);
        put(boost::edge_capacity, flow_, back, 0);
        put(boost::edge_reverse, flow_, there, back);
        put(boost::edge_reverse, flow_, back, there);
    }

    std::size_t node_of(NodeId node) const {
        return node < graph_.accelerators ? (node < graph_.accelerators / 2 ? 0 : 1) : node - graph_.accelerators + 2;
    }

    // From where more could flow to the second half.
    std::vector<bool> far_side() const {
        std::vector<bool> far(num_vertices(flow_), false);
        std::vector<std::size_t> front{1};
        far[1] = true;
        while (!front.empty()) {
            const std::size_t at = front.back();
            front.pop_back();
            for (auto [edge, end] = out_edges(at, flow_); edge != end; ++edge) {
                const std::size_t next = target(*edge, flow_);
                const auto back = get(boost::edge_reverse, flow_, *edge);
                if (!far[next] && get(boost::edge_residual_capacity, flow_, back) > 0) {
                    far[next] = true;
                    front.push_back(next);
                }
            }
        }
        return far;
    }

    const HostGraph& graph_;
    FlowGraph flow_;
};

}  // namespace

Cut cut_of_halves(const HostGraph& graph) {
    return graph.accelerators < 2 ? Cut{0, true, {0}} : Flow(graph).cut();
}

}  // namespace simlette
