// Seeded random numbers whose draws are the same with every compiler and standard library.
#pragma once

#include <cstdint>

#include <simlette/base/contract.hpp>
#include <simlette/base/mix.hpp>

namespace simlette {

// A SplitMix64 stream. Small, splittable, and good enough for choosing test cases and traffic.
class Random {
public:
    explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        const std::uint64_t drawn = ahead(0);
        skip(1);
        return drawn;
    }
    // What next() would give after so many draws.
    constexpr std::uint64_t ahead(std::uint64_t draws) const { return mix(state_ + draws * step); }
    constexpr void skip(std::uint64_t draws) { state_ += draws * step; }

    // Uniform in [0, bound). Requires: bound > 0.
    constexpr std::uint64_t below(std::uint64_t bound) {
        require(bound > 0, "a random draw has at least one outcome");
        std::uint64_t drawn = next();
        // The last few would be biased; nearly all draws are told from them without a division.
        while (drawn > UINT64_MAX - bound && drawn >= UINT64_MAX - UINT64_MAX % bound) {
            drawn = next();
        }
        return drawn % bound;
    }

    // Uniform in [low, high].
    constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }

    // An independent stream for one component, so that draws of one never shift those of another.
    constexpr Random fork(std::uint64_t component) const { return Random(mix(state_, component)); }

private:
    static constexpr std::uint64_t step = 0x9E3779B97F4A7C15ULL;

    std::uint64_t state_;
};

}  // namespace simlette
