// A schedule as data: in each phase, who sends which pieces to whom.
//
// Most schedules look the same from every rank. They are stored once, as rank 0 sees them; rank r sees the same moved
// by its symmetry: peers, sources and blocks move, slices do not.
//
// A buffer is cut in blocks, one for each rank where ranks differ in what they need, else a single one; each block is
// cut in slices. A piece is one slice of one block. What a rank starts from and must end with is up to the primitive:
//   all-reduce      every rank has an input for every piece; every rank ends with the sum of every piece
//   reduce-scatter  the same inputs; rank r ends with the sum of block r
//   all-gather      rank r has block r; every rank ends with every block
//   all-to-all      rank r has a block for every rank; rank r ends with block r of every source
//   broadcast       rank 0 has every piece; every rank ends with it; of send-recv, rank 1
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/span.hpp>
#include <simlette/base/units.hpp>
#include <simlette/collective/schedule_spec.hpp>

namespace simlette {

// The buffer of rank `source`, cut. Only Effect::collect knows sources: elsewhere the sender sends what it holds.
struct Piece {
    std::uint32_t block = 0;
    std::uint32_t slice = 0;
    std::uint32_t source = 0;
};

struct Send {
    std::uint32_t peer = 0;         // as rank 0 sees it; with Symmetry::none the peer itself
    std::uint32_t first_piece = 0;  // into Schedule::pieces
    std::uint32_t pieces = 0;
};

struct Phase {
    Effect effect = Effect::reduce;
    // Sends to every other rank, peers 1, 2, ... in order: the order of sending may be chosen.
    bool to_all = false;
    std::vector<Send> sends = {};
    std::vector<std::uint32_t> first_send = {};  // with Symmetry::none: ranks + 1 offsets into sends
};

struct Schedule {
    std::string name = {};
    std::string form = {};  // what it does: direct, flooding, exchange
    Symmetry symmetry = Symmetry::none;
    std::uint32_t ranks = 0;
    std::uint32_t blocks = 1;  // 1 or ranks
    std::uint32_t slices = 1;  // of each block
    std::vector<Piece> pieces = {};
    std::vector<Phase> phases = {};
    std::vector<std::uint32_t> radices =
        {};  // of Symmetry::mixed_radix, lowest digit first; their product is the ranks

    // A label that rank 0 sees, as rank r sees it, and the other way round.
    std::uint32_t moved(std::uint32_t label, std::uint32_t rank) const;
    std::uint32_t moved_back(std::uint32_t label, std::uint32_t rank) const;
    Span<Send> sends_of(const Phase& phase, std::uint32_t rank) const;
    Span<Piece> pieces_of(const Send& send) const { return {pieces.data() + send.first_piece, send.pieces}; }
    // Block that rank 0 calls `block`, as `rank` calls it.
    std::uint32_t block_at(std::uint32_t block, std::uint32_t rank) const;
    // A buffer cut in l parts gives the first (bytes mod l) parts one byte more; so is a block cut in slices.
    Bytes piece_bytes(Bytes buffer, std::uint32_t block, std::uint32_t slice) const;
    // What one send of `rank` carries.
    Bytes send_bytes(const Send& send, std::uint32_t rank, Bytes buffer) const;
    // Every rank sends alike: its blocks do not move, or are equal.
    bool alike(Bytes buffer) const;

    // Appends pieces and returns where they start.
    std::uint32_t add_pieces(const std::vector<Piece>& added);
    // Appends a phase in which each rank sends what is listed for it. Requires: Symmetry::none.
    void add_phase(Effect effect, const std::vector<std::vector<Send>>& by_rank);
    // Appends the phases of `next`. Requires: it differs in name, form, pieces and phases at most.
    void append(const Schedule& next);
};

// The size of part `index` of `whole` cut in `parts`.
Bytes part_of(Bytes whole, std::uint32_t parts, std::uint32_t index);

}  // namespace simlette
