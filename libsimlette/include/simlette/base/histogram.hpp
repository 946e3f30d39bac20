// Percentiles of very many values that may all differ, in memory that does not grow with their number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <simlette/base/contract.hpp>

namespace simlette {

// Values below 2^11 are counted one by one, larger ones by their leading 11 bits. So a percentile is exact or less than
// a thousandth too high; the mean and the largest value are exact.
class Histogram {
public:
    // Requires: value >= 0.
    void add(std::int64_t value, std::uint64_t times = 1) {
        require(value >= 0, "a histogram counts no negative values");
        const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value));
        if (bucket >= counts_.size()) {
            counts_.resize(bucket + 1, 0);
        }
        counts_[bucket] += times;
        size_ += times;
        sum_ += static_cast<Wide>(value) * times;
        largest_ = std::max(largest_, value);
    }

    std::uint64_t size() const { return size_; }
    std::int64_t largest() const { return largest_; }
    // Rounded down. Requires: size() > 0.
    std::int64_t mean() const {
        require(size_ > 0, "a mean is taken of at least one value");
        return static_cast<std::int64_t>(sum_ / size_);
    }

    // At least `percent` of all values do not exceed it. Requires: size() > 0, 1 <= percent <= 100.
    std::int64_t percentile(std::uint64_t percent) const {
        require(size_ > 0 && percent >= 1 && percent <= 100, "a percentile is taken of at least one value");
        std::uint64_t reached = 0;
        for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
            reached += counts_[bucket];
            if (Wide{reached} * 100 >= Wide{size_} * percent) {
                return std::min(largest_, static_cast<std::int64_t>(last_of(bucket)));
            }
        }
        broken_promise("the last value is the hundredth percentile");
    }

private:
    __extension__ using Wide = unsigned __int128;
    static constexpr unsigned leading_bits = 11;
    static constexpr std::size_t half = std::size_t{1} << (leading_bits - 1);

    // The first 2 * half buckets hold one value each, every further `half` of them values of one length in bits.
    static std::size_t bucket_of(std::uint64_t value) {
        const auto length = static_cast<unsigned>(std::bit_width(value));
        const unsigned dropped = length > leading_bits ? length - leading_bits : 0;
        return dropped * half + static_cast<std::size_t>(value >> dropped);
    }
    static std::uint64_t last_of(std::size_t bucket) {
        const std::size_t dropped = bucket < 2 * half ? 0 : bucket / half - 1;
        const std::uint64_t leading = bucket - dropped * half;
        return ((leading + 1) << dropped) - 1;
    }

    std::vector<std::uint64_t> counts_;
    std::uint64_t size_ = 0;
    Wide sum_ = 0;
    std::int64_t largest_ = 0;
};

}  // namespace simlette
