// Radix-r Bruck all-to-all over coset layers, along any walk over them.
#pragma once

#include <string>
#include <vector>

#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/layer_walk.hpp>

namespace simlette {

Schedule bruck_along(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                     std::string name);
LayerShares bruck_shares(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices);
LayerMessages bruck_messages(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                             Bytes buffer);

}  // namespace simlette
