#include <algorithm>
#include <atomic>
#include <tuple>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/base/tally.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/player.hpp>
#include <simlette/collective/proof.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/flit_network.hpp>
#include <simlette/sim/explain.hpp>
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
Overlay overlay_of(const Fabric& fabric, const std::vector<std::uint32_t>& accelerators) {
    Overlay overlay{static_cast<std::uint32_t>(accelerators.size()), {}};
    if (!fabric.circuits()) {
        return overlay;
    }
    const HostGraph& graph = fabric.graph;
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

}  // namespace

struct Simulator::State {
    State(std::shared_ptr<const Fabric> on, SimulatorOptions with)
        : fabric(std::move(on)),
          options(with),
          network(fabric->graph, fabric->spec.routing,
                  TransactionRules{fabric->spec.fidelity, fabric->spec.responses, fabric->spec.tags},
                  fabric->spec.seed) {
        start_recording();
    }

    void start_recording() {
        network.record_messages(options.record_messages);
        network.watch(options.watched_links);
        if (options.record_ports) {
            network.log_ports(options.record_limit);
        }
    }

    std::uint64_t append_phases(std::vector<PhaseRecord>& records) const {
        std::vector<const CollectiveRun*> by_id;
        for (const auto& run : player.runs()) {
            by_id.push_back(run.get());
        }
        std::sort(by_id.begin(), by_id.end(), [](const auto* a, const auto* b) { return a->id() < b->id(); });
        std::uint64_t left_out = 0;
        for (const CollectiveRun* run : by_id) {
            left_out += run->append_phases(network.now(), options.record_limit, records);
        }
        return left_out;
    }

    void count_latencies() {
        if (options.tally_latency) {
            for (const Delivery& delivery : network.deliveries()) {
                latencies.add((network.now() - delivery.injected).ps);
            }
        }
    }

    Advance stall() {
        stopped = true;
        Stalled stalled{network.explain()};
        if (stalled.report.cycle.empty()) {
            for (const auto& run : player.runs()) {
                if (!run->finished()) {
                    stalled.report.text = run->waiting_rank() + " that never come";
                    break;
                }
            }
        }
        return stalled;
    }

    const CollectiveRun& run(CollectiveId id) const {
        const CollectiveRun* found = player.find(id);
        require(found != nullptr, "a collective is known by its id");
        return *found;
    }

    std::shared_ptr<const Fabric> fabric;
    SimulatorOptions options;
    FlitNetwork<LaneQueue> network;
    Player player;
    Tally latencies;  // of port-messages, in picoseconds
    std::atomic<bool> stop{false};
    bool stopped = false;  // nothing can move any more
};

Simulator::Simulator(std::shared_ptr<const Fabric> fabric, SimulatorOptions options)
    : state_(std::make_unique<State>(std::move(fabric), options)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

CollectiveId Simulator::register_collective(const CollectiveSpec& collective) {
    State& s = *state_;
    if (s.stopped) {
        throw Error(ErrorKind::input, "the simulator has stalled; nothing can be registered");
    }
    if (collective.earliest_start < s.network.now()) {
        throw Error(ErrorKind::input, "a collective cannot start at " + std::to_string(collective.earliest_start.ps) +
                                          " ps: it is " + std::to_string(s.network.now().ps) + " ps already");
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
    Schedule schedule = build_schedule(collective.primitive, collective.schedule, overlay_of(*s.fabric, accelerators));
    if (const auto flaw = find_flaw(schedule, collective.primitive)) {
        throw Error(ErrorKind::input, "schedule `" + schedule.name + "` is wrong: " + *flaw);
    }
    s.player.add(id, collective, std::move(schedule), std::move(accelerators));
    if (collective.earliest_start == s.network.now()) {
        s.player.start(id, s.network.now());
    } else {
        s.network.wake_at(collective.earliest_start, id);
    }
    return id;
}

// An instant stays open until time must move, so that what a caller learns of at a completion can start in it.
Advance Simulator::run(const Limits& limits, bool drain) {
    State& s = *state_;
    const std::uint64_t last_event = s.network.events() + std::min(limits.events, UINT64_MAX - s.network.events());
    while (true) {
        if (const CollectiveRun* run = s.player.take_finished()) {
            return Completed{run->id(), run->spec().earliest_start, run->end()};
        }
        if (s.player.unfinished() == 0 && (!drain || s.network.quiet())) {
            return Idle{};
        }
        if (s.stop.exchange(false)) {
            return Stopped{};
        }
        if (s.stopped) {
            return s.stall();
        }
        if (s.network.events() >= last_event || limits.time <= s.network.now()) {
            return LimitReached{};
        }
        s.player.close(s.network);
        const Time next = s.network.next_instant();
        if (next == Time::never()) {
            return s.stall();
        }
        s.player.open(s.network, std::min(next, limits.time));
        s.count_latencies();
    }
}

Advance Simulator::advance(const Limits& limits) {
    return run(limits, false);
}

Advance Simulator::drain(const Limits& limits) {
    return run(limits, true);
}

Time Simulator::now() const {
    return state_->network.now();
}

void Simulator::request_stop() noexcept {
    state_->stop.store(true);
}

void Simulator::reset() {
    state_->network.clear();
    state_->start_recording();
    state_->player.clear();
    state_->latencies.clear();
    state_->stop.store(false);
    state_->stopped = false;
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
    report.flits = run.flits();
    report.payload = run.payload();
    report.finished = run.finished();
    report.start = run.spec().earliest_start;
    if (run.finished()) {
        report.end = run.end();
        report.finish_skew = run.finish_skew();
        report.critical_path = run.critical_path();
    }
    return report;
}

NetworkStatistics Simulator::statistics() const {
    NetworkStatistics statistics = state_->network.statistics();
    for (const auto& run : state_->player.runs()) {
        statistics.payload_bytes_due += run->payload().count;
    }
    return statistics;
}

std::vector<LinkStatistics> Simulator::links() const {
    return state_->network.link_statistics();
}

std::vector<MessageRecord> Simulator::messages() const {
    require(state_->options.record_messages, "messages were recorded");
    std::vector<MessageRecord> records = state_->network.records();
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
    require(state_->options.record_ports, "ports were recorded");
    std::vector<PassageRecord> records = state_->network.port_log().passages();
    sort_by_link(records);
    return records;
}

std::vector<StallRecord> Simulator::stalls() const {
    require(state_->options.record_ports, "ports were recorded");
    std::vector<StallRecord> records = state_->network.stalls();
    sort_by_link(records);
    return records;
}

std::vector<PhaseRecord> Simulator::phases() const {
    std::vector<PhaseRecord> records;
    state_->append_phases(records);
    return records;
}

std::uint64_t Simulator::unrecorded() const {
    std::vector<PhaseRecord> records;
    return state_->network.port_log().left_out() + state_->append_phases(records);
}

Duration Simulator::message_latency(unsigned percent) const {
    require(state_->options.tally_latency, "latencies were counted");
    return {state_->latencies.percentile(percent)};
}

std::vector<std::uint32_t> Simulator::critical_links() const {
    std::vector<LinkId> links;
    for (const auto& run : state_->player.runs()) {
        if (run->finished()) {
            append_critical_links(state_->fabric->graph, *run, links);
        }
    }
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    return links;
}

std::vector<PathStep> Simulator::explain(CollectiveId id) const {
    require(state_->run(id).finished(), "a finished collective is explained");
    return explain_path(state_->fabric->graph, state_->run(id), state_->network.departures());
}

std::uint64_t Simulator::event_hash() const {
    return state_->network.event_hash();
}

}  // namespace simlette
