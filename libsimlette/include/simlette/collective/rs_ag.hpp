// Reduce-scatter and all-gather over coset layers, along any walk over them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/layer_walk.hpp>

namespace simlette {

enum class Half { reduce_scatter, all_gather, both };

Schedule rs_ag_along(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices, Half half,
                     std::string name);
// Of the reduce-scatter; the all-gather has the same, last phase first.
LayerShares scatter_shares(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices);
LayerMessages scatter_messages(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                               Bytes buffer);

// Phases of the reduce-scatter as those of the all-gather, and of both halves.
template <class Phases>
Phases backwards(Phases phases) {
    std::reverse(phases.begin(), phases.end());
    return phases;
}

template <class Phases>
Phases there_and_back(const Phases& phases) {
    Phases all = phases;
    all.insert(all.end(), phases.rbegin(), phases.rend());
    return all;
}

// The forms of a schedule and its halves, from what its reduce-scatter moves along layers.
template <LayerShares (*shares)(const OverlayShape&), LayerMessages (*messages)(const OverlayShape&, Bytes),
          std::uint32_t (*ports)(const OverlayShape&)>
struct RsAgForms {
    static ScheduleCost half_cost(const OverlayShape& shape) {
        return {shape.layers->count(), volume_of(shares(shape)), ports(shape)};
    }
    static ScheduleCost cost(const OverlayShape& shape) {
        const ScheduleCost half = half_cost(shape);
        return {2 * half.phases, 2 * half.volume, half.ports};
    }

    static constexpr ClosedForm scatter{
        LayerKind::subgroup,
        misfit_of_subgroup_layers,
        half_cost,
        [](const OverlayShape& shape, Bytes buffer) { return largest_of(messages(shape, buffer)); },
        shares,
        messages};
    static constexpr ClosedForm gather{
        LayerKind::subgroup,
        misfit_of_subgroup_layers,
        half_cost,
        [](const OverlayShape& shape, Bytes buffer) { return backwards(largest_of(messages(shape, buffer))); },
        [](const OverlayShape& shape) { return backwards(shares(shape)); },
        [](const OverlayShape& shape, Bytes buffer) { return backwards(messages(shape, buffer)); }};
    static constexpr ClosedForm both{
        LayerKind::subgroup,
        misfit_of_subgroup_layers,
        cost,
        [](const OverlayShape& shape, Bytes buffer) { return there_and_back(largest_of(messages(shape, buffer))); },
        [](const OverlayShape& shape) { return there_and_back(shares(shape)); },
        [](const OverlayShape& shape, Bytes buffer) { return there_and_back(messages(shape, buffer)); }};
};

}  // namespace simlette
