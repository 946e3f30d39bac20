// How a source spreads a message over the links that lead to its destination.
#pragma once

#include <cstdint>

#include <simlette/base/mix.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/fabric/traffic.hpp>

namespace simlette {

// Counts along the messages of one (collective, phase, source), whatever their destinations.
class Striping {
public:
    // Part of a message on one of its candidate links.
    struct Share {
        std::int64_t flits = 0;
        Bytes bytes{0};  // payload of these flits
    };

    Striping(const RoutingSpec& routing, std::uint64_t seed) : routing_(routing), seed_(seed) {}

    // Units (flits, or messages) that `message` adds to the count of its phase.
    std::int64_t units(const OutMessage& message) const {
        return routing_.granularity == Granularity::flit ? message.flits : (message.flits > 0 ? 1 : 0);
    }

    // The share of candidate `position` of `candidates`, when `before` units came earlier.
    Share share(const OutMessage& message, std::uint32_t source, std::int64_t before, std::uint32_t candidates,
                std::uint32_t position) const {
        if (routing_.policy != RoutingPolicy::spray || routing_.granularity == Granularity::message) {
            const std::uint32_t chosen = choose(message, source, before, candidates);
            return chosen == position ? Share{message.flits, message.bytes} : Share{};
        }
        return sprayed(message, start(before, message.flits, candidates), candidates, position);
    }

private:
    std::uint32_t start(std::int64_t before, std::int64_t units, std::uint32_t candidates) const {
        const bool restarts = routing_.stripe == Stripe::restart && units >= candidates;
        return restarts ? 0 : static_cast<std::uint32_t>(before % candidates);
    }

    std::uint32_t choose(const OutMessage& message, std::uint32_t source, std::int64_t before,
                         std::uint32_t candidates) const;
    static Share sprayed(const OutMessage& message, std::uint32_t start, std::uint32_t candidates,
                         std::uint32_t position);

    RoutingSpec routing_;
    std::uint64_t seed_;
};

}  // namespace simlette
