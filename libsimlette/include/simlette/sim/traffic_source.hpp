// The messages of synthetic traffic: who sends when to whom, and those that are queued or under way.
//
// Every rank has two streams of random numbers, one for the times and one for the destinations: neither depends on what
// other ranks or the network do, and destinations do not depend on the load.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/base/geometric.hpp>
#include <simlette/base/random.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/traffic.hpp>
#include <simlette/sim/sent_messages.hpp>
#include <simlette/sim/traffic_spec.hpp>

namespace simlette {

class SIMLETTE_EXPORT TrafficSource final : public MessageSource {
public:
    // The fabric must outlive the source. Throws Error{input} when the traffic does not fit it.
    TrafficSource(const Fabric& fabric, const TrafficSpec& spec);

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(sources_.size()); }
    BitRate injection_rate() const { return injection_rate_; }  // of all accelerators together

    // From one message of the rank to its next; the first one counts from time 0.
    Duration draw_gap(std::uint32_t rank);
    // The next message of the rank, which is under way from now on. Its number among those of the rank is its phase.
    Injection create(std::uint32_t rank, Time now);
    // Data was delivered. Returns when its message was created if that was the rest of it.
    std::optional<Time> deliver(const Delivery& delivery);

    PhaseSizes sizes(std::uint32_t, std::uint32_t) const override { return {1, spec_.message, spec_.message}; }
    bool message(std::uint32_t rank, std::uint32_t phase, std::uint32_t index, OutMessage& out) const override;

private:
    struct Source {
        Random times;
        Random choices;
        std::uint32_t accelerator = 0;
        std::uint32_t gaps = 0;  // of gaps_
        std::uint32_t created = 0;
        std::int64_t units = 0;  // of all its messages so far, for striping
    };

    void add_sources(const Fabric& fabric);
    std::uint32_t gaps_at(BitRate rate);
    void check_reach(const Fabric& fabric) const;
    std::uint32_t any_other(std::uint32_t rank, Random& random) const;
    std::uint32_t destination_of(std::uint32_t rank);

    TrafficSpec spec_;
    std::int64_t units_;  // of a message, for striping
    BitRate injection_rate_{0};
    std::vector<BitRate> rates_;           // of accelerators, each once
    std::vector<GeometricGaps> gaps_;      // at these rates
    std::vector<Source> sources_;          // by rank
    std::vector<std::uint32_t> partners_;  // of a permutation, by rank
    SentMessages under_way_;
};

}  // namespace simlette
