// Queues of an accelerator's ports: message after message, each made when the port comes to it.
//
// One FIFO per port. An injection puts a cursor into the FIFO of each port that carries a part of it; the
// cursor goes along the injection's messages and picks what striping gives to its port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <simlette/base/large_pages.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/planes.hpp>
#include <simlette/fabric/stretches.hpp>
#include <simlette/fabric/striping.hpp>
#include <simlette/fabric/traffic.hpp>
#include <simlette/fabric/transactions.hpp>

namespace simlette {

// The part of a message that one port carries.
struct PortMessage {
    const Injection* injection = nullptr;  // until the next one is added
    OutMessage message;
    PortBytes bytes;  // of the message, on every port that this one stands for
    Transactions transactions;
    // Since when its flits have waited, and what the port had done by then.
    struct Waiting {
        Time ready;
        Duration stall{0};  // of the port's request channel until then
        Duration tag_wait{0};
        Duration wire{0};        // the rest of a flit of the same collective that was on the wire
        std::int64_t flits = 0;  // of the same collective that had left
    };
    Waiting waiting;
};

// What the ports of its source get of an injection, those of all planes.
struct Spread {
    Stretches stretches;
    std::vector<std::int64_t> flits;  // forward, by port
    Bytes largest{0};                 // port-message
    std::int64_t messages = 0;        // of ports
    std::int64_t powers = 0;          // of two, that are nearest to the flits of each of them: the sum of exponents
    std::vector<bool> differs;        // by port: of some message it carries something else than the port before
};

class SourceQueues {
public:
    // With a plane of several the graph is that plane, and striping goes over all of them.
    SourceQueues(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules, std::uint64_t seed,
                 const Plane& plane = {});
    void stand_at(const Plane& plane) { plane_ = plane; }

    // The same on every plane. Good until the next one.
    // Requires: a link leads to every destination.
    const Spread& spread(const Injection& injection) {
        const Lone lone = lone_of(injection);
        if (lone.bytes.count == 0 || !(lone == lone_)) {
            lone_ = lone;
            spread_anew(injection);
        }
        return spread_;
    }
    // Calls queued(link, flits) for each port that has forward flits to send; it returns since when they wait (`flits`
    // aside). Returns these flits in all.
    template <class Queued>
    std::int64_t add(const Injection& injection, const Spread& spread, Queued&& queued) {
        const LinkId first = first_link_[injection.source];
        const std::uint32_t links = first_link_[injection.source + 1] - first;
        std::int64_t all = 0;
        std::uint32_t held = no_id;
        largest_ = std::max(largest_, spread.largest);
        for (std::uint32_t i = 0; i < links; ++i) {
            const std::int64_t flits = spread.flits[i + plane_.index];
            if (flits > 0) {
                held = held == no_id ? hold(injection, spread.stretches) : held;
                append(first + i, flits, held, queued(first + i, flits));
                all += flits;
            }
        }
        return all;
    }
    template <class Queued>
    std::int64_t add(const Injection& injection, Queued&& queued) {
        return add(injection, spread(injection), queued);
    }

    // The message under way at a port, and its flits that have not left.
    struct Current {
        std::uint32_t message = 0;
        std::uint32_t flits_left = 0;
        std::uint32_t collective = 0;
        std::uint32_t destination = 0;  // accelerator
        bool fresh = false;             // none has left
    };
    void prefetch(LinkId link) const { __builtin_prefetch(&ports_[link]); }
    Current& current(LinkId link) { return ports_[link].current; }
    const Current& current(LinkId link) const { return ports_[link].current; }

    // The next port-message of the FIFO, which becomes the current one but for its `message`. Requires: one is there.
    PortMessage next(LinkId link);
    // Flits of the collective that have left the port since it was last without work.
    std::int64_t left(LinkId link, std::uint32_t collective) const;

    // Of all port-messages so far.
    Bytes largest() const { return largest_; }

    void clear();

private:
    struct Cursor {
        std::uint32_t injection = 0;
        std::uint32_t index = 0;    // of the next message
        std::uint32_t stretch = 0;  // that it belongs to, or one before
        std::int64_t before = 0;    // units of the messages before it
        std::int64_t left = 0;      // flits that its port has yet to take
        PortMessage::Waiting waiting;
        std::uint32_t next = no_id;
    };
    struct Begun {
        std::uint32_t collective;
        std::int64_t flits;  // of messages that have begun to leave
    };
    struct Port {
        Current current;
        std::uint32_t first = no_id;  // cursors
        std::uint32_t last = no_id;
        boost::container::small_vector<Begun, 1> begun;  // by collective; forgotten when the FIFO is empty
    };
    // A message that an injection has alone, as far as its spread over all ports depends on it. Of no bytes: none.
    struct Lone {
        Bytes bytes{0};
        std::int64_t first = 0;  // port whose turn it is
        bool read = false;
        std::uint8_t requests_per_control = 0;

        bool operator==(const Lone& other) const {
            return bytes == other.bytes && first == other.first && read == other.read &&
                   requests_per_control == other.requests_per_control;
        }
    };
    struct Held {
        Injection injection;
        Stretches stretches;
        std::uint32_t ports = 0;  // that have not finished with it
    };

    Lone lone_of(const Injection& injection) const {
        const PhaseSizes sizes = injection.messages->sizes(injection.rank, injection.phase);
        if (!sprays_to_all_ || sizes.messages != 1) {
            return {};
        }
        return {sizes.most, injection.before % ports_to_all(), injection.read, injection.requests_per_control};
    }
    void spread_anew(const Injection& injection);
    void spread_sprayed(const Injection& injection, const Stretch& stretch, std::int64_t messages, std::int64_t before);
    void spread_each(const Injection& injection, std::uint32_t begin, std::uint32_t end, std::int64_t before);
    void give(const Injection& injection, std::size_t port, Bytes bytes, std::int64_t times = 1);
    // The part of the next message that has one for a port.
    PortBytes find_sprayed(Cursor& cursor, const Held& held, LinkId link, OutMessage& message) const;
    Bytes find_each(Cursor& cursor, const Held& held, LinkId link, OutMessage& message) const;
    static void go_on(Cursor& cursor, const Held& held);  // to the next stretch
    static void read(Cursor& cursor, const Injection& injection, OutMessage& message);
    // Bytes that a link gets of a message, the one that stands at `position`.
    Bytes part(const OutMessage& message, std::uint32_t source, std::int64_t before, const Candidates& candidates,
               std::uint32_t position) const {
        Bytes bytes{0};
        const std::uint32_t end = position + candidates.places_at(position);
        for (; position < end; ++position) {
            bytes = bytes +
                    striping_.share(message, source, before, candidates.size() * plane_.count, position + plane_.index);
        }
        return bytes;
    }
    std::uint32_t ports_to_all() const { return graph_.ports_to_all * plane_.count; }
    // Of its accelerator. Requires: sprays_to_all_.
    std::uint32_t sprayed_port(LinkId link) const { return link % graph_.ports_to_all + plane_.index; }
    std::uint32_t hold(const Injection& injection, const Stretches& stretches);
    void append(LinkId link, std::int64_t flits, std::uint32_t held, PortMessage::Waiting waiting);
    void drop_first(Port& port);
    static void begin(Port& port, std::uint32_t collective, std::uint32_t destination, std::int64_t flits);

    const HostGraph& graph_;
    Plane plane_;
    TransactionRules rules_;
    Striping striping_;
    bool sprays_to_all_;  // messages, whatever their destination, over all ports
    LargeVector<Port> ports_;
    LargeVector<Cursor> cursors_;
    std::uint32_t free_cursor_ = no_id;
    LargeVector<Held> held_;
    std::vector<std::uint32_t> free_held_;
    Spread spread_;
    Lone lone_;  // that spread_ is of
    Bytes largest_{0};
    std::vector<LinkId> first_link_;  // of each accelerator, and one more
};

}  // namespace simlette
