// The fold ladder of an axis: every way to split it into blocks, each a complete graph, or to close it to a ring, and
// what the collectives of the axis cost on each.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/planner/request.hpp>
#include <simlette/planner/schedule_price.hpp>

namespace simlette {

// The digits of the accelerators' labels: of every prime as many as the number of ranks has. A power of two has bits.
struct Primes {
    std::vector<std::uint32_t> radices;  // ascending
    std::vector<std::uint32_t> counts;   // of each

    friend bool operator==(const Primes& a, const Primes& b) { return a.radices == b.radices && a.counts == b.counts; }
};

SIMLETTE_EXPORT Primes primes_of(std::uint32_t number);

struct RungBlock {
    std::uint32_t radix = 2;
    std::vector<std::uint32_t> digits;  // how many of each prime of the request
    bool ring = false;                  // one circuit to the next rank and one to the one before, not to all
};

// What the collectives of an axis cost, by parallel circuits of each generator less one: the weighted time of all, in
// ps, and the schedule of each.
struct RungPrices {
    std::vector<std::int64_t> cost;
    std::vector<std::vector<ScheduleChoice>> choices;
};

// A way to fold an axis.
class Rung {
public:
    std::vector<RungBlock> blocks;  // widest first
    std::uint32_t degree = 0;
    std::uint32_t copies = 1;                           // that the ports can make
    std::vector<std::vector<SchedulePrice>> schedules;  // that each collective may take
    std::vector<std::uint32_t> calls;                   // of each

    // Remembered. No prices are less than those with no layer that leaves a group.
    const RungPrices& prices(LayerSet crossing) const;

private:
    mutable std::map<LayerSet, RungPrices> known_;
};

// Those that the ports can make; rings only if `rings`. Throws Error{input} if a collective cannot be priced on
// circuits.
std::vector<Rung> rungs_of(const PlanRequest& request, const PlanAxis& axis, const Primes& primes, bool rings);

}  // namespace simlette
