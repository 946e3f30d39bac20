#include <simlette/fabric/edge_colouring.hpp>

#include <algorithm>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edge_coloring.hpp>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

constexpr std::uint32_t none = UINT32_MAX;

// Colours edges one by one. Where the two ends have no free colour in common, the path that alternates between a free
// colour of either is turned over first.
class BipartiteColouring {
public:
    BipartiteColouring(std::uint32_t left, std::uint32_t right, const std::vector<GraphEdge>& edges,
                       std::uint32_t colours)
        : left_(left), colours_(colours), edges_(edges), at_(std::size_t{left + right} * colours, none) {}

    std::vector<std::uint32_t> run() {
        for (std::uint32_t edge = 0; edge < edges_.size(); ++edge) {
            const auto [u, v] = ends(edge);
            const std::uint32_t of_u = free_colour(u);
            const std::uint32_t of_v = free_colour(v);
            if (edge_at(v, of_u) != none) {
                turn_over(v, of_u, of_v);
            }
            edge_at(u, of_u) = edge;
            edge_at(v, of_u) = edge;
        }
        std::vector<std::uint32_t> chosen(edges_.size());
        for (std::uint32_t u = 0; u < left_; ++u) {
            for (std::uint32_t colour = 0; colour < colours_; ++colour) {
                if (edge_at(u, colour) != none) {
                    chosen[edge_at(u, colour)] = colour;
                }
            }
        }
        return chosen;
    }

private:
    GraphEdge ends(std::uint32_t edge) const { return {edges_[edge].first, left_ + edges_[edge].second}; }
    std::uint32_t& edge_at(std::uint32_t vertex, std::uint32_t colour) {
        return at_[std::size_t{vertex} * colours_ + colour];
    }

    std::uint32_t free_colour(std::uint32_t vertex) {
        for (std::uint32_t colour = 0; colour < colours_; ++colour) {
            if (edge_at(vertex, colour) == none) {
                return colour;
            }
        }
        broken_promise("no vertex has more edges than there are colours");
    }

    // The path from `vertex` whose edges have colours a, b, a, ...: afterwards b, a, b, ...
    void turn_over(std::uint32_t vertex, std::uint32_t a, std::uint32_t b) {
        std::vector<std::uint32_t> path;
        std::uint32_t at = vertex;
        for (std::uint32_t colour = a; edge_at(at, colour) != none; colour = colour == a ? b : a) {
            path.push_back(edge_at(at, colour));
            const auto [u, v] = ends(path.back());
            at = at == u ? v : u;
        }
        set_along(path, a, b, false);
        set_along(path, b, a, true);
    }

    void set_along(const std::vector<std::uint32_t>& path, std::uint32_t even, std::uint32_t odd, bool filled) {
        for (std::size_t i = 0; i < path.size(); ++i) {
            const auto [u, v] = ends(path[i]);
            const std::uint32_t colour = i % 2 == 0 ? even : odd;
            edge_at(u, colour) = filled ? path[i] : none;
            edge_at(v, colour) = filled ? path[i] : none;
        }
    }

    std::uint32_t left_;
    std::uint32_t colours_;
    const std::vector<GraphEdge>& edges_;
    std::vector<std::uint32_t> at_;  // by vertex and colour, the edge
};

std::vector<std::vector<std::uint32_t>> edges_by_vertex(std::uint32_t vertices, const std::vector<GraphEdge>& edges) {
    std::vector<std::vector<std::uint32_t>> at(vertices);
    for (std::uint32_t edge = 0; edge < edges.size(); ++edge) {
        at[edges[edge].first].push_back(edge);
        at[edges[edge].second].push_back(edge);
    }
    return at;
}

}  // namespace

std::vector<std::uint32_t> colour_bipartite(std::uint32_t left, std::uint32_t right,
                                            const std::vector<GraphEdge>& edges, std::uint32_t colours) {
    return BipartiteColouring(left, right, edges, colours).run();
}

std::vector<std::uint32_t> colour_simple(std::uint32_t vertices, const std::vector<GraphEdge>& edges) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                        boost::property<boost::edge_index_t, std::size_t>>;
    Graph graph(vertices);
    std::vector<std::size_t> chosen(edges.size());
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
        boost::add_edge(edges[edge].first, edges[edge].second, edge, graph);
    }
    boost::edge_coloring(graph, boost::make_iterator_property_map(chosen.begin(), get(boost::edge_index, graph)));
    return {chosen.begin(), chosen.end()};
}

std::optional<std::vector<bool>> sides_of(std::uint32_t vertices, const std::vector<GraphEdge>& edges) {
    const auto at = edges_by_vertex(vertices, edges);
    std::vector<int> side(vertices, -1);
    for (std::uint32_t start = 0; start < vertices; ++start) {
        std::vector<std::uint32_t> found;
        if (side[start] < 0) {
            side[start] = 0;
            found.push_back(start);
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            for (const std::uint32_t edge : at[found[i]]) {
                const std::uint32_t other = edges[edge].first ^ edges[edge].second ^ found[i];
                if (side[other] < 0) {
                    side[other] = 1 - side[found[i]];
                    found.push_back(other);
                } else if (side[other] == side[found[i]]) {
                    return std::nullopt;
                }
            }
        }
    }
    return std::vector<bool>(side.begin(), side.end());
}

std::vector<GraphEdge> oriented(std::uint32_t vertices, const std::vector<GraphEdge>& edges) {
    // Vertices with an odd number of edges are joined in pairs, so that every walk ends where it began.
    std::vector<GraphEdge> all = edges;
    std::uint32_t odd = none;
    const auto degrees = edges_by_vertex(vertices, edges);
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
        if (degrees[vertex].size() % 2 == 1) {
            if (odd != none) {
                all.emplace_back(odd, vertex);
            }
            odd = odd == none ? vertex : none;
        }
    }
    const auto at = edges_by_vertex(vertices, all);
    std::vector<std::size_t> next(vertices, 0);
    std::vector<bool> walked(all.size(), false);
    for (std::uint32_t start = 0; start < vertices; ++start) {
        for (std::uint32_t here = start; next[here] < at[here].size();) {
            const std::uint32_t edge = at[here][next[here]++];
            if (!walked[edge]) {
                walked[edge] = true;
                all[edge] = {here, all[edge].first ^ all[edge].second ^ here};
                here = all[edge].second;
            }
        }
    }
    all.resize(edges.size());
    return all;
}

}  // namespace simlette
