// Queues of an accelerator's ports: message after message, each made when the port comes to it.
//
// One FIFO per port. An injection puts a cursor into the FIFO of each port that carries a part of it; the
// cursor walks the injection's messages and picks what striping gives to its port.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/striping.hpp>
#include <simlette/fabric/traffic.hpp>

namespace simlette {

// The part of a message that one port carries.
struct PortMessage {
    Injection injection;
    OutMessage message;
    Striping::Share share;
};

class SourceQueues {
public:
    SourceQueues(const HostGraph& graph, const RoutingSpec& routing, std::uint64_t seed);

    // Calls queued(link, flits) for each port that has flits to send: of the messages themselves, or one for each
    // port-message that is read. Returns these flits in all.
    // Requires: a link leads to every destination.
    template <class Queued>
    std::int64_t add(const Injection& injection, Queued&& queued) {
        std::int64_t flits = 0;
        for (const PortLoad& load : spread(injection)) {
            append(load);
            const std::int64_t leaving = injection.read ? load.messages : load.flits;
            queued(load.link, leaving);
            flits += leaving;
        }
        return flits;
    }

    // The message under way at a port, and its flits that have not left.
    struct Current {
        std::uint32_t message = 0;
        std::uint32_t flits_left = 0;
    };
    Current& current(LinkId link) { return ports_[link].current; }
    const Current& current(LinkId link) const { return ports_[link].current; }

    // The next port-message of the FIFO. Requires: one is there.
    PortMessage next(LinkId link);

    void clear();

private:
    struct PortLoad {
        LinkId link;
        std::int64_t flits;
        std::int64_t messages;
    };
    struct Cursor {
        std::uint32_t injection = 0;
        std::uint32_t index = 0;  // of the next message
        std::int64_t before = 0;  // units of the messages before it
        std::int64_t left = 0;    // flits that its port has yet to take
        std::uint32_t next = no_id;
    };
    struct Port {
        Current current;
        std::uint32_t first = no_id;  // cursors
        std::uint32_t last = no_id;
    };
    struct Held {
        Injection injection;
        std::uint32_t ports = 0;  // that have not finished with it
    };

    // What each port of the source gets of an injection, by link, and holds the injection for them.
    const std::vector<PortLoad>& spread(const Injection& injection);
    void append(const PortLoad& load);
    void drop_first(Port& port);
    std::uint32_t hold(const Injection& injection);

    const HostGraph& graph_;
    Striping striping_;
    std::vector<Port> ports_;
    std::vector<Cursor> cursors_;
    std::uint32_t free_cursor_ = no_id;
    std::vector<Held> held_;
    std::vector<std::uint32_t> free_held_;
    std::vector<PortLoad> loads_;  // of the injection at hand
    std::uint32_t at_hand_ = no_id;
    std::vector<LinkId> first_link_;  // of each accelerator, and one more
};

}  // namespace simlette
