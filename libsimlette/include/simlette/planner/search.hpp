// Branch and bound over all ways to fold, place and widen the axes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <simlette/planner/plan.hpp>
#include <simlette/planner/space.hpp>

namespace simlette {

// What plans are compared by, first things first.
struct PlanMerit {
    std::int64_t total = 0;  // ps
    std::uint32_t ports = 0;
    std::uint32_t generators = 0;
    std::uint32_t degree_sum = 0;  // over the axes
    std::vector<std::uint32_t> degrees;
    std::vector<std::uint32_t> copies;
};

struct Found {
    PlanMerit merit;
    std::vector<PlacedAxis> axes;
};

struct SearchEnd {
    std::optional<Found> best;
    std::int64_t bound = 0;  // nothing in the space is less
    bool truncated = false;
    std::uint64_t nodes = 0;
};

// `effort`: blocks that are placed at most.
SearchEnd search(const Space& space, std::uint64_t effort, const SearchControl& control = {});

}  // namespace simlette
