// A fabric in flit mode: every flit on every link, one by one.
//
// Time goes by instants, each in two phases. open(t) applies every change stamped t: arrivals, credits, wires that fall
// free, deliveries; what they set off is injected then. close() lets every port that can act decide once: which
// channel, which input, and the flit leaves. A decision touches later instants only, so the result does not depend on
// the order of events, nor on the queue that holds them (Queue: LaneQueue, or anything with its interface).
//
// A flit takes its credit and the wire at s. It is at the switch's decision point at s + flit time + latency, where the
// slot it holds is freed once its tail has left the output; at an accelerator it frees its slot on reaching the core.
//
// At a switch a flit takes the one link that leads on, or the one that the routing policy chooses among several.
//
// A transaction has two halves. What is written travels on the request channel and is answered by a response flit; a
// request to read is one flit and is answered by the data. Answers leave by the port on which the request came, in the
// order in which they were due, on the response channel.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <simlette/base/contract.hpp>
#include <simlette/base/large_pages.hpp>
#include <simlette/base/span.hpp>
#include <simlette/engine/event_hash.hpp>
#include <simlette/engine/lane_queue.hpp>
#include <simlette/fabric/flit_trace.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/link_shares.hpp>
#include <simlette/fabric/port_log.hpp>
#include <simlette/fabric/source_queue.hpp>
#include <simlette/fabric/stall.hpp>
#include <simlette/fabric/statistics.hpp>
#include <simlette/fabric/striping.hpp>
#include <simlette/fabric/traffic.hpp>
#include <simlette/fabric/voq.hpp>

namespace simlette {

template <class Queue>
class FlitNetwork {
public:
    // The graph must outlive the network. Throws Error{internal} if it breaks its invariants.
    FlitNetwork(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules, std::uint64_t seed);

    Time now() const { return now_; }
    Time next_instant() const { return queue_.next(); }

    // Phase one of instant t. Requires: the instant before is closed, t >= now().
    void open(Time t);
    // Of the open instant, in no particular order.
    Span<Delivery> deliveries() const { return deliveries_; }
    // Entities of wake_at() whose time has come, ascending.
    Span<std::uint32_t> wakes() const { return wakes_; }

    // Requires: an open instant. Injections of one source are made in the order in which they leave.
    void inject(const Injection& injection);
    // Lets the data go that a delivery asked for. Requires: an open instant; each is answered once. Its departure
    // waited for the request, or else for whatever else happened in this instant.
    void reply(const Delivery& request, bool released_by_request);
    void wake_at(Time t, std::uint32_t entity) { queue_.push_at(Turn::inject, {t, entity, 0}); }
    // No flit and no credit is on its way anywhere.
    bool quiet() const { return flits_outside_ == 0 && credits_outside_ == 0; }
    // Arbiters back to their start. Requires: quiet().
    void reset_arbiters();

    // Phase two.
    void close() {
        if (due_ports_ > 0) {
            decide_all();
        }
        deliveries_.clear();
        if (!parts_.empty()) {
            parts_.clear();
        }
        wakes_.clear();
    }

    void record_messages(bool on) { recording_ = on; }
    // Follows the flits of these messages.
    void trace(const std::vector<TracedMessage>& messages);
    const FlitTrace& traced() const { return trace_; }
    // Every delivery says where its time went, traced or not.
    bool explains_all() const { return counts_parts_; }
    // Deliveries say nothing of that: they have no parts, and `taken` stays 0. Requires: nothing is traced.
    void explain_none() { explains_ = counts_parts_ = false; }
    // Logs what passes every link, and stalls; at most `limit` of each.
    void log_ports(std::uint64_t limit);
    const PortLog& port_log() const { return port_log_; }
    // Counts the flits of each collective on each link.
    void count_shares();
    std::vector<StallRecord> stalls() const;  // those that go on included
    const std::vector<MessageRecord>& records() const { return records_; }
    NetworkStatistics statistics() const;
    std::vector<LinkStatistics> link_statistics() const;
    // How long each link has been busy by now: of the flit on its wire the time that has passed.
    std::vector<Duration> wire_times() const;
    std::uint64_t events() const { return events_; }
    std::uint64_t event_hash() const { return hash_.value(); }
    StallReport explain() const;
    // Credits in hand, on flits and on their way back always add up to what the buffers hold. For tests.
    std::int64_t credits(LinkId link, Channel channel) const {
        return (static_cast<unsigned>(links_[link].finite) >> index(channel) & 1U) != 0
                   ? links_[link].credits[index(channel)]
                   : unlimited;
    }
    void clear();

    // Handlers of the queue. All that happens to every flit is compiled in one piece with open() or close().
    [[gnu::always_inline]] void deliver(const Event& event);
    [[gnu::always_inline]] void credit(const Event& event);
    [[gnu::always_inline]] void wire_free(const Event& event);
    void inject(const Event& event) { wakes_.push_back(event.entity); }
    void prefetch(Turn turn, const Event& event) const {
        if (!far_apart_) {
            return;
        }
        if (turn == Turn::deliver) {
            __builtin_prefetch(&ends_[event.entity]);
            __builtin_prefetch(messages_.data() + (event.detail >> 2U));
        } else {
            __builtin_prefetch(&links_[event.entity]);
        }
    }

private:
    static constexpr std::size_t index(Channel channel) { return static_cast<std::size_t>(channel); }

    // What the hot path reads and writes of the port that feeds a link, in one cache line.
    struct alignas(64) LinkState {
        std::uint16_t arrive_lane = 0;
        std::uint16_t free_lane = 0;
        std::uint16_t credit_lane = 0;
        std::uint8_t finite = 0;        // bit per channel: credits are counted
        bool credit_at_once = true;     // credit_return is 0
        bool due = false;               // in due_
        std::uint8_t next_channel = 0;  // of the arbiter
        std::uint8_t stalled = 0;       // bit per cause of StallClock: its clock runs
        bool watched = false;           // what leaves is noted in port_log_, shares_ or trace_
        std::uint32_t on_wire = 0;      // the flit that left last; its message lives while the wire is busy
        std::array<std::int32_t, channel_count> credits{};
        std::array<std::int64_t, channel_count> queued{};  // flits waiting
        std::int64_t sent = 0;
        Time free_at;              // of the wire
        std::uint64_t waited = 0;  // by all flits, in ps modulo 2^64; of those that wait less the instants they came at
    };
    static_assert(sizeof(LinkState) == 64);
    // What it reads and writes where a link ends.
    struct LinkEnd {
        std::uint32_t at = no_id;  // the switch; no_id: an accelerator
        std::array<std::uint32_t, channel_count>
            sprayed{};  // flits that had a choice, from the port on, modulo spray_cycles_[at]
        std::uint16_t link_class = 0;
        bool counts_credits = false;
    };
    static_assert(sizeof(LinkEnd) == 16);
    // Time that a port stood still with a flit ready: per channel for want of a credit, and for want of a tag.
    static constexpr std::uint32_t no_tag = channel_count;
    struct StallClock {
        std::array<Time, channel_count + 1> since{};
        std::array<Duration, channel_count + 1> total{};
        std::int64_t peak_queue = 0;
    };
    struct Message {
        std::uint32_t destination = 0;
        std::uint32_t undelivered = 0;
    };
    // The rest of a port-message, looked at only when its first flit leaves and its last arrives.
    using Half = TransactionHalf;
    struct MessageOrigin {
        std::uint32_t collective = 0;
        std::uint32_t phase = 0;
        std::uint32_t source_rank = 0;
        std::uint32_t destination_rank = 0;
        Bytes bytes{0};
        Time injected;
        LinkId first_link = 0;
        LinkId answer_link = no_id;     // once the request has arrived
        std::uint32_t forward = 0;      // flits of writes or requests
        std::uint32_t back = 0;         // flits of responses or data
        std::uint32_t partner = no_id;  // the message that answers this one, once there is one
        std::uint32_t answered = 0;     // flits of it that were let go
        Half half = Half::write;
        bool may_answer = true;  // false until reply() for a read
        bool released_by_request = false;

        bool answers() const { return half == Half::response || half == Half::read_data; }
        std::uint32_t data_flits() const {
            return half == Half::read_request || half == Half::read_data ? back : forward;
        }
    };
    // What the last flit of a message went through since it was ready at its source. A wait in progress is entered as
    // its end minus its start.
    struct Toll {
        Time ready;
        Duration serialization{0};
        Duration credit_stall{0};
        Duration tag_wait{0};
    };
    // Flits that answer requests, first due first.
    struct Answers {
        std::uint32_t first = no_id;  // runs of answers_
        std::uint32_t last = no_id;
        boost::container::small_vector<CollectiveFlits, 1> data;  // waiting data that was read, by collective
    };

    const LinkClass& kind(LinkId id) const { return graph_.classes[ends_[id].link_class]; }
    void build_links();
    [[gnu::always_inline]] void mark(LinkId id) {
        LinkState& link = links_[id];
        if (link.free_at <= now_ && !link.due) {
            link.due = true;
            due_[due_ports_++] = id;
        }
    }
    // A flit at the end of a link.
    struct Arrival {
        LinkId from;
        std::uint32_t flit;
    };
    void take_arrivals();
    void take_landed();
    void fetch_for_decision(std::size_t place) const;
    [[gnu::always_inline]] void arrive(const Arrival& arrival, LinkId out);
    [[gnu::always_inline]] LinkId way_on(const Arrival& arrival);
    std::uint32_t choose(LinkId from, const LinkChoice& choice, std::uint32_t message, std::uint32_t channel);
    std::uint32_t next_sprayed(LinkEnd& end, std::uint32_t channel, std::uint32_t candidates);
    std::uint32_t draw(LinkId from, std::uint32_t channel, std::uint32_t candidates);
    std::uint32_t least_queued(const LinkChoice& choice, std::uint32_t first) const;
    void reset_spray();
    void reach_core(LinkId from, std::uint32_t message);
    void reach_completer(LinkId from, std::uint32_t message, std::uint32_t left);
    void reach_requester(std::uint32_t message, std::uint32_t left);
    void finish_data(std::uint32_t message);
    void let_answers_go(std::uint32_t message, std::uint32_t arrived);
    std::uint32_t new_answer(std::uint32_t message);
    void queue_answer(std::uint32_t message, std::uint32_t flits, bool last);
    std::int64_t waiting_data(LinkId id, std::uint32_t collective, std::int64_t added);
    std::int64_t opened_next(LinkId id);
    std::uint32_t answers_due(std::uint32_t message, std::uint32_t arrived) const;
    bool same_flow(std::uint32_t message, std::uint32_t other) const;
    PortMessage::Waiting waiting_from_now(LinkId id, std::uint32_t collective) const;
    void start_waiting(LinkId id, std::uint32_t channel, std::uint32_t message, std::int64_t flits_ahead);
    void stop_waiting(LinkId id, const LinkState& link, std::uint32_t channel, std::uint32_t message);
    Delivery delivery(std::uint32_t message) const;
    TimeParts path(std::uint32_t message) const;
    void add_latencies(LinkId first, std::uint32_t destination, TimeParts& parts) const;
    NodeId sender(const MessageOrigin& origin) const {
        return graph_.links[origin.answers() ? origin.answer_link : origin.first_link].from;
    }
    std::uint32_t new_message();
    [[gnu::always_inline]] void release(LinkId id, std::uint32_t channel);
    [[gnu::always_inline]] void give_credit(LinkId id, std::uint32_t channel);
    void decide_all();
    [[gnu::always_inline]] void decide(LinkId id);
    [[gnu::always_inline]] void send(LinkId id, LinkState& link, std::uint32_t channel);
    void watch_all();
    void free_message(std::uint32_t message);
    void trace_injection(const Injection& injection, LinkId id);
    void trace_answer(std::uint32_t message, std::uint32_t flits);
    void trace_arrival(LinkId from, LinkId out, std::uint32_t message, std::uint32_t channel);
    void trace_waiting(FlitTrace::Waiting waiting);
    FlitTrace::OnWire on_wire(std::uint32_t message) const;
    FlitTrace::Clock clock(LinkId id, std::uint32_t channel) const;
    TracedMessage trace_key(std::uint32_t message) const;
    Time departure(LinkId from) const;
    TimeParts traced_path(std::uint32_t message) const;
    Duration waited(const LinkState& link) const;
    StallRecord stall_record(LinkId id, std::uint32_t cause) const;
    [[gnu::always_inline]] void note_waiting(LinkId id, const LinkState& link);
    void start_stalls(LinkId id, LinkState& link, std::uint32_t ready);
    void end_stalls(LinkId id, LinkState& link, std::uint32_t causes);
    // A flit to send, and whether it is the last of its message.
    struct NextFlit {
        std::uint32_t message;
        bool last;
    };
    SourceQueues::Current& begin_request(LinkId id);
    [[gnu::always_inline]] NextFlit next_request(LinkId id);
    [[gnu::always_inline]] NextFlit next_answer(LinkId id);
    void note_departure(LinkId id, std::uint32_t channel, const NextFlit& next, LinkId input);
    std::uint32_t start_message(const PortMessage& next, LinkId link);
    Duration stall(LinkId id, std::uint32_t cause) const;  // a channel's number, or no_tag
    OutputQueues& output(LinkId id, std::uint32_t channel) {
        return outputs_[std::size_t{id - first_switch_link_} * channel_count + channel];
    }
    const OutputQueues& output(LinkId id, std::uint32_t channel) const {
        return outputs_[std::size_t{id - first_switch_link_} * channel_count + channel];
    }

    const OutputQueues& first_queued(LinkId id) const { return output(id, links_[id].queued[0] > 0 ? 0 : 1); }

    const HostGraph& graph_;
    LinkId first_switch_link_;
    RoutingSpec routing_;
    TransactionRules rules_;
    std::uint64_t seed_;
    bool one_switch_;    // at most one lies between two accelerators, and it has no choice
    bool counts_parts_;  // of every message, as it goes
    bool explains_ = true;
    // Flits of a port-message may land by several ports in one instant; then the lowest comes first.
    bool many_landings_;
    // The state of more links leaves a cache of 1 MiB, so that fetching it ahead pays.
    static constexpr std::size_t links_nearby = 8192;
    bool far_apart_;
    Queue queue_;
    Time now_;
    LargeVector<LinkState> links_;
    LargeVector<LinkEnd> ends_;
    std::vector<std::uint32_t> spray_cycles_;  // per switch, a multiple of the sizes of its choices
    std::vector<std::uint64_t> draws_;         // per link and channel, of random routing
    LargeVector<StallClock> clocks_;
    LargeVector<LinkId> due_;  // ports that decide when the instant closes; room for all, each stands once
    std::uint32_t due_ports_ = 0;
    LargeVector<OutputQueues> outputs_;  // per switch link and channel
    FlitRuns runs_;
    SourceQueues sources_;          // per accelerator link, requests
    std::vector<Answers> answers_;  // per accelerator link
    FlitRuns answer_runs_;
    std::vector<LinkId> way_back_;   // of each link to an accelerator, the link that leaves the same port
    LargeVector<Message> messages_;  // of flits under way
    LargeVector<MessageOrigin> origins_;
    LargeVector<Toll> tolls_;
    std::vector<Transactions> transactions_;  // of messages of ualink, their answers included
    std::vector<std::int64_t> open_;          // per accelerator link: transactions, if tags are limited
    struct Kept {
        std::uint32_t at;
        std::uint32_t choice;
    };
    std::vector<boost::container::small_vector<Kept, 2>> kept_;  // per message: ways that all its flits go, if they do
    LargeVector<Arrival> arrivals_;                              // at switches in the open instant
    LargeVector<Arrival> landed_;                                // at accelerators
    LargeVector<std::uint32_t> free_messages_;
    std::vector<Delivery> deliveries_;
    std::deque<TimeParts> parts_;  // of them
    std::vector<std::uint32_t> wakes_;
    std::vector<MessageRecord> records_;
    bool recording_ = false;
    FlitTrace trace_;
    PortLog port_log_;
    LinkShares shares_;
    std::int64_t flits_outside_ = 0;    // injected, not delivered
    std::int64_t credits_outside_ = 0;  // on their way back
    std::uint64_t events_ = 0;
    NetworkStatistics totals_;
    EventHash hash_;
};

extern template class FlitNetwork<LaneQueue>;

}  // namespace simlette
