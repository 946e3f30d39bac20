// What a source is told to send and how it spreads that over its ports, read from the rules for the reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include <simlette/base/mix.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/fabric/statistics.hpp>

#include <support/reference_circuits.hpp>

namespace simlette {

// One message that a source hands to its ports, and where it stands in the order of sending.
struct ReferenceSend {
    std::uint32_t collective = 0;
    std::uint32_t phase = 0;
    std::uint32_t source_rank = 0;
    std::uint32_t destination_rank = 0;
    std::uint32_t source = 0;       // accelerator
    std::uint32_t destination = 0;  // accelerator
    std::int64_t bytes = 0;
    bool read = false;  // then the source asks the destination for them, and the ranks are those of the data
};

inline std::int64_t reference_flits(std::int64_t bytes) {
    return bytes / 640 + (bytes % 640 > 0 ? 1 : 0);
}

// What messages are sorted by.
inline auto message_key(const MessageRecord& r) {
    return std::make_tuple(r.collective, r.phase, r.source, r.destination, r.port);
}

inline void sort_records(std::vector<MessageRecord>& records) {
    std::sort(records.begin(), records.end(),
              [](const MessageRecord& a, const MessageRecord& b) { return message_key(a) < message_key(b); });
}

// Spreads the sends of one instant over the ports of their sources. They come in order; those of one (collective,
// phase, source) share a count.
class ReferenceStriping {
public:
    explicit ReferenceStriping(const FabricSpec& spec) : spec_(spec) {}

    // By port, of which `candidates` may name one more than once.
    std::vector<MessageRecord> parts(const ReferenceSend& send, const std::vector<std::uint32_t>& candidates) {
        std::int64_t& count = counts_[{send.collective, send.phase, send.source}];
        const bool by_message = spec_.routing.granularity == Granularity::message;
        const bool hashed = spec_.routing.policy == RoutingPolicy::hashed;
        const bool whole = by_message || hashed || spec_.routing.policy == RoutingPolicy::fixed;
        const std::uint64_t n = candidates.size();
        const std::int64_t flits = reference_flits(send.bytes);
        std::uint64_t place = static_cast<std::uint64_t>(count);
        if (spec_.routing.policy == RoutingPolicy::fixed) {
            place = send.destination;
        } else if (hashed) {
            place = mix(mix(spec_.seed, send.source), send.destination);
        } else if (spec_.routing.stripe == Stripe::restart && !by_message && static_cast<std::uint64_t>(flits) >= n) {
            place = 0;
        }
        std::map<std::uint32_t, MessageRecord> by_port;
        for (std::int64_t j = 0; j < flits; ++j) {
            const std::uint32_t port = candidates[(place % n + (whole ? 0 : static_cast<std::uint64_t>(j))) % n];
            MessageRecord& record = by_port[port];
            record.bytes += j + 1 < flits ? 640 : send.bytes - 640 * (flits - 1);
            ++record.flits;
        }
        count += by_message ? (flits > 0 ? 1 : 0) : flits;
        std::vector<MessageRecord> all;
        for (const auto& [port, part] : by_port) {
            all.push_back({send.collective, send.phase, send.source_rank, send.destination_rank, port, part.bytes,
                           part.flits, Time{}, Time{}});
        }
        return all;
    }

private:
    const FabricSpec& spec_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> counts_;
};

}  // namespace simlette
