// The ports of one plane of a fabric, window by window: what each lets leave, and what its flits set off.
//
// A plane is a part of a fabric that no link joins to the rest. Its ports go through a window one by one, in reverse
// order of channel dependencies: a port comes after those that its flits go on to, so the credits that those give back
// are known, whatever their delay. Where nothing goes back to another port they go from the sources on: see
// one_direction(). A port handles runs: flits of one message that follow each other at flit time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <simlette/base/large_pages.hpp>
#include <simlette/base/tally.hpp>
#include <simlette/engine/event_hash.hpp>
#include <simlette/fabric/flit_trace.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/planes.hpp>
#include <simlette/fabric/run_queues.hpp>
#include <simlette/fabric/source_queue.hpp>
#include <simlette/fabric/stall.hpp>
#include <simlette/fabric/statistics.hpp>
#include <simlette/fabric/traffic.hpp>
#include <simlette/fabric/transactions.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

// Of each link one more than of any link that its flits go on by; empty if links depend on each other in a cycle.
std::vector<std::uint32_t> channel_stages(const HostGraph& graph);

// What landings make known.
struct Told {
    std::vector<Delivery> deliveries;
    std::vector<MessageRecord> records;
    NetworkStatistics totals;
    EventHash hash;
    Tally latencies;  // of port-messages

    // Takes all of another but its deliveries.
    void take_sums(Told& other);
};

// What the planes of a fabric share: what is told at the open instant and before, and what is traced as ports go on.
struct SweepAccount {
    Time now;  // the instant that is open
    Told told;
    std::deque<TimeParts> parts;  // of those that were traced
    bool recording = false;
    bool tallying = false;
    FlitTrace trace;
};

// By itself in the cache: several threads may have one each.
class alignas(64) SweepPlane {
public:
    struct Landing {
        Time time;  // of the last of these flits
        std::uint32_t flit = 0;
        std::uint32_t count = 0;
        LinkId link = 0;
        std::uint16_t slot = 0;  // of the plane
    };
    static_assert(sizeof(Landing) == 24);

    // The graph and the account must outlive it.
    SweepPlane(const HostGraph& graph, const Plane& plane, const RoutingSpec& routing, const TransactionRules& rules,
               std::uint64_t seed, SweepAccount& account);
    // From now on it is another one of those that look alike, or stands for fewer of them.
    void stand_at(const Plane& plane);
    const Plane& plane() const { return plane_; }
    bool carries(std::uint32_t plane) const {
        return plane >= plane_.index && plane < plane_.index + plane_.stands_for;
    }

    Duration window() const { return window_; }
    Duration long_window() const { return long_window_; }  // of one that goes ahead of the deliveries
    // Of flits to accelerators from `from` on, and the largest message on any plane; without what is on its way.
    Outlook::Pace pace(Time from) const;
    // To each accelerator: flits on their last link, and of messages that were not delivered whole.
    void add_on_way(std::vector<std::int64_t>& flits) const;

    // Ports decide before one instant, and see what comes before the other.
    void run(Time decide_before, Time absorb_before);
    // The same; what lands before the instant is told, as one lot: nothing but the plane reacts to it.
    void run_ahead(Time decide_before, Duration window);
    struct Lot {
        Told told;
        std::int64_t landings = 0;
        Time last;  // of them
    };
    Lot& lot() { return lot_; }
    // Nothing goes back from where flits come to, but credits of accelerators to the ports that spend them: a window
    // may be as long as one likes if ports go through it from the sources on.
    bool one_direction() const { return !switch_credits_ && rules_.responses == ResponsePolicy::none; }
    // All flits of a port-message take the same links.
    bool one_way() const { return one_way_; }
    // When a port has something to do next.
    Time attention() const { return attention_; }
    Time first_landing() const { return first_landing_; }
    Time last_event() const { return last_event_; }
    // Moves those before an instant.
    void move_landings(Time before, LargeVector<Landing>& to);
    void add_landing(const Landing& landing) {
        landings_.push_back(landing);
        landings_.back().slot = static_cast<std::uint16_t>(plane_.slot);
        first_landing_ = std::min(first_landing_, landing.time);
        last_landing_ = std::max(last_landing_, landing.time);
    }
    const Spread& spread_of(const Injection& injection) { return sources_.spread(injection); }
    void inject(const Injection& injection, const Spread& spread);
    void reply(std::uint32_t id, bool released_by_request);
    // What deliver() looks at first.
    const void* message_of(const Landing& landing) const { return messages_.data() + (landing.flit >> 2U); }
    void deliver(const Landing& landing);
    bool carries_flits() const { return flits_outside_ > 0; }
    Time credits_home() const { return credits_home_; }
    void reset_arbiters();
    void clear();

    std::uint64_t events() const { return events_; }
    Time first_injection() const { return first_injection_; }
    // The rest requires that its ports have come to the open instant.
    Duration stalled_for(LinkId link, std::uint32_t channel) const;
    LinkStatistics link_statistics(LinkId link) const;
    Duration wire_time(LinkId link) const;
    std::vector<WaitingPort> waiting() const;

private:
    // A port is known by its place in the order of a window.
    using Place = std::uint32_t;
    // A run on its way to a port. At a switch its flits come a flit time apart, at a source all at once.
    struct Inbound {
        Time time;  // of the first
        FlitRun run;
        std::uint32_t input = no_id;  // of a switch: which of its feeders
    };
    struct CreditRun {
        Time time;  // of the first, the others follow a flit time apart
        std::int64_t count = 0;
    };
    static constexpr CreditRun no_credit{Time::never(), 0};
    // All that a port needs lies together, what others write first.
    struct alignas(64) Port {
        // While the port is at hand in order of time, and after the last one comes one that never does.
        std::array<LargeVector<CreditRun>, channel_count> credit_inbox;
        std::array<std::int64_t, channel_count> queued{};
        alignas(64) LargeVector<Inbound> inbox;
        Time free_at;  // of the wire
        std::array<std::int64_t, channel_count> credits{};
        std::int64_t peak_queue = 0;
        Time idle_before;          // until then a visit would find nothing to do
        std::uint64_t waited = 0;  // as in FlitNetwork
        std::int64_t sent = 0;
        Duration flit_time{0};
        Duration delay{0};              // from the start of a flit to its arrival
        Duration credit_loop{0};        // of a link to an accelerator: until its credit pays for another
        std::uint32_t at = no_id;       // the switch where it ends; no_id: an accelerator
        std::uint32_t input = no_id;    // of that switch
        std::uint32_t to = no_id;       // the accelerator
        std::uint32_t feeders = no_id;  // first of the switch where it begins
        LinkId link = 0;
        std::uint32_t on_wire = 0;  // a flit of the run that left last
        std::uint8_t finite = 0;
        std::uint8_t next_channel = 0;
        std::uint8_t stalled = 0;
        std::uint8_t rotates = 0;  // channels whose flits leave in turn many in one step, see send_in_turn()
        std::array<Time, channel_count> stalled_since{};
        std::array<Duration, channel_count> stall{};
        std::array<RunQueues, channel_count> outputs;  // of a switch
        RunPool pool;
        RunFifo answers;                                     // of an accelerator
        std::array<std::uint32_t, channel_count> sprayed{};  // to the switch where it ends
        std::array<std::uint64_t, channel_count> draws{};
    };
    struct alignas(64) Message {
        Time ready;  // of its last flit at its source; of data that was read see Delivery::taken
        Time injected;
        Bytes whole_bytes{0};  // with the next two what it carries, see PortBytes
        std::uint16_t last_port = 0;
        std::uint16_t missing = 0;
        std::uint32_t collective = 0;
        std::uint32_t phase = 0;
        std::uint32_t source_rank = 0;
        std::uint32_t destination_rank = 0;
        LinkId first_link = 0;
        LinkId answer_link = no_id;     // once the request has arrived
        std::uint32_t flits = 0;        // of data
        std::uint32_t undelivered = 0;  // of the half that is under way
        std::uint16_t port = 0;         // of the accelerator that sends first
        bool read : 1 = false;
        bool answered : 1 = false;  // the data that was asked for has been let go
        bool released_by_request : 1 = false;
    };
    static_assert(sizeof(Message) == 64);
    // More of a message of ualink. If its transactions are answered one by one, what answers it is a message too.
    struct Exchange {
        Transactions transactions;
        std::int64_t answered = 0;      // flits that were let go
        std::int64_t reached = 0;       // that may go, or transactions that end, once all that is to land has landed
        std::uint32_t partner = no_id;  // what answers it, once that is under way
        std::uint32_t landing = 0;      // flits that have come to their last link
        std::uint32_t untold = 0;       // of these, since one set something off
    };
    // Of an accelerator's port whose tags are limited.
    struct Tags {
        std::int64_t open = 0;         // transactions
        std::vector<CreditRun> freed;  // in the window, in order of time
        std::size_t next = 0;          // of them, not taken
        Time since;                    // when the port began to stand still for want of a tag, if it does
        Duration stall{0};
    };
    static constexpr std::uint32_t no_tag = channel_count;  // as a cause of a stall, beside the channels
    // What one port does in one window.
    struct Pass {
        Port& port;
        Time before;                                     // where decisions end
        const Inbound* arrival = nullptr;                // the next of due_
        std::array<CreditRun*, channel_count> credit{};  // the next of the inbox
        bool sent = false;
    };

    void build_ports();
    void build_pace();
    void build_long_window();
    std::uint32_t rotating_channels() const;
    void order_ports();
    void list_feeders();
    void run_window_ahead(Time decide_before);
    void run_ports_ahead(Time decide_before);
    void run_from_sources(Time decide_before);
    void end_run(Time decide_before);
    void tell_landings(Time before);
    // Calls per_landing(landing) for those before an instant.
    template <class PerLanding>
    void take_landings(Time before, PerLanding&& per_landing) {
        if (first_landing_ >= before) {
            return;
        }
        first_landing_ = Time::never();
        last_landing_ = {};
        std::size_t kept = 0;
        for (const Landing& landing : landings_) {
            if (landing.time < before) {
                per_landing(landing);
                continue;
            }
            first_landing_ = std::min(first_landing_, landing.time);
            last_landing_ = std::max(last_landing_, landing.time);
            landings_[kept++] = landing;
        }
        landings_.resize(kept);
    }
    // Flits come to a core.
    void come_home(const Landing& landing) {
        if (landing.time >= tell_before_) {
            add_landing(landing);
            return;
        }
        __builtin_prefetch(message_of(landing));
        landed_.push_back(landing);
    }
    void tell_landed();
    // Flits of a message come by several links, so that their times say which of them completes it.
    bool lands_in_order() const { return traces() || !(one_way_ || lands_once_); }
    Told& told() { return goes_ahead_ ? lot_.told : account_.told; }
    Place place_of(const Port& port) const { return static_cast<Place>(&port - ports_.data()); }
    void need(Place place) { busy_[place / 64] |= std::uint64_t{1} << place % 64; }
    void expect(Time t) { attention_ = t < attention_ ? t : attention_; }

    // A port in a window. Of one that is idle in all of it just the step is counted.
    bool passes_by(Place place, Time absorb_before) {
        const Time next = ports_[place].idle_before;
        if (next < absorb_before) {
            return false;
        }
        ++events_;
        need(place);
        expect(next);
        return true;
    }
    template <bool at_switch, bool has_tags = false>
    void visit(Place place, Time decide_before, Time absorb_before);
    template <bool at_switch>
    void take_due(Port& port, Time before);
    void cut_runs(Port& port, Time before);
    void leave_later(Port& port);
    static void take_credits(Pass& pass);
    template <bool at_switch>
    [[gnu::always_inline]] void absorb(Pass& pass, Time until);
    template <bool at_switch>
    [[gnu::always_inline]] void absorb_one(Port& port, const Inbound& arrival);
    template <bool at_switch, bool has_tags>
    void finish(Pass& pass, Time decide_before, Time absorb_before);
    // Of the channels that are ready, those that have a credit. More are taken only where there is none in hand.
    static std::uint32_t paid(Pass& pass, std::uint32_t ready, Time now) {
        const bool first = (ready & 1U) != 0 && pays(pass, 0, now);
        const bool second = (ready & 2U) != 0 && pays(pass, 1, now);
        return (first ? 1U : 0U) | (second ? 2U : 0U);
    }
    static bool pays(Pass& pass, std::uint32_t channel, Time now) {
        while (pass.port.credits[channel] <= 0 && pass.credit[channel]->time <= now) {
            take_credit(pass, channel, now);
        }
        return pass.port.credits[channel] > 0;
    }
    // Takes the next credits that are due, as far as they have come by `until`. Requires: the first of them has.
    static void take_credit(Pass& pass, std::uint32_t channel, Time until) {
        if (pass.credit[channel]->count > 1) {
            take_credit_run(pass, channel, until);
            return;
        }
        ++pass.port.credits[channel];
        ++pass.credit[channel];
    }
    static void take_credit_run(Pass& pass, std::uint32_t channel, Time until);
    static void return_credits(Pass& pass, std::uint32_t channel, Time until);
    static Time next_returned(const Port& port, std::uint32_t channel);
    static Time next_change(const Pass& pass, std::uint32_t ready);
    std::int64_t payable(const Pass& pass, std::uint32_t channel, Time from, std::int64_t most) const;
    std::int64_t to_come(Time after, Duration flit_time) {
        return arriving_.empty() ? 0 : runs_to_come(after, flit_time);
    }
    std::int64_t runs_to_come(Time after, Duration flit_time);
    void note_queue(Port& port, std::int64_t waiting) {
        port.peak_queue = waiting > port.peak_queue ? waiting : port.peak_queue;
    }
    void note_left_waiting(Port& port, Time start, std::int64_t flits);
    void note_longest_queue(Port& port, Time start, std::int64_t flits);
    template <bool at_switch>
    std::int64_t next_run(const Port& port, std::uint32_t channel);
    std::int64_t flits_in_a_row(const Pass& pass, std::uint32_t channel, std::uint32_t ready, Time start,
                                std::int64_t most) const;
    template <bool at_switch>
    [[gnu::always_inline]] RunQueues::Served serve(Port& port, std::uint32_t channel, Time start, std::uint32_t flits);
    template <bool at_switch>
    [[gnu::always_inline]] void send(Pass& pass, std::uint32_t channel, Time start, std::int64_t flits);
    // Of instants with a stride, modulo 2^64.
    static std::uint64_t sum_of_times(Time first, std::int64_t count, Duration stride) {
        if (count == 1) {
            return static_cast<std::uint64_t>(first.ps);
        }
        const auto n = static_cast<std::uint64_t>(count);
        const std::uint64_t pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
        return static_cast<std::uint64_t>(first.ps) * n + static_cast<std::uint64_t>(stride.ps) * pairs;
    }
    static void count_sent(Pass& pass, std::uint32_t channel, Time start, std::int64_t flits) {
        Port& port = pass.port;
        port.queued[channel] -= flits;
        port.waited += sum_of_times(start, flits, port.flit_time);
        port.sent += flits;
        pass.sent = true;
        port.free_at = start + port.flit_time * flits;
        port.next_channel = static_cast<std::uint8_t>(1U - channel);
    }
    template <bool at_switch>
    void send_run(Pass& pass, std::uint32_t channel, Time start, std::int64_t flits);
    void send_in_turn(Pass& pass, std::uint32_t channel, Time start, std::int64_t most);
    void land_in_turn(Port& port, std::uint32_t channel, Time first, std::int64_t flits);
    bool stalls_alone(const Pass& pass, std::uint32_t ready) const;
    Time take_stall(Pass& pass, std::uint32_t channel, Time now);

    // Trains: flits of one message that the same credits pay for again and again.
    template <bool at_switch>
    [[gnu::noinline]] bool send_train(Pass& pass, std::uint32_t channel, Time now);
    std::int64_t rounds_ahead(const Pass& pass, std::uint32_t channel, std::int64_t flits) const;
    std::int64_t spend_rounds(Pass& pass, std::uint32_t channel, std::int64_t rounds, Time now);

    template <bool has_tags>
    Time stall(const Pass& pass, std::uint32_t ready, Time now);
    void start_stalls(Port& port, std::uint32_t ready, Time now);
    void end_stalls(Port& port, Time now);
    // The message under way at a port; the next one begins if none is.
    SourceQueues::Current& begin_request(LinkId id) {
        SourceQueues::Current& current = sources_.current(id);
        if (current.flits_left == 0) {
            begin_message(id);
        }
        return current;
    }
    void begin_message(LinkId id);
    std::uint32_t start_message(const PortMessage& next, LinkId link);

    // Tags of a port in a window.
    std::uint32_t take_tags(const Port& port, std::uint32_t ready, Time now);
    std::int64_t opened_by(LinkId id, std::int64_t flits);
    std::int64_t flits_with_tags(const Port& port, std::int64_t most);
    Time enough_tags(const Port& port, std::uint32_t ready);
    void note_tag_stall(const Port& port, std::uint32_t ready, Time now);
    bool waits_for_tag(const Port& port, Time until);
    Duration tag_stall(const Port& port, Time at) const;

    // Where flits go on to.
    [[gnu::always_inline]] void go_on(Port& port, const FlitRun& run, Time arrives);
    void put(Place out, const FlitRun& run, std::uint32_t input, Time arrives) {
        Port& port = ports_[out];
        port.inbox.push_back({arrives, run, input});
        port.idle_before = std::min(port.idle_before, arrives);
        need(out);
        expect(arrives);
    }
    void spread(Port& port, const FlitRun& run, const Place* choices, std::uint32_t count, Time arrives);
    void put_each(Place out, const FlitRun& run, const Port& input, Time arrives);
    // For all flits of a message alike, unless each takes its turn.
    std::uint32_t choose(Port& port, const FlitRun& run, std::uint32_t candidates) {
        return flit_by_flit_ ? turn(port, run.channel(), candidates) : choose_once(port, run, candidates);
    }
    std::uint32_t choose_once(Port& port, const FlitRun& run, std::uint32_t candidates);
    std::uint32_t turn(Port& port, std::uint32_t channel, std::uint32_t candidates) const {
        if (routing_.policy == RoutingPolicy::random) {
            return draw(port, channel, candidates);
        }
        const std::uint32_t cycle = spray_cycles_[port.at];
        std::uint32_t& sprayed = port.sprayed[channel];
        const std::uint32_t turn = sprayed;
        sprayed = turn + 1 == cycle ? 0 : turn + 1;
        return cycle == candidates ? turn : turn % candidates;
    }
    std::uint32_t draw(Port& port, std::uint32_t channel, std::uint32_t candidates) const;
    void reset_spray();
    void land(const Port& port, const FlitRun& run, Time first) {
        on_way_[port.to] += run.count;
        if (!counts_landings() || traces()) {
            tell_landing(port, run, first);
        } else if (completes(run)) {
            come_home({first + port.flit_time * (run.count - 1), run.flit, run.count, port.link});
        }
    }
    void tell_landing(const Port& port, const FlitRun& run, Time first);
    bool is_told(const FlitRun& run);
    // The core is told of what completes a message alone.
    bool counts_landings() const { return lands_once_ && sources_.largest().count > flit_bytes.count; }
    // No flit of its message is to land after these. Requires: all of them come by the same link.
    bool completes(const FlitRun& run) {
        std::uint32_t& to_land = to_land_[run.message()];
        to_land -= run.count;
        return to_land == 0;
    }
    void land_one_by_one(const Port& port, const FlitRun& run, Time first);
    std::uint32_t next_to_tell(Exchange& exchange, bool answer, std::uint32_t most) const;
    void keep_credits(Pass& pass, std::uint32_t channel, const CreditRun& run);
    void give_credits(Place to, std::uint32_t channel, const CreditRun& run, Duration flit_time);

    // Of messages that are traced.
    struct TracedInjection {
        LinkId link;
        Time time;
        FlitTrace::Range wanted;
        FlitTrace::Flow flow;
    };
    bool traces() const { return account_.trace.on(); }
    FlitTrace::MessageKey traced_as(std::uint32_t id) const { return FlitTrace::MessageKey{plane_.index} << 32U | id; }
    std::uint32_t wanted_of(std::uint32_t id) const { return account_.trace.wanted_of(traced_as(id)); }
    bool follows(const FlitRun& run) const { return traces() && wanted_of(run.message()) != no_id; }
    // Something that is followed waits there.
    bool follows_at(const Port& port) const { return traces() && account_.trace.waits_at(in_whole(port.link)); }
    // Of the half that is under way; not of ualink.
    static std::int64_t message_flits(const Message& message, bool answer) {
        return message.read == answer ? message.flits : 1;
    }
    // Of the accelerator that sends first, on the plane or the first of those that it stands for.
    std::uint32_t port_number(const Message& message) const { return message.port + plane_.index; }
    static PortBytes bytes_of(const Message& message) {
        return {message.whole_bytes, message.last_port, message.missing};
    }
    LinkId in_whole(LinkId link) const { return plane_.links == nullptr ? link : (*plane_.links)[link]; }
    // An answer is ready.
    struct TracedAnswer {
        std::uint32_t message;
        Time time;
        FlitTrace::Flight before;
    };
    TracedMessage trace_key(std::uint32_t id, std::uint32_t channel) const;
    FlitTrace::OnWire on_wire(std::uint32_t id, std::uint32_t channel) const;
    FlitTrace::Clock clock(const Port& port, std::uint32_t channel, Time at) const;
    void note_injection(const Injection& injection, LinkId link);
    void note_answer(std::uint32_t id);
    void trace_injections(const Port& port, Time at);
    FlitTrace::Flight take_answer(std::uint32_t id, Time at);
    void trace_arrival(const Port& port, const Inbound& arrival, bool at_switch);
    void trace_waiting(const Port& port, FlitTrace::Waiting waiting, Time at);
    void trace_departure(const Port& port, const FlitRun& run, LinkId input, Time start);
    bool trace_landing(const Landing& landing);
    void tell_parts(std::uint32_t message, Delivery& delivery);

    // Deliveries.
    void reach_completer(std::uint32_t id, const Landing& landing);
    void finish_data(std::uint32_t id, Time at);
    std::uint64_t hash_of_phase(const Message& message);
    void tell(const Delivery& delivery);
    void queue_answer(std::uint32_t id, std::uint32_t flits, Time at);
    void put_answer(std::uint32_t id, std::uint32_t flits, bool last, Time at);
    void deliver_one_by_one(const Landing& landing);
    void take_requests(std::uint32_t id, LinkId from);
    void take_answers(std::uint32_t id, std::uint32_t flits);
    void let_answers_go(std::uint32_t id);
    std::uint32_t new_answer(std::uint32_t id);
    Delivery delivery(std::uint32_t id, Time at) const;
    std::uint32_t new_message();
    void free_message(std::uint32_t id);
    Duration stall_of(const Port& port, std::uint32_t channel) const;
    const Port& port_of(LinkId link) const { return ports_[place_[link]]; }

    const HostGraph& graph_;
    Plane plane_;
    SweepAccount& account_;
    LinkId first_switch_link_;
    RoutingSpec routing_;
    TransactionRules rules_;
    std::uint64_t seed_;
    bool one_rate_;      // runs keep their form from link to link
    bool one_way_;       // all flits of a port-message take the same links
    bool lands_once_;    // only the flits that complete a message are told to land, though they part on the way
    bool flit_by_flit_;  // flits of one port-message part at switches
    bool switch_credits_ = false;  // some link to a switch has finite credits
    Duration window_{0};
    Duration long_window_{0};  // of one that goes ahead of the deliveries
    Lot lot_;
    struct HashedPhase {
        std::uint32_t collective = no_id;
        std::uint32_t phase = no_id;
        std::uint64_t begun = 0;
    };
    HashedPhase hashed_;       // that a message landed of last
    bool goes_ahead_ = false;  // what lands is told in lot_
    Time tell_before_;         // what lands before then is told at once
    std::vector<Landing> landed_;
    Time decided_;                    // decisions before it have been made
    Time attention_ = Time::never();  // when a port has something to do next
    Time last_event_;
    LargeVector<Port> ports_;
    std::vector<Place> place_;  // of each link
    std::vector<LinkId> order_;
    Outlook::Pace pace_;                // of one plane
    std::vector<std::int64_t> on_way_;  // see add_on_way()
    std::vector<std::uint64_t> busy_;   // bit per place: something waits or is on its way there
    // Where a switch sends on: to its own group, to others.
    struct Onward {
        std::uint32_t own_group = no_id;
        Place first_down = no_id;
        std::uint32_t first_choice = 0;  // of HostGraph::choices
    };
    std::vector<Onward> onward_;
    // What brings flits to a switch; those of one switch stand together, by link.
    struct Feeder {
        LinkId link;
        Place place;
        Duration credit_return;
        std::uint32_t finite = 0;  // as Port::finite
    };
    std::vector<Feeder> feeders_;
    std::vector<std::uint32_t> first_feeder_;  // of each switch, and one more at the end
    std::vector<Place> choices_;               // as HostGraph::choice_links
    SourceQueues sources_;
    std::vector<std::uint32_t> spray_cycles_;
    std::vector<LinkId> way_back_;
    LargeVector<Message> messages_;
    LargeVector<std::uint32_t> to_land_;  // flits of each message, where the plane counts them
    LargeVector<std::uint32_t> free_messages_;
    std::vector<Exchange> exchanges_;  // of messages, with Fidelity::ualink
    std::vector<Tags> tags_;           // of links from accelerators, if tags are limited
    struct Kept {
        std::uint32_t at;
        std::uint32_t channel;
        std::uint32_t choice;
    };
    std::vector<boost::container::small_vector<Kept, 2>> kept_;
    LargeVector<Landing> landings_;  // after the window
    Time first_landing_ = Time::never();
    Time last_landing_;
    // Of the port at hand; after the last one comes one that never does.
    std::vector<Inbound> due_;
    Inbound* due_end_ = nullptr;
    std::vector<CreditRun> arriving_;  // runs that have begun to arrive
    std::int64_t flits_outside_ = 0;
    Time credits_home_;
    std::uint64_t events_ = 0;  // steps of ports and deliveries
    Time first_injection_ = Time::never();
    LargeVector<std::uint32_t> freed_;  // while messages are traced: one may still be on a wire in this window
    std::vector<TracedInjection> traced_injections_;
    std::deque<TracedAnswer> traced_answers_;
};

}  // namespace simlette
