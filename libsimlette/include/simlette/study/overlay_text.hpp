// What people call an overlay, read into its Cayley graph:
//   Q9, Q9[3,3,3]            the cube of 9 bits; a block fold, the first block has the lowest bits
//   Q4+1100+0011, FQ4        with more generators; FQ4 is the folded cube Q4+1111
//   1000,0100,0010,0001      every generator of Z_2^n by its bits
//   K4xK3                    a product of complete graphs, the first factor is the lowest digit
//   Z64{1,5}, Z64 degree 6   a circulant by its steps, or the best one of a degree
#pragma once

#include <string>
#include <string_view>

#include <simlette/base/export.hpp>
#include <simlette/collective/cayley.hpp>

namespace simlette {

inline constexpr std::uint32_t most_overlay_ranks = 1024;

struct NamedOverlay {
    std::string name;
    CayleyGraph graph;  // need not be connected
};

// Throws Error{input} that names the column, what was expected, and a hint.
SIMLETTE_EXPORT NamedOverlay read_overlay(std::string_view text);

// A mask of as many bits as the ranks have, such as `1100`. Throws Error{input}; `what` names the text in the message.
SIMLETTE_EXPORT Label read_mask(const std::string& what, std::string_view text, unsigned bits);

// Of a generator: bits for Z_2^n, a number for a ring, else the digits, the lowest one first: (2,0).
std::string label_name(Label label, const RankGroup& group);

}  // namespace simlette
