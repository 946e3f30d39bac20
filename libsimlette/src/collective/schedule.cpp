#include <simlette/collective/schedule.hpp>

namespace simlette {

namespace {

std::uint32_t sum_modulo(std::uint32_t a, std::uint32_t b, std::uint32_t modulus) {
    return a < modulus - b ? a + b : a - (modulus - b);
}

std::uint32_t difference_modulo(std::uint32_t a, std::uint32_t b, std::uint32_t modulus) {
    return a >= b ? a - b : a + (modulus - b);
}

template <class Combine>
std::uint32_t by_digits(const std::vector<std::uint32_t>& radices, std::uint32_t a, std::uint32_t b,
                        Combine&& combine) {
    std::uint32_t result = 0;
    std::uint32_t weight = 1;
    for (const std::uint32_t radix : radices) {
        result += weight * combine(a % radix, b % radix, radix);
        a /= radix;
        b /= radix;
        weight *= radix;
    }
    return result;
}

}  // namespace

std::uint32_t Schedule::moved(std::uint32_t label, std::uint32_t rank) const {
    switch (symmetry) {
        case Symmetry::cyclic:
            return sum_modulo(label, rank, ranks);
        case Symmetry::exclusive_or:
            return label ^ rank;
        case Symmetry::mixed_radix:
            return by_digits(radices, label, rank, sum_modulo);
        case Symmetry::none:
            break;
    }
    return label;
}

std::uint32_t Schedule::moved_back(std::uint32_t label, std::uint32_t rank) const {
    switch (symmetry) {
        case Symmetry::cyclic:
            return difference_modulo(label, rank, ranks);
        case Symmetry::exclusive_or:
            return label ^ rank;
        case Symmetry::mixed_radix:
            return by_digits(radices, label, rank, difference_modulo);
        case Symmetry::none:
            break;
    }
    return label;
}

Span<Send> Schedule::sends_of(const Phase& phase, std::uint32_t rank) const {
    if (symmetry != Symmetry::none) {
        return phase.sends;
    }
    const std::uint32_t first = phase.first_send[rank];
    return {phase.sends.data() + first, phase.first_send[rank + 1] - first};
}

std::uint32_t Schedule::block_at(std::uint32_t block, std::uint32_t rank) const {
    return blocks == 1 ? block : moved(block, rank);
}

Bytes Schedule::piece_bytes(Bytes buffer, std::uint32_t block, std::uint32_t slice) const {
    return part_of(part_of(buffer, blocks, block), slices, slice);
}

Bytes Schedule::send_bytes(const Send& send, std::uint32_t rank, Bytes buffer) const {
    const std::int64_t parts = std::int64_t{blocks} * slices;
    if (buffer.count % parts == 0) {
        return Bytes{buffer.count / parts} * send.pieces;
    }
    Bytes bytes{0};
    for (const Piece& piece : pieces_of(send)) {
        bytes = bytes + piece_bytes(buffer, block_at(piece.block, rank), piece.slice);
    }
    return bytes;
}

bool Schedule::alike(Bytes buffer) const {
    return symmetry != Symmetry::none && buffer.count % blocks == 0;
}

std::uint32_t Schedule::add_pieces(const std::vector<Piece>& added) {
    const auto first = static_cast<std::uint32_t>(pieces.size());
    pieces.insert(pieces.end(), added.begin(), added.end());
    return first;
}

void Schedule::add_phase(Effect effect, const std::vector<std::vector<Send>>& by_rank) {
    Phase phase{effect, false, {}, {0}};
    for (const std::vector<Send>& sends : by_rank) {
        phase.sends.insert(phase.sends.end(), sends.begin(), sends.end());
        phase.first_send.push_back(static_cast<std::uint32_t>(phase.sends.size()));
    }
    phases.push_back(std::move(phase));
}

void Schedule::append(const Schedule& next) {
    const std::uint32_t offset = add_pieces(next.pieces);
    for (Phase phase : next.phases) {
        for (Send& send : phase.sends) {
            send.first_piece += offset;
        }
        phases.push_back(std::move(phase));
    }
}

Bytes part_of(Bytes whole, std::uint32_t parts, std::uint32_t index) {
    return {whole.count / parts + (index < whole.count % parts ? 1 : 0)};
}

}  // namespace simlette
