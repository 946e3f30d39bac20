// How a source spreads a message over the links that lead to its destination.
#pragma once

#include <cstdint>

#include <simlette/base/mix.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/fabric/traffic.hpp>

namespace simlette {

// Bytes that each of several ports gets of a message, of which all have equally many units.
struct PortBytes {
    Bytes whole{0};               // of those whose units are full
    std::uint16_t last_port = 0;  // that gets the last unit
    std::uint16_t missing = 0;    // bytes that this unit lacks
    Bytes at(std::uint32_t port) const { return over(port, 1); }
    // Of so many ports from one on.
    Bytes over(std::uint32_t first, std::uint32_t ports) const {
        const bool has_last = last_port >= first && last_port < first + ports;
        return {whole.count * ports - (has_last ? missing : 0)};
    }
};

// Counts along the messages of one (collective, phase, source), whatever their destinations.
class Striping {
public:
    // `unit`: the bytes that stay together when a message is sprayed, a flit's payload or a request.
    Striping(const RoutingSpec& routing, Bytes unit, std::uint64_t seed)
        : routing_(routing), unit_(unit), seed_(seed) {}

    // Units, or with Granularity::message messages, that a message of so many bytes adds to the count of its phase.
    std::int64_t units(Bytes bytes) const {
        return routing_.granularity == Granularity::flit ? ceil_div(bytes.count, unit_.count)
                                                         : (bytes.count > 0 ? 1 : 0);
    }
    // Whole messages take one candidate, whatever came before.
    bool one_port() const {
        return routing_.policy == RoutingPolicy::hashed || routing_.policy == RoutingPolicy::fixed;
    }
    // Every message begins at the first candidate.
    bool restarts(std::int64_t units, std::uint32_t candidates) const {
        return routing_.stripe == Stripe::restart && units >= candidates;
    }

    // Bytes for candidate `position` of `candidates`, when `before` units came earlier.
    Bytes share(const OutMessage& message, std::uint32_t source, std::int64_t before, std::uint32_t candidates,
                std::uint32_t position) const {
        if (one_port()) {
            return choose(message, source, candidates) == position ? message.bytes : Bytes{0};
        }
        const std::int64_t units = this->units(message.bytes);
        return sprayed(message.bytes, units, place(position, before, units, candidates), candidates);
    }
    // The candidate of a whole message. Requires: one_port().
    std::uint32_t choose(const OutMessage& message, std::uint32_t source, std::uint32_t candidates) const;

    // So many units from one on until it is the turn of candidate `position`, when `before` came earlier and each goes
    // to the next candidate.
    static std::uint32_t turn(std::uint32_t position, std::int64_t before, std::uint32_t candidates) {
        const auto first = static_cast<std::uint32_t>(before % candidates);
        return position >= first ? position - first : position + candidates - first;
    }
    // So many places after the candidate that a message of `units` units begins with. Requires: not one_port().
    std::uint32_t place(std::uint32_t position, std::int64_t before, std::int64_t units,
                        std::uint32_t candidates) const {
        return restarts(units, candidates) ? position : turn(position, before, candidates);
    }
    // Unit j of a message goes to the candidate j places after the first, round and round: bytes for the one that
    // stands `place` after the first. Requires: not one_port().
    Bytes sprayed(Bytes bytes, std::int64_t units, std::int64_t place, std::uint32_t candidates) const {
        if (place >= units) {
            return {0};
        }
        const std::int64_t here = units_at(place, units, candidates);
        const bool has_last = place + (here - 1) * candidates == units - 1;
        return {here * unit_.count - (has_last ? units * unit_.count - bytes.count : 0)};
    }
    // The same of a candidate and those after it that get equally many units.
    // Requires: Granularity::flit, and that it gets some.
    PortBytes sprayed_alike(Bytes bytes, std::int64_t units, std::int64_t place, std::uint32_t candidates,
                            std::uint32_t position) const {
        const std::int64_t last = (position + units - 1 - place) % candidates;
        return {unit_ * units_at(place, units, candidates), static_cast<std::uint16_t>(last),
                static_cast<std::uint16_t>(units * unit_.count - bytes.count)};
    }

private:
    static std::int64_t units_at(std::int64_t place, std::int64_t units, std::uint32_t candidates) {
        return units <= candidates ? 1 : 1 + (units - 1 - place) / candidates;
    }

    RoutingSpec routing_;
    Bytes unit_;
    std::uint64_t seed_;
};

}  // namespace simlette
