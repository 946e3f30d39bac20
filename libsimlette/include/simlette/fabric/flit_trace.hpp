// Follows every flit of chosen messages: how long it waited at each port, and for whom.
//
// It is for a second run of what went into a network, once the first has told which messages matter. What a flit went
// through adds up exactly to its time from the source to the core.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/traffic.hpp>

namespace simlette {

// A port-message whose flits are to be followed, or the request to read one.
struct TracedMessage {
    std::uint32_t collective = 0;
    std::uint32_t phase = 0;
    std::uint32_t source = 0;  // of the data, as the network names it: its place in the group
    std::uint32_t destination = 0;
    std::uint32_t port = 0;  // of the accelerator that sends first: the source, or who reads
    TransactionHalf half = TransactionHalf::write;

    friend bool operator==(const TracedMessage& a, const TracedMessage& b) {
        return a.collective == b.collective && a.phase == b.phase && a.source == b.source &&
               a.destination == b.destination && a.port == b.port && a.half == b.half;
    }
};

class FlitTrace {
public:
    // Flits of one flow are own serialization to each other.
    struct Flow {
        std::uint32_t collective = 0;
        TransactionHalf half = TransactionHalf::write;
        NodeId sender = 0;

        friend bool operator==(const Flow&, const Flow&) = default;
    };
    struct OnWire {
        Flow flow;
        std::uint32_t source_rank = 0;
        std::uint32_t destination_rank = 0;

        friend bool operator==(const OnWire&, const OnWire&) = default;
    };
    // What a port has stood still so far: a channel for want of a credit, and for want of a tag.
    struct Clock {
        Duration credit_stall{0};
        Duration tag_wait{0};
    };
    struct Flight {
        TimeParts parts;
        std::vector<HopRecord> hops;
    };
    // A flit, or at a source all flits of a message that are ready at one time.
    struct Waiting {
        std::uint32_t wanted = 0;
        LinkId input = no_id;  // no_id: at a source
        std::uint32_t channel = 0;
        std::int64_t flits = 1;
        Flow flow;
        Clock at_ready;
        HopRecord hop;                     // link and ready are known, and how long its own flow still has the wire
        std::vector<std::int64_t> passed;  // by place in Port::passed: flits there before it was ready
        Flight before;
    };
    static constexpr std::int64_t all_flits = INT64_MAX;

    void want(const std::vector<TracedMessage>& messages);
    bool on() const { return !wanted_.empty(); }
    // The number of a message, or no_id: nobody asked for it.
    std::uint32_t find(const TracedMessage& message) const;
    // The numbers of those that differ from `like` in the far end alone.
    struct Range {
        std::uint32_t first;
        std::uint32_t last;  // past the end
    };
    Range find_all(const TracedMessage& like) const;

    // By what a network knows a message that is under way.
    using MessageKey = std::uint64_t;
    void begin(MessageKey message, const TracedMessage& key);
    // Its number, or no_id.
    std::uint32_t wanted_of(MessageKey message) const;
    void end(MessageKey message) { under_way_.erase(message); }

    // `wire`: who holds the wire at the moment, for how much longer.
    void wait(Waiting waiting, const OnWire& wire, Duration busy);
    bool waits_at(LinkId link) const { return ports_.count(link) != 0; }
    // A flit, perhaps the last of its message, takes the wire of a link at which something waits. `wanted`: of its
    // message, or no_id.
    void depart(LinkId link, std::uint32_t wanted, LinkId input, bool last, Time now, const LinkClass& kind,
                const Clock& clock, const OnWire& wire);
    // The flit of a wanted message that left for a link at `left` has come to its end.
    Flight arrive(LinkId link, std::uint32_t wanted, Time left);
    void reach_core(std::uint32_t wanted, Flight flight) { arrived_[wanted] = std::move(flight); }
    // Of the flit that arrived last so far; nullptr before the first.
    const Flight* arrived(std::uint32_t wanted) const;
    void clear();

private:
    // Flits of a message that took the wire of a port since something has waited there.
    struct Passed {
        OnWire wire;
        std::int64_t flits = 0;
    };
    struct WireHash {
        std::size_t operator()(const OnWire& wire) const;
    };
    struct Port {
        std::deque<Waiting> waiting;
        std::vector<Passed> passed;
        std::unordered_map<OnWire, std::size_t, WireHash> places;  // in `passed`
        std::size_t last = 0;                                      // place of the one that passed last

        std::size_t place_of(const OnWire& wire);  // of what has passed
    };
    static HopRecord hop_of(const Port& port, const Waiting& waiting, Duration flit_time);
    void leave(const Port& port, Waiting& waiting, Time now, const LinkClass& kind, const Clock& clock);

    std::vector<TracedMessage> wanted_;  // in order, the far end last
    std::unordered_map<MessageKey, std::uint32_t> under_way_;
    std::map<LinkId, Port> ports_;  // at which something waits
    std::map<std::pair<LinkId, std::uint32_t>, std::deque<Flight>> flying_;
    std::map<std::uint32_t, Flight> arrived_;
};

}  // namespace simlette
