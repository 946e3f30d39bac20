// Cayley graphs: every rank x is joined to x + g for each generator g. They look the same from every rank, so all of
// this is measured from rank 0.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/rank_group.hpp>

namespace simlette {

struct CayleyGraph {
    RankGroup group;
    std::vector<Label> generators;  // different, not 0, and with each its inverse
};

inline constexpr std::uint32_t unreached = UINT32_MAX;

// From rank 0 to every label; `unreached` where no way leads.
std::vector<std::uint32_t> distances(const CayleyGraph& graph);
SIMLETTE_EXPORT bool connected(const CayleyGraph& graph);
// How many labels are at distance 0, 1, 2, ... Labels that are not reached are in none.
SIMLETTE_EXPORT std::vector<std::uint32_t> spheres(const CayleyGraph& graph);
// How many labels are within distance 0, 1, 2, ...
SIMLETTE_EXPORT std::vector<std::uint32_t> balls(const CayleyGraph& graph);
// Requires: connected.
SIMLETTE_EXPORT std::uint32_t diameter(const CayleyGraph& graph);
// No all-reduce has fewer phases: the diameter, and what it takes to hear of all ranks at this degree.
// Requires: connected.
SIMLETTE_EXPORT std::uint32_t fewest_phases(const CayleyGraph& graph);

// A generator helps an axis if and only if all its bits lie inside the axis: only then do the groups of the axis keep
// to themselves.
constexpr bool supports(Label generator, Label axis_bits) {
    return (generator & ~axis_bits) == 0;
}

// The generators that help an axis, in their order, renumbered to the bits of the axis, lowest first.
SIMLETTE_EXPORT std::vector<Label> generators_of_axis(const std::vector<Label>& generators, Label axis_bits);
// Sum of the diameters of the axes. Requires: every axis is connected by the generators that help it.
SIMLETTE_EXPORT std::uint32_t mesh_diameter(const std::vector<Label>& generators, const std::vector<Label>& axes);

}  // namespace simlette
