// A second reading of the rules, slow and plain: from instant to instant, one flit at a time, every wire looked at in
// each. It shares no code with the library but plain specs, records and the scrambling of 64 bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <simlette/base/mix.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/fabric/statistics.hpp>

#include <support/flit_time.hpp>

namespace simlette {

using ReferencePort = std::pair<std::size_t, std::size_t>;  // a node, and the number of its port

// What a source is told to send; then the part of it that goes by one port, or on channel 1 what comes back for that.
struct ReferenceMessage {
    MessageRecord record;         // of the data
    std::size_t source = 0;       // accelerator
    std::size_t destination = 0;  // accelerator
    bool read = false;            // then the source asks the destination for the data
    std::size_t channel = 0;
    std::int64_t left = 0;  // flits not delivered

    bool data() const { return channel == (read ? 1U : 0U); }
    std::size_t from() const { return channel == 0 ? source : destination; }
    std::size_t to() const { return channel == 0 ? destination : source; }
};

// Nodes: the accelerators, then the leaves of serving groups group by group, then the spines rail by rail. One level of
// switches is one group that has no spines.
class ReferenceNetwork {
public:
    explicit ReferenceNetwork(const FabricSpec& spec) : spec_(spec) {
        spec.kind == FabricKind::direct || (optical_ && !two_level_) ? join_circuits() : join_groups();
    }

    // Which port is joined to which, both ways.
    const std::map<ReferencePort, ReferencePort>& cables() const { return cables_; }

    // The ports of a node that lead to an accelerator, ascending; of a source as often as circuits go on there.
    std::vector<ReferencePort> ways(std::size_t node, std::size_t destination) const {
        std::vector<ReferencePort> found;
        for (auto it = cables_.lower_bound({node, 0}); it != cables_.end() && it->first.first == node; ++it) {
            const std::size_t to = it->second.first;
            const bool up = to >= leaf(groups_, 0);
            const bool home = ((up ? node : to) - cores_) / spec_.ports == destination / group_;
            const bool leads = to < cores_ ? to == destination : node < cores_ || up != home;
            const bool by_leaf = optical_ && node < cores_ && to >= cores_;
            found.insert(found.end(), by_leaf ? ways(to, destination).size() : leads, it->first);
        }
        return found;
    }

    // Sends all that the driver has: next_start() is the next instant at which it begins something by itself (max if
    // none), start(t, landed) what it sends at t, in order, knowing what has landed there.
    void run(auto& driver) {
        while (driver.next_start() != Time::never().ps || !events_.empty()) {
            now_ = std::min(driver.next_start(), events_.empty() ? Time::never().ps : events_.begin()->first.first);
            landed_.clear();
            while (!events_.empty() && events_.begin()->first.first == now_) {
                events_.extract(events_.begin()).mapped()();
            }
            const std::vector<ReferenceMessage> sends = driver.start(now_, landed_);
            const auto landed = [](const ReferenceMessage& message) { return message.left == 0; };
            if (events_.empty() && std::all_of(messages_.begin(), messages_.end(), landed)) {
                wires_.clear();
                counts_.clear();
            }
            for (const ReferenceMessage& message : sends) {
                message.channel == 0 ? stripe(message) : send(message);
            }
            for (auto& [port, wire] : wires_) {
                decide(port, wire);
            }
        }
    }

    // Where a flit of message `id` that has come in by `input` goes on; queued(port): the flits that wait for a port.
    ReferencePort choose(ReferencePort input, std::size_t id, const ReferenceMessage& flit, const auto& queued) {
        std::vector<ReferencePort> found = ways(input.first, flit.to());
        const auto way = kept_.emplace(std::make_pair(input.first, id), found[0]);
        if (found.size() > 1 && (way.second || spec_.routing.granularity == Granularity::flit)) {
            const RoutingPolicy policy = spec_.routing.policy;
            const std::uint64_t count = counts_[{input.first, input.second, flit.channel}]++;
            const std::uint64_t draw = mix(mix(mix(spec_.seed, input.first - cores_), input.second), count);
            const std::uint64_t turn = policy == RoutingPolicy::random ? draw : input.second + count;
            const std::uint64_t first = place(input.first, flit, turn) % found.size();
            std::rotate(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(first), found.end());
            const auto fewer = [&](auto a, auto b) {
                return policy == RoutingPolicy::adaptive && queued(a) < queued(b);
            };
            way.first->second = *std::min_element(found.begin(), found.end(), fewer);
        }
        return way.first->second;
    }

private:
    struct Wire {
        std::array<std::multimap<std::size_t, std::size_t>, 2> queues;  // by channel: input port and message of flits
        std::array<std::int64_t, 2> taken{0, 0};                        // credits
        std::array<std::size_t, 2> next_input{0, 0};
        std::size_t next_channel = 0;
        bool busy = false;
    };

    std::size_t leaf(std::size_t group, std::size_t rail) const { return cores_ + group * spec_.ports + rail; }

    void join(ReferencePort a, ReferencePort b) {
        cables_[a] = b;
        cables_[b] = a;
    }

    void join_circuits() {
        for (std::size_t port = 0; port < spec_.circuits.port_pairs.size(); ++port) {
            for (const auto& [a, b] : spec_.circuits.port_pairs[port]) {
                join({a, port}, {b, port});
            }
        }
        std::vector<std::uint32_t> generators = spec_.circuits.generators;
        for (std::uint32_t bit = 1; spec_.circuits.cube && bit < cores_; bit *= 2) {
            generators.push_back(bit);
        }
        std::size_t port = 0;
        for (std::size_t g = 0; g < generators.size(); ++g) {
            const std::size_t copies = spec_.circuits.multiplicity.empty() ? 1 : spec_.circuits.multiplicity[g];
            const std::size_t end = port + (spec_.circuits.cube ? spec_.ports / generators.size() : copies);
            for (; port < end; ++port) {
                for (std::size_t a = 0; a < cores_; ++a) {
                    join({a, port}, {a ^ generators[g], port});
                }
            }
        }
    }

    void join_groups() {
        for (std::size_t rail = 0; rail < spec_.ports; ++rail) {
            for (std::size_t a = 0; a < cores_; ++a) {
                join({a, rail}, {leaf(a / group_, rail), a % group_});
            }
            for (std::size_t i = 0; i < groups_ * up_; ++i) {
                optical_ ? join_leaves(i / up_, rail, i % up_) : join_spine(i / up_, rail, i % up_);
            }
        }
    }

    void join_spine(std::size_t group, std::size_t rail, std::size_t link) {
        const std::size_t planned = (spec_.domain == 0 ? cores_ : spec_.domain) / group_;
        const std::size_t most = spec_.level2.radix / planned;  // links of one leaf that a spine has room for
        const std::size_t spines = (up_ + most - 1) / most;
        const std::size_t links = (up_ + spines - 1) / spines;
        const std::size_t spine = leaf(groups_, rail * spines + link % spines);
        join({leaf(group, rail), spec_.level1.down + link}, {spine, group * links + link / spines});
    }

    // Circle method: in round t groups a and b meet when a + b = t. One meets itself, or the last if they are even.
    void join_leaves(std::size_t group, std::size_t rail, std::size_t link) {
        const std::size_t rounds = groups_ % 2 == 0 ? groups_ - 1 : groups_;
        const std::size_t meets = ((rail * up_ + link) % rounds + rounds - group) % rounds;
        const std::size_t other = meets == group ? rounds : meets;
        if (group < rounds && other < groups_) {
            join({leaf(group, rail), spec_.level1.down + link}, {leaf(other, rail), spec_.level1.down + link});
        }
    }

    // What follows the start of a flit on a cable, serialization aside.
    std::int64_t latency(bool from_core, bool to_core) const {
        const LatencySpec& l = spec_.latency;
        const Duration egress = l.egress_endpoint + l.egress_protocol;
        const Duration ingress = l.ingress_endpoint + l.ingress_protocol;
        Duration sum = from_core || to_core ? l.propagation : l.propagation_level2;
        sum += optical_ && from_core == to_core ? sum + l.circuit_switch : Duration{};
        sum += from_core ? egress : Duration{};
        sum += to_core ? ingress : l.packet_switch;
        const bool whole = spec_.hop_reading == HopReading::per_hop && !from_core && !to_core;
        return (whole ? sum + egress + l.propagation + ingress : sum).ps;
    }

    // Which of the ways of a node comes first, modulo their number; `turn`: where they take turns.
    std::uint64_t place(std::size_t node, const ReferenceMessage& message, std::uint64_t turn) const {
        const bool spine = node >= leaf(groups_, 0);
        const std::uint64_t hash = mix(mix(spec_.seed, message.from()), message.to());
        const std::uint64_t hashed = node < cores_ ? hash : spine ? mix(mix(hash)) : mix(hash);
        const std::uint64_t fixed = message.to() / (node < cores_ ? 1 : spec_.ports) / (spine ? up_ : 1);
        turn = spec_.routing.policy == RoutingPolicy::hashed ? hashed : turn;
        return spec_.routing.policy == RoutingPolicy::fixed ? fixed : turn;
    }

    // Flit by flit over the ways of its source.
    void stripe(ReferenceMessage message) {
        const std::vector<ReferencePort> found = ways(message.source, message.destination);
        const std::int64_t bytes = std::exchange(message.record.bytes, 0);
        const auto flits = static_cast<std::uint64_t>((bytes + 639) / 640);
        const bool by_message = spec_.routing.granularity == Granularity::message;
        const bool restart = spec_.routing.stripe == Stripe::restart && !by_message && flits >= found.size();
        std::uint64_t& sent = counts_[{message.source, message.record.collective, message.record.phase}];
        std::map<std::size_t, ReferenceMessage> parts;
        for (std::uint64_t j = 0; j < flits; ++j) {
            const std::uint64_t turn = (restart ? 0 : sent) + (by_message ? 0 : j);
            const std::size_t port = found[place(message.source, message, turn) % found.size()].second;
            MessageRecord& part = parts.emplace(port, message).first->second.record;
            part.port = static_cast<std::uint32_t>(port);
            part.bytes += std::min<std::int64_t>(640, bytes - 640 * static_cast<std::int64_t>(j));
            ++part.flits;
        }
        sent += by_message ? parts.size() : flits;
        for (const auto& [port, part] : parts) {
            send(part);
        }
    }

    void send(ReferenceMessage message) {
        message.left = message.data() ? message.record.flits : 1;
        messages_.push_back(message);
        for (std::int64_t flit = 0; flit < message.left; ++flit) {
            wires_[{message.from(), message.record.port}].queues[message.channel].emplace(0, messages_.size() - 1);
        }
    }

    void land(ReferencePort port, std::size_t id) {
        ReferenceMessage& message = messages_[id];
        if (port.first >= cores_) {
            const auto queued = [&](auto out) { return wires_[out].queues[0].size() + wires_[out].queues[1].size(); };
            wires_[choose(port, id, message, queued)].queues[message.channel].emplace(port.second, id);
            return;
        }
        free_slot(port, message.channel);
        if (--message.left == 0) {
            message.record.delivered = Time{now_};
            landed_.push_back(message);
            if (spec_.responses == ResponsePolicy::per_message && !message.read && message.channel == 0) {
                message.channel = 1;
                send(message);
            }
        }
    }

    // Where the cable into a port ends.
    void free_slot(ReferencePort port, std::size_t channel) {
        const ReferencePort sender = cables_.at(port);
        const bool as_far = spec_.credit_return_is_link_latency;
        const std::int64_t back = as_far ? latency(sender.first < cores_, port.first < cores_) : spec_.credit_return.ps;
        if (buffer_[channel] != unlimited) {
            events_.emplace(std::make_pair(now_ + back, sender),
                            [this, sender, channel] { --wires_[sender].taken[channel]; });
        }
    }

    void decide(ReferencePort port, Wire& wire) {
        for (const std::size_t channel : {wire.next_channel, 1 - wire.next_channel}) {
            auto& queue = wire.queues[channel];
            if (wire.busy || queue.empty() || wire.taken[channel] >= buffer_[channel]) {
                continue;
            }
            const auto next = queue.lower_bound(wire.next_input[channel]);
            const auto flit = queue.extract(next == queue.end() ? queue.begin() : next);
            wire.next_input[channel] = flit.key() + 1;
            wire.next_channel = 1 - channel;
            wire.busy = true;
            ++wire.taken[channel];
            Time& injected = messages_[flit.mapped()].record.injected;
            injected = std::min(injected, Time{now_});
            events_.emplace(std::make_pair(now_ + flit_time_, port), [this, port, channel, input = flit.key(), &wire] {
                wire.busy = false;
                if (port.first >= cores_) {
                    free_slot({port.first, input}, channel);
                }
            });
            const ReferencePort end = cables_.at(port);
            const std::int64_t at = now_ + flit_time_ + latency(port.first < cores_, end.first < cores_);
            events_.emplace(std::make_pair(at, end), [this, end, id = flit.mapped()] { land(end, id); });
        }
    }

    const FabricSpec spec_;
    const std::size_t cores_ = spec_.accelerators;
    const bool two_level_ = spec_.kind == FabricKind::two_level;
    const bool optical_ =
        spec_.kind != FabricKind::direct && (two_level_ ? spec_.level2.device : spec_.device) == DeviceKind::ocs;
    const std::size_t group_ = two_level_ ? spec_.group : cores_;
    const std::size_t groups_ = (cores_ + group_ - 1) / group_;
    const std::size_t up_ = two_level_ ? spec_.level1.up : 0;
    const std::array<std::int64_t, 2> buffer_{spec_.buffers.request, spec_.buffers.response};
    const std::int64_t flit_time_ = flit_time_of(spec_.port_rate).ps;
    std::int64_t now_ = 0;
    std::multimap<std::pair<std::int64_t, ReferencePort>, std::function<void()>> events_;  // by time and port
    std::map<ReferencePort, ReferencePort> cables_;
    std::map<ReferencePort, Wire> wires_;  // by the port they leave
    std::vector<ReferenceMessage> messages_;
    std::vector<ReferenceMessage> landed_;                        // now
    std::map<std::array<std::size_t, 3>, std::uint64_t> counts_;  // of choices, by input and channel or what is sent
    std::map<std::pair<std::size_t, std::size_t>, ReferencePort> kept_;  // by switch and message
};

}  // namespace simlette
