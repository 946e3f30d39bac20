// What is wired to what, and which way a flit takes, read from the rules for the reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <simlette/base/mix.hpp>

#include <support/reference_circuits.hpp>

namespace simlette {

using ReferencePort = std::pair<std::size_t, std::size_t>;  // a node, and the number of its port

struct ReferenceCable {
    ReferencePort from;
    ReferencePort to;
    std::int64_t latency = 0;  // that follows the start of a flit, serialization aside
};

struct ReferenceFlit {
    std::uint64_t message = 0;      // port-messages and their answers differ
    std::uint32_t source = 0;       // accelerator that sent it
    std::uint32_t destination = 0;  // accelerator
    std::size_t channel = 0;
};

// Nodes: the accelerators, then the leaves of serving groups group by group, then the spines rail by rail. One level of
// switches is one group that has no spines.
class ReferenceWiring {
public:
    explicit ReferenceWiring(const FabricSpec& spec) : spec_(spec) {
        if (spec.kind != FabricKind::two_level) {
            spec_.group = spec.accelerators;
            spec_.level1.up = 0;
        }
        groups_ = (spec.accelerators + spec_.group - 1) / spec_.group;
        egress_ = spec.latency.egress_endpoint.ps + spec.latency.egress_protocol.ps + spec.latency.propagation.ps;
        ingress_ = spec.latency.ingress_endpoint.ps + spec.latency.ingress_protocol.ps;
        hop_ = spec.latency.packet_switch.ps + spec.latency.propagation_level2.ps;
        hop_ += optical_spine() ? spec.latency.circuit_switch.ps + spec.latency.propagation_level2.ps : 0;
        hop_ += spec.hop_reading == HopReading::per_hop ? egress_ + ingress_ : 0;
        reference_packets(spec) ? join_groups() : join_circuits();
    }

    const std::vector<ReferenceCable>& cables() const { return cables_; }
    std::size_t nodes() const { return nodes_; }
    // The cable that leaves a port. The one that enters it is its twin.
    std::size_t out(ReferencePort port) const { return out_.at(port); }
    static std::size_t twin(std::size_t cable) { return cable ^ 1U; }

    // The port of its source for each place among the candidates of a message.
    std::vector<std::uint32_t> source_ports(std::size_t source, std::size_t destination) {
        std::vector<std::uint32_t> found;
        for (const std::size_t cable : ways(source, destination)) {
            const std::size_t circuits = optical_spine() ? ways(cables_[cable].to.first, destination).size() : 1;
            found.insert(found.end(), circuits, static_cast<std::uint32_t>(cables_[cable].from.second));
        }
        return found;
    }

    // The cable by which a flit that has come in by `input` goes on; queued(cable): the flits that wait for it.
    template <class Queued>
    std::size_t choose(ReferencePort input, const ReferenceFlit& flit, Queued&& queued) {
        const std::vector<std::size_t> found = ways(input.first, flit.destination);
        if (found.size() == 1) {
            return found[0];
        }
        const auto kept = kept_.find({input.first, flit.message});
        if (kept != kept_.end() && spec_.routing.granularity == Granularity::message) {
            return kept->second;
        }
        return kept_[{input.first, flit.message}] = found[pick(input, flit, found, queued) % found.size()];
    }

    void reset_counts() { counts_.clear(); }

private:
    bool optical_spine() const { return spec_.kind == FabricKind::two_level && spec_.level2.device == DeviceKind::ocs; }
    std::size_t leaf(std::size_t group, std::size_t rail) const {
        return spec_.accelerators + group * spec_.ports + rail;
    }
    std::size_t first_spine() const { return leaf(groups_, 0); }

    void join(ReferencePort a, ReferencePort b, std::int64_t there, std::int64_t back) {
        for (const ReferenceCable& cable : {ReferenceCable{a, b, there}, ReferenceCable{b, a, back}}) {
            nodes_ = std::max(nodes_, cable.from.first + 1);
            out_[cable.from] = cables_.size();
            cables_.push_back(cable);
        }
    }

    void join_circuits() {
        const bool optical = spec_.kind == FabricKind::single_level;
        const std::int64_t optics = optical ? spec_.latency.circuit_switch.ps + spec_.latency.propagation.ps : 0;
        const ReferencePeers peers = reference_peers(spec_);
        for (std::size_t a = 0; a < peers.size(); ++a) {
            for (std::size_t port = 0; port < spec_.ports; ++port) {
                if (peers[a][port] > static_cast<std::int64_t>(a)) {
                    const std::int64_t latency = egress_ + optics + ingress_;
                    join({a, port}, {static_cast<std::size_t>(peers[a][port]), port}, latency, latency);
                }
            }
        }
    }

    void join_groups() {
        const LatencySpec& l = spec_.latency;
        for (std::uint32_t rail = 0; rail < spec_.ports; ++rail) {
            for (std::uint32_t a = 0; a < spec_.accelerators; ++a) {
                const ReferencePort below{leaf(a / spec_.group, rail), a % spec_.group};
                join({a, rail}, below, egress_ + l.packet_switch.ps, l.propagation.ps + ingress_);
            }
            for (std::uint32_t i = 0; i < groups_ * spec_.level1.up; ++i) {
                const std::uint32_t link = i % spec_.level1.up;
                optical_spine() ? join_leaves(i / spec_.level1.up, rail, link)
                                : join_spine(i / spec_.level1.up, rail, link);
            }
        }
    }

    void join_spine(std::uint32_t group, std::uint32_t rail, std::uint32_t link) {
        const std::uint32_t groups = (spec_.domain == 0 ? spec_.accelerators : spec_.domain) / spec_.group;
        std::uint32_t spines = 1;
        while (groups * ((spec_.level1.up + spines - 1) / spines) > spec_.level2.radix) {
            ++spines;
        }
        const std::size_t spine = first_spine() + rail * spines + link % spines;
        const std::size_t port = group * ((spec_.level1.up + spines - 1) / spines) + link / spines;
        join({leaf(group, rail), spec_.level1.down + link}, {spine, port}, hop_, hop_);
    }

    // The circle method: in round t groups a and b meet when a + b = t; if they are even in number, the last one meets
    // the one that would meet itself.
    void join_leaves(std::uint32_t group, std::uint32_t rail, std::uint32_t link) {
        const bool even = groups_ % 2 == 0;
        const std::uint32_t rounds = even ? groups_ - 1 : groups_;
        for (std::uint32_t other = group + 1; other < groups_; ++other) {
            const std::uint32_t meets = even && other == groups_ - 1 ? group : other;
            if ((group + meets) % rounds == (rail * spec_.level1.up + link) % rounds) {
                const std::size_t port = spec_.level1.down + link;
                join({leaf(group, rail), port}, {leaf(other, rail), port}, hop_, hop_);
            }
        }
    }

    // How many cables away from an accelerator every node is.
    const std::vector<std::size_t>& distances(std::size_t destination) {
        std::vector<std::size_t>& away = distances_[destination];
        bool nearer = away.empty();
        away.resize(nodes_, nodes_);
        away[destination] = 0;
        while (nearer) {
            nearer = false;
            for (const ReferenceCable& cable : cables_) {
                if (away[cable.from.first] > away[cable.to.first] + 1) {
                    away[cable.from.first] = away[cable.to.first] + 1;
                    nearer = true;
                }
            }
        }
        return away;
    }

    // The cables that lead nearer to an accelerator, by ascending port.
    std::vector<std::size_t> ways(std::size_t node, std::size_t destination) {
        const std::vector<std::size_t>& away = distances(destination);
        std::vector<std::size_t> found;
        for (auto it = out_.lower_bound({node, 0}); it != out_.end() && it->first.first == node; ++it) {
            if (away[cables_[it->second].to.first] < away[node]) {
                found.push_back(it->second);
            }
        }
        return found;
    }

    // The place of the next cable among those found, modulo their number.
    template <class Queued>
    std::uint64_t pick(ReferencePort input, const ReferenceFlit& flit, const std::vector<std::size_t>& found,
                       Queued&& queued) {
        const bool at_leaf = input.first < first_spine();
        const std::uint64_t count = counts_[input][flit.channel]++;
        const std::uint64_t hashed = mix(mix(mix(spec_.seed, flit.source), flit.destination));
        std::uint64_t best = input.second + count;
        switch (spec_.routing.policy) {
            case RoutingPolicy::spray:
                return best;
            case RoutingPolicy::hashed:
                return at_leaf ? hashed : mix(hashed);
            case RoutingPolicy::fixed:
                return flit.destination / (at_leaf ? spec_.ports : spec_.ports * spec_.level1.up);
            case RoutingPolicy::random:
                return mix(mix(mix(spec_.seed, input.first - spec_.accelerators), input.second), count);
            case RoutingPolicy::adaptive:
                break;
        }
        for (std::uint64_t i = best + 1; i < input.second + count + found.size(); ++i) {
            best = queued(found[i % found.size()]) < queued(found[best % found.size()]) ? i : best;
        }
        return best;
    }

    FabricSpec spec_;
    std::uint32_t groups_ = 1;
    std::int64_t egress_ = 0;
    std::int64_t ingress_ = 0;
    std::int64_t hop_ = 0;  // latency between switches
    std::size_t nodes_ = 0;
    std::vector<ReferenceCable> cables_;
    std::map<ReferencePort, std::size_t> out_;
    std::map<std::size_t, std::vector<std::size_t>> distances_;          // by destination
    std::map<ReferencePort, std::array<std::uint64_t, 2>> counts_;       // of choices, by input and channel
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> kept_;  // by switch and message
};

}  // namespace simlette
