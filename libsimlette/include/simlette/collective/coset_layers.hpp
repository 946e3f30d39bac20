// Coset layers: sets of generators, one used after the other, that reach every rank in exactly one way. No sum that is
// exchanged layer by layer can then count a rank twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/cayley.hpp>

namespace simlette {

using Layer = std::vector<Label>;  // ascending, without 0

// A tiling: every label is in exactly one way a sum of one element from each {0} and layer.
struct CosetLayers {
    RankGroup group;
    std::vector<Layer> layers;  // widest first, then by the lowest label

    std::uint32_t count() const { return static_cast<std::uint32_t>(layers.size()); }
    // Ranks that a layer joins to one another or, if it is no subgroup, that one rank hears of in it, itself included.
    std::uint32_t radix(std::size_t layer) const { return static_cast<std::uint32_t>(layers[layer].size()) + 1; }
    std::vector<std::uint32_t> radices() const;
    SIMLETTE_EXPORT std::uint32_t degree() const;
    // The one element of {0} and each layer, layer by layer, that add up to each label: count() entries a label.
    std::vector<Label> components() const;
};

// In the order that a tiling keeps. Does not look whether they tile.
CosetLayers in_order(RankGroup group, std::vector<Layer> layers);
// Nothing if the layers tile the group, else what is wrong with them, for a person.
std::optional<std::string> tiling_flaw(const CosetLayers& layers);
// {0} and each layer are subgroups: the layer joins its cosets completely.
SIMLETTE_EXPORT bool all_subgroups(const CosetLayers& layers);

enum class LayerKind { any, subgroup };

// A tiling out of the generators, as few layers as possible, widest first. In Z_2^n blocks of bits whose masks are all
// there; in other groups digits whose differences are all there. Up to 32 ranks any other tiling is taken that has
// fewer layers. Generators may be left over.
SIMLETTE_EXPORT std::optional<CosetLayers> find_layers(const CayleyGraph& graph, LayerKind kind);

}  // namespace simlette
