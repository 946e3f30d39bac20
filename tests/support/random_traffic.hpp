// Random plain messages for a fabric.
#pragma once

#include <vector>

#include <simlette/fabric/built_fabric.hpp>

#include <support/flit_time.hpp>
#include <support/random_case.hpp>
#include <support/traffic.hpp>

namespace simlette {

// Destinations that a source reaches without a relay.
inline std::vector<std::uint32_t> reachable(const HostGraph& graph, std::uint32_t source) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t d = 0; d < graph.accelerators; ++d) {
        if (d != source && Candidates(graph, source, d).size() > 0) {
            found.push_back(d);
        }
    }
    return found;
}

inline std::vector<PlainSend> random_traffic(Random& random, const Fabric& fabric) {
    const std::int64_t flit = flit_time_of(fabric.spec.port_rate).ps;
    std::vector<PlainSend> sends(static_cast<std::size_t>(random.between(1, 24)));
    const bool together = one_in(random, 3);
    const bool incast = one_in(random, 3);
    for (PlainSend& send : sends) {
        send.source = static_cast<std::uint32_t>(random.below(fabric.graph.accelerators));
        const std::vector<std::uint32_t> destinations = reachable(fabric.graph, send.source);
        send.destination = incast ? destinations.front() : destinations[random.below(destinations.size())];
        send.bytes = random_bytes(random).count;
        send.at = {together ? 0 : random.between(0, 40) * flit};
    }
    return sends;
}

}  // namespace simlette
