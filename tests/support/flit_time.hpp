// How long a wire takes for the 640 B of a flit, without the library's help.
#pragma once

#include <cstdint>

#include <simlette/base/units.hpp>

namespace simlette {

inline constexpr std::int64_t flit_bits_times_ps = 5'120'000'000'000'000;

constexpr Duration flit_time_of(BitRate rate) {
    return {flit_bits_times_ps / rate.per_second};
}

constexpr BitRate rate_of(Duration flit_time) {
    return {flit_bits_times_ps / flit_time.ps};
}

}  // namespace simlette
