// UALink packing: the requests of a message, and the TL flits and DL flits that transactions take. Pure arithmetic.
//
// Sources. The sizes of both flits and of requests are public statements of the UALink consortium and its members on
// UALink 200G 1.0. How half-flits and the 640 bytes of a DL flit are filled follows an open behavioural model, which is
// not official (rosslwheeler/ualink_private, commit 6be70e6); the specification itself was not read. That a TL flit may
// run on into the next DL flit is inferred from that layout.
//
// Ranges: a message has 0 to `max_message` bytes, every count is from 0 to 2^55; then no result overflows.
// Not here: flits that are payload throughout, 640 bytes each (flits_for in link/flit.hpp).
#pragma once

#include <cstdint>

#include <simlette/base/contract.hpp>
#include <simlette/base/units.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

inline constexpr Bytes max_message{std::int64_t{1} << 56};

// The DL flit: 3 bytes of flit header, 1 for each of 5 segments, 4 of CRC; the rest belongs to the transaction layer.
inline constexpr Bytes dl_payload{flit_bytes.count - 3 - 5 - 4};
static_assert(dl_payload.count == 628);

// The TL flit: a lower and an upper half of 32 bytes each.
inline constexpr Bytes tl_flit{64};
inline constexpr Bytes half_flit{32};

// Both are cut into sectors of 4 bytes: 16 in a TL flit, 157 in a DL flit, so that 16 DL flits hold 157 TL flits.
inline constexpr Bytes sector{4};
inline constexpr std::int64_t tl_flit_sectors = tl_flit.count / sector.count;
inline constexpr std::int64_t dl_flit_sectors = dl_payload.count / sector.count;
static_assert(tl_flit_sectors == 16 && dl_flit_sectors == 157);

// A request has at most 256 bytes and stays inside one region of 256. Its data travels in blocks of 64, two half-flits
// each; byte enables take one half-flit more.
inline constexpr Bytes max_request{256};
inline constexpr Bytes data_block{64};
inline constexpr std::int64_t half_flits_per_block = data_block.count / half_flit.count;

// What fits in one control half-flit of 8 sectors: a request takes 4 of them or, compressed, 2; a response 2 or 1.
inline constexpr std::int64_t plain_requests_per_control = 2;
inline constexpr std::int64_t compressed_requests_per_control = 4;
inline constexpr std::int64_t compressed_responses_per_control = 8;

// TL flits of a stream of control half-flits of which each implies at least one of data. A control stands in a lower
// half only, one in a TL flit; where the last data of a control would take a lower half, it moves up and the next
// control takes its place, so that only the very last half may be wasted.
constexpr std::int64_t tl_flits(std::int64_t controls, std::int64_t data) {
    require(controls >= 0 && data >= controls, "every control half-flit implies data");
    return ceil_div(controls + data, 2);
}

struct TlFlitBounds {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

// The same where `without_data` of the controls imply none: each of these wastes at most the half above it.
constexpr TlFlitBounds tl_flit_bounds(std::int64_t controls, std::int64_t data, std::int64_t without_data) {
    require(without_data >= 0 && controls >= without_data && data >= controls - without_data,
            "every other control half-flit implies data");
    return {ceil_div(controls + data, 2), ceil_div(controls + data + without_data, 2)};
}

// DL flits where TL flits run on from one into the next: ceil(64 * tl / 628).
constexpr std::int64_t dl_flits_straddling(std::int64_t tl) {
    return ceil_div(tl * tl_flit_sectors, dl_flit_sectors);
}

// DL flits where each holds whole TL flits only: ceil(tl / 9).
constexpr std::int64_t dl_flits_packed(std::int64_t tl) {
    return ceil_div(tl, dl_payload.count / tl_flit.count);
}

static_assert(dl_flits_straddling(157) == 16 && dl_flits_straddling(158) == 17);
static_assert(dl_flits_packed(157) == 18);

// The requests of a message, in the order of their addresses. All but the first and the last have `inner` bytes.
struct RequestSplit {
    std::int64_t count = 0;
    Bytes first{0};
    Bytes inner{0};
    Bytes last{0};  // the first, if there is only one

    // Requires: 0 <= index < count.
    constexpr Bytes size(std::int64_t index) const { return index == 0 ? first : (index == count - 1 ? last : inner); }
};

// `offset` is the address of the first byte, or what remains of it modulo 256. No request crosses a multiple of
// `request`, which is 64, 128 or 256 bytes.
RequestSplit split_requests(Bytes message, Bytes offset = {0}, Bytes request = max_request);

// The requests or responses of one port-message as the transaction layer sees them.
// Invariant: the three counts of data half-flits are all 0 or all positive.
struct TlStream {
    std::int64_t transactions = 0;
    std::int64_t per_control = 1;  // transactions that share a control half-flit; the last control may hold fewer
    std::int64_t first_data = 0;   // data half-flits of the first transaction,
    std::int64_t inner_data = 0;   // of each between,
    std::int64_t last_data = 0;    // and of the last: the first, if there is only one
};

enum class ByteEnables {
    where_needed,  // a request of whole 64-byte blocks is a WriteFull and carries none, any other is a Write
    always,        // every request is a Write
};

struct WriteSpec {
    std::int64_t per_control = compressed_requests_per_control;
    ByteEnables byte_enables = ByteEnables::where_needed;
    Bytes request = max_request;
};

// A port-message of `bytes` that starts at address `offset`. Where requests are spread over ports, a port's share is
// such a message too: only the first and the last request of the whole may be partial.
TlStream write_stream(Bytes bytes, const WriteSpec& spec = {}, Bytes offset = {0});
TlStream read_request_stream(Bytes bytes, std::int64_t per_control, Bytes offset = {0});
TlStream read_response_stream(Bytes bytes, std::int64_t per_control, Bytes offset = {0});
TlStream write_response_stream(std::int64_t requests, std::int64_t per_control = compressed_responses_per_control);

std::int64_t tl_flits(const TlStream& stream);

// DL flits of the port-message, straddling.
std::int64_t dl_flits(const TlStream& stream);

// How many transactions of the port-message have arrived whole with its first `flits` DL flits: those whose last TL
// flit ends there. They become whole in order; with all dl_flits(stream), all are.
std::int64_t whole_transactions(const TlStream& stream, std::int64_t flits);

inline std::int64_t write_flits(Bytes bytes, std::int64_t per_control) {
    return dl_flits(write_stream(bytes, {per_control, ByteEnables::where_needed, max_request}));
}

inline std::int64_t write_response_flits(std::int64_t requests) {
    return dl_flits(write_response_stream(requests));
}

inline std::int64_t read_request_flits(Bytes bytes, std::int64_t per_control) {
    return dl_flits(read_request_stream(bytes, per_control));
}

inline std::int64_t read_response_flits(Bytes bytes, std::int64_t per_control) {
    return dl_flits(read_response_stream(bytes, per_control));
}

}  // namespace simlette
