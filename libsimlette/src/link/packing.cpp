#include <simlette/link/packing.hpp>

#include <algorithm>

namespace simlette {

namespace {

bool is_whole_blocks(Bytes size, Bytes offset) {
    return offset.count % data_block.count == 0 && size.count % data_block.count == 0;
}

// Of the blocks that a request touches: a partial one travels whole.
std::int64_t block_half_flits(Bytes size, Bytes offset) {
    return ceil_div(offset.count % data_block.count + size.count, data_block.count) * half_flits_per_block;
}

std::int64_t write_half_flits(Bytes size, Bytes offset, ByteEnables enables) {
    const bool carried = enables == ByteEnables::always || !is_whole_blocks(size, offset);
    return block_half_flits(size, offset) + (carried ? 1 : 0);
}

// `data_of(size, offset)` counts the data half-flits of one request.
template <class DataOf>
TlStream stream_of(const RequestSplit& split, Bytes offset, std::int64_t per_control, DataOf data_of) {
    require(per_control > 0, "a control half-flit holds at least one transaction");
    TlStream stream{split.count, per_control, 0, 0, 0};
    if (split.count > 0) {
        stream.first_data = data_of(split.first, offset);
        stream.inner_data = data_of(split.inner, Bytes{0});
        stream.last_data = split.count == 1 ? stream.first_data : data_of(split.last, Bytes{0});
    }
    return stream;
}

std::int64_t controls(const TlStream& stream) {
    return ceil_div(stream.transactions, stream.per_control);
}

std::int64_t data_half_flits(const TlStream& stream) {
    if (stream.transactions < 2) {
        return stream.transactions * stream.first_data;
    }
    return stream.first_data + (stream.transactions - 2) * stream.inner_data + stream.last_data;
}

bool has_data(const TlStream& stream) {
    return stream.inner_data > 0;
}

// Half-flits swap places only inside one TL flit. So a transaction is whole once as many half-flits have come as it and
// all before it take, controls included. The last one may differ from the inner ones: it is whole at the end.
std::int64_t whole_in_tl_flits(const TlStream& stream, std::int64_t tl) {
    if (!has_data(stream)) {
        return std::min(stream.transactions, tl * stream.per_control);
    }
    if (tl >= tl_flits(stream)) {
        return stream.transactions;
    }
    const std::int64_t as_if_first_were_inner = stream.inner_data - stream.first_data;
    const std::int64_t half_flits = 2 * tl + as_if_first_were_inner;
    const std::int64_t group = 1 + stream.per_control * stream.inner_data;
    const std::int64_t in_last_group = std::max<std::int64_t>(half_flits % group - 1, 0) / stream.inner_data;
    return std::min(half_flits / group * stream.per_control + in_last_group, stream.transactions - 1);
}

}  // namespace

RequestSplit split_requests(Bytes message, Bytes offset, Bytes request) {
    require(message.count >= 0 && message.count <= max_message.count, "a message has up to 2^56 bytes");
    require(offset.count >= 0, "an address is not negative");
    require(request.count == 64 || request.count == 128 || request.count == 256, "a request has 64, 128 or 256 bytes");
    if (message.count == 0) {
        return {};
    }
    const std::int64_t start = offset.count % request.count;
    const std::int64_t end = start + message.count;
    RequestSplit split{ceil_div(end, request.count), {0}, request, {0}};
    split.first = {std::min(message.count, request.count - start)};
    split.last = split.count == 1 ? split.first : Bytes{(end - 1) % request.count + 1};
    return split;
}

TlStream write_stream(Bytes bytes, const WriteSpec& spec, Bytes offset) {
    return stream_of(split_requests(bytes, offset, spec.request), offset, spec.per_control,
                     [&](Bytes size, Bytes at) { return write_half_flits(size, at, spec.byte_enables); });
}

TlStream read_request_stream(Bytes bytes, std::int64_t per_control, Bytes offset) {
    return stream_of(split_requests(bytes, offset), offset, per_control, [](Bytes, Bytes) { return std::int64_t{0}; });
}

TlStream read_response_stream(Bytes bytes, std::int64_t per_control, Bytes offset) {
    return stream_of(split_requests(bytes, offset), offset, per_control, block_half_flits);
}

TlStream write_response_stream(std::int64_t requests, std::int64_t per_control) {
    require(requests >= 0 && per_control > 0, "a control half-flit holds at least one response");
    return {requests, per_control, 0, 0, 0};
}

std::int64_t tl_flits(const TlStream& stream) {
    // A control without data has a NOP above it.
    return has_data(stream) ? tl_flits(controls(stream), data_half_flits(stream)) : controls(stream);
}

std::int64_t dl_flits(const TlStream& stream) {
    return dl_flits_straddling(tl_flits(stream));
}

std::int64_t whole_transactions(const TlStream& stream, std::int64_t flits) {
    require(flits >= 0, "a count of flits is not negative");
    return whole_in_tl_flits(stream, flits * dl_flit_sectors / tl_flit_sectors);
}

}  // namespace simlette
