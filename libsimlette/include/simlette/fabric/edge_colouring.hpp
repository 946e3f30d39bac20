// Colours for the edges of multigraphs such that no two edges of a vertex have the same one: a colour is a matching,
// what one circuit switch can join at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace simlette {

using GraphEdge = std::pair<std::uint32_t, std::uint32_t>;

// Of a bipartite multigraph, whose edges lead from left to right. Parallel edges are fine.
// Requires: no vertex has more edges than there are colours. Then they suffice (König).
std::vector<std::uint32_t> colour_bipartite(std::uint32_t left, std::uint32_t right,
                                            const std::vector<GraphEdge>& edges, std::uint32_t colours);

// Of any simple graph, with at most one colour more than the largest degree (Vizing).
std::vector<std::uint32_t> colour_simple(std::uint32_t vertices, const std::vector<GraphEdge>& edges);

// The vertices on one of two sides such that every edge joins the sides; nothing if there are no such sides.
std::optional<std::vector<bool>> sides_of(std::uint32_t vertices, const std::vector<GraphEdge>& edges);

// Turns every edge round or not, such that at every vertex as many lead out as in, or one more or less (Euler).
std::vector<GraphEdge> oriented(std::uint32_t vertices, const std::vector<GraphEdge>& edges);

}  // namespace simlette
