// The simulator: register collectives, advance to the next completion, read statistics.
//
//     auto fabric = simlette::build_fabric(spec);
//     simlette::Simulator simulator(fabric);
//     simulator.register_collective(all_reduce);
//     auto next = simulator.advance();
//     if (auto* done = std::get_if<simlette::Completed>(&next)) { use(done->end); }
//
// A simulator owns all its state; any number may live in one process, one a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/base/span.hpp>
#include <simlette/base/units.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/fabric/statistics.hpp>
#include <simlette/sim/mode.hpp>

namespace simlette {

using CollectiveId = std::uint32_t;  // counts from 0 in the order of registration

// What advance() came back with.
struct Completed {
    CollectiveId id = 0;
    Time start;  // when its first ranks began
    Time end;    // the last data delivery at any member
};
struct Idle {};  // nothing is registered that has not completed
struct Stalled {
    StallReport report;
};
struct Stopped {};  // request_stop() was called
struct LimitReached {};
using Advance = std::variant<Completed, Idle, Stalled, Stopped, LimitReached>;

// advance() returns LimitReached rather than pass one of these.
struct Limits {
    Time time = Time::never();          // everything stamped up to and including it is run
    std::uint64_t events = UINT64_MAX;  // processed by this call, checked between instants
};

struct CollectiveReport {
    CollectiveId id = 0;
    std::string schedule;  // the schedule that ran: `one-shot`
    std::string form;      // what it did: `direct`, `flooding`, `exchange`
    std::uint32_t ranks = 0;
    std::uint32_t phases = 0;
    Bytes bytes{0};
    std::int64_t flits = 0;  // of all its messages
    Bytes payload{0};        // of all its messages
    bool finished = false;
    Time start;               // meaningful once it has started
    Time end;                 // meaningful once it has finished
    Duration finish_skew{0};  // between the first and the last rank to finish
};

struct SimulatorOptions {
    bool record_messages = false;  // keep a record of every port-message, for messages()
    bool tally_latency = false;    // count latencies of port-messages, for message_latency()
    Mode mode = Mode::flit;
};

class SIMLETTE_EXPORT Simulator {
public:
    explicit Simulator(std::shared_ptr<const Fabric> fabric, SimulatorOptions options = {});
    ~Simulator();
    Simulator(Simulator&&) noexcept;
    Simulator& operator=(Simulator&&) noexcept;

    // Throws Error{input} and changes nothing when the collective does not fit the fabric, when its schedule fails the
    // proof by data flow, or when it would start before now().
    CollectiveId register_collective(const CollectiveSpec& collective);

    // Runs until a collective completes, or nothing is left, or a limit would be passed. Collectives that complete at
    // one instant are returned one by one, by id; what is registered between takes part in that same instant.
    Advance advance(const Limits& limits = {});

    Time now() const;

    // Makes a running advance() return Stopped soon. Safe from another thread and from a signal handler.
    void request_stop() noexcept;

    // Forgets all collectives, statistics and time; keeps memory.
    void reset();

    std::size_t collectives() const;
    CollectiveReport collective(CollectiveId id) const;
    NetworkStatistics statistics() const;
    std::vector<LinkStatistics> links() const;  // by link id
    // Sorted by (collective, phase, source, destination, port). Requires: options.record_messages.
    std::vector<MessageRecord> messages() const;
    // From the start of its first flit to the delivery of its last, the latency that `percent` of the port-messages
    // delivered so far do not exceed. Requires: options.tally_latency, one was delivered, 1 <= percent <= 100.
    Duration message_latency(unsigned percent) const;
    // Equal for equal histories, whatever the engine: an order-independent sum over all port-messages.
    std::uint64_t event_hash() const;
    // Of what was simulated so far.
    Validity validity() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace simlette
