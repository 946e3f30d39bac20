#include <algorithm>
#include <atomic>
#include <tuple>
#include <variant>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/base/tally.hpp>
#include <simlette/collective/analytic.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/player.hpp>
#include <simlette/collective/proof.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/sim/explain.hpp>
#include <simlette/sim/judge.hpp>
#include <simlette/sim/network.hpp>
#include <simlette/sim/simulator.hpp>

namespace simlette {

namespace {

std::vector<std::uint32_t> accelerators_of_group(const Fabric& fabric, const std::vector<std::uint32_t>& group) {
    const std::uint32_t ranks = fabric.graph.accelerators;
    std::vector<std::uint32_t> accelerators;
    std::vector<bool> seen(ranks, false);
    if (group.empty()) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            accelerators.push_back(fabric.accelerator_of(rank));
        }
        return accelerators;
    }
    for (const std::uint32_t rank : group) {
        if (rank >= ranks) {
            throw Error(ErrorKind::input, "rank " + std::to_string(rank) +
                                              " is outside the fabric; ranks run from 0 to " +
                                              std::to_string(ranks - 1));
        }
        if (seen[rank]) {
            throw Error(ErrorKind::input, "rank " + std::to_string(rank) + " is in the group twice");
        }
        seen[rank] = true;
        accelerators.push_back(fabric.accelerator_of(rank));
    }
    return accelerators;
}

// Circuits between the members, by their place in the group.
Overlay overlay_of(const Fabric& fabric, const std::vector<std::uint32_t>& accelerators, const LayerChoice& layers) {
    const HostGraph& graph = fabric.graph;
    Overlay overlay{static_cast<std::uint32_t>(accelerators.size())};
    overlay.layers = layers;
    if (!fabric.circuits()) {
        overlay.ports = graph.ports_to_all;
        return overlay;
    }
    std::vector<std::uint32_t> place(graph.accelerators, no_id);
    for (std::uint32_t i = 0; i < accelerators.size(); ++i) {
        place[accelerators[i]] = i;
    }
    overlay.neighbours.resize(accelerators.size());
    for (const HostLink& link : graph.links) {
        if (place[link.from] == no_id || place[link.to] == no_id) {
            continue;
        }
        std::vector<std::uint32_t>& peers = overlay.neighbours[place[link.from]];
        if (std::find(peers.begin(), peers.end(), place[link.to]) == peers.end()) {
            peers.push_back(place[link.to]);
        }
    }
    return overlay;
}

void check_group(const Fabric& fabric, const CollectiveSpec& spec, std::size_t members) {
    const bool world = members == fabric.graph.accelerators;
    if (fabric.circuits() && !world && spec.primitive != Primitive::send_recv) {
        throw Error(ErrorKind::input, "on circuits a group must be `world` in this version");
    }
}

[[noreturn]] void past_the_end() {
    throw Error(ErrorKind::input, "simulated time ends at " + std::to_string(last_instant.ps / ps_per_second) +
                                      " s; use fewer bytes, a faster rate or an earlier start");
}

}  // namespace

struct Simulator::State {
    State(std::shared_ptr<const Fabric> on, SimulatorOptions with)
        : fabric(std::move(on)), options(std::move(with)), network(network_for(*fabric, options.mode)) {
        observe();
    }

    void observe() {
        if (auto* flit = std::get_if<FlitNetwork<LaneQueue>>(&network)) {
            flit->record_messages(options.record_messages);
            flit->trace(options.traced_messages);
            if (options.record_ports) {
                flit->log_ports(options.record_limit);
            }
        } else if (auto* message = std::get_if<MessageNetwork>(&network)) {
            message->record_messages(options.record_messages);
        }
    }

    Time now() const {
        return std::visit([](const auto& one) { return one.now(); }, network);
    }

    void begin(CollectiveId id, const CollectiveSpec& spec, const std::vector<std::uint32_t>& accelerators) {
        if (auto* analytic = std::get_if<AnalyticNetwork>(&network)) {
            const Schedule& schedule = run(id).schedule();
            analytic->carry(id, spec.earliest_start, analytic_time(fabric->graph, spec, schedule, accelerators));
        } else if (spec.earliest_start == now()) {
            player.start(id, now());
        } else if (auto* message = std::get_if<MessageNetwork>(&network)) {
            message->wake_at(spec.earliest_start, id);
        } else {
            std::get<FlitNetwork<LaneQueue>>(network).wake_at(spec.earliest_start, id);
        }
    }

    // The parts of its critical path are known.
    bool explained(const CollectiveRun& run) const {
        const auto* flit = std::get_if<FlitNetwork<LaneQueue>>(&network);
        return flit != nullptr && (flit->explains_all() || path_traced(run, flit->traced()));
    }

    const FlitNetwork<LaneQueue>& recorded() const {
        const auto* flit = std::get_if<FlitNetwork<LaneQueue>>(&network);
        require(flit != nullptr && options.record_ports, "ports were recorded, in flit mode");
        return *flit;
    }

    std::uint64_t append_phases(std::vector<PhaseRecord>& records) const {
        std::vector<const CollectiveRun*> by_id;
        for (const auto& run : player.runs()) {
            by_id.push_back(run.get());
        }
        std::sort(by_id.begin(), by_id.end(), [](const auto* a, const auto* b) { return a->id() < b->id(); });
        std::uint64_t left_out = 0;
        for (const CollectiveRun* run : by_id) {
            left_out += run->append_phases(now(), options.record_limit, records);
        }
        return left_out;
    }

    template <class Carrier>
    void open(Carrier& carrier, Time t) {
        player.open(carrier, t);
        if (options.tally_latency) {
            for (const Delivery& delivery : carrier.deliveries()) {
                if (!delivery.asked) {
                    latencies.add((t - delivery.injected).ps);
                }
            }
        }
    }
    void open(AnalyticNetwork& analytic, Time t) {
        analytic.open(t);
        for (const CollectiveId id : analytic.ended()) {
            const CollectiveRun& ended = run(id);
            player.conclude(id, t);
            analytic.count(ended.flits(), ended.payload(), ended.spec().earliest_start);
        }
    }

    template <class Carrier>
    void close(Carrier& carrier) {
        player.close(carrier);
    }
    void close(AnalyticNetwork&) {}

    template <class Carrier>
    Advance advance(Carrier& carrier, const Limits& limits, bool drain);

    template <class Carrier>
    Advance stall(const Carrier& carrier) {
        stalled = true;
        Stalled found{carrier.explain()};
        if (found.report.cycle.empty()) {
            for (const auto& run : player.runs()) {
                if (!run->finished()) {
                    found.report.text = run->waiting_rank() + " that never come";
                    break;
                }
            }
        }
        return found;
    }

    // Times and sums stay in 64 bits.
    void check_range(const CollectiveSpec& spec, const Schedule& schedule,
                     const std::vector<std::uint32_t>& accelerators) const {
        if (spec.earliest_start > last_instant) {
            past_the_end();
        }
        if (std::holds_alternative<AnalyticNetwork>(network) &&
            analytic_time(fabric->graph, spec, schedule, accelerators) > last_instant - spec.earliest_start) {
            past_the_end();
        }
    }

    void add_payload(const CollectiveRun& run) {
        if (__builtin_add_overflow(payload_due, run.payload().count, &payload_due)) {
            throw Error(ErrorKind::input, "the collectives together move more than 2^63 bytes");
        }
    }

    const CollectiveRun& run(CollectiveId id) const {
        const CollectiveRun* found = player.find(id);
        require(found != nullptr, "a collective is known by its id");
        return *found;
    }

    // From places in a group, by which collectives and networks go, to ranks of the fabric.
    void name_rank(CollectiveId id, std::uint32_t& place) const {
        const std::vector<std::uint32_t>& group = run(id).spec().group;
        place = group.empty() ? place : group[place];
    }
    void name_ranks(CollectiveId id, std::uint32_t& source, std::uint32_t& destination) const {
        name_rank(id, source);
        name_rank(id, destination);
    }

    std::shared_ptr<const Fabric> fabric;
    SimulatorOptions options;
    Network network;
    Player player;
    Tally latencies;  // of port-messages, in picoseconds
    std::atomic<bool> stop{false};
    std::int64_t payload_due = 0;  // of all that was registered
    bool stalled = false;          // nothing can move any more
};

Simulator::Simulator(std::shared_ptr<const Fabric> fabric, SimulatorOptions options)
    : state_(std::make_unique<State>(std::move(fabric), std::move(options))) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

CollectiveId Simulator::register_collective(const CollectiveSpec& collective) {
    State& s = *state_;
    if (s.stalled) {
        throw Error(ErrorKind::input, "the simulator has stalled; nothing can be registered");
    }
    if (collective.earliest_start < s.now()) {
        throw Error(ErrorKind::input, "a collective cannot start at " + std::to_string(collective.earliest_start.ps) +
                                          " ps: it is " + std::to_string(s.now().ps) + " ps already");
    }
    if (collective.bytes.count < 1) {
        throw Error(ErrorKind::input, "`bytes` is " + std::to_string(collective.bytes.count) + "; expected at least 1");
    }
    if (collective.operation == Operation::read && s.fabric->spec.responses == ResponsePolicy::none) {
        throw Error(ErrorKind::input, "`operation: read` needs responses: they carry the data; `responses` is none");
    }
    const CollectiveId id = collective.id.value_or(static_cast<CollectiveId>(s.player.runs().size()));
    if (s.player.find(id) != nullptr) {
        throw Error(ErrorKind::input, "a collective with id " + std::to_string(id) + " is registered already");
    }
    std::vector<std::uint32_t> accelerators = accelerators_of_group(*s.fabric, collective.group);
    check_group(*s.fabric, collective, accelerators.size());
    const Overlay overlay = overlay_of(*s.fabric, accelerators, collective.layers);
    Schedule schedule = collective.schedule == ScheduleKind::automatic
                            ? cheapest_schedule(s.fabric->graph, collective, overlay, accelerators)
                            : build_schedule(collective.primitive, collective.schedule, overlay);
    if (const auto flaw = find_flaw(schedule, collective.primitive)) {
        throw Error(ErrorKind::input, "schedule `" + schedule.name + "` is wrong: " + *flaw);
    }
    s.check_range(collective, schedule, accelerators);
    auto run = std::make_unique<CollectiveRun>(id, collective, std::move(schedule), accelerators);
    s.add_payload(*run);
    s.player.add(std::move(run));
    s.begin(id, collective, accelerators);
    return id;
}

// An instant stays open until time must move, so that what a caller learns of at a completion can start in it.
template <class Carrier>
Advance Simulator::State::advance(Carrier& carrier, const Limits& limits, bool drain) {
    const std::uint64_t last_event = carrier.events() + std::min(limits.events, UINT64_MAX - carrier.events());
    while (true) {
        if (const CollectiveRun* done = player.take_finished()) {
            return Completed{done->id(), done->spec().earliest_start, done->end()};
        }
        if (player.unfinished() == 0 && (!drain || carrier.quiet())) {
            return Idle{};
        }
        if (stop.load(std::memory_order_relaxed) && stop.exchange(false)) {
            return Stopped{};
        }
        if (stalled) {
            return stall(carrier);
        }
        if (carrier.events() >= last_event || limits.time <= carrier.now()) {
            return LimitReached{};
        }
        close(carrier);
        const Time next = carrier.next_instant();
        if (next == Time::never()) {
            return stall(carrier);
        }
        if (next > last_instant) {
            stalled = true;
            past_the_end();
        }
        open(carrier, std::min(next, limits.time));
    }
}

Advance Simulator::run(const Limits& limits, bool drain) {
    return std::visit([&](auto& carrier) { return state_->advance(carrier, limits, drain); }, state_->network);
}

Advance Simulator::advance(const Limits& limits) {
    return run(limits, false);
}

Advance Simulator::drain(const Limits& limits) {
    return run(limits, true);
}

Time Simulator::now() const {
    return state_->now();
}

void Simulator::request_stop() noexcept {
    state_->stop.store(true);
}

void Simulator::reset() {
    std::visit([](auto& one) { one.clear(); }, state_->network);
    state_->observe();
    state_->player.clear();
    state_->latencies.clear();
    state_->payload_due = 0;
    state_->stop.store(false);
    state_->stalled = false;
}

std::size_t Simulator::collectives() const {
    return state_->player.runs().size();
}

CollectiveReport Simulator::collective(CollectiveId id) const {
    const CollectiveRun& run = state_->run(id);
    CollectiveReport report;
    report.id = id;
    report.schedule = run.schedule().name;
    report.form = run.schedule().form;
    report.ranks = run.schedule().ranks;
    report.phases = static_cast<std::uint32_t>(run.schedule().phases.size());
    report.bytes = run.spec().bytes;
    report.messages = run.messages();
    report.flits = run.flits();
    report.payload = run.payload();
    report.finished = run.finished();
    report.start = run.spec().earliest_start;
    if (run.finished()) {
        report.end = run.end();
        report.finish_skew = run.finish_skew();
        report.explained = state_->explained(run);
        report.critical_path = run.critical_path();
    }
    return report;
}

NetworkStatistics Simulator::statistics() const {
    NetworkStatistics statistics = std::visit([](const auto& one) { return one.statistics(); }, state_->network);
    statistics.payload_bytes_due = state_->payload_due;
    return statistics;
}

std::vector<LinkStatistics> Simulator::links() const {
    return std::visit([](const auto& one) { return one.link_statistics(); }, state_->network);
}

std::vector<MessageRecord> Simulator::messages() const {
    require(state_->options.record_messages, "messages were recorded");
    std::vector<MessageRecord> records = std::visit([](const auto& one) { return one.records(); }, state_->network);
    for (MessageRecord& record : records) {
        state_->name_ranks(record.collective, record.source, record.destination);
    }
    std::sort(records.begin(), records.end(), [](const MessageRecord& a, const MessageRecord& b) {
        return std::tie(a.collective, a.phase, a.source, a.destination, a.port) <
               std::tie(b.collective, b.phase, b.source, b.destination, b.port);
    });
    return records;
}

namespace {

template <class Record>
void sort_by_link(std::vector<Record>& records) {
    std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
        return std::tie(a.link, a.start) < std::tie(b.link, b.start);
    });
}

}  // namespace

std::vector<PassageRecord> Simulator::passages() const {
    std::vector<PassageRecord> records = state_->recorded().port_log().passages();
    for (PassageRecord& record : records) {
        state_->name_ranks(record.collective, record.source, record.destination);
    }
    sort_by_link(records);
    return records;
}

std::vector<StallRecord> Simulator::stalls() const {
    std::vector<StallRecord> records = state_->recorded().stalls();
    sort_by_link(records);
    return records;
}

std::vector<PhaseRecord> Simulator::phases() const {
    require(state_->options.mode == Mode::flit, "phases are known in flit mode");
    std::vector<PhaseRecord> records;
    state_->append_phases(records);
    for (PhaseRecord& record : records) {
        state_->name_rank(record.collective, record.rank);
    }
    return records;
}

std::uint64_t Simulator::unrecorded() const {
    std::vector<PhaseRecord> records;
    return state_->recorded().port_log().left_out() + state_->append_phases(records);
}

Duration Simulator::message_latency(unsigned percent) const {
    require(state_->options.tally_latency, "latencies were counted");
    return {state_->latencies.percentile(percent)};
}

std::vector<TracedMessage> Simulator::critical_messages(const std::vector<CollectiveId>& ids) const {
    std::vector<TracedMessage> messages;
    for (const CollectiveId id : ids) {
        const CollectiveRun& run = state_->run(id);
        if (run.finished() && state_->options.mode == Mode::flit) {
            const std::vector<TracedMessage> more = simlette::critical_messages(run);
            messages.insert(messages.end(), more.begin(), more.end());
        }
    }
    return messages;
}

std::vector<PathStep> Simulator::explain(CollectiveId id) const {
    require(state_->run(id).finished(), "a finished collective is explained");
    const auto* flit = std::get_if<FlitNetwork<LaneQueue>>(&state_->network);
    require(flit != nullptr && path_traced(state_->run(id), flit->traced()), "the messages of the path were traced");
    std::vector<PathStep> path = explain_path(state_->fabric->graph, state_->run(id), flit->traced());
    for (PathStep& step : path) {
        state_->name_ranks(id, step.source, step.destination);
        for (PathHop& hop : step.hops) {
            for (PathHop::Rival& rival : hop.rivals) {
                state_->name_ranks(rival.collective, rival.source, rival.destination);
            }
        }
    }
    return path;
}

std::uint64_t Simulator::event_hash() const {
    return std::visit([](const auto& one) { return one.event_hash(); }, state_->network);
}

Validity Simulator::validity() const {
    return std::visit([&](const auto& one) { return judge(one, *state_->fabric); }, state_->network);
}

}  // namespace simlette
