// A second reading of the rules, slow and plain: one flit at a time, one deque per (output, input, channel), every port
// looked at in every instant. It shares no code with the library but plain specs and records.
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

inline void sort_records(std::vector<MessageRecord>& records) {
    std::sort(records.begin(), records.end(), [](const MessageRecord& a, const MessageRecord& b) {
        return std::tie(a.collective, a.phase, a.source, a.destination, a.port) <
               std::tie(b.collective, b.phase, b.source, b.destination, b.port);
    });
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

class ReferenceNetwork {
public:
    explicit ReferenceNetwork(const FabricSpec& spec)
        : spec_(spec), peers_(reference_peers(spec)), flit_time_(5'120'000'000'000'000 / spec.port_rate.per_second) {
        const LatencySpec& l = spec.latency;
        const std::int64_t egress = l.egress_endpoint.ps + l.egress_protocol.ps + l.propagation.ps;
        const std::int64_t ingress = l.ingress_endpoint.ps + l.ingress_protocol.ps;
        const bool optical = spec.kind == FabricKind::single_level;
        up_latency_ = egress + (optical ? l.circuit_switch.ps + l.propagation.ps : 0) + ingress;
        if (reference_packets(spec)) {
            up_latency_ = egress + l.packet_switch.ps;
            down_latency_ = l.propagation.ps + ingress;
        }
        wires_.assign(std::size_t{spec.accelerators} * spec.ports, Wire(spec, 1));
        if (reference_packets(spec)) {
            wires_.insert(wires_.end(), wires_.size(), Wire(spec, spec.accelerators));
        }
    }

    // Sends all that the driver has: next_start() is the next instant at which it begins something by itself (max if
    // none), start(t, delivered) what it sends at t, in order.
    template <class Driver>
    void run(Driver& driver) {
        while (true) {
            std::int64_t t = driver.next_start();
            t = changes_.empty() ? t : std::min(t, changes_.begin()->first);
            if (t == Time::never().ps) {
                return;
            }
            now_ = t;
            delivered_.clear();
            while (!changes_.empty() && changes_.begin()->first == t) {
                const Change change = changes_.begin()->second;
                changes_.erase(changes_.begin());
                apply(change);
            }
            const std::vector<ReferenceSend> sends = driver.start(t, delivered_);
            if (quiet()) {
                reset_arbiters();
            }
            enqueue(sends);
            reply(driver);
            for (std::size_t wire = 0; wire < wires_.size(); ++wire) {
                decide(wire);
            }
        }
    }

    // Sorted by (collective, phase, source, destination, port).
    std::vector<MessageRecord> messages() const {
        std::vector<MessageRecord> records;
        for (const Message& message : messages_) {
            if (message.kind == Kind::write || message.kind == Kind::data) {
                records.push_back(message.record);
            }
        }
        sort_records(records);
        return records;
    }
    bool quiet() const { return outstanding_ == 0; }
    std::int64_t responses() const { return responses_; }

private:
    // One direction of a link and the port that feeds it.
    struct Wire {
        Wire(const FabricSpec& spec, std::uint32_t inputs) : credits{spec.buffers.request, spec.buffers.response} {
            queues.fill(std::vector<std::deque<std::size_t>>(inputs));
        }
        std::array<std::vector<std::deque<std::size_t>>, 2> queues;  // flits by channel and input, by their message
        std::array<std::int64_t, 2> credits;
        std::array<std::size_t, 2> next_input{0, 0};
        std::size_t next_channel = 0;
        std::int64_t free_at = 0;
    };
    enum class Kind { write, response, request, data };
    struct Message {
        MessageRecord record;
        Kind kind = Kind::write;
        std::uint32_t source = 0;  // accelerator
        std::uint32_t destination = 0;
        std::int64_t left = 0;  // flits not delivered
        bool started = false;
    };
    enum class What { arrival, slot_free, credit, wire_free };
    struct Change {
        What what;
        std::size_t wire;
        std::size_t channel;
        std::size_t message;
    };

    bool is_up(std::size_t wire) const { return wire < std::size_t{spec_.accelerators} * spec_.ports; }
    bool to_core(std::size_t wire) const { return !reference_packets(spec_) || !is_up(wire); }
    // Of accelerator a at switch or port p: upwards first, then downwards.
    std::size_t up(std::size_t a, std::size_t p) const { return a * spec_.ports + p; }
    std::size_t down(std::size_t a, std::size_t p) const { return (spec_.accelerators + a) * spec_.ports + p; }

    void apply(const Change& change) {
        switch (change.what) {
            case What::arrival:
                arrive(change);
                break;
            case What::slot_free:
                free_slot(change.wire, change.channel);
                break;
            case What::credit:
                ++wires_[change.wire].credits[change.channel];
                --outstanding_;
                break;
            case What::wire_free:
                break;
        }
    }

    void arrive(const Change& change) {
        Message& message = messages_[change.message];
        if (!to_core(change.wire)) {
            const std::size_t port = change.wire % spec_.ports;
            wires_[down(message.destination, port)].queues[change.channel][change.wire / spec_.ports].push_back(
                change.message);
            return;
        }
        --outstanding_;
        free_slot(change.wire, change.channel);
        if (--message.left == 0) {
            finish(change.message);
        }
    }

    void finish(std::size_t id) {
        switch (messages_[id].kind) {
            case Kind::response:
                ++responses_;
                return;
            case Kind::request:
                asked_.push_back(id);
                return;
            case Kind::write:
            case Kind::data:
                break;
        }
        messages_[id].record.delivered = Time{now_};
        delivered_.push_back(messages_[id].record);
        if (messages_[id].kind == Kind::write && spec_.responses == ResponsePolicy::per_message) {
            answer(id, Kind::response, 1);
        }
    }

    // Goes back by the port on which the request came. A port has the same number at both ends of a circuit.
    void answer(std::size_t id, Kind kind, std::int64_t flits) {
        Message message = messages_[id];
        std::swap(message.source, message.destination);
        message.kind = kind;
        message.left = flits;
        push(up(message.source, message.record.port), 1, messages_.size(), flits);
        messages_.push_back(message);
    }

    void push(std::size_t wire, std::size_t channel, std::size_t message, std::int64_t flits) {
        auto& queue = wires_[wire].queues[channel][0];
        queue.insert(queue.end(), static_cast<std::size_t>(flits), message);
        outstanding_ += flits;
    }

    // Data goes back as soon as its holder has come to the phase in which it is asked for.
    template <class Driver>
    void reply(Driver& driver) {
        const auto key = [&](std::size_t id) {
            const MessageRecord& r = messages_[id].record;
            return std::make_tuple(r.collective, r.phase, r.source, r.destination, r.port);
        };
        std::sort(asked_.begin(), asked_.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
        std::vector<std::size_t> early;
        for (const std::size_t id : asked_) {
            if (driver.may_answer(messages_[id].record)) {
                answer(id, Kind::data, messages_[id].record.flits);
            } else {
                early.push_back(id);
            }
        }
        asked_ = early;
    }

    void free_slot(std::size_t wire, std::size_t channel) {
        if (wires_[wire].credits[channel] == unlimited) {
            return;
        }
        ++outstanding_;
        const Change credit{What::credit, wire, channel, 0};
        if (spec_.credit_return.ps == 0) {
            apply(credit);
        } else {
            changes_.emplace(now_ + spec_.credit_return.ps, credit);
        }
    }

    void reset_arbiters() {
        for (Wire& wire : wires_) {
            wire.next_channel = 0;
            wire.next_input = {0, 0};
        }
    }

    std::vector<std::uint32_t> candidates(std::uint32_t source, std::uint32_t destination) const {
        std::vector<std::uint32_t> ports;
        for (std::uint32_t port = 0; port < spec_.ports; ++port) {
            if (reference_packets(spec_) || peers_[source][port] == destination) {
                ports.push_back(port);
            }
        }
        return ports;
    }

    void enqueue(const std::vector<ReferenceSend>& sends) {
        ReferenceStriping striping(spec_);
        for (const ReferenceSend& send : sends) {
            for (const MessageRecord& record : striping.parts(send, candidates(send.source, send.destination))) {
                const std::int64_t forward = send.read ? 1 : record.flits;
                push(up(send.source, record.port), 0, messages_.size(), forward);
                messages_.push_back(
                    {record, send.read ? Kind::request : Kind::write, send.source, send.destination, forward, false});
            }
        }
    }

    void decide(std::size_t id) {
        Wire& wire = wires_[id];
        if (wire.free_at > now_) {
            return;
        }
        for (const std::size_t channel : {wire.next_channel, 1 - wire.next_channel}) {
            const auto& queues = wire.queues[channel];
            const bool flit = std::any_of(queues.begin(), queues.end(), [](const auto& q) { return !q.empty(); });
            if (flit && wire.credits[channel] > 0) {
                wire.next_channel = 1 - channel;
                grant(id, channel);
                return;
            }
        }
    }

    void grant(std::size_t id, std::size_t channel) {
        Wire& wire = wires_[id];
        auto& queues = wire.queues[channel];
        std::size_t input = wire.next_input[channel] % queues.size();
        while (queues[input].empty()) {
            input = (input + 1) % queues.size();
        }
        wire.next_input[channel] = input + 1;
        const std::size_t message = queues[input].front();
        queues[input].pop_front();
        wire.credits[channel] -= wire.credits[channel] == unlimited ? 0 : 1;
        wire.free_at = now_ + flit_time_;
        changes_.emplace(now_ + flit_time_, Change{What::wire_free, id, channel, message});
        changes_.emplace(now_ + flit_time_ + (is_up(id) ? up_latency_ : down_latency_),
                         Change{What::arrival, id, channel, message});
        if (!is_up(id)) {
            changes_.emplace(now_ + flit_time_, Change{What::slot_free, up(input, id % spec_.ports), channel, message});
        } else if (!messages_[message].started) {
            messages_[message].started = true;
            messages_[message].record.injected = Time{now_};
        }
    }

    const FabricSpec spec_;
    const ReferencePeers peers_;
    const std::int64_t flit_time_;
    std::int64_t up_latency_ = 0;
    std::int64_t down_latency_ = 0;
    std::int64_t now_ = 0;
    std::vector<Wire> wires_;
    std::vector<Message> messages_;
    std::vector<MessageRecord> delivered_;
    std::vector<std::size_t> asked_;  // requests that wait for their holder
    std::int64_t responses_ = 0;
    std::multimap<std::int64_t, Change> changes_;
    std::int64_t outstanding_ = 0;  // flits and credits that are not at home
};

}  // namespace simlette
