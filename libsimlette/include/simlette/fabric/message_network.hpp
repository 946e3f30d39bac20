// A fabric in message mode: whole runs of flits at a time, by closed forms of what flit mode does one by one.
//
// The wire of a port is cut into slots of one flit time. From one decision to the next the pattern of what leaves is
// known: the channels that are able take turns, and within a channel the inputs that wait. A port therefore plans a run
// of slots up to the first that ends a message or spends the last credit, and comes back when the run is over or when
// something joins in. The head of a message reaches the next port as soon as its first flit does (cut-through); what
// was announced and does not come after all, because another message cut in, is recalled in time.
//
// A train of flits that follow each other at flit time keeps its input ready at every slot from its head to its tail,
// so heads and tails are all that need an event. Every link must have the same flit time.
//
// With unlimited buffers all times are those of flit mode. With finite ones a credit is taken to come back after the
// loop of an idle path: true of single flows, not of several that wait for one output. worst_lateness() says how late
// the credits would have been that a source has counted on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <simlette/base/span.hpp>
#include <simlette/engine/event_hash.hpp>
#include <simlette/engine/lane_queue.hpp>
#include <simlette/fabric/credit_window.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/message_table.hpp>
#include <simlette/fabric/source_queue.hpp>
#include <simlette/fabric/stall.hpp>
#include <simlette/fabric/statistics.hpp>
#include <simlette/fabric/traffic.hpp>
#include <simlette/fabric/trains.hpp>
#include <simlette/fabric/transactions.hpp>
#include <simlette/fabric/voq.hpp>

namespace simlette {

class MessageNetwork {
public:
    // The graph must outlive the network. Requires: all links have one flit time; Fidelity::paper.
    MessageNetwork(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules,
                   std::uint64_t seed);

    // As in FlitNetwork.
    Time now() const { return now_; }
    Time next_instant() const {
        const bool credits_alone = flits_outside_ == 0 && now_ < credits_home_;
        return credits_alone ? std::min(queue_.next(), credits_home_) : queue_.next();
    }
    void open(Time t);
    Span<Delivery> deliveries() const { return deliveries_; }
    Span<std::uint32_t> wakes() const { return wakes_; }
    void inject(const Injection& injection);
    // Of what was delivered the parts of its time are left out, so why the data goes now is of no account.
    void reply(const Delivery& request, bool released_by_request);
    void wake_at(Time t, std::uint32_t entity) { queue_.push_at(Turn::inject, {t, entity, 0}); }
    bool quiet() const { return flits_outside_ == 0 && now_ >= credits_home_; }
    void reset_arbiters();
    void close();
    void record_messages(bool on) { table_.record(on); }
    const std::vector<MessageRecord>& records() const { return table_.records(); }
    NetworkStatistics statistics() const;
    // `queue` counts messages from their heads on, so it may exceed what flit mode sees.
    std::vector<LinkStatistics> link_statistics() const;
    std::vector<Duration> wire_times() const;
    std::uint64_t events() const { return events_; }
    std::uint64_t event_hash() const { return table_.hash(); }
    StallReport explain() const;
    void clear();

    // The link whose source counted most on credits that came late, and by how much in all.
    struct Lateness {
        LinkId link = no_id;
        LinkId behind = no_id;  // the output where its flits waited longest
        Duration late{0};
    };
    Lateness worst_lateness() const;

    // Handlers of the queue.
    void deliver(const Event& event);
    void credit(const Event& event) { wake(event.entity); }
    void wire_free(const Event& event) { wake(event.entity); }
    void inject(const Event& event) { wakes_.push_back(event.entity); }
    void prefetch(Turn, const Event& event) const { __builtin_prefetch(&ports_[event.entity]); }

private:
    static constexpr std::size_t index(Channel channel) { return static_cast<std::size_t>(channel); }

    struct Port {
        Time free_at;               // of the wire
        Time start;                 // of the run under way
        std::uint32_t slots = 0;    // of the run under way; 0: none
        std::uint8_t channels = 0;  // bit per channel that takes part in it
        std::uint8_t first = 0;     // the channel of its first slot
        std::uint8_t next_channel = 0;
        std::uint8_t stalled = 0;
        bool due = false;
        bool to_accelerator = false;
        std::uint8_t limited = 0;  // bit per channel: credits bind the source of a lone flow
        std::uint16_t arrive_lane = 0;
        std::uint16_t core_lane = 0;
        std::uint32_t finished = no_id;  // the message whose last flit is on the wire
        std::uint32_t train = 0;         // the message of the run, announced ahead
        std::uint32_t at = no_id;        // the switch where it ends
        std::int64_t sent = 0;
        std::array<std::int64_t, channel_count> queued{};  // flits that wait or are announced
        std::array<LinkId, channel_count> next_input{};    // of the arbiter
    };
    using Inputs = boost::container::small_vector<Trains::Feed, 2>;
    struct StallClock {
        std::array<Time, channel_count> since{};
        std::array<Duration, channel_count> total{};
        std::int64_t peak_queue = 0;
    };
    struct Answers {
        std::uint32_t first = no_id;
        std::uint32_t last = no_id;
    };
    // Flits on their way to a switch: the next of a message, or the last of those announced that stay away.
    struct Arrival {
        std::uint32_t message = 0;
        std::uint32_t flits = 0;
        std::uint32_t channel = 0;
        bool recall = false;
        std::int64_t place = 0;  // of the first among the flits of its link and channel
    };
    // Credits that come back late, by the flits of their link that they pay for.
    struct LateCredits {
        std::int64_t place = 0;
        std::int64_t count = 0;
        Time back;
        Duration stride{0};
        Duration waited{0};  // the last of them, at the output
        LinkId output = no_id;
        LinkId link = no_id;
        std::uint32_t channel = 0;
    };
    // What a source link has sent in a channel, and what of it went back late.
    struct Debt {
        std::int64_t sent = 0;
        std::int64_t window = -1;  // the last one with a late credit
        Duration worst_in_window{0};
        Duration late{0};
        Duration longest{0};
        LinkId behind = no_id;
        std::vector<LateCredits> late_credits;  // for flits that have not left
    };

    void build_ports();
    void mark(LinkId id);
    void wake(LinkId id);
    void wake_port_at(LinkId id, Time t);
    void add_wake_lanes();
    bool from_switch(LinkId id) const { return id >= first_switch_link_; }

    // Runs.
    void decide(LinkId id);
    void plan_one(LinkId id, Port& port, std::uint32_t channel, std::uint32_t ready);
    void plan_both(LinkId id, Port& port);
    void start_run(LinkId id, Port& port, std::uint32_t channels, std::uint32_t first, std::int64_t slots);
    std::int64_t slots_to_first_end(LinkId id, std::uint32_t channel) const;
    std::int64_t paid(LinkId id, std::uint32_t channel, Time from, Duration stride, std::int64_t most) const;
    std::uint32_t begun(const Port& port) const;
    void interrupt(LinkId id);
    void commit(LinkId id, Port& port, std::uint32_t done);
    void serve(LinkId id, Port& port, std::uint32_t channel, std::uint32_t flits, Time first, Duration stride);
    void serve_source(LinkId id, std::uint32_t channel, std::uint32_t flits, Time last);
    void serve_inputs(LinkId id, Port& port, std::uint32_t channel, std::uint32_t flits, Time first, Duration stride);
    void left(LinkId id, std::uint32_t message, std::uint32_t flits, Time last);
    void finish(LinkId id, Port& port);
    void announce(LinkId id, Port& port, std::uint32_t channel, std::uint32_t flits, bool recall);
    std::uint32_t head_message(LinkId id, std::uint32_t channel) const;
    void prepare_head(LinkId id, std::uint32_t channel, Time when);
    std::size_t first_feed(LinkId id, std::uint32_t channel) const;

    // Messages.
    void arrive(LinkId from, const Port& port, const Arrival& arrival);
    void reach_core(LinkId from, std::uint32_t message);
    void answer(std::uint32_t message);
    void add_waiting(LinkId id, std::uint32_t channel, std::int64_t flits);

    // Credits.
    bool finite(LinkId id, std::uint32_t channel) const { return graph_.class_of(id).credits[channel] != unlimited; }
    // A slot behind a link falls free at t.
    void credit_leaves(LinkId id, Time t) {
        credits_home_ = std::max(credits_home_, t + graph_.class_of(id).credit_return);
    }
    Duration idle_loop(LinkId id) const;
    void note_late(LinkId output, std::uint32_t channel, const Trains::Served& served, Time first, Duration stride);
    void check_late(Debt& owed, std::uint32_t flits, Time first, Duration stride);
    void owe(Debt& owed, const LateCredits& late);
    void start_stalls(LinkId id, Port& port, std::uint32_t ready);
    void end_stalls(LinkId id, Port& port);
    Duration stall(LinkId id, std::uint32_t channel) const;

    Inputs& inputs(LinkId id, std::uint32_t channel) {
        return inputs_[std::size_t{id - first_switch_link_} * channel_count + channel];
    }
    const Inputs& inputs(LinkId id, std::uint32_t channel) const {
        return inputs_[std::size_t{id - first_switch_link_} * channel_count + channel];
    }
    CreditWindow& window(LinkId id, std::uint32_t channel) {
        return windows_[std::size_t{id} * channel_count + channel];
    }
    const CreditWindow& window(LinkId id, std::uint32_t channel) const {
        return windows_[std::size_t{id} * channel_count + channel];
    }
    Debt& debt(LinkId id, std::uint32_t channel) { return debts_[std::size_t{id} * channel_count + channel]; }

    const HostGraph& graph_;
    LinkId first_switch_link_;
    bool responses_;  // to writes
    Duration flit_time_;
    LaneQueue queue_;
    Time now_;
    std::vector<Port> ports_;
    std::vector<StallClock> clocks_;
    std::vector<CreditWindow> windows_;
    std::vector<Debt> debts_;
    std::vector<LinkId> due_;
    std::vector<Inputs> inputs_;  // per switch link and channel, by input, those with flits
    Trains trains_;
    struct WakeLane {
        Duration delay;
        LaneQueue::LaneId lane;
    };
    std::vector<WakeLane> wake_lanes_;   // for the delays that came first
    std::vector<Duration> more_delays_;  // that get a lane when the queue is at rest
    std::vector<Arrival> arrivals_;
    std::vector<std::uint32_t> free_arrivals_;
    SourceQueues sources_;
    std::vector<Answers> answers_;
    FlitRuns answer_runs_;
    std::vector<LinkId> way_back_;
    MessageTable table_;
    std::vector<Delivery> deliveries_;
    std::vector<std::uint32_t> wakes_;
    std::int64_t flits_outside_ = 0;  // of messages that were not delivered
    Time credits_home_;               // when the last credit is back
    std::uint64_t events_ = 0;
    Time first_injection_ = Time::never();
};

}  // namespace simlette
