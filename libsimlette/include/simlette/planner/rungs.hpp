// The fold ladder of an axis: every way to split it into blocks, each a complete graph, and what the collectives of the
// axis cost on each.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/planner/request.hpp>

namespace simlette {

// The digits of the accelerators' labels: of every prime as many as the number of ranks has. A power of two has bits.
struct Primes {
    std::vector<std::uint32_t> radices;  // ascending
    std::vector<std::uint32_t> counts;   // of each

    friend bool operator==(const Primes& a, const Primes& b) { return a.radices == b.radices && a.counts == b.counts; }
};

Primes primes_of(std::uint32_t number);

struct RungBlock {
    std::uint32_t radix = 2;
    std::vector<std::uint32_t> digits;  // how many of each prime of the request
};

struct ScheduleChoice {
    ScheduleKind kind = ScheduleKind::automatic;
    std::uint32_t phases = 0;
    Duration time{0};  // of one call
};

// A way to fold an axis.
struct Rung {
    std::vector<RungBlock> blocks;  // widest first
    std::uint32_t degree = 0;
    // For no block between groups, one, two, ... and then for one copy of each generator, two, ...: the weighted time
    // of all collectives, in ps, and the schedule of each.
    std::vector<std::vector<std::int64_t>> cost;
    std::vector<std::vector<std::vector<ScheduleChoice>>> choices;

    std::uint32_t copies() const { return static_cast<std::uint32_t>(cost.front().size()); }
    std::int64_t cost_of(std::size_t crossing, std::uint32_t copies) const { return cost[crossing][copies - 1]; }
};

// No cost is larger: sums of some hundred stay within 64 bits. From half of it on a cost may stand for a larger one.
inline constexpr std::int64_t most_cost = INT64_MAX / 1024;

// Those that the ports can make. Throws Error{input} if a collective cannot be priced on circuits.
std::vector<Rung> rungs_of(const PlanRequest& request, const PlanAxis& axis, const Primes& primes);

}  // namespace simlette
