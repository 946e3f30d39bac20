// Block folds: the bits of an axis split into blocks, each with all of its masks: a product of complete graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/coset_layers.hpp>

namespace simlette {

// Sizes of the blocks in bits; the first block has the lowest bits.
using BlockFold = std::vector<unsigned>;

SIMLETTE_EXPORT unsigned bits_of_fold(const BlockFold& fold);
std::uint32_t degree(const BlockFold& fold);
SIMLETTE_EXPORT CosetLayers layers_of(const BlockFold& fold);
// The same for sizes that are not powers of two: digits with these radices, the first one lowest.
SIMLETTE_EXPORT CosetLayers layers_of_radices(const std::vector<std::uint32_t>& radices);
// Every generator of the layers, ascending.
SIMLETTE_EXPORT CayleyGraph graph_of(const CosetLayers& layers);
// `Q9[3,3,3]`.
SIMLETTE_EXPORT std::string fold_text(const BlockFold& fold);
// Nothing if the text is not of this form or the sizes do not add up.
std::optional<BlockFold> parse_fold(std::string_view text);
// `bits` in `blocks` parts as equal as can be, widest first. Requires: 1 <= blocks <= bits.
SIMLETTE_EXPORT BlockFold balanced_fold(unsigned bits, unsigned blocks);

// What packet switches stand in for: the product of complete graphs with fewest layers that circuits from this many
// ports could make, of these the one with the least degree; the one with the least degree if none fits.
CosetLayers layers_within(std::uint32_t ranks, std::uint32_t ports);

}  // namespace simlette
