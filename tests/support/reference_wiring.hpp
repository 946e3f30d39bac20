// Two levels of switches, read from the rules for the reference: what is wired to what, and which way a flit takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <simlette/base/mix.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

// Nodes: the accelerators, then the leaves of serving groups group by group, then the spines rail by rail.
struct ReferenceCable {
    std::size_t from = 0;
    std::size_t from_port = 0;
    std::size_t to = 0;
    std::size_t to_port = 0;
    std::int64_t latency = 0;  // that follows the start of a flit, serialization aside
};

struct ReferenceFlit {
    std::uint64_t message = 0;      // port-messages and their answers differ
    std::uint32_t source = 0;       // accelerator that sent it
    std::uint32_t destination = 0;  // accelerator
    std::size_t channel = 0;
};

class ReferenceWiring {
public:
    explicit ReferenceWiring(const FabricSpec& spec)
        : spec_(spec),
          groups_((spec.domain == 0 ? spec.accelerators : spec.domain) / spec.group),
          serving_((spec.accelerators + spec.group - 1) / spec.group),
          optical_(spec.level2.device == DeviceKind::ocs) {
        while (groups_ * side_by_side() > spec.level2.radix) {
            ++spines_;
        }
        ports_.resize(first_spine() + spec.ports * spines_);
        const LatencySpec& l = spec.latency;
        const std::int64_t egress = l.egress_endpoint.ps + l.egress_protocol.ps + l.propagation.ps;
        const std::int64_t ingress = l.ingress_endpoint.ps + l.ingress_protocol.ps + l.propagation.ps;
        const std::int64_t further = spec.hop_reading == HopReading::per_hop ? egress + ingress - l.propagation.ps : 0;
        hop_ = l.propagation_level2.ps + l.packet_switch.ps + further +
               (optical_ ? l.circuit_switch.ps + l.propagation_level2.ps : 0);
        for (std::uint32_t a = 0; a < spec.accelerators; ++a) {
            for (std::uint32_t rail = 0; rail < spec.ports; ++rail) {
                join(a, rail, leaf(a / spec.group, rail), a % spec.group, egress + l.packet_switch.ps, ingress);
            }
        }
        for (std::uint32_t rail = 0; rail < spec.ports; ++rail) {
            for (std::uint32_t group = 0; group < serving_; ++group) {
                for (std::uint32_t u = 0; u < spec.level1.up; ++u) {
                    optical_ ? join_leaves(group, rail, u) : join_spine(group, rail, u);
                }
            }
        }
    }

    const std::vector<ReferenceCable>& cables() const { return cables_; }
    std::size_t nodes() const { return ports_.size(); }
    std::size_t ports(std::size_t node) const { return ports_[node].size(); }
    // The cable that leaves a port; cables().size() if none does. The one that enters it is its twin.
    std::size_t out(std::size_t node, std::size_t port) const { return ports_[node][port]; }
    static std::size_t twin(std::size_t cable) { return cable ^ 1U; }

    // The port of its source for each place among the candidates of a message.
    std::vector<std::uint32_t> source_ports(std::uint32_t source, std::uint32_t destination) const {
        const bool circuits = optical_ && source / spec_.group != destination / spec_.group;
        std::vector<std::uint32_t> found;
        for (std::uint32_t rail = 0; rail < spec_.ports; ++rail) {
            const std::size_t ways = ways_on(leaf(source / spec_.group, rail), destination).size();
            found.insert(found.end(), circuits ? ways : 1, rail);
        }
        return found;
    }

    // The cable by which a flit that has come in by `input` goes on; queued(cable): the flits that wait for it.
    template <class Queued>
    std::size_t choose(std::size_t node, std::size_t input, const ReferenceFlit& flit, Queued&& queued) {
        const std::vector<std::size_t> ways = ways_on(node, flit.destination);
        if (ways.size() == 1) {
            return ways[0];
        }
        std::size_t& kept = kept_.try_emplace({node, flit.message}, no_cable).first->second;
        if (kept == no_cable || spec_.routing.granularity == Granularity::flit) {
            kept = ways[pick(node, input, flit, ways, queued)];
        }
        return kept;
    }

    void reset_counts() { counts_.clear(); }

private:
    std::uint32_t side_by_side() const { return (spec_.level1.up + spines_ - 1) / spines_; }
    std::size_t leaf(std::size_t group, std::size_t rail) const {
        return spec_.accelerators + group * spec_.ports + rail;
    }
    std::size_t first_spine() const { return leaf(serving_, 0); }
    std::size_t group_of_leaf(std::size_t node) const { return (node - spec_.accelerators) / spec_.ports; }

    void join(std::size_t a, std::size_t a_port, std::size_t b, std::size_t b_port, std::int64_t to,
              std::int64_t back) {
        connect({a, a_port, b, b_port, to});
        connect({b, b_port, a, a_port, back});
    }

    void connect(const ReferenceCable& cable) {
        std::vector<std::size_t>& ports = ports_[cable.from];
        ports.resize(std::max(ports.size(), cable.from_port + 1), no_cable);
        ports[cable.from_port] = cables_.size();
        cables_.push_back(cable);
    }

    void join_spine(std::uint32_t group, std::uint32_t rail, std::uint32_t u) {
        join(leaf(group, rail), spec_.level1.down + u, first_spine() + rail * spines_ + u % spines_,
             group * side_by_side() + u / spines_, hop_, hop_);
    }

    // The circle method: in round t groups a and b meet when a + b = t; if they are even in number, the last one meets
    // the one that would meet itself.
    void join_leaves(std::uint32_t group, std::uint32_t rail, std::uint32_t u) {
        const std::uint32_t rounds = serving_ % 2 == 0 ? serving_ - 1 : serving_;
        const std::uint32_t round = (rail * spec_.level1.up + u) % rounds;
        for (std::uint32_t other = group + 1; other < serving_; ++other) {
            const bool odd_one = serving_ % 2 == 0 && other == serving_ - 1;
            if ((group + (odd_one ? group : other)) % rounds == round) {
                join(leaf(group, rail), spec_.level1.down + u, leaf(other, rail), spec_.level1.down + u, hop_, hop_);
            }
        }
    }

    // Ascending by port.
    std::vector<std::size_t> ways_on(std::size_t node, std::uint32_t destination) const {
        const std::size_t home = destination / spec_.group;
        if (node < first_spine() && group_of_leaf(node) == home) {
            return {out(node, destination % spec_.group)};
        }
        std::vector<std::size_t> found;
        for (std::size_t port = node < first_spine() ? spec_.level1.down : 0; port < ports(node); ++port) {
            const std::size_t cable = out(node, port);
            const std::size_t to = cable == no_cable ? 0 : cables_[cable].to;
            if (cable != no_cable && (to >= first_spine() || group_of_leaf(to) == home)) {
                found.push_back(cable);
            }
        }
        return found;
    }

    template <class Queued>
    std::size_t pick(std::size_t node, std::size_t input, const ReferenceFlit& flit,
                     const std::vector<std::size_t>& ways, Queued&& queued) {
        const std::size_t n = ways.size();
        const bool at_leaf = node < first_spine();
        const std::uint64_t count = counts_[{node, input}][flit.channel]++;
        const std::uint64_t hashed = mix(mix(mix(spec_.seed, flit.source), flit.destination));
        const std::uint64_t start = input + count;
        std::uint64_t best = start;
        switch (spec_.routing.policy) {
            case RoutingPolicy::spray:
                return start % n;
            case RoutingPolicy::hashed:
                return (at_leaf ? hashed : mix(hashed)) % n;
            case RoutingPolicy::fixed:
                return flit.destination / (at_leaf ? spec_.ports : spec_.ports * spec_.level1.up) % n;
            case RoutingPolicy::random:
                return mix(mix(mix(spec_.seed, node - spec_.accelerators), input), count) % n;
            case RoutingPolicy::adaptive:
                break;
        }
        for (std::uint64_t i = start + 1; i < start + n; ++i) {
            best = queued(ways[i % n]) < queued(ways[best % n]) ? i : best;
        }
        return best % n;
    }

    static constexpr std::size_t no_cable = SIZE_MAX;
    const FabricSpec spec_;
    const std::uint32_t groups_;
    const std::uint32_t serving_;
    const bool optical_;
    std::uint32_t spines_ = 1;  // of each rail
    std::int64_t hop_ = 0;      // latency between switches
    std::vector<ReferenceCable> cables_;
    std::vector<std::vector<std::size_t>> ports_;  // by node and port: the cable that leaves
    std::map<std::pair<std::size_t, std::size_t>, std::array<std::uint64_t, 2>> counts_;  // by switch and input
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> kept_;                   // by switch and message
};

}  // namespace simlette
