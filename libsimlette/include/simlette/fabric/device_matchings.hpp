// What every circuit switch joins: the circuits of a fabric as its devices see them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/fabric.hpp>

namespace simlette {

struct DeviceMatching {
    std::uint32_t level = 1;
    std::uint32_t rail = 0;    // port of the accelerators
    std::uint32_t device = 0;  // of the rail: on two levels the group at level 1, else a number
    std::vector<std::pair<std::uint32_t, std::uint32_t>> joined;  // ports, the lower first, ascending
};

// Of every circuit switch with circuits, level by level, then by rail and device. On two levels the circuits of a rail
// are shared out over its level-2 devices such that each has one matching: matching by matching where circuits are
// translations or groups fall in two sides, in any way over a single device, else by 2-factors (Petersen). None of
// `direct`, of packet switches and of explicit graphs.
// Throws Error{input} if the devices of a rail cannot carry its circuits.
SIMLETTE_EXPORT std::vector<DeviceMatching> device_matchings(const Fabric& fabric);

}  // namespace simlette
