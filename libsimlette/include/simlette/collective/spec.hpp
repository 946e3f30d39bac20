// A collective operation as plain data: who takes part, how much, and by which schedule.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/units.hpp>
#include <simlette/collective/schedule_spec.hpp>

namespace simlette {

enum class Primitive {
    all_reduce,
    send_recv,
    all_to_all,
    all_gather,
    reduce_scatter,
    broadcast,  // from the first rank of the group
};

enum class ScheduleKind {
    automatic,                // on packet switches the cheapest by its analytic price
    one_shot,                 // direct sends on packet switches, flooding on circuits
    two_shot,                 // reduce-scatter, then all-gather, both by direct sends
    recursive_doubling,       // bit k in phase k
    coset_factored_parallel,  // one slice per coset layer, every layer busy in every phase
    automatic_simulated,      // the fastest in flit mode, among those of `auto`
    one_shot_dvo,             // flooding, but each contribution is delivered once to each rank
    halving_doubling,         // recursive halving, then doubling, farthest partner first
    ring,
    coset_factored,        // one coset layer a phase
    rs_ag,                 // reduce-scatter and all-gather over coset layers, one layer a phase
    rs_ag_parallel,        // the same, one slice per layer
    rs_ag_parallel_r_min,  // the same schedule, priced by its narrowest layer
    bruck,                 // radix-r all-to-all over coset layers
    bruck_parallel,        // the same, one slice per layer
    direct,                // every rank sends to every other in one phase
    pairwise,              // one partner a phase
};

enum class SendOrder {
    rotated,  // rank r sends to r + 1, r + 2, ... (modulo the group)
    same,     // every rank sends to 0, 1, 2, ..., itself left out
};

enum class Operation {
    write,  // the sender of a message writes it to the receiver
    read,   // the receiver asks for it: one request flit per port-message, the data travels on the response channel
};

// The coset layers that a schedule shall use; both empty: the fewest that the circuits have.
struct LayerChoice {
    // Sizes of the blocks of a fold, the first one lowest: in bits for a power of two of ranks, else in ranks.
    std::vector<std::uint32_t> blocks;
    // Or each layer by its generators, for a power of two of ranks: rank r is joined to r XOR g.
    std::vector<std::vector<std::uint32_t>> generators;

    bool given() const { return !blocks.empty() || !generators.empty(); }
};

// What each rank of a group has for each other: a row for each source, in it a column for each destination. What a rank
// has for itself does not count.
using SizeTable = std::vector<std::vector<Bytes>>;

struct CollectiveSpec {
    // Orders what starts at one instant, and names the collective in reports; unset: the number registered before.
    std::optional<std::uint32_t> id;
    Primitive primitive = Primitive::all_reduce;
    ScheduleKind schedule = ScheduleKind::automatic;
    std::vector<std::uint32_t> group;  // ranks in order; empty: all ranks of the fabric
    // In place of `group`: every one of these runs it, all at the same time. Of equal size, no rank in two of them;
    // groups_of_axis() of sim/workload.hpp gives those of an axis.
    std::vector<std::vector<std::uint32_t>> groups;
    Bytes bytes{0};  // the larger of a rank's input and output buffer; 1 to 2^40
    Time earliest_start{0};
    SendOrder send_order = SendOrder::rotated;
    Operation operation = Operation::write;
    bool phase_barrier = false;                             // every member waits for the last delivery of a phase
    LayerChoice layers;                                     // of schedules on coset layers
    std::shared_ptr<const ScheduleSpec> own_schedule = {};  // if set: instead of `schedule`, which stays automatic
    // Of all-to-all: instead of equal blocks. `bytes` is then the largest sum of a row or column, or 0 to work it out.
    std::shared_ptr<const SizeTable> sizes = {};
};

}  // namespace simlette
