// What goes into a network and what comes out of it.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <simlette/base/span.hpp>
#include <simlette/base/units.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/fabric/statistics.hpp>

namespace simlette {

// One message as its source names it.
struct OutMessage {
    std::uint32_t destination = 0;       // accelerator
    std::uint32_t destination_rank = 0;  // what the sender calls it
    Bytes bytes{0};                      // 0: nothing is sent; at most most_message_bytes
};

// Keeps the flits of a message in 32 bits, packing included.
inline constexpr Bytes most_message_bytes{std::int64_t{1} << 40};

// Between which sizes all messages of a rank in a phase lie; of none where that is not known.
struct PhaseSizes {
    std::uint32_t messages = 0;
    Bytes least{0};
    Bytes most{0};
};

// Messages of one rank in one phase, made when a port comes to them, so that nothing is stored ahead. Threads of a
// network ask at the same time, though never while one injects or a delivery is told: answers only read.
class MessageSource {
public:
    virtual ~MessageSource() = default;
    virtual PhaseSizes sizes(std::uint32_t, std::uint32_t) const { return {}; }
    // The message at `index` of what `rank` sends in `phase`; false past the last. The same answer every time.
    virtual bool message(std::uint32_t rank, std::uint32_t phase, std::uint32_t index, OutMessage& out) const = 0;
};

// A rank starts a phase: its messages enter the queues of its ports, in order. What it writes leaves as it is; for what
// it reads a request flit leaves for each port-message, and `destination` is who holds the data.
struct Injection {
    const MessageSource* messages = nullptr;  // outlives the delivery of the last of them
    std::uint32_t source = 0;                 // accelerator
    std::uint32_t rank = 0;
    std::uint32_t collective = 0;
    std::uint32_t phase = 0;
    bool read = false;
    std::uint8_t requests_per_control = 2;  // with Fidelity::ualink
    std::int64_t before = 0;                // units of earlier messages of the source that striping goes on from
};

// Who injects, asked how long a network may go on before it tells what it delivered.
class Outlook {
public:
    // From `from` on, an accelerator is sent at most one flit a port in each span `apart`, and `per_round` in each
    // `round`.
    struct Pace {
        Time from;
        Duration apart;
        std::uint32_t ports = 1;
        Bytes largest{0};  // port-message that was injected
        // To each accelerator: flits on their last link, and of messages that were not delivered whole. Empty: none.
        Span<std::int64_t> on_way{};
        std::int64_t per_round = 1;
        Duration round = apart;
    };
    virtual ~Outlook() = default;
    // No delivery before it sets off an injection or a reply, or ends a collective.
    virtual Time first_reaction(const Pace& pace) const = 0;
};

// A flit at one port of its way.
struct HopRecord {
    LinkId link = 0;
    std::uint32_t channel = 0;
    Time ready;
    Time left;
    Duration own{0};    // wire busy with flits of its own flow
    Duration stall{0};  // wire idle: no credit, or at an accelerator no tag; the rest went to rivals
    struct Rival {
        std::uint32_t collective = 0;
        std::uint32_t source_rank = 0;
        std::uint32_t destination_rank = 0;
        bool answer = false;
        std::int64_t flits = 0;
    };
    std::vector<Rival> rivals;  // each once, in any order
};

// The last flit of a port-message reached the core of its destination, or a request for one reached who holds the data.
struct Delivery {
    std::uint32_t message = 0;  // for FlitNetwork::reply
    bool asked = false;         // a request: the data is still to be sent
    std::uint32_t collective = 0;
    std::uint32_t phase = 0;
    std::uint32_t source_rank = 0;
    std::uint32_t destination_rank = 0;
    std::uint32_t port = 0;
    std::int64_t flits = 0;
    Bytes bytes{0};  // on all of `planes`
    Time injected;
    Time at;  // the instant that is open; in a lot of a SweepNetwork that or an earlier one
    // Since its last flit was ready at its source. Of data that was read: since the request was ready, or since the
    // data was, whichever its departure waited for.
    Duration taken{0};
    // What that went through, kept by the network while the instant is open; nullptr: nobody looked, and all of it
    // counts as `wait`. Beyond one switch only traced messages are looked at.
    const TimeParts* parts = nullptr;
    bool released_by_request = false;  // `taken` includes the request
    // Of a SweepNetwork: the slot of the plane, and how many it stands for; each delivered the same on its port, from
    // this one on.
    std::uint32_t slot = 0;
    std::uint32_t planes = 1;
};

// Of deliveries in a phase the last counts, of several at one instant the lowest (source, destination, port). Takes a
// Delivery, or what is kept of one.
template <class Delivered>
bool counts_before(const Delivered& a, const Delivered& b) {
    if (a.at != b.at) {
        return a.at > b.at;
    }
    return std::tie(a.source_rank, a.destination_rank, a.port) < std::tie(b.source_rank, b.destination_rank, b.port);
}

}  // namespace simlette
