// Where each link of a fabric lies, by name:
//   up 1, up 2, ...        from accelerators to switches of level 1, from there to level 2, ...
//   down 1, down 2, ...    the same ways back
//   circuit                between accelerators, or between racks above electronic switches
//   circuit in rack, circuit across racks    on two optical levels
//   across 1, across 2, ...  between switches of one level of an explicit graph
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/fabric.hpp>

namespace simlette {

struct LinkLevels {
    std::vector<std::string> names;  // of levels with links: upwards, then across, then downwards
    std::vector<std::uint32_t> of;   // by link id, into names
};

SIMLETTE_EXPORT LinkLevels link_levels(const Fabric& fabric);

}  // namespace simlette
