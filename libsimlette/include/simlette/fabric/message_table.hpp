// Port-messages under way: where each comes from, how much of it is still to arrive, and what is kept of those that
// did.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/engine/event_hash.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/source_queue.hpp>
#include <simlette/fabric/statistics.hpp>
#include <simlette/fabric/traffic.hpp>

namespace simlette {

class MessageTable {
public:
    // What ports ask for again and again.
    struct Way {
        std::uint32_t destination = 0;  // accelerator that its flits go to
        std::uint32_t left = 0;         // flits that the last link of the way has not sent
    };
    struct Message {
        std::uint32_t flits = 0;  // of data
        LinkId first_link = 0;
        LinkId answer_link = no_id;  // once the request has arrived
        std::uint32_t collective = 0;
        std::uint32_t phase = 0;
        std::uint32_t source_rank = 0;
        std::uint32_t destination_rank = 0;
        TransactionHalf half = TransactionHalf::write;
        std::uint32_t port = 0;
        Bytes bytes{0};
        Time injected;
    };

    Way& way(std::uint32_t id) { return ways_[id]; }
    Message& operator[](std::uint32_t id) { return messages_[id]; }
    const Message& operator[](std::uint32_t id) const { return messages_[id]; }

    std::uint32_t add(const PortMessage& next, LinkId link, std::uint32_t port, Time injected);
    void drop(std::uint32_t id) { free_.push_back(id); }

    Delivery delivery(std::uint32_t id, bool asked, Time now) const;
    // Its data has arrived whole.
    void finish(std::uint32_t id, Time now);
    void count_request() { ++totals_.request_flits; }
    void count_response() { ++totals_.response_flits; }

    void record(bool on) { recording_ = on; }
    const std::vector<MessageRecord>& records() const { return records_; }
    const NetworkStatistics& totals() const { return totals_; }
    std::uint64_t hash() const { return hash_.value(); }
    void clear();

private:
    std::vector<Way> ways_;
    std::vector<Message> messages_;
    std::vector<std::uint32_t> free_;
    std::vector<MessageRecord> records_;
    bool recording_ = false;
    NetworkStatistics totals_;
    EventHash hash_;
};

}  // namespace simlette
