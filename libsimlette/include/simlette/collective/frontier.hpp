// How few generators do: the least degree at which an axis of 2^bits ranks needs no more than so many phases.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/fold.hpp>

namespace simlette {

// All of these require 1 <= phases <= bits.

// For schedules on coset layers: the balanced fold is the best, since a layer of k bits costs 2^k - 1.
SIMLETTE_EXPORT std::uint32_t schedulable_degree(unsigned bits, unsigned phases);

// For any schedule: the smallest set of generators we know with at most this diameter. Up to 9 bits they are columns of
// linear covering codes, found by search and kept as data; beyond, the balanced fold.
SIMLETTE_EXPORT std::vector<Label> diameter_set(unsigned bits, unsigned phases);
SIMLETTE_EXPORT std::uint32_t diameter_degree(unsigned bits, unsigned phases);
// No set can be smaller: the sums of at most `phases` of its elements must be 2^bits.
SIMLETTE_EXPORT std::uint32_t sphere_bound(unsigned bits, unsigned phases);

}  // namespace simlette
