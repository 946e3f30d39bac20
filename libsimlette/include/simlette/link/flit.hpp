// The flit: 640 bytes of the data link layer, the unit of credits, switching and link time.
#pragma once

#include <cstdint>

#include <simlette/base/contract.hpp>
#include <simlette/base/units.hpp>

namespace simlette {

// UALink 200G: 64-byte TL flits are grouped into one 640-byte DL flit. The `paper` fidelity counts all 640 as payload.
inline constexpr Bytes flit_bytes{640};

// A last partial flit is charged whole. Requires: bytes >= 0.
constexpr std::int64_t flits_for(Bytes bytes) {
    return ceil_div(bytes.count, flit_bytes.count);
}

inline constexpr std::int64_t flit_bits_ps = flit_bytes.count * 8 * ps_per_second;

// Whether a flit takes a whole number of picoseconds at this rate.
constexpr bool has_exact_flit_time(BitRate rate) {
    return rate.per_second > 0 && rate.per_second <= flit_bits_ps && flit_bits_ps % rate.per_second == 0;
}

constexpr Duration flit_time(BitRate rate) {
    require(has_exact_flit_time(rate), "a flit takes a whole number of picoseconds");
    return {flit_bits_ps / rate.per_second};
}

static_assert(flit_time(BitRate{400'000'000'000}) == Duration{12'800});
static_assert(flit_time(BitRate{800'000'000'000}) == Duration{6'400});

}  // namespace simlette
