// Overlays that coset layers tile, as circuits.
#pragma once

#include <vector>

#include <simlette/collective/overlay_shape.hpp>

namespace simlette {

// Circuits for every generator of the graph, in its order.
inline Overlay overlay_of_graph(const CayleyGraph& graph) {
    Overlay overlay{graph.group.size()};
    overlay.neighbours.resize(overlay.ranks);
    for (std::uint32_t rank = 0; rank < overlay.ranks; ++rank) {
        for (const Label generator : graph.generators) {
            overlay.neighbours[rank].push_back(graph.group.plus(rank, generator));
        }
    }
    return overlay;
}

// Products of complete graphs whose sizes are not all powers of two.
inline std::vector<OverlayShape> mixed_shapes() {
    std::vector<OverlayShape> shapes;
    for (const std::vector<std::uint32_t>& radices :
         std::vector<std::vector<std::uint32_t>>{{3}, {5}, {4, 3}, {3, 4}, {3, 3}, {2, 3, 2}, {5, 2}, {6, 4}}) {
        shapes.push_back(shape_of(layers_of_radices(radices)));
    }
    return shapes;
}

// Layers that are no subgroups: FQ3, and Q4 with the fold 1111.
inline std::vector<OverlayShape> odd_shapes() {
    return {shape_of(in_order(RankGroup::binary(3), {{1, 2, 4}, {7}})),
            shape_of(in_order(RankGroup::binary(4), {{1, 2, 4}, {8}, {15}}))};
}

}  // namespace simlette
