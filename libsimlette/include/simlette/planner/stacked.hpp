// Stacked links: the other way to use ports. Every axis of a mesh has ports of its own and a circulant on them.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/cayley.hpp>
#include <simlette/collective/closed_form.hpp>

namespace simlette {

// Of each axis: one port, and of the others a share in proportion to the ports that would join all its ranks, by
// largest remainder, the earlier axis first. Where there are enough to join all ranks of every axis, these come first
// and only the rest is shared. Requires: a port for every axis.
SIMLETTE_EXPORT std::vector<std::uint32_t> stacked_ports(const std::vector<std::uint32_t>& sizes, std::uint32_t ports);

struct StackedAxis {
    CayleyGraph graph;
    std::uint32_t ports = 0;
    std::uint32_t copies = 1;  // of each circuit
};

// Throws Error{input} if the ports do not join the ranks of an axis.
SIMLETTE_EXPORT std::vector<StackedAxis> stacked_axes(const std::vector<std::uint32_t>& sizes, std::uint32_t ports);

// An all-reduce of one size on every axis, one after the other, by `one_shot` or `one_shot_dvo`.
SIMLETTE_EXPORT Duration stacked_time(const std::vector<StackedAxis>& axes, ScheduleKind kind, Bytes bytes,
                                      Duration latency, BitRate rate);

}  // namespace simlette
