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

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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

using CollectiveId = std::uint32_t;  // CollectiveSpec::id, or the number registered before

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

// A candidate of `auto-simulated`, as it did with the fabric to itself, in flit mode.
struct ScheduleTrial {
    ScheduleKind kind = ScheduleKind::automatic;
    std::string schedule;           // its name
    std::optional<Duration> takes;  // unset: it was not simulated to its end
    Duration at_least{0};           // as far as known
    std::string reason;             // why `takes` is unset
    bool chosen = false;            // one of them is: the fastest, of equal ones the first
};

struct CollectiveReport {
    CollectiveId id = 0;
    std::string schedule;  // the schedule that ran: `one-shot`
    std::string form;      // what it did: `direct`, `flooding`, `exchange`
    std::uint32_t groups = 1;
    std::uint32_t ranks = 0;  // of each group
    std::uint32_t phases = 0;
    Bytes bytes{0};
    std::int64_t messages = 0;  // between two ranks in a phase, over however many ports
    std::int64_t flits = 0;     // of all its messages
    Bytes payload{0};           // of all its messages
    bool finished = false;
    Time start;  // meaningful once it has started
    Time end;    // meaningful once it has finished, as what follows
    Time first_group_end;
    std::uint32_t slowest_group = 0;  // that ended last, of several the first
    // critical_path says where the time went. The reference knows it as soon as it has finished, on one level; in all
    // other cases flit mode does after find_paths().
    bool explained = false;
    TimeParts critical_path;            // of the slowest group; adds up to end - start; all zero unless explained
    Duration finish_skew{0};            // between the first and the last rank to finish, of any group
    std::vector<ScheduleTrial> trials;  // of `auto-simulated`, else empty
};

// One port that the critical path leads through, and what its last flit waited for there.
struct PathHop {
    std::string port;  // a0.p3
    Channel channel = Channel::request;
    Time ready;                // of the last flit
    Time left;                 // its start on the wire
    Duration own{0};           // wire busy with flits of the same source and collective
    Duration contention{0};    // wire busy with others
    Duration credit_stall{0};  // wire idle: no credit, or at an accelerator no tag
    Duration flit_time{0};     // its own time on the wire
    Duration latency{0};       // from there to the next port, or to the core
    struct Rival {
        CollectiveId collective = 0;
        std::uint32_t source = 0;  // ranks of its message
        std::uint32_t destination = 0;
        bool answer = false;     // a response, or data that was read
        std::int64_t flits = 0;  // that left while the last flit waited
    };
    std::vector<Rival> rivals;  // who had the wire meanwhile, most flits first
};

// One message of the critical path; the delivery of the one before released it.
struct PathStep {
    std::uint32_t phase = 0;
    std::uint32_t source = 0;  // rank
    std::uint32_t destination = 0;
    std::uint32_t port = 0;
    Time ready;
    Time delivered;
    std::vector<PathHop> hops;
};

struct SimulatorOptions {
    bool record_messages = false;  // keep a record of every port-message, for messages()
    bool tally_latency = false;    // count latencies of port-messages, for message_latency()
    Mode mode = Mode::flit;
    Engine engine = Engine::automatic;       // of flit mode
    bool record_ports = false;               // keep what was on every port when, for passages() and stalls()
    std::uint64_t record_limit = 2'000'000;  // the most passages, stalls and phases that are told, of each
    std::uint32_t threads = 1;               // 1 or more, at most; Engine::sweep shares planes that differ among them
    bool count_shares = false;               // tell in links() whose flits they are; flit mode
};

// How far find_paths() is.
struct PathProgress {
    Time now;
    Time end;  // of the last collective that has ended
    std::uint64_t events = 0;
};

class SIMLETTE_EXPORT Simulator {
public:
    // Throws Error{input} if the engine that is asked for cannot do it, and says why. Or if
    // the mode cannot carry the fabric: message mode packs no transactions and follows no choice
    // among links at switches, and only flit mode knows links of unequal rates.
    explicit Simulator(std::shared_ptr<const Fabric> fabric, SimulatorOptions options = {});
    ~Simulator();
    Simulator(Simulator&&) noexcept;
    Simulator& operator=(Simulator&&) noexcept;

    // Throws Error{input} and changes nothing when the collective does not fit the fabric, when its schedule fails the
    // proof by data flow, or when it would start before now().
    CollectiveId register_collective(const CollectiveSpec& given);

    // What `auto-simulated` makes of this collective: each of the choices of `auto` by itself on this fabric, until it
    // has ended or cannot be the fastest. This simulator stays as it is. Empty if `stop` was set meanwhile.
    // Throws Error{input} when the collective does not fit the fabric.
    std::vector<ScheduleTrial> try_schedules(const CollectiveSpec& collective,
                                             const std::atomic<bool>* stop = nullptr) const;

    // Runs until a collective completes, or nothing is left, or a limit would be passed. Collectives that complete at
    // one instant are returned one by one, by id; what is registered between takes part in that same instant.
    Advance advance(const Limits& limits = {});

    // Like advance(), but Idle only when nothing is on its way either: responses and credits have come home.
    Advance drain(const Limits& limits = {});

    // What carries flit mode, never `automatic`; and why the sweep does not, if the choice was free.
    Engine engine() const;
    const std::string& fallback_reason() const;  // empty: it does, or was not asked to

    Time now() const;

    // Makes a running advance() return Stopped soon. Safe from another thread and from a signal handler.
    void request_stop() noexcept;

    // Forgets all collectives, statistics and time; keeps memory.
    void reset();

    std::size_t collectives() const;
    CollectiveReport collective(CollectiveId id) const;  // Requires: registered
    NetworkStatistics statistics() const;
    // The same, of which stalls may lag behind: cheap at any time.
    NetworkStatistics progress() const;
    std::vector<LinkStatistics> links() const;  // by link id
    // How long each link has been busy up to now, by link id. Differences between two instants are its use meanwhile.
    std::vector<Duration> wire_times() const;
    // Sorted by (collective, phase, source, destination, port). Requires: options.record_messages.
    std::vector<MessageRecord> messages() const;
    // From the start of its first flit to the delivery of its last, the latency that `percent` of the port-messages
    // delivered so far do not exceed. Requires: options.tally_latency, one was delivered, 1 <= percent <= 100.
    Duration message_latency(unsigned percent) const;
    // Finds out where the time of these collectives went, of those that have finished: what entered the network enters
    // a second one, in which the messages of the critical paths are followed. Takes up to as much memory again, and
    // mostly less time than the simulation so far; more where that took long messages in one step. collective()
    // and explain() tell it from then on. `go_on` is asked now and then; if it says no, nothing is told and false
    // returned. Requires: flit mode.
    bool find_paths(const std::vector<CollectiveId>& ids, const std::function<bool(const PathProgress&)>& go_on);
    bool find_paths(const std::vector<CollectiveId>& ids);
    // The critical path of a collective, message by message and port by port.
    // Requires: find_paths() has found it.
    const std::vector<PathStep>& explain(CollectiveId id) const;
    // What was on every port when, by link, then start. Requires: flit mode, options.record_ports.
    std::vector<PassageRecord> passages() const;
    std::vector<StallRecord> stalls() const;
    // When every rank was in which phase, by collective, rank and phase. Requires: flit mode.
    std::vector<PhaseRecord> phases() const;
    // Passages, stalls and phases beyond options.record_limit. Requires: flit mode, options.record_ports.
    std::uint64_t unrecorded() const;
    // Equal for equal histories, whatever the engine: an order-independent sum over all port-messages.
    std::uint64_t event_hash() const;
    // Of what was simulated so far.
    Validity validity() const;

private:
    Advance run(const Limits& limits, bool drain);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace simlette
