// A schedule of one's own as plain data, as a file or a caller writes it.
//
// A buffer is cut in blocks, and each block in slices; what a rank starts from and must end with is up to the
// primitive. A rank enters a phase when all that was addressed to it in the phase before has come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simlette {

// How what rank 0 does becomes what rank r does.
enum class Symmetry {
    cyclic,        // a label x becomes x + r modulo the ranks
    exclusive_or,  // x XOR r
    mixed_radix,   // digit by digit the sum modulo the radix of the digit: products of complete graphs
    none,          // x: every rank is written out
};

// What the receiver does with the pieces.
enum class Effect {
    collect,  // keeps them apart by source: whole contributions, or blocks on their way to one rank
    reduce,   // adds the sender's partial sum of each piece to its own
    replace,  // takes the sender's pieces for its own
};

struct ScheduleSpec {
    // Every slice of `slices` of every block of `blocks`; with Effect::collect those of every source of `sources`.
    // What goes from one rank to another in one phase is one message, however many sends list it.
    struct Send {
        std::optional<std::uint32_t> from;   // with Symmetry::none; else every rank sends
        std::uint32_t to = 0;                // with a symmetry as rank 0 sees it, as are blocks and sources
        std::vector<std::uint32_t> blocks;   // empty: all
        std::vector<std::uint32_t> slices;   // empty: all
        std::vector<std::uint32_t> sources;  // empty: the sender; with Effect::collect only
    };
    struct Phase {
        Effect effect = Effect::reduce;
        std::vector<Send> sends;
    };

    std::string name;  // in reports
    Symmetry symmetry = Symmetry::none;
    std::uint32_t ranks = 0;   // of the group, exactly
    std::uint32_t blocks = 1;  // 1, or one for each rank
    std::uint32_t slices = 1;  // of each block
    std::vector<Phase> phases;
};

}  // namespace simlette
