// The worst cut that parts the serving accelerators evenly; switches stand on the side where they cut fewer links.
#pragma once

#include <cstdint>

#include <simlette/fabric/built_fabric.hpp>

namespace simlette {

struct Cut {
    std::uint64_t links = 0;  // directed, one way
    bool exact = false;       // proven to be the least; otherwise the least of those tried
};

Cut bisection(const Fabric& fabric);

// Generators in port order with their copies, if all circuits are translations by them; else empty.
std::vector<std::pair<std::uint32_t, std::uint32_t>> translations(const HostGraph& graph);

}  // namespace simlette
