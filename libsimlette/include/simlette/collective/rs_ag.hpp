// Reduce-scatter and all-gather over coset layers, along any walk over them.
#pragma once

#include <string>
#include <vector>

#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/layer_walk.hpp>

namespace simlette {

enum class Half { reduce_scatter, all_gather, both };

Schedule rs_ag_along(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices, Half half,
                     std::string name);
// The largest message of each phase of the reduce-scatter; the all-gather has the same, last first.
std::vector<Bytes> scatter_messages(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                                    Bytes buffer);
// Those of the all-gather, and of both halves.
std::vector<Bytes> backwards(std::vector<Bytes> messages);
std::vector<Bytes> there_and_back(const std::vector<Bytes>& messages);

}  // namespace simlette
