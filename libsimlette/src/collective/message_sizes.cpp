#include <simlette/collective/message_sizes.hpp>

#include <algorithm>

#include <simlette/base/error.hpp>
#include <simlette/fabric/traffic.hpp>

namespace simlette {

namespace {

Bytes table_bytes(const SizeTable& sizes, const Schedule& schedule, const Send& send, std::uint32_t rank) {
    Bytes bytes{0};
    for (const Piece& piece : schedule.pieces_of(send)) {
        const std::uint32_t source = schedule.moved(piece.source, rank);
        const std::uint32_t destination = schedule.block_at(piece.block, rank);
        const Bytes block = source == destination ? Bytes{0} : sizes[source][destination];
        bytes = bytes + part_of(block, schedule.slices, piece.slice);
    }
    return bytes;
}

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::input, "`sizes` " + what);
}

void check_table(const SizeTable& sizes, std::uint32_t ranks) {
    if (sizes.size() != ranks) {
        refuse("has " + std::to_string(sizes.size()) + " rows, but the group has " + std::to_string(ranks) + " ranks");
    }
    for (std::size_t source = 0; source < sizes.size(); ++source) {
        if (sizes[source].size() != ranks) {
            refuse("has " + std::to_string(sizes[source].size()) + " columns in row " + std::to_string(source) +
                   ", but the group has " + std::to_string(ranks) + " ranks");
        }
        for (const Bytes size : sizes[source]) {
            if (size.count < 0 || most_message_bytes < size) {
                refuse("has " + std::to_string(size.count) + " in row " + std::to_string(source) + "; expected 0 to " +
                       std::to_string(most_message_bytes.count) + " bytes");
            }
        }
    }
}

}  // namespace

Bytes bytes_of(const CollectiveSpec& spec, const Schedule& schedule, const Send& send, std::uint32_t rank) {
    return spec.sizes ? table_bytes(*spec.sizes, schedule, send, rank) : schedule.send_bytes(send, rank, spec.bytes);
}

bool alike(const CollectiveSpec& spec, const Schedule& schedule) {
    return !spec.sizes && schedule.alike(spec.bytes);
}

Bytes largest_buffer(const SizeTable& sizes) {
    std::vector<Bytes> out(sizes.size());
    std::vector<Bytes> in(sizes.size());
    for (std::size_t source = 0; source < sizes.size(); ++source) {
        for (std::size_t destination = 0; destination < sizes.size(); ++destination) {
            const Bytes size = source == destination ? Bytes{0} : sizes[source][destination];
            out[source] = out[source] + size;
            in[destination] = in[destination] + size;
        }
    }
    Bytes largest{0};
    for (const auto* side : {&out, &in}) {
        for (const Bytes bytes : *side) {
            largest = std::max(largest, bytes);
        }
    }
    return largest;
}

CollectiveSpec with_sizes(const CollectiveSpec& spec, std::uint32_t ranks) {
    CollectiveSpec completed = spec;
    if (!spec.sizes) {
        return completed;
    }
    if (spec.primitive != Primitive::all_to_all) {
        refuse("goes with all-to-all: of other primitives all ranks have equally much");
    }
    check_table(*spec.sizes, ranks);
    completed.bytes = largest_buffer(*spec.sizes);
    if (completed.bytes.count == 0) {
        refuse("has nothing for any rank to send");
    }
    if (spec.bytes.count != 0 && spec.bytes != completed.bytes) {
        refuse("gives a buffer of " + std::to_string(completed.bytes.count) +
               " bytes, the largest sum of a row or "
               "column, but `bytes` is " +
               std::to_string(spec.bytes.count));
    }
    return completed;
}

}  // namespace simlette
