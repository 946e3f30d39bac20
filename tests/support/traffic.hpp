// Plain messages, played on a network by hand, without collectives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <simlette/fabric/flit_network.hpp>
#include <simlette/fabric/transactions.hpp>

#include <support/reference_network.hpp>

namespace simlette {

struct PlainSend {
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::int64_t bytes = 0;
    Time at;
};

inline constexpr TransactionRules no_responses{Fidelity::paper, ResponsePolicy::none, unlimited};
inline constexpr TransactionRules with_responses{Fidelity::paper, ResponsePolicy::per_message, unlimited};

class OneMessage final : public MessageSource {
public:
    explicit OneMessage(const PlainSend& send) : message_{send.destination, send.destination, {send.bytes}} {}

    bool message(std::uint32_t, std::uint32_t, std::uint32_t index, OutMessage& out) const override {
        out = message_;
        return index == 0;
    }

private:
    OutMessage message_;
};

// Sends each at its time; the collective of a record is the index of its send. Calls watch(t) after every instant.
template <class Network, class Watch>
void play(Network& network, const std::vector<PlainSend>& sends, Watch&& watch) {
    std::vector<OneMessage> messages(sends.begin(), sends.end());
    for (std::uint32_t id = 0; id < sends.size(); ++id) {
        network.wake_at(sends[id].at, id);
    }
    for (Time t = network.next_instant(); t != Time::never(); t = network.next_instant()) {
        network.open(t);
        if (!network.wakes().empty() && network.quiet()) {
            network.reset_arbiters();
        }
        for (const std::uint32_t id : network.wakes()) {
            network.inject({&messages[id], sends[id].source, sends[id].source, id, 0});
        }
        network.close();
        watch(t);
    }
}

template <class Network>
std::vector<MessageRecord> sorted_records(const Network& network) {
    std::vector<MessageRecord> records = network.records();
    std::sort(records.begin(), records.end(), [](const MessageRecord& a, const MessageRecord& b) {
        return std::tie(a.collective, a.port) < std::tie(b.collective, b.port);
    });
    return records;
}

// The same for the reference.
class PlainDriver {
public:
    explicit PlainDriver(const std::vector<PlainSend>& sends) : sends_(sends), sent_(sends.size(), false) {}

    std::int64_t next_start() const {
        std::int64_t next = Time::never().ps;
        for (std::size_t id = 0; id < sends_.size(); ++id) {
            next = sent_[id] ? next : std::min(next, sends_[id].at.ps);
        }
        return next;
    }

    std::vector<ReferenceMessage> start(std::int64_t t, const std::vector<ReferenceMessage>& landed) {
        for (const ReferenceMessage& message : landed) {
            if (message.data()) {
                records_.push_back(message.record);
            } else {
                ++responses_;
            }
        }
        std::vector<ReferenceMessage> now;
        for (std::size_t id = 0; id < sends_.size(); ++id) {
            if (!sent_[id] && sends_[id].at.ps == t) {
                sent_[id] = true;
                const PlainSend& s = sends_[id];
                const MessageRecord record{
                    static_cast<std::uint32_t>(id), 0, s.source, s.destination, 0, s.bytes, 0, Time::never(), Time{}};
                now.push_back({record, s.source, s.destination});
            }
        }
        return now;
    }

    const std::vector<MessageRecord>& records() const { return records_; }
    std::int64_t responses() const { return responses_; }

private:
    std::vector<PlainSend> sends_;
    std::vector<bool> sent_;
    std::vector<MessageRecord> records_;
    std::int64_t responses_ = 0;
};

}  // namespace simlette
