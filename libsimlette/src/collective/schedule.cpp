#include <simlette/collective/schedule.hpp>

namespace simlette {

std::uint32_t Schedule::moved(std::uint32_t label, std::uint32_t rank) const {
    switch (symmetry) {
        case Symmetry::cyclic:
            return label < ranks - rank ? label + rank : label - (ranks - rank);
        case Symmetry::exclusive_or:
            return label ^ rank;
        case Symmetry::none:
            break;
    }
    return label;
}

std::uint32_t Schedule::moved_back(std::uint32_t label, std::uint32_t rank) const {
    switch (symmetry) {
        case Symmetry::cyclic:
            return label >= rank ? label - rank : label + (ranks - rank);
        case Symmetry::exclusive_or:
            return label ^ rank;
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

std::uint32_t Schedule::slice_at(std::uint32_t piece, std::uint32_t rank) const {
    return frame == SliceFrame::moving ? moved(piece, rank) : piece;
}

Bytes Schedule::slice_bytes(Bytes buffer, std::uint32_t slice) const {
    return {buffer.count / slices + (slice < buffer.count % slices ? 1 : 0)};
}

Bytes Schedule::send_bytes(const Phase& phase, const Send& send, std::uint32_t rank, Bytes buffer) const {
    if (phase.effect == Effect::collect) {
        return buffer * send.pieces;
    }
    Bytes bytes{0};
    for (std::uint32_t i = 0; i < send.pieces; ++i) {
        bytes = bytes + slice_bytes(buffer, slice_at(pieces[send.first_piece + i], rank));
    }
    return bytes;
}

bool Schedule::alike(Bytes buffer) const {
    return symmetry != Symmetry::none && (frame == SliceFrame::absolute || buffer.count % slices == 0);
}

std::uint32_t Schedule::add_pieces(const std::vector<std::uint32_t>& added) {
    const auto first = static_cast<std::uint32_t>(pieces.size());
    pieces.insert(pieces.end(), added.begin(), added.end());
    return first;
}

}  // namespace simlette
