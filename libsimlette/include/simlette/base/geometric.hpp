// Gaps between events that come at random, in whole ticks, drawn without floating point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/base/random.hpp>

namespace simlette {

// In every tick an event comes with probability p, whatever came before; a gap is the number of ticks to the next one,
// at least 1 and 1 / p in the mean. The bits of gap - 1 are independent: with q = 1 - p, bit i is set with probability
// q^(2^i) / (1 + q^(2^i)). These are kept in units of 2^-64.
class GeometricGaps {
public:
    __extension__ using Wide = unsigned __int128;

    // p is numerator / denominator. Requires: 0 < p < 1, a mean gap below 2^50 ticks, denominator below 2^126.
    GeometricGaps(Wide numerator, Wide denominator) {
        require(numerator > 0 && numerator < denominator && denominator < Wide{1} << 126, "0 < p < 1");
        std::uint64_t p = 0;
        for (int bit = 0; bit < 64; ++bit) {
            numerator <<= 1;
            const bool one = numerator >= denominator;
            numerator -= one ? denominator : 0;
            p = p << 1 | (one ? 1U : 0U);
        }
        require(p >= std::uint64_t{1} << 14, "the mean gap is below 2^50 ticks");
        for (std::uint64_t q = 0 - p; q > 0; q = square(q)) {
            set_.push_back(static_cast<std::uint64_t>((Wide{q} << 64) / ((Wide{1} << 64) + q)));
        }
        require(set_.size() < 63, "a gap fits 63 bits");
    }

    std::int64_t draw(Random& random) const {
        std::int64_t more = 0;
        for (std::size_t bit = set_.size(); bit-- > 0;) {
            more = 2 * more + (random.ahead(bit) < set_[bit] ? 1 : 0);
        }
        random.skip(set_.size());
        return 1 + more;
    }

private:
    // Of a number in units of 2^-64, rounded.
    static std::uint64_t square(std::uint64_t q) {
        return static_cast<std::uint64_t>((Wide{q} * q + (Wide{1} << 63)) >> 64);
    }

    std::vector<std::uint64_t> set_;  // by bit: how likely it is set
};

}  // namespace simlette
