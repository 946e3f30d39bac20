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
    // So many candidates get the same bytes each.
    bool even(Bytes bytes, std::uint32_t candidates) const {
        return !one_port() && routing_.granularity == Granularity::flit &&
               bytes.count % (unit_.count * candidates) == 0;
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
        const std::int64_t units = pieces(message);
        const std::uint32_t first = start(before, units, candidates);
        return sprayed(message, units, position >= first ? position - first : position + candidates - first,
                       candidates);
    }
    // Unit j of a message of so many goes to the candidate j places after the first, round and round: bytes for the one
    // that stands `place` after the first.
    Bytes sprayed(const OutMessage& message, std::int64_t units, std::int64_t place, std::uint32_t candidates) const {
        if (place >= units) {
            return {0};
        }
        const std::int64_t here = units <= candidates ? 1 : 1 + (units - 1 - place) / candidates;
        const bool has_last = place + (here - 1) * candidates == units - 1;
        return {here * unit_.count - (has_last ? units * unit_.count - message.bytes.count : 0)};
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

    RoutingSpec routing_;
    Bytes unit_;
    std::uint64_t seed_;
};

}  // namespace simlette
