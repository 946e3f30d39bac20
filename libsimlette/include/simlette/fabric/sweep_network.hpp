// A fabric in flit mode, window by window: bit-identical to FlitNetwork, without an event for each flit.
//
// A window is no longer than the shortest way of a flit to its next decision point, so nothing that leaves in it
// arrives in it: all arrivals of a window are known when it begins. First the caller takes the deliveries of the
// window, in order of time, and says what they set off. Then the ports go through it, plane by plane: see SweepPlane.
//
// As long as deliveries set off nothing but answers, each plane tells what lands in a window by itself, as one lot, in
// no order, and the caller takes that after the window. It may be as long as the shortest way to a switch then, where a
// port to an accelerator comes before the one that answers. Where nothing goes back to another port, neither credits
// nor answers, it may be of any length.
//
// Planes that look alike, stand next to each other and have carried the same so far are one SweepPlane. Once some are
// to carry something else, they go on by themselves, as a copy.
//
// It carries any routing but adaptive; misfit() says what it leaves to FlitNetwork.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <simlette/base/crew.hpp>
#include <simlette/base/large_pages.hpp>
#include <simlette/base/span.hpp>
#include <simlette/engine/event_heap.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/planes.hpp>
#include <simlette/fabric/stall.hpp>
#include <simlette/fabric/statistics.hpp>
#include <simlette/fabric/sweep_plane.hpp>
#include <simlette/fabric/traffic.hpp>
#include <simlette/fabric/transactions.hpp>

namespace simlette {

class SweepNetwork {
public:
    // The graph must outlive the network. Shares planes that differ among so many threads, at most: what it gives stays
    // the same. Requires: no misfit.
    SweepNetwork(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules, std::uint64_t seed,
                 std::uint32_t threads = 1);
    // Planes refer to it.
    SweepNetwork(const SweepNetwork&) = delete;
    SweepNetwork& operator=(const SweepNetwork&) = delete;
    // What it cannot carry; nullptr if it can.
    static const char* misfit(const HostGraph& graph, const RoutingSpec& routing);

    // As in FlitNetwork, but that instants are those of deliveries and wakes alone, and where a window may begin that
    // goes ahead or much has happened since the last. Deliveries of a lot are told at the last landing of its window,
    // each with its own time, plane by plane: the instant opens as many times. A lot has one delivery for several to
    // one rank in a phase: the one that counts, with the bytes of all.
    Time now() const { return account_.now; }
    // Runs the ports as far as it takes to know; not to `limit` or beyond.
    Time next_instant(Time limit);
    void open(Time t);
    Span<Delivery> deliveries() const { return account_.told.deliveries; }
    Span<std::uint32_t> wakes() const { return wakes_; }
    void inject(const Injection& injection);
    void reply(const Delivery& request, bool released_by_request);
    void wake_at(Time t, std::uint32_t entity) { alarms_.push({t, entity}); }
    bool quiet() const;
    void reset_arbiters();
    void close();
    // Brings every port to now(), for statistics.
    void settle();

    void record_messages(bool on) { account_.recording = on; }
    void tally_latencies(bool on) { account_.tallying = on; }
    // Follows the flits of these; before anything is injected.
    void trace(const std::vector<TracedMessage>& messages);
    // Leaves out what other ports of the accelerators carry, where planes are alike; before anything is injected.
    // Statistics are not known then. No ports: everything is carried.
    void carry_only(const std::vector<std::uint32_t>& ports);
    // Ports go ahead of now() as far as it allows; it must outlive the network.
    void look_out(const Outlook& outlook) { outlook_ = &outlook; }
    // Deliveries are still to be told from before what the ports have decided: not an instant to stop at.
    bool ahead() const { return now() < decided_; }
    const FlitTrace& traced() const { return account_.trace; }
    const std::vector<MessageRecord>& records() const { return account_.told.records; }
    const Tally& latencies() const { return account_.told.latencies; }
    // These require: settled.
    NetworkStatistics statistics() const;
    std::vector<LinkStatistics> link_statistics() const;
    std::vector<Duration> wire_times() const;
    std::uint64_t events() const;  // steps of ports and deliveries
    std::uint64_t event_hash() const { return account_.told.hash.value(); }
    StallReport explain() const;
    void clear();

private:
    static constexpr std::uint64_t many_events = 1 << 18;  // a caller may stop after so many
    using Landing = SweepPlane::Landing;

    Plane planes_from(std::uint32_t first, std::uint32_t count, std::uint32_t slot) const;
    bool carries_flits() const;
    // Those for which differs(plane) holds from the ones before them.
    template <class Differs>
    void part_planes(Differs&& differs);
    void part_landings(const std::vector<std::uint16_t>& origins);
    const SweepPlane& carrier_of(std::uint32_t plane) const;
    // Calls per_link(plane, its link, the link in the whole) for every link.
    template <class PerLink>
    void for_each_link(PerLink&& per_link) const;
    Time attention() const;
    Time first_landing() const;
    Time last_event() const;
    Time credits_home() const;

    void begin_window(Time start);
    void take_landings();
    void sort_landings();
    void run_ports(Time decide_before, Time absorb_before);
    // Calls work(plane) for each.
    template <class Work>
    void on_planes(Work&& work);
    // Of what is told a few landings after the one at a place. Not a function that fetches: the compiler drops calls of
    // those.
    const void* message_later(std::size_t place) const {
        constexpr std::size_t ahead = 16;
        const Landing& later = due_landings_[std::min(place + ahead, due_landings_.size() - 1)];
        return planes_[later.slot].message_of(later);
    }
    // Windows that go ahead of the deliveries.
    Outlook::Pace pace() const;
    void set_windows_a_lot(std::int64_t room, std::uint64_t events, bool whole);
    std::int64_t usual_landing() const;
    std::int64_t longest_landing(const Outlook::Pace& pace) const;
    bool may_grow(const Outlook::Pace& pace) const;
    Duration longest_window(const Outlook::Pace& pace) const;
    Time first_reaction(Outlook::Pace pace) const;
    Time lot_end(Time limit);
    void go_ahead(Time end);
    std::int64_t take_lots();
    // What lands on several planes at a time may be told in any order.
    bool earlier(const Landing& a, const Landing& b) const {
        return a.time != b.time || !many_landings_ ? a.time < b.time : a.link < b.link;
    }

    const HostGraph& graph_;
    bool many_landings_;  // as in FlitNetwork
    Planes split_;
    std::uint32_t plane_count_;
    SweepAccount account_;
    std::vector<SweepPlane> planes_;  // by slot
    const std::uint32_t threads_;
    std::unique_ptr<Crew> crew_;  // if there is more than one
    const Outlook* outlook_ = nullptr;
    Time start_;  // of the window
    Time end_;
    Time decided_;                        // decisions before it have been made
    bool looked_out_ = false;             // in this window
    Time calm_before_;                    // no delivery before it sets anything off, unless more is injected
    std::int64_t flits_a_landing_ = 0;    // as long windows have shown
    Duration lot_window_{0};              // a lot has several
    std::int64_t windows_a_lot_ = 1;      // since more was injected, unless one may be of any length
    std::int64_t injected_messages_ = 0;  // as Spread counts them
    std::int64_t injected_powers_ = 0;
    LargeVector<Landing> due_landings_;
    LargeVector<Landing> sorting_;
    std::size_t next_landing_ = 0;  // of due_landings_, to be told
    std::size_t lots_ = 0;          // planes whose lot is still to be told
    Time lots_at_;                  // when
    struct Alarm {
        Time at;
        std::uint32_t entity;

        bool operator<(const Alarm& other) const { return at != other.at ? at < other.at : entity < other.entity; }
    };
    EventHeap<Alarm> alarms_;
    std::vector<std::uint32_t> wakes_;
    std::uint64_t woken_ = 0;  // alarms that rang
};

// On one thread where flits are traced: what is known of them is kept in one place.
template <class Work>
void SweepNetwork::on_planes(Work&& work) {
    if (threads_ == 1 || planes_.size() == 1 || account_.trace.on()) {
        for (SweepPlane& plane : planes_) {
            work(plane);
        }
        return;
    }
    if (crew_ == nullptr) {
        crew_ = std::make_unique<Crew>(threads_);
    }
    auto on_plane = [&](std::size_t slot) { work(planes_[slot]); };
    crew_->share(planes_.size(), on_plane);
}

}  // namespace simlette
