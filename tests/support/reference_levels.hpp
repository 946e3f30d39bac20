// A second reading of the rules for two levels of switches, slow and plain: from stamp to stamp, every node, port and
// queue looked at in each. It shares no code with the library but plain specs, records and the scrambling of 64 bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include <simlette/fabric/spec.hpp>
#include <simlette/fabric/statistics.hpp>

#include <support/reference.hpp>
#include <support/reference_wiring.hpp>

namespace simlette {

// Steps through time and plays what a driver has to send, as ReferenceNetwork does; without reads.
class ReferenceLevels {
public:
    explicit ReferenceLevels(const FabricSpec& spec)
        : spec_(spec), wiring_(spec), flit_time_(5'120'000'000'000'000 / spec.port_rate.per_second) {
        for (const ReferenceCable& cable : wiring_.cables()) {
            wires_.emplace_back();
            wires_.back().credits = {spec.buffers.request, spec.buffers.response};
            wires_.back().queues.fill(std::vector<std::deque<std::size_t>>(wiring_.ports(cable.from)));
        }
    }

    template <class Driver>
    void run(Driver& driver) {
        for (now_ = next(driver); now_ != Time::never().ps; now_ = next(driver)) {
            delivered_.clear();
            arrive();
            return_credits();
            const std::vector<ReferenceSend> sends = driver.start(now_, delivered_);
            if (quiet()) {
                reset();
            }
            inject(sends);
            for (std::size_t id = 0; id < wires_.size(); ++id) {
                decide(id);
            }
        }
    }

    // Sorted by (collective, phase, source, destination, port).
    std::vector<MessageRecord> messages() const {
        std::vector<MessageRecord> records;
        for (const Message& message : messages_) {
            if (message.flit.channel == 0) {
                records.push_back(message.record);
            }
        }
        sort_records(records);
        return records;
    }
    std::int64_t responses() const { return responses_; }
    bool quiet() const {
        return std::all_of(wires_.begin(), wires_.end(), [](const Wire& wire) {
            return wire.flying.empty() && wire.returning[0].empty() && wire.returning[1].empty() &&
                   wire.waiting(0) + wire.waiting(1) == 0;
        });
    }

private:
    struct Wire {
        std::array<std::vector<std::deque<std::size_t>>, 2> queues;  // by channel and input: messages of flits
        std::deque<std::pair<std::int64_t, std::size_t>> flying;     // when they arrive, and their messages
        std::array<std::multiset<std::int64_t>, 2> returning;        // when credits come home
        std::array<std::int64_t, 2> credits{};
        std::array<std::size_t, 2> next_input{0, 0};
        std::size_t next_channel = 0;
        std::int64_t free_at = 0;

        std::size_t waiting(std::size_t channel) const {
            std::size_t all = 0;
            for (const auto& queue : queues[channel]) {
                all += queue.size();
            }
            return all;
        }
    };
    struct Message {
        MessageRecord record;
        ReferenceFlit flit;
        std::int64_t left = 0;  // flits not delivered
        bool started = false;
    };

    template <class Driver>
    std::int64_t next(const Driver& driver) const {
        std::int64_t t = driver.next_start();
        for (const Wire& wire : wires_) {
            t = wire.flying.empty() ? t : std::min(t, wire.flying.front().first);
            t = wire.free_at > now_ ? std::min(t, wire.free_at) : t;
            for (const auto& credits : wire.returning) {
                t = credits.empty() ? t : std::min(t, *credits.begin());
            }
        }
        return t;
    }

    void arrive() {
        for (std::size_t node = 0; node < wiring_.nodes(); ++node) {
            for (std::size_t port = 0; port < wiring_.ports(node); ++port) {
                const std::size_t id = ReferenceWiring::twin(wiring_.out(node, port));
                if (id < wires_.size() && !wires_[id].flying.empty() && wires_[id].flying.front().first == now_) {
                    const std::size_t message = wires_[id].flying.front().second;
                    wires_[id].flying.pop_front();
                    node < spec_.accelerators ? deliver(id, message) : forward(node, port, message);
                }
            }
        }
    }

    void forward(std::size_t node, std::size_t port, std::size_t message) {
        const ReferenceFlit& flit = messages_[message].flit;
        const auto queued = [&](std::size_t id) { return wires_[id].waiting(0) + wires_[id].waiting(1); };
        wires_[wiring_.choose(node, port, flit, queued)].queues[flit.channel][port].push_back(message);
    }

    void deliver(std::size_t id, std::size_t message) {
        free_slot(id, messages_[message].flit.channel, now_);
        if (--messages_[message].left > 0) {
            return;
        }
        if (messages_[message].flit.channel == 1) {
            ++responses_;
            return;
        }
        messages_[message].record.delivered = Time{now_};
        delivered_.push_back(messages_[message].record);
        if (spec_.responses == ResponsePolicy::per_message) {
            const ReferenceFlit asked = messages_[message].flit;
            send(messages_[message].record, {messages_.size(), asked.destination, asked.source, 1}, 1);
        }
    }

    void free_slot(std::size_t id, std::size_t channel, std::int64_t at) {
        const std::int64_t back =
            spec_.credit_return_is_link_latency ? wiring_.cables()[id].latency : spec_.credit_return.ps;
        if (wires_[id].credits[channel] != unlimited) {
            wires_[id].returning[channel].insert(at + back);
        }
    }

    void return_credits() {
        for (Wire& wire : wires_) {
            for (std::size_t channel = 0; channel < 2; ++channel) {
                wire.credits[channel] += static_cast<std::int64_t>(wire.returning[channel].erase(now_));
            }
        }
    }

    void reset() {
        wiring_.reset_counts();
        for (Wire& wire : wires_) {
            wire.next_input = {0, 0};
            wire.next_channel = 0;
        }
    }

    void send(const MessageRecord& record, const ReferenceFlit& flit, std::int64_t flits) {
        auto& queue = wires_[wiring_.out(flit.source, record.port)].queues[flit.channel][0];
        queue.insert(queue.end(), static_cast<std::size_t>(flits), messages_.size());
        messages_.push_back({record, flit, flits, false});
    }

    void inject(const std::vector<ReferenceSend>& sends) {
        ReferenceStriping striping(spec_);
        for (const ReferenceSend& one : sends) {
            for (const MessageRecord& part : striping.parts(one, wiring_.source_ports(one.source, one.destination))) {
                send(part, {messages_.size(), one.source, one.destination, 0}, part.flits);
            }
        }
    }

    void decide(std::size_t id) {
        Wire& wire = wires_[id];
        for (const std::size_t channel : {wire.next_channel, 1 - wire.next_channel}) {
            if (wire.free_at <= now_ && wire.waiting(channel) > 0 && wire.credits[channel] > 0) {
                wire.next_channel = 1 - channel;
                grant(id, channel);
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
        wire.flying.emplace_back(wire.free_at + wiring_.cables()[id].latency, message);
        const std::size_t node = wiring_.cables()[id].from;
        if (node >= spec_.accelerators) {
            free_slot(ReferenceWiring::twin(wiring_.out(node, input)), channel, wire.free_at);
        } else if (!messages_[message].started) {
            messages_[message].started = true;
            messages_[message].record.injected = Time{now_};
        }
    }

    const FabricSpec spec_;
    ReferenceWiring wiring_;
    const std::int64_t flit_time_;
    std::int64_t now_ = -1;
    std::vector<Wire> wires_;
    std::vector<Message> messages_;
    std::vector<MessageRecord> delivered_;
    std::int64_t responses_ = 0;
};

}  // namespace simlette
