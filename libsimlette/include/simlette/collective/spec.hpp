// A collective operation as plain data: who takes part, how much, and by which schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/units.hpp>

namespace simlette {

enum class Primitive { all_reduce, send_recv };

enum class ScheduleKind {
    automatic,                // one-shot for all-reduce
    one_shot,                 // direct sends on packet switches, flooding on circuits
    two_shot,                 // reduce-scatter, then all-gather, both by direct sends
    recursive_doubling,       // bit k in phase k
    coset_factored_parallel,  // one slice per layer of the plain cube, every layer busy in every phase
};

enum class SendOrder {
    rotated,  // rank r sends to r + 1, r + 2, ... (modulo the group)
    same,     // every rank sends to 0, 1, 2, ..., itself left out
};

enum class Operation {
    write,  // the sender of a message writes it to the receiver
    read,   // the receiver asks for it: one request flit per port-message, the data travels on the response channel
};

struct CollectiveSpec {
    // Orders what starts at one instant, and names the collective in reports; unset: the number registered before.
    std::optional<std::uint32_t> id;
    Primitive primitive = Primitive::all_reduce;
    ScheduleKind schedule = ScheduleKind::automatic;
    std::vector<std::uint32_t> group;  // ranks in order; empty: all ranks of the fabric
    Bytes bytes{0};                    // the larger of a rank's input and output buffer; 1 to 2^40
    Time earliest_start{0};
    SendOrder send_order = SendOrder::rotated;
    Operation operation = Operation::write;
    bool phase_barrier = false;  // every member waits for the last delivery of a phase
};

}  // namespace simlette
