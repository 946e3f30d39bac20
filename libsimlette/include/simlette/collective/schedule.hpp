// A schedule as data: in each phase, who sends which pieces to whom.
//
// Most schedules look the same from every rank. They are stored once, as rank 0 sees them; rank r sees the same moved
// by its symmetry. A piece is a slice of the buffer, or, where whole contributions travel, the label of a contributor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/span.hpp>
#include <simlette/base/units.hpp>

namespace simlette {

// How what rank 0 does becomes what rank r does: a label x becomes x + r modulo the ranks, x XOR r, or stays.
enum class Symmetry { cyclic, exclusive_or, none };

// What the receiver does with the pieces.
enum class Effect {
    collect,  // keeps whole contributions apart, by contributor; the pieces are contributors, the buffer is not cut
    reduce,   // adds the sender's partial sum of each slice to its own
    replace,  // takes the sender's slices for its own
};

// Whether slice s of rank 0 is slice s of every rank, or moves with the symmetry.
enum class SliceFrame { absolute, moving };

struct Send {
    std::uint32_t peer = 0;         // as rank 0 sees it; with Symmetry::none the peer itself
    std::uint32_t first_piece = 0;  // into Schedule::pieces
    std::uint32_t pieces = 0;
};

struct Phase {
    Effect effect = Effect::reduce;
    // Sends to every other rank, peers 1, 2, ... in order: the order of sending may be chosen.
    bool to_all = false;
    std::vector<Send> sends;
    std::vector<std::uint32_t> first_send;  // with Symmetry::none: ranks + 1 offsets into sends
};

struct Schedule {
    std::string name;
    std::string form;  // what it does: direct, flooding, exchange
    Symmetry symmetry = Symmetry::none;
    SliceFrame frame = SliceFrame::absolute;
    std::uint32_t ranks = 0;
    std::uint32_t slices = 1;
    std::vector<std::uint32_t> pieces;
    std::vector<Phase> phases;

    // A label that rank 0 sees, as rank r sees it, and the other way round.
    std::uint32_t moved(std::uint32_t label, std::uint32_t rank) const;
    std::uint32_t moved_back(std::uint32_t label, std::uint32_t rank) const;
    Span<Send> sends_of(const Phase& phase, std::uint32_t rank) const;
    // Slice of the buffer that `piece` means at `rank`.
    std::uint32_t slice_at(std::uint32_t piece, std::uint32_t rank) const;
    // A buffer cut in l slices gives the first (bytes mod l) slices one byte more.
    Bytes slice_bytes(Bytes buffer, std::uint32_t slice) const;
    // What one send of `rank` carries.
    Bytes send_bytes(const Phase& phase, const Send& send, std::uint32_t rank, Bytes buffer) const;
    // Every rank sends alike whatever the buffer: slices do not move, or are equal.
    bool alike(Bytes buffer) const;

    // Appends pieces and returns where they start.
    std::uint32_t add_pieces(const std::vector<std::uint32_t>& added);
};

}  // namespace simlette
