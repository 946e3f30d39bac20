// Labels of the group Z_2^n and the generators that join them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <simlette/base/export.hpp>

namespace simlette {

using Label = std::uint32_t;

constexpr bool is_power_of_two(std::uint64_t n) {
    return std::has_single_bit(n);
}

// Bits of a label among `count` ranks. Requires: count is a power of two.
constexpr unsigned bits_of(std::uint64_t count) {
    return static_cast<unsigned>(std::countr_zero(count));
}

// The generators of the plain cube Q_bits: 1, 2, 4, ... in this order.
SIMLETTE_EXPORT std::vector<Label> unit_generators(unsigned bits);

// The number of linearly independent generators over GF(2); the graph is connected iff it equals the number of bits.
unsigned rank_gf2(std::vector<Label> generators);

// Most significant bit first: label_text(1, 5) == "00001".
SIMLETTE_EXPORT std::string label_text(Label label, unsigned bits);

}  // namespace simlette
