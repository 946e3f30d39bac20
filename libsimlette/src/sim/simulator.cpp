#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <tuple>
#include <variant>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/base/tally.hpp>
#include <simlette/collective/analytic.hpp>
#include <simlette/collective/message_sizes.hpp>
#include <simlette/collective/player.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/sim/explain.hpp>
#include <simlette/sim/groups.hpp>
#include <simlette/sim/judge.hpp>
#include <simlette/sim/network.hpp>
#include <simlette/sim/path_replay.hpp>
#include <simlette/sim/simulator.hpp>
#include <simlette/sim/trials.hpp>

namespace simlette {

namespace {

[[noreturn]] void past_the_end() {
    throw Error(ErrorKind::input, "simulated time ends at " + std::to_string(last_instant.ps / ps_per_second) +
                                      " s; use fewer bytes, a faster rate or an earlier start");
}

}  // namespace

struct Simulator::State {
    State(std::shared_ptr<const Fabric> on, SimulatorOptions with)
        : fabric(std::move(on)),
          options(with),
          fallback_reason(misfit()),
          network(network_for(*fabric, options.mode, sweeps(), options.threads)) {
        observe();
    }

    // Why the sweep is not to carry what is asked for; empty if it is, or has no part in it.
    std::string misfit() const {
        const char* reason = sweep_misfit(*fabric);
        if (options.record_ports) {
            reason = "what passes every port is recorded";
        } else if (options.count_shares) {
            reason = "flits are counted by collective on every link";
        }
        return fallback_reason_for(options.mode, options.engine, reason);
    }
    bool sweeps() const { return sweep_carries(options.mode, options.engine, fallback_reason); }

    void observe() {
        if (auto* flit = std::get_if<FlitNetwork<LaneQueue>>(&network)) {
            flit->record_messages(options.record_messages);
            if (options.record_ports) {
                flit->log_ports(options.record_limit);
            }
            if (options.count_shares) {
                flit->count_shares();
            }
        } else if (auto* sweep = std::get_if<SweepNetwork>(&network)) {
            sweep->record_messages(options.record_messages);
            sweep->tally_latencies(options.tally_latency);
            sweep->look_out(player);
        } else if (auto* message = std::get_if<MessageNetwork>(&network)) {
            message->record_messages(options.record_messages);
        }
    }

    Time now() const {
        return std::visit([](const auto& one) { return one.now(); }, network);
    }

    void begin(CollectiveId id, const CollectiveSpec& spec, Duration price) {
        if (auto* analytic = std::get_if<AnalyticNetwork>(&network)) {
            analytic->carry(id, spec.earliest_start, price);
        } else if (spec.earliest_start == now()) {
            player.start(id, now());
        } else if (auto* message = std::get_if<MessageNetwork>(&network)) {
            message->wake_at(spec.earliest_start, id);
        } else if (auto* sweep = std::get_if<SweepNetwork>(&network)) {
            sweep->wake_at(spec.earliest_start, id);
        } else {
            std::get<FlitNetwork<LaneQueue>>(network).wake_at(spec.earliest_start, id);
        }
    }

    // The parts of its critical path, if they are known. Requires: it has finished.
    std::optional<TimeParts> parts_of(const CollectiveGroups& collective) const {
        const auto* flit = std::get_if<FlitNetwork<LaneQueue>>(&network);
        const auto found = paths.find(collective.id);
        if (found != paths.end()) {
            return found->second.parts;
        }
        if (flit != nullptr && flit->explains_all()) {
            return path_of(collective).critical_path();
        }
        const bool took_time = collective.end() > path_of(collective).spec().earliest_start;
        return options.mode != Mode::flit || took_time ? std::nullopt : std::make_optional(TimeParts{});
    }

    CriticalPath told(const CollectiveGroups& collective, const FlitTrace& trace) const {
        CriticalPath path = explain_path(fabric->graph, path_of(collective), trace);
        for (PathStep& step : path.steps) {
            name_ranks(collective.id, step.source, step.destination);
            for (PathHop& hop : step.hops) {
                for (PathHop::Rival& rival : hop.rivals) {
                    name_ranks(rival.collective, rival.source, rival.destination);
                }
            }
        }
        return path;
    }

    const FlitNetwork<LaneQueue>& recorded() const {
        const auto* flit = std::get_if<FlitNetwork<LaneQueue>>(&network);
        require(flit != nullptr && options.record_ports, "ports were recorded, in flit mode");
        return *flit;
    }

    std::uint64_t append_phases(std::vector<PhaseRecord>& records) const {
        std::vector<const CollectiveGroups*> by_id;
        for (const CollectiveGroups& one : player.collectives()) {
            by_id.push_back(&one);
        }
        std::sort(by_id.begin(), by_id.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
        std::uint64_t left_out = 0;
        for (const CollectiveGroups* one : by_id) {
            for (const auto& group : one->groups) {
                left_out += group->append_phases(now(), options.record_limit, records);
            }
        }
        return left_out;
    }

    template <class Carrier>
    void open(Carrier& carrier, Time t) {
        player.open(carrier, t);
        if (options.tally_latency && !tallies<Carrier>) {
            for (const Delivery& delivery : carrier.deliveries()) {
                if (!delivery.asked) {
                    latencies.add((delivery.at - delivery.injected).ps, delivery.planes);
                }
            }
        }
    }
    void open(AnalyticNetwork& analytic, Time t) {
        analytic.open(t);
        for (const CollectiveId id : analytic.ended()) {
            player.conclude(id, t);
            for (const auto& group : collective(id).groups) {
                analytic.count(group->flits(), group->payload(), group->spec().earliest_start);
            }
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
            found.report.text = waiting_rank() + " that never come";
        }
        return found;
    }

    std::string waiting_rank() const {
        for (const CollectiveGroups& one : player.collectives()) {
            for (const auto& group : one.groups) {
                if (!group->finished()) {
                    CollectiveRun::Waiting waiting = group->lowest_waiting();
                    name_rank(one.id, waiting.place);
                    return "rank " + std::to_string(waiting.place) + " of collective " + std::to_string(one.id) +
                           " waits for messages of phase " + std::to_string(waiting.phase);
                }
            }
        }
        return "no rank waits for messages";
    }

    // In analytic mode, else nothing. Times stay in 64 bits.
    Duration price(const CollectiveSpec& spec, const std::vector<GroupSchedule>& groups) const {
        if (spec.earliest_start > last_instant) {
            past_the_end();
        }
        if (!std::holds_alternative<AnalyticNetwork>(network)) {
            return {};
        }
        const Duration time = analytic_time(fabric->graph, spec, groups);
        if (time > last_instant - spec.earliest_start) {
            past_the_end();
        }
        return time;
    }

    void add(CollectiveId id, const CollectiveSpec& spec, std::vector<GroupSchedule> groups) {
        const auto shared = std::make_shared<const CollectiveSpec>(spec);
        std::vector<std::unique_ptr<CollectiveRun>> runs;
        std::int64_t due = payload_due;
        std::uint32_t place = 0;
        for (GroupSchedule& group : groups) {
            const std::uint32_t ranks = group.schedule->ranks;
            runs.push_back(std::make_unique<CollectiveRun>(id, shared, std::move(group.schedule),
                                                           std::move(group.accelerators), place));
            place += ranks;
            if (__builtin_add_overflow(due, runs.back()->payload().count, &due)) {
                throw Error(ErrorKind::input, "the collectives together move more than 2^63 bytes");
            }
        }
        payload_due = due;
        for (auto& one : runs) {
            player.add(std::move(one));
        }
    }

    const CollectiveGroups& collective(CollectiveId id) const {
        const CollectiveGroups* found = player.find(id);
        require(found != nullptr, "a collective is known by its id");
        return *found;
    }

    // The critical path of a collective is that of the group that ended last.
    static const CollectiveRun& path_of(const CollectiveGroups& collective) {
        return *collective.groups[collective.slowest()];
    }

    void report_ends(const CollectiveGroups& collective, CollectiveReport& report) const {
        Time first_rank = Time::never();
        report.first_group_end = Time::never();
        for (const auto& group : collective.groups) {
            first_rank = std::min(first_rank, group->first_finish());
            report.first_group_end = std::min(report.first_group_end, group->end());
        }
        report.slowest_group = static_cast<std::uint32_t>(collective.slowest());
        report.end = collective.end();
        report.finish_skew = report.end - first_rank;
        const std::optional<TimeParts> parts = parts_of(collective);
        report.explained = parts.has_value();
        report.critical_path = parts.value_or(TimeParts{});
    }

    // From places in the groups, by which collectives and networks go, to ranks of the fabric.
    void name_rank(CollectiveId id, std::uint32_t& place) const {
        const CollectiveGroups& one = collective(id);
        const CollectiveSpec& spec = one.groups.front()->spec();
        if (!spec.groups.empty()) {
            place = spec.groups[place / one.ranks()][place % one.ranks()];
        } else if (!spec.group.empty()) {
            place = spec.group[place];
        }
    }
    void name_ranks(CollectiveId id, std::uint32_t& source, std::uint32_t& destination) const {
        name_rank(id, source);
        name_rank(id, destination);
    }

    std::shared_ptr<const Fabric> fabric;
    SimulatorOptions options;
    std::string fallback_reason;
    Network network;
    Player player;
    ScheduleStore schedules;
    std::map<CollectiveId, std::vector<ScheduleTrial>> trials;  // of `auto-simulated`
    std::map<CollectiveId, CriticalPath> paths;                 // that were found
    Tally latencies;                                            // of port-messages, in picoseconds
    std::atomic<bool> stop{false};
    std::int64_t payload_due = 0;  // of all that was registered
    bool stalled = false;          // nothing can move any more
};

Simulator::Simulator(std::shared_ptr<const Fabric> fabric, SimulatorOptions options)
    : state_(std::make_unique<State>(std::move(fabric), options)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

CollectiveId Simulator::register_collective(const CollectiveSpec& given) {
    State& s = *state_;
    const CollectiveSpec collective = with_sizes(given, members_of(*s.fabric, given));
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
    const CollectiveId id = collective.id.value_or(static_cast<CollectiveId>(s.player.collectives().size()));
    if (s.player.find(id) != nullptr) {
        throw Error(ErrorKind::input, "a collective with id " + std::to_string(id) + " is registered already");
    }
    CollectiveSpec settled = collective;
    std::vector<ScheduleTrial> trials;
    if (settled.schedule == ScheduleKind::automatic_simulated && s.options.mode != Mode::analytic) {
        trials = try_choices(s.fabric, collective, nullptr);
        settled.schedule = chosen(trials);
    }
    std::vector<GroupSchedule> groups = schedule_groups(*s.fabric, settled, s.schedules);
    const Duration price = s.price(collective, groups);
    s.add(id, collective, std::move(groups));
    s.begin(id, collective, price);
    if (!trials.empty()) {
        s.trials[id] = std::move(trials);
    }
    return id;
}

std::vector<ScheduleTrial> Simulator::try_schedules(const CollectiveSpec& collective,
                                                    const std::atomic<bool>* stop) const {
    return try_choices(state_->fabric, collective, stop);
}

// An instant stays open until time must move, so that what a caller learns of at a completion can start in it.
template <class Carrier>
Advance Simulator::State::advance(Carrier& carrier, const Limits& limits, bool drain) {
    const Time end = std::min(limits.time, last_instant + Duration{1});
    const std::uint64_t last_event = carrier.events() + std::min(limits.events, UINT64_MAX - carrier.events());
    while (true) {
        if (const CollectiveGroups* done = player.take_finished()) {
            return Completed{done->id, done->groups.front()->spec().earliest_start, done->end()};
        }
        if (player.unfinished() == 0 && (!drain || carrier.quiet())) {
            return Idle{};
        }
        const bool may_stop = !is_ahead(carrier);
        if (may_stop && stop.load(std::memory_order_relaxed) && stop.exchange(false)) {
            return Stopped{};
        }
        if (stalled) {
            return stall(carrier);
        }
        if (may_stop && (carrier.events() >= last_event || limits.time <= carrier.now())) {
            return LimitReached{};
        }
        close(carrier);
        const Time next = next_instant_of(carrier, end);
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

Engine Simulator::engine() const {
    return state_->sweeps() ? Engine::sweep : Engine::reference;
}

const std::string& Simulator::fallback_reason() const {
    return state_->fallback_reason;
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
    state_->trials.clear();
    state_->paths.clear();
    state_->payload_due = 0;
    state_->stop.store(false);
    state_->stalled = false;
}

std::size_t Simulator::collectives() const {
    return state_->player.collectives().size();
}

CollectiveReport Simulator::collective(CollectiveId id) const {
    const CollectiveGroups& collective = state_->collective(id);
    const CollectiveRun& first = *collective.groups.front();
    CollectiveReport report;
    report.id = id;
    report.schedule = first.schedule().name;
    report.form = first.schedule().form;
    report.groups = static_cast<std::uint32_t>(collective.groups.size());
    report.ranks = collective.ranks();
    report.bytes = first.spec().bytes;
    report.start = first.spec().earliest_start;
    const auto trials = state_->trials.find(id);
    if (trials != state_->trials.end()) {
        report.trials = trials->second;
    }
    for (const auto& group : collective.groups) {
        const auto phases = static_cast<std::uint32_t>(group->schedule().phases.size());
        report.phases = std::max(report.phases, phases);
        report.messages += group->messages();
        report.flits += group->flits();
        report.payload.count += group->payload().count;
    }
    report.finished = collective.finished();
    if (report.finished) {
        state_->report_ends(collective, report);
    }
    return report;
}

NetworkStatistics Simulator::statistics() const {
    std::visit([](auto& one) { settle(one); }, state_->network);
    return progress();
}

NetworkStatistics Simulator::progress() const {
    NetworkStatistics statistics = std::visit([](const auto& one) { return one.statistics(); }, state_->network);
    statistics.payload_bytes_due = state_->payload_due;
    return statistics;
}

std::vector<LinkStatistics> Simulator::links() const {
    return std::visit([](auto& one) { return settle(one).link_statistics(); }, state_->network);
}

std::vector<Duration> Simulator::wire_times() const {
    return std::visit([](auto& one) { return settle(one).wire_times(); }, state_->network);
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
    const auto* sweep = std::get_if<SweepNetwork>(&state_->network);
    return {(sweep != nullptr ? sweep->latencies() : state_->latencies).percentile(percent)};
}

bool Simulator::find_paths(const std::vector<CollectiveId>& ids,
                           const std::function<bool(const PathProgress&)>& go_on) {
    require(state_->options.mode == Mode::flit, "flit mode finds critical paths");
    std::vector<const CollectiveGroups*> sought;
    std::vector<TracedMessage> messages;
    for (const CollectiveId id : ids) {
        const CollectiveGroups& collective = state_->collective(id);
        if (collective.finished() && state_->paths.count(id) == 0) {
            const std::vector<TracedMessage> more = critical_messages(State::path_of(collective));
            messages.insert(messages.end(), more.begin(), more.end());
            sought.push_back(&collective);
        }
    }
    if (sought.empty()) {
        return true;
    }
    const bool sweep =
        state_->sweeps() || (state_->options.engine != Engine::reference && sweep_misfit(*state_->fabric) == nullptr);
    PathReplay replay(*state_->fabric, state_->player, messages, sweep);
    if (!replay.run(go_on)) {
        return false;
    }
    for (const CollectiveGroups* collective : sought) {
        state_->paths[collective->id] = state_->told(*collective, replay.traced());
    }
    return true;
}

bool Simulator::find_paths(const std::vector<CollectiveId>& ids) {
    return find_paths(ids, [](const PathProgress&) { return true; });
}

const std::vector<PathStep>& Simulator::explain(CollectiveId id) const {
    const auto found = state_->paths.find(id);
    require(found != state_->paths.end(), "a path that is told was found");
    return found->second.steps;
}

std::uint64_t Simulator::event_hash() const {
    return std::visit([](const auto& one) { return one.event_hash(); }, state_->network);
}

Validity Simulator::validity() const {
    return std::visit([&](const auto& one) { return judge(one, *state_->fabric); }, state_->network);
}

}  // namespace simlette
