// What a simulation measured, as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/units.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

// Flits of one collective, their answers included.
struct CollectiveFlits {
    std::uint32_t collective = 0;
    std::int64_t flits = 0;
};

// One directed link and the port that feeds it.
struct LinkStatistics {
    std::string name;                             // a0.p3->s3.p0, s3.p1->a1.p3, a0.p2->a4.p2
    std::int64_t flits = 0;                       // sent, both channels
    std::int64_t bytes = 0;                       // 640 x flits
    Duration busy{0};                             // flits x flit time
    std::array<Duration, channel_count> stall{};  // wire idle, a flit ready, no credit
    std::int64_t queue = 0;                       // the largest number of flits left waiting at the end of an instant
    // By all its flits together, from being ready to their start; over a time it is the mean length of the queue. Exact
    // below 2^63 ps.
    Duration waited{0};
    std::vector<CollectiveFlits> shares = {};  // whose flits they are, by collective, ascending; if that was asked for
};

struct NetworkStatistics {
    std::int64_t flits = 0;                // of data, of the port-messages that were delivered
    std::int64_t response_flits = 0;       // delivered answers to writes
    std::int64_t request_flits = 0;        // delivered requests to read
    std::int64_t payload_bytes = 0;        // of the port-messages that were delivered
    std::int64_t payload_bytes_due = 0;    // of everything registered so far
    std::int64_t port_messages = 0;        // delivered
    std::uint64_t events = 0;              // processed; specific to the engine
    Time first_injection = Time::never();  // start of the first flit
    Time last_delivery;
    Duration stall_total{0};     // over all ports and channels
    Duration stall_max_port{0};  // of the port and channel with the most
};

// Where the time of a completion went, by cause. The parts add up to the time exactly.
struct TimeParts {
    Duration endpoint{0};
    Duration protocol{0};
    Duration propagation{0};
    Duration switching{0};      // electronic and optical switches
    Duration serialization{0};  // own flits on the wire, those of the same source and collective included
    Duration credit_stall{0};   // wire idle, no credit
    Duration contention{0};     // wire busy with flits of others, or with responses
    Duration wait{0};           // what is left: late starts, reductions, fences

    Duration total() const {
        return endpoint + protocol + propagation + switching + serialization + credit_stall + contention + wait;
    }
    TimeParts& operator+=(const TimeParts& other) {
        endpoint += other.endpoint;
        protocol += other.protocol;
        propagation += other.propagation;
        switching += other.switching;
        serialization += other.serialization;
        credit_stall += other.credit_stall;
        contention += other.contention;
        wait += other.wait;
        return *this;
    }
};

// The flits of one (collective, phase, source, destination) on one port.
struct MessageRecord {
    std::uint32_t collective = 0;
    std::uint32_t phase = 0;
    std::uint32_t source = 0;       // rank
    std::uint32_t destination = 0;  // rank
    std::uint32_t port = 0;         // of the source accelerator
    std::int64_t bytes = 0;         // payload of its flits
    std::int64_t flits = 0;
    Time injected;   // start of its first flit
    Time delivered;  // arrival of its last flit at the core
};

// What a flit belongs to: data that is written, the answer to it, a request for data, data that was asked for.
enum class TransactionHalf : std::uint8_t { write, response, read_request, read_data };

// The flits of one port-message, or of what answers it, on one directed link: from the start of the first to the end of
// the last.
struct PassageRecord {
    std::uint32_t link = 0;
    TransactionHalf half = TransactionHalf::write;
    bool whole = false;  // all its flits have left
    std::uint32_t collective = 0;
    std::uint32_t phase = 0;
    std::uint32_t source = 0;       // rank
    std::uint32_t destination = 0;  // rank
    std::int64_t bytes = 0;         // payload of the port-message
    std::int64_t flits = 0;         // that have left
    Time start;
    Time end;
};

// A port stood still with a flit ready.
struct StallRecord {
    std::uint32_t link = 0;
    enum class Wants : std::uint8_t { request_credit, response_credit, tag };
    Wants wants = Wants::request_credit;
    Time start;
    Time end;  // so far, if it goes on
};

// A rank in a phase of a collective, from entering it to entering the next or finishing.
struct PhaseRecord {
    std::uint32_t collective = 0;
    std::uint32_t rank = 0;
    std::uint32_t phase = 0;
    bool ended = false;
    Time start;
    Time end;  // so far, if it goes on
};

// A port and channel that cannot go on, and whom it waits for.
struct BlockedPort {
    std::string port;
    Channel channel = Channel::request;
    std::string waits_for;
};

// Why nothing moves any more.
struct StallReport {
    Time since;
    std::vector<BlockedPort> cycle;  // each waits for the next, the last for the first; empty if there is no cycle
    std::string text;                // one sentence for people
};

}  // namespace simlette
