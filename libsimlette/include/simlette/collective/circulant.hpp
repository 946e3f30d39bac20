// Circulant graphs: rings with chords. Rank x is joined to x + s and x - s, modulo the ranks, for each of some steps s.
#pragma once

#include <cstdint>

#include <simlette/base/export.hpp>
#include <simlette/collective/cayley.hpp>

namespace simlette {

// The circulant of this degree with the least diameter; among these the one with the least volume of an all-reduce that
// delivers each contribution once; then the first in lexicographic order. An odd degree needs the step ranks / 2, so on
// an odd number of ranks there is one generator less. Beyond 20,000 sets of steps a sample with a fixed seed is
// searched. Requires: ranks >= 3, 2 <= degree <= ranks - 1.
SIMLETTE_EXPORT CayleyGraph best_circulant(std::uint32_t ranks, std::uint32_t degree);

}  // namespace simlette
