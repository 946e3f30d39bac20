// Synthetic traffic as plain data: every rank sends messages at random times, whatever the network makes of them.
#pragma once

#include <cstdint>

#include <simlette/base/units.hpp>

namespace simlette {

enum class TrafficPattern {
    uniform,      // each message to any other rank, drawn anew
    permutation,  // each rank to one other, all different, drawn once
    hot_spot,     // a share of all messages to one rank, the rest uniform
    all_to_all,   // each rank to the others in turn, the next rank first
};

// Shares are in millionths.
struct TrafficSpec {
    TrafficPattern pattern = TrafficPattern::uniform;
    std::int64_t load = 0;  // bytes that a rank offers, of what its links carry; more than 0, at most 1,000,000
    Bytes message{4096};
    Duration warmup{20'000'000};
    Duration measure{100'000'000};
    std::uint32_t hot_rank = 0;        // of hot_spot
    std::int64_t hot_share = 100'000;  // of hot_spot: of the messages of the others
};

}  // namespace simlette
