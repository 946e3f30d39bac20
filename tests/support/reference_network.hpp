// A second reading of the rules, slow and plain: from instant to instant, one flit at a time, every wire looked at in
// each. It shares no code with the library but plain specs, records and the scrambling of 64 bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include <support/reference.hpp>
#include <support/reference_wiring.hpp>

namespace simlette {

class ReferenceNetwork {
public:
    explicit ReferenceNetwork(const FabricSpec& spec)
        : spec_(spec),
          wiring_(spec),
          buffer_{spec.buffers.request, spec.buffers.response},
          flit_time_(5'120'000'000'000'000 / spec.port_rate.per_second),
          wires_(wiring_.cables().size()) {}

    // Sends all that the driver has: next_start() is the next instant at which it begins something by itself (max if
    // none), start(t, delivered) what it sends at t, in order.
    template <class Driver>
    void run(Driver& driver) {
        while (driver.next_start() != Time::never().ps || !instants_.empty()) {
            now_ = driver.next_start();
            now_ = instants_.empty() ? now_ : std::min(now_, instants_.begin()->first);
            delivered_.clear();
            apply(instants_[now_]);
            instants_.erase(now_);
            const std::vector<ReferenceSend> sends = driver.start(now_, delivered_);
            if (quiet()) {
                reset();
            }
            inject(sends);
            reply(driver);
            for (std::size_t id = 0; id < wires_.size(); ++id) {
                decide(id);
            }
        }
    }

    // Sorted by (collective, phase, source, destination, port).
    std::vector<MessageRecord> messages() const {
        std::vector<MessageRecord> records;
        for (const Message& message : messages_) {
            if (message.data()) {
                records.push_back(message.record);
            }
        }
        sort_records(records);
        return records;
    }
    std::int64_t responses() const { return responses_; }
    // What is on a wire, or comes back, has an instant at which it arrives.
    bool quiet() const {
        const auto idle = [](const Wire& wire) { return wire.waiting == 0; };
        return instants_.empty() && std::all_of(wires_.begin(), wires_.end(), idle);
    }

private:
    struct Wire {
        std::array<std::map<std::size_t, std::deque<std::size_t>>, 2> queues;  // flits by channel and input port
        std::array<std::int64_t, 2> taken{0, 0};                               // credits, by channel
        std::array<std::size_t, 2> next_input{0, 0};
        std::size_t next_channel = 0;
        std::int64_t waiting = 0;
        std::int64_t free_at = 0;
    };
    struct Message {
        MessageRecord record;
        ReferenceFlit flit;
        std::int64_t left = 0;  // flits not delivered
        bool read = false;      // a request for data, or data that was asked for

        bool data() const { return flit.channel == (read ? 1U : 0U); }
    };
    struct Instant {
        std::map<ReferencePort, std::size_t> arrivals;             // by port: the message of the flit
        std::vector<std::pair<std::size_t, std::size_t>> credits;  // wire and channel
    };

    void apply(Instant& instant) {
        for (const auto& [port, message] : instant.arrivals) {
            port.first < spec_.accelerators ? deliver(port, message) : forward(port, message);
        }
        for (const auto& [wire, channel] : instant.credits) {
            --wires_[wire].taken[channel];
        }
    }

    void enqueue(std::size_t wire, std::size_t input, std::size_t message, std::int64_t flits) {
        auto& queue = wires_[wire].queues[messages_[message].flit.channel][input];
        queue.insert(queue.end(), static_cast<std::size_t>(flits), message);
        wires_[wire].waiting += flits;
    }

    void forward(ReferencePort port, std::size_t message) {
        const auto queued = [&](std::size_t wire) { return wires_[wire].waiting; };
        enqueue(wiring_.choose(port, messages_[message].flit, queued), port.second, message, 1);
    }

    void deliver(ReferencePort port, std::size_t id) {
        Message& message = messages_[id];
        free_slot(port, message.flit.channel, now_);
        if (--message.left > 0) {
            return;
        }
        if (message.data()) {
            message.record.delivered = Time{now_};
            delivered_.push_back(message.record);
            if (!message.read && spec_.responses == ResponsePolicy::per_message) {
                answer(id, 1);
            }
        } else if (message.read) {
            asked_.push_back(id);
        } else {
            ++responses_;
        }
    }

    // On the port on which the message came.
    void answer(std::size_t id, std::int64_t flits) {
        Message message = messages_[id];
        std::swap(message.flit.source, message.flit.destination);
        message.flit.channel = 1;
        message.left = flits;
        send(message);
    }

    void send(Message message) {
        message.flit.message = messages_.size();
        messages_.push_back(message);
        enqueue(wiring_.out({message.flit.source, message.record.port}), 0, messages_.size() - 1, message.left);
    }

    // Data goes back as soon as its holder has come to the phase in which it is asked for, in the order of messages.
    template <class Driver>
    void reply(const Driver& driver) {
        const auto key = [&](std::size_t id) { return message_key(messages_[id].record); };
        std::sort(asked_.begin(), asked_.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
        std::vector<std::size_t> early;
        for (const std::size_t id : asked_) {
            driver.may_answer(messages_[id].record) ? answer(id, messages_[id].record.flits) : early.push_back(id);
        }
        asked_ = early;
    }

    // Where the cable into a port ends.
    void free_slot(ReferencePort port, std::size_t channel, std::int64_t at) {
        const std::size_t wire = ReferenceWiring::twin(wiring_.out(port));
        const std::int64_t latency = wiring_.cables()[wire].latency;
        if (buffer_[channel] != unlimited) {
            at += spec_.credit_return_is_link_latency ? latency : spec_.credit_return.ps;
            instants_[at].credits.emplace_back(wire, channel);
        }
    }

    void reset() {
        wiring_.reset_counts();
        for (Wire& wire : wires_) {
            wire.next_input = {0, 0};
            wire.next_channel = 0;
        }
    }

    void inject(const std::vector<ReferenceSend>& sends) {
        ReferenceStriping striping(spec_);
        for (const ReferenceSend& one : sends) {
            for (MessageRecord& part : striping.parts(one, wiring_.source_ports(one.source, one.destination))) {
                part.injected = Time::never();
                send({part, {0, one.source, one.destination, 0}, one.read ? 1 : part.flits, one.read});
            }
        }
    }

    void decide(std::size_t id) {
        Wire& wire = wires_[id];
        for (const std::size_t channel : {wire.next_channel, 1 - wire.next_channel}) {
            if (wire.free_at <= now_ && !wire.queues[channel].empty() && wire.taken[channel] < buffer_[channel]) {
                wire.next_channel = 1 - channel;
                grant(id, channel);
            }
        }
    }

    void grant(std::size_t id, std::size_t channel) {
        Wire& wire = wires_[id];
        const ReferenceCable& cable = wiring_.cables()[id];
        auto queue = wire.queues[channel].lower_bound(wire.next_input[channel]);
        queue = queue == wire.queues[channel].end() ? wire.queues[channel].begin() : queue;
        const std::size_t input = queue->first;
        const std::size_t message = queue->second.front();
        queue->second.pop_front();
        if (queue->second.empty()) {
            wire.queues[channel].erase(queue);
        }
        wire.next_input[channel] = input + 1;
        --wire.waiting;
        ++wire.taken[channel];
        wire.free_at = now_ + flit_time_;
        instants_[wire.free_at];
        instants_[wire.free_at + cable.latency].arrivals[cable.to] = message;
        if (cable.from.first >= spec_.accelerators) {
            free_slot({cable.from.first, input}, channel, wire.free_at);
        } else {
            Time& first = messages_[message].record.injected;
            first = std::min(first, Time{now_});
        }
    }

    const FabricSpec spec_;
    ReferenceWiring wiring_;
    const std::array<std::int64_t, 2> buffer_;
    const std::int64_t flit_time_;
    std::int64_t now_ = 0;
    std::map<std::int64_t, Instant> instants_;  // yet to come
    std::vector<Wire> wires_;
    std::vector<Message> messages_;
    std::vector<MessageRecord> delivered_;
    std::vector<std::size_t> asked_;  // requests that wait for their holder
    std::int64_t responses_ = 0;
};

}  // namespace simlette
