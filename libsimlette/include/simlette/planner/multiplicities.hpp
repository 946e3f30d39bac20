// How many parallel circuits each axis gets of its generators, once it is known which axes share which.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <simlette/planner/host.hpp>

namespace simlette {

// An axis that has been placed: what it costs with one copy of each generator, two, ...
struct Widening {
    unsigned axis = 0;
    const std::vector<std::int64_t>* cost = nullptr;
};

struct PortBudget {
    std::uint32_t ports = 0;
    std::uint32_t crossing = 0;  // of these at most so many to other groups
    bool same_port = false;      // both ends of a circuit are on the same port
};

struct Widened {
    std::int64_t cost = 0;
    std::uint32_t ports = 0;            // those that stay dark included
    std::vector<std::uint32_t> copies;  // by axis, in the order given
};

// What a result must not exceed: first the cost, and of this cost the ports.
struct WideningLimit {
    std::int64_t cost = INT64_MAX;
    std::uint32_t ports = UINT32_MAX;
};

// A generator of several axes has as many copies as the axis that wants the most. The least cost within the budget, of
// these the fewest ports, then the lexicographically smallest copies; nothing if none keeps the limit. One copy of all
// generators must fit.
std::optional<Widened> best_copies(const std::vector<Widening>& axes, const std::vector<GeneratorClass>& classes,
                                   PortBudget budget, WideningLimit limit);

}  // namespace simlette
