// How many devices a two-level fabric has, and which port of which device a link takes.
//
// A rail is a port of the accelerators. Every group (rack) has one level-1 device per rail: accelerator i of the group
// on port i, up link u on port down + u. Every rail has level-2 devices of its own, as few as keep
// groups x links_each <= radix: up link u goes to device u mod devices_each, so that every device holds links_each
// ports for every group. All of it is counted for the whole domain; the serving accelerators are its first ones.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

inline constexpr std::uint32_t most_accelerators = 65'536;

inline std::uint32_t domain_of(const FabricSpec& spec) {
    return spec.domain == 0 ? spec.accelerators : spec.domain;
}

struct LevelSizes {
    std::uint32_t domain = 0;
    std::uint32_t group = 0;           // accelerators per group
    std::uint32_t groups = 0;          // of the domain
    std::uint32_t serving_groups = 0;  // the first ones; the last of them may serve in part
    std::uint32_t rails = 0;
    std::uint32_t down = 0;          // ports of a level-1 device towards accelerators; those from `group` on are dark
    std::uint32_t up = 0;            // towards level 2
    std::uint32_t devices_each = 0;  // level-2 devices per rail
    std::uint32_t links_each = 0;    // ports that a level-2 device holds for a group

    std::uint32_t level1_devices() const { return groups * rails; }
    std::uint32_t level2_devices() const { return rails * devices_each; }
    std::uint32_t group_of(std::uint32_t accelerator) const { return accelerator / group; }
    std::uint32_t up_port(std::uint32_t up_link) const { return down + up_link; }
    // The level-2 device of the rail that an up link goes to, and the port there.
    std::uint32_t level2_device(std::uint32_t up_link) const { return up_link % devices_each; }
    std::uint32_t level2_port(std::uint32_t in_group, std::uint32_t up_link) const {
        return in_group * links_each + up_link / devices_each;
    }
};

// Appends what does not fit to `problems`, with the arithmetic; then the result is of no use. Requires: the domain
// holds the serving accelerators.
SIMLETTE_EXPORT LevelSizes level_sizes(const FabricSpec& spec, std::vector<Problem>& problems);

}  // namespace simlette
