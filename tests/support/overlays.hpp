// Overlays of the usual shapes.
#pragma once

#include <vector>

#include <simlette/base/label.hpp>
#include <simlette/collective/overlay.hpp>

namespace simlette {

inline Overlay complete_overlay(std::uint32_t ranks) {
    return {ranks, {}};
}

inline Overlay xor_overlay(unsigned bits, const std::vector<Label>& generators) {
    Overlay overlay{std::uint32_t{1} << bits, {}};
    overlay.neighbours.resize(overlay.ranks);
    for (std::uint32_t rank = 0; rank < overlay.ranks; ++rank) {
        for (const Label generator : generators) {
            overlay.neighbours[rank].push_back(rank ^ generator);
        }
    }
    return overlay;
}

inline Overlay cube_overlay(unsigned bits) {
    return xor_overlay(bits, unit_generators(bits));
}

inline Overlay path_overlay(std::uint32_t ranks) {
    Overlay overlay{ranks, std::vector<std::vector<std::uint32_t>>(ranks)};
    for (std::uint32_t rank = 0; rank + 1 < ranks; ++rank) {
        overlay.neighbours[rank].push_back(rank + 1);
        overlay.neighbours[rank + 1].insert(overlay.neighbours[rank + 1].begin(), rank);
    }
    return overlay;
}

}  // namespace simlette
