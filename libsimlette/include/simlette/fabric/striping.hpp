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
    // `unit`: the bytes that stay together when a message is sprayed, a flit's payload or a request.
    Striping(const RoutingSpec& routing, Bytes unit, std::uint64_t seed)
        : routing_(routing), unit_(unit), seed_(seed) {}

    // Units, or with Granularity::message messages, that `message` adds to the count of its phase.
    std::int64_t units(const OutMessage& message) const {
        return routing_.granularity == Granularity::flit ? pieces(message) : (message.bytes.count > 0 ? 1 : 0);
    }

    // Units that each message adds, if all of these sizes add equally many and are sprayed; else 0.
    std::int64_t even_units(Bytes least, Bytes most) const {
        const std::int64_t all = ceil_div(least.count, unit_.count);
        const bool even = all == ceil_div(most.count, unit_.count);
        return even && !one_port() && routing_.granularity == Granularity::flit ? all : 0;
    }
    // Every message begins at the first candidate.
    bool restarts(std::int64_t units, std::uint32_t candidates) const {
        return routing_.stripe == Stripe::restart && units >= candidates;
    }

    // Bytes for candidate `position` of `candidates`, when `before` units came earlier.
    Bytes share(const OutMessage& message, std::uint32_t source, std::int64_t before, std::uint32_t candidates,
                std::uint32_t position) const {
        if (one_port() || routing_.granularity == Granularity::message) {
            const std::uint32_t chosen = choose(message, source, before, candidates);
            return chosen == position ? message.bytes : Bytes{0};
        }
        return sprayed(message, start(before, pieces(message), candidates), candidates, position);
    }

private:
    bool one_port() const {
        return routing_.policy == RoutingPolicy::hashed || routing_.policy == RoutingPolicy::fixed;
    }
    std::int64_t pieces(const OutMessage& message) const { return ceil_div(message.bytes.count, unit_.count); }
    std::uint32_t start(std::int64_t before, std::int64_t units, std::uint32_t candidates) const {
        return restarts(units, candidates) ? 0 : static_cast<std::uint32_t>(before % candidates);
    }

    std::uint32_t choose(const OutMessage& message, std::uint32_t source, std::int64_t before,
                         std::uint32_t candidates) const;
    Bytes sprayed(const OutMessage& message, std::uint32_t start, std::uint32_t candidates,
                  std::uint32_t position) const;

    RoutingSpec routing_;
    Bytes unit_;
    std::uint64_t seed_;
};

}  // namespace simlette
