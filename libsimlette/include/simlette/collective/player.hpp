// Plays schedules on a network: which rank starts which phase when.
//
// A rank needs every message addressed to it in its phase; at the instant the last of them is delivered it starts the
// next one. No rank waits for another unless the collective asks for a barrier. The player holds no network: it is told
// what was delivered and says what to inject, so any network with injections and deliveries can carry it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/fabric/traffic.hpp>

namespace simlette {

// One group of a collective under way. The ranks of its schedule are the members of the group; outside they are known
// by their places, which count through all groups of the collective.
class CollectiveRun final : public MessageSource {
public:
    // `accelerators`: of each rank of the group. Throws Error{input} if a message would be too long.
    CollectiveRun(std::uint32_t id, std::shared_ptr<const CollectiveSpec> spec,
                  std::shared_ptr<const Schedule> schedule, std::vector<std::uint32_t> accelerators,
                  std::uint32_t first_place = 0);

    PhaseSizes sizes(std::uint32_t place, std::uint32_t phase) const override;
    bool message(std::uint32_t place, std::uint32_t phase, std::uint32_t index, OutMessage& out) const override;

    const Schedule& schedule() const { return schedule_; }
    const CollectiveSpec& spec() const { return spec_; }
    Bytes payload() const { return payload_; }           // of all its messages
    std::int64_t flits() const { return flits_; }        // of all its messages, 640 bytes each
    std::int64_t messages() const { return messages_; }  // those that carry bytes
    std::uint32_t id() const { return id_; }
    std::uint32_t first_place() const { return first_place_; }
    bool started() const { return started_; }
    bool finished() const { return finished_ranks_ == schedule_.ranks; }
    Time end() const { return last_finish_; }
    Time first_finish() const { return first_finish_; }  // of a rank
    // Of the way to the message delivered last. Requires: finished().
    TimeParts critical_path() const;
    // The messages of that way, first sent first: each was released by the delivery of the one before.
    struct Step {
        std::uint32_t phase = 0;
        std::uint32_t source = 0;  // place
        std::uint32_t destination = 0;
        std::uint32_t port = 0;
        bool from_request = false;  // the way leads through the request of a read
        Time ready;                 // when its source, or with from_request its reader, entered the phase
        Time delivered;
    };
    std::vector<Step> critical_steps() const;
    // Of every rank that has started, in order, until `records` has `limit`; returns how many it leaves out.
    std::uint64_t append_phases(Time now, std::uint64_t limit, std::vector<PhaseRecord>& records) const;
    // When a rank entered a phase; Time::never(): it has not.
    Time entry(std::uint32_t place, std::uint32_t phase) const;
    // What a rank injects when it enters a phase; false: nothing. Requires: there is such a phase.
    bool injection(std::uint32_t place, std::uint32_t phase, Injection& out) const;
    std::uint32_t accelerator_of(std::uint32_t place) const { return accelerators_[place - first_place_]; }
    // See Outlook. Requires: started().
    Time first_reaction(const Outlook::Pace& pace) const;
    // Ranks that have not finished wait for messages: the lowest one. Requires: not finished().
    struct Waiting {
        std::uint32_t place = 0;
        std::uint32_t phase = 0;
    };
    Waiting lowest_waiting() const;

    // What the network should do now.
    struct Orders {
        std::vector<Injection> injections;
        std::vector<Delivery> replies;  // data that was asked for and may go; `released_by_request` says why now
    };
    // Requires: it is spec().earliest_start.
    void start(Time now, Orders& orders);
    // Those that set nothing off may come in any order. Returns whether it has finished by this.
    bool deliver(const Delivery& delivery, Orders& orders);
    // All ranks finish at `end`, for a caller that knows without messages. Requires: it has not started.
    void conclude(Time end);
    // A rank asks for data. It may go once its holder has entered the phase that the request belongs to. If the holder
    // does so in this very instant, it is not the request that the data waited for.
    void ask(Time now, const Delivery& request, Orders& orders);

private:
    Time entered(std::uint32_t phase, std::uint32_t rank) const {
        return spec_.earliest_start + way_to_[at(phase, rank)].total();
    }
    void count_traffic();
    void add_traffic(Bytes bytes, std::uint32_t times);

    std::int64_t needed(std::uint32_t phase, std::uint32_t rank) const {
        return alike_ ? needed_[phase] : needed_[std::size_t{phase} * schedule_.ranks + rank];
    }
    std::int64_t least_flits_lacking(std::uint32_t rank, const Outlook::Pace& pace) const;
    void enter(std::uint32_t rank, std::uint32_t phase, Time now, Orders& orders);
    void go_on(std::uint32_t rank, Time now, Orders& orders);
    void release_early(std::uint32_t rank, Orders& orders);
    void index_receivers();
    // A message of a phase by its two ends.
    struct Leg {
        std::uint32_t sender = 0;
        std::uint32_t receiver = 0;
        const Send* send = nullptr;
    };
    std::uint32_t peer_in_order(std::uint32_t rank, std::uint32_t index) const;
    bool leg_out(const Phase& phase, std::uint32_t rank, std::uint32_t index, Leg& leg) const;
    bool leg_in(std::uint32_t phase, std::uint32_t rank, std::uint32_t index, Leg& leg) const;

    std::uint32_t id_;
    std::shared_ptr<const CollectiveSpec> held_spec_;
    std::shared_ptr<const Schedule> held_schedule_;
    const CollectiveSpec& spec_;
    const Schedule& schedule_;
    std::vector<std::uint32_t> accelerators_;
    std::uint32_t first_place_;
    bool alike_;
    std::vector<PhaseSizes> sizes_;      // by phase, of a rank; only if all send alike
    std::vector<std::int64_t> needed_;   // bytes addressed to a rank, by phase, or by phase and rank
    std::vector<std::int64_t> arrived_;  // by phase and rank
    std::vector<std::uint32_t> phase_;   // of each rank; schedule_.phases.size(): finished
    std::vector<std::uint32_t> at_barrier_;
    std::vector<std::vector<Delivery>> early_;         // by holder: requests for a phase that it has not entered
    std::vector<std::vector<std::vector<Leg>>> into_;  // by phase and receiver; of reads with Symmetry::none
    // How a rank came to enter a phase, or would come to end it: the delivery it waited for, and what that went
    // through.
    struct Arrival {
        Time at{-1};
        std::uint32_t source_rank = 0;  // of the group
        std::uint32_t destination_rank = 0;
        std::uint32_t port = 0;
        std::uint32_t phase = 0;
        bool from_request = false;
        TimeParts parts;
        std::uint32_t released_by() const { return from_request ? destination_rank : source_rank; }
    };
    const Arrival& last_of(std::uint32_t phase, std::uint32_t rank) const {
        return last_of_[spec_.phase_barrier ? phase : std::size_t{phase} * schedule_.ranks + rank];
    }
    const Arrival* last() const;                     // of all; nullptr: there are no phases
    TimeParts way_of(const Arrival& arrival) const;  // from the start of the collective
    void go_on_by(std::uint32_t rank, const Arrival& last, Time now, Orders& orders);
    void note_arrival(const Delivery& delivery);
    std::size_t at(std::uint32_t phase, std::uint32_t rank) const {
        return std::size_t{phase} * schedule_.ranks + rank;
    }
    std::vector<TimeParts> way_to_;  // by phase and rank: to entering it
    std::vector<Arrival> last_of_;   // by phase and rank: the last delivery; with a barrier by phase
    std::uint32_t finished_ranks_ = 0;
    bool started_ = false;
    Time first_finish_;
    Time last_finish_;
    Bytes payload_{0};
    std::int64_t flits_ = 0;
    std::int64_t messages_ = 0;
};

// What leaves a source at one instant is ordered by collective, then phase; replies by the ends of their message too.
bool leaves_before(const Injection& a, const Injection& b);
bool leaves_before(const Delivery& a, const Delivery& b);

// A collective under way: one or more groups of equal size, each as if it were alone.
struct CollectiveGroups {
    std::uint32_t id = 0;
    std::vector<std::unique_ptr<CollectiveRun>> groups = {};
    std::uint32_t unfinished = 0;

    bool finished() const { return unfinished == 0; }
    std::uint32_t ranks() const { return groups.front()->schedule().ranks; }  // of a group
    CollectiveRun& of_place(std::uint32_t place) const {
        return groups.size() == 1 ? *groups.front() : *groups[place / ranks()];
    }
    // The group that ended last, of several the first. Requires: finished().
    std::size_t slowest() const;
    Time end() const { return groups[slowest()]->end(); }
};

// All collectives of a simulation.
class Player final : public Outlook {
public:
    // The next group of the collective that was added last, if it has the same id; else of a new one.
    // Requires: no other collective has this id; groups of a collective are equal in size and none has started.
    void add(std::unique_ptr<CollectiveRun> group);
    // The collective with this id, or nullptr.
    const CollectiveGroups* find(std::uint32_t id) const;
    void start(std::uint32_t id, Time now);
    void conclude(std::uint32_t id, Time end);

    // Phase one of instant t: what the network delivers sets off what is injected.
    template <class Network>
    void open(Network& network, Time t) {
        network.open(t);
        deliver(network.deliveries());
        for (const std::uint32_t id : network.wakes()) {
            start(id, t);
        }
    }

    // Ends the network's open instant: what started in it is injected, then the ports decide. A network on which
    // nothing is on its way starts afresh, so that equal collectives on an idle network take equal times.
    template <class Network>
    void close(Network& network) {
        if (!(orders_.injections.empty() && orders_.replies.empty()) && network.quiet()) {
            network.reset_arbiters();
            resets_.push_back(network.now());
        }
        sort_orders();
        for (const Injection& injection : orders_.injections) {
            network.inject(injection);
        }
        for (const Delivery& request : orders_.replies) {
            network.reply(request, request.released_by_request);
        }
        orders_.injections.clear();
        orders_.replies.clear();
        network.close();
    }

    Time first_reaction(const Pace& pace) const override;

    // The one with the lowest id among those that finished and were not taken; nullptr if there is none.
    const CollectiveGroups* take_finished();
    std::size_t unfinished() const { return collectives_.size() - finished_count_; }
    const std::vector<CollectiveGroups>& collectives() const { return collectives_; }  // as they were added
    // When the network started afresh.
    const std::vector<Time>& resets() const { return resets_; }
    void clear();

private:
    static constexpr std::size_t nowhere = SIZE_MAX;

    std::size_t index_of(std::uint32_t id) const;  // into collectives_, or nowhere
    void deliver(Span<Delivery> deliveries);
    void sort_orders();
    void note_finished(std::size_t index);

    std::vector<CollectiveGroups> collectives_;
    std::map<std::uint32_t, std::size_t> by_id_;
    CollectiveRun::Orders orders_;
    std::vector<std::size_t> finished_;  // not taken yet
    std::size_t finished_count_ = 0;
    std::vector<std::size_t> under_way_;  // started, not finished
    std::vector<Time> resets_;
};

}  // namespace simlette
