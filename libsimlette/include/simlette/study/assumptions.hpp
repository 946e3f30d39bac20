// What a run takes for granted and what could move its answer. Part of every result.
#pragma once

#include <string>
#include <vector>

#include <simlette/fabric/spec.hpp>

namespace simlette {

struct Assumption {
    std::string id;
    std::string text;
    std::string value;
    std::string source;
    std::string favours;  // `ocs`, `eps` or `neither`: which fabric looks better for it
};

// Those that apply to this fabric.
std::vector<Assumption> assumptions_of(const FabricSpec& fabric);

}  // namespace simlette
