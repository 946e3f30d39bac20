// Circuits, schedules and placement that were chosen together, as plain data.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/base/units.hpp>
#include <simlette/planner/request.hpp>

namespace simlette {

struct PlannedCollective {
    PlanCollective collective;  // its schedule is the chosen one
    std::uint32_t phases = 0;
    Duration time{0};  // of one call
};

struct PlannedAxis {
    std::string name;
    std::uint32_t size = 1;
    // Of a power of two: the bits of the accelerator's label that hold the coordinate, most significant first.
    std::vector<unsigned> bits;
    // The same bits in blocks, widest first, each with all masks over it; empty without collectives. The first block
    // holds the lowest bits of the coordinate, as in the name of the topology: `bits` are the blocks from last to
    // first.
    std::vector<std::vector<unsigned>> blocks;
    // Of the digits of a label that `bits` names; all 2 if the number of ranks is a power of two.
    std::vector<std::uint32_t> radices;
    std::string topology;  // `Q6[3,3]`; of other sizes `K4xK3`; `none` without circuits
    std::uint32_t degree = 0;
    std::uint32_t multiplicity = 0;  // parallel circuits of each generator that its schedules count on
    std::vector<PlannedCollective> collectives;
    // Each rank is joined to the next one and the one before. No generators do that, so there are no blocks; such an
    // axis is priced and not laid.
    bool ring = false;
};

struct PlannedMesh {
    std::string name;
    std::vector<PlannedAxis> axes;  // slowest first
};

struct Plan {
    std::string space;     // what `optimal` means
    Duration total{0};     // sum of calls times time
    Duration bound{0};     // no plan of the space is faster
    bool optimal = false;  // total == bound
    bool truncated = false;
    std::uint32_t ranks = 0;
    std::uint32_t racks = 0;                // that circuits join evenly, above electronic switches; 0: they join ranks
    std::uint32_t ports = 0;                // that there are
    std::uint32_t degree = 0;               // generators
    std::uint32_t ports_used = 0;           // of an accelerator: its circuits, and ports that they leave dark
    std::vector<std::uint32_t> generators;  // labels, ascending: a circuit joins x and x XOR generator, or their sum
    std::vector<std::uint32_t> copies;      // parallel circuits of each generator
    std::vector<PlannedMesh> meshes;
};

// Nodes of the search if the request names no effort.
inline constexpr std::uint64_t default_effort = 2'000'000;

struct SearchProgress {
    std::uint64_t nodes = 0;
    std::optional<Duration> best;  // total of the best plan so far
    Duration bound{0};             // no plan is faster
};

struct SearchControl {
    std::function<void(const SearchProgress&)> progress;  // may be empty; every few thousand nodes
    // Set by another thread or a signal handler: the search ends with the first plan that it has, which is `truncated`.
    const std::atomic<bool>* stop = nullptr;
};

// Throws Error{input} if the request contradicts itself, or is beyond what can be priced.
void check_request(const PlanRequest& request);

// The same request has the same plan, unless it was stopped. Throws Error{input} if no plan is possible, with what
// would be enough.
SIMLETTE_EXPORT Plan plan(const PlanRequest& request, const SearchControl& control = {});

}  // namespace simlette
