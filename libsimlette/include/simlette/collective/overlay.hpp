// Who can send to whom directly, by rank: the circuits of a fabric seen through placement.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <simlette/base/label.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

struct Overlay {
    std::uint32_t ranks = 0;
    // By rank, in the order of their ports; empty when every rank reaches every other.
    std::vector<std::vector<std::uint32_t>> neighbours = {};
    // Of an accelerator, when every rank reaches every other: as many circuits could stand in for the switches.
    std::uint32_t ports = 0;
    LayerChoice layers = {};                // that are asked for
    std::vector<std::uint32_t> names = {};  // of the ranks in messages; empty: their numbers

    std::uint32_t name(std::uint32_t rank) const { return names.empty() ? rank : names[rank]; }
    bool complete() const { return neighbours.empty(); }
    bool reaches(std::uint32_t source, std::uint32_t destination) const;
    // The generators, in port order, if every rank has the neighbours rank XOR g.
    std::optional<std::vector<Label>> generators() const;
};

}  // namespace simlette
