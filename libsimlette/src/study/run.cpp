#include <algorithm>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/study/link_history.hpp>
#include <simlette/study/report_path.hpp>
#include <simlette/study/run.hpp>
#include <simlette/study/run_costs.hpp>
#include <simlette/study/run_setup.hpp>
#include <simlette/study/run_traffic.hpp>

namespace simlette {

namespace {

SimulatorOptions options_of(const RunControl& control) {
    SimulatorOptions options;
    options.record_messages = control.record_messages;
    options.tally_latency = true;
    options.record_ports = control.record_trace;
    options.mode = control.mode;
    options.engine = control.engine;
    options.threads = control.threads;
    options.prefer_explained = false;
    options.count_shares = control.count_shares;
    return options;
}

void span_phases(const std::vector<PhaseRecord>& records, std::vector<EntryReport>& entries) {
    for (const PhaseRecord& record : records) {
        std::vector<PhaseSpan>& phases = entries[record.collective].phases;
        phases.resize(std::max<std::size_t>(phases.size(), record.phase + 1));
        PhaseSpan& span = phases[record.phase];
        span.first_start = std::min(span.first_start, record.start);
        span.last_start = std::max(span.last_start, record.start);
        if (record.ended) {
            span.first_end = std::min(span.first_end, record.end);
            span.last_end = std::max(span.last_end, record.end);
        }
    }
}

// Plays a workload: registers each entry when the last of those it waits for has ended.
class WorkloadRun {
public:
    WorkloadRun(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control,
                const SimulatorOptions& options)
        : workload_(loaded.workload),
          control_(control),
          fabric_(build_fabric_of(loaded, inputs)),
          entries_(preview(fabric_, workload_, inputs)),
          registered_(entries_.size(), false),
          waits_for_(entries_.size(), 0),
          followers_(entries_.size()),
          again_(!options.traced_messages.empty()),
          simulator_(fabric_, options) {
        if (control.record_utilization) {
            history_.emplace(fabric_->graph.classes.front().flit_time);
        }
        for (const EntryReport& entry : entries_) {
            payload_due_ += entry.collective.payload.count;
        }
    }

    Outcome play();
    void report_into(RunReport& report) const;
    void add_costs(RunReport& report) const;
    const Simulator& simulator() const { return simulator_; }

private:
    bool stop_asked() const { return control_.stop != nullptr && control_.stop->load(std::memory_order_relaxed); }
    void register_first();
    void register_entry(std::size_t entry);
    void take_completed(const Completed& completed);
    // The outcome, unless there is more to come.
    std::optional<Outcome> look_at(const Advance& next);
    Outcome drain();
    Limits limits() const;
    void look_at_links();
    void tell_progress();

    const WorkloadSpec& workload_;
    const RunControl& control_;
    std::shared_ptr<const Fabric> fabric_;
    std::vector<EntryReport> entries_;
    std::vector<bool> registered_;
    std::vector<std::size_t> waits_for_;               // entries that have not ended yet, by entry
    std::vector<std::vector<std::size_t>> followers_;  // who waits for this entry
    bool again_;
    Simulator simulator_;
    std::optional<LinkHistory> history_;
    std::int64_t payload_due_ = 0;
    StallReport stall_;
    RunClock clock_{control_.threads};
    double told_ = 0;
};

void WorkloadRun::register_entry(std::size_t entry) {
    CollectiveSpec collective = workload_.collectives[entry].collective;
    Time released{0};
    for (const std::size_t earlier : workload_.collectives[entry].after) {
        released = std::max(released, entries_[earlier].collective.end);
    }
    if (__builtin_add_overflow(released.ps, collective.earliest_start.ps, &collective.earliest_start.ps)) {
        collective.earliest_start = Time::never();
    }
    collective.id = static_cast<std::uint32_t>(entry);
    simulator_.register_collective(collective);
    entries_[entry].collective.start = collective.earliest_start;
    registered_[entry] = true;
}

void WorkloadRun::register_first() {
    for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
        const auto& after = workload_.collectives[entry].after;
        waits_for_[entry] = after.size();
        for (const std::size_t earlier : after) {
            followers_[earlier].push_back(entry);
        }
        if (after.empty()) {
            register_entry(entry);
        }
    }
}

void WorkloadRun::take_completed(const Completed& completed) {
    const std::size_t entry = completed.id;
    entries_[entry].collective = simulator_.collective(completed.id);
    require(entries_[entry].collective.finished, "a collective that completed has finished");
    for (const std::size_t follower : followers_[entry]) {
        if (--waits_for_[follower] == 0) {
            register_entry(follower);
        }
    }
}

void WorkloadRun::tell_progress() {
    const double elapsed = clock_.wall_seconds();
    if (!control_.progress || elapsed - told_ < control_.progress_interval) {
        return;
    }
    told_ = elapsed;
    const NetworkStatistics statistics = simulator_.progress();
    control_.progress({simulator_.now(), statistics.payload_bytes, payload_due_, statistics.events, elapsed, again_});
}

std::optional<Outcome> WorkloadRun::look_at(const Advance& next) {
    if (const auto* completed = std::get_if<Completed>(&next)) {
        take_completed(*completed);
    } else if (std::holds_alternative<Idle>(next)) {
        return Outcome::finished;
    } else if (const auto* stalled = std::get_if<Stalled>(&next)) {
        stall_ = stalled->report;
        return Outcome::stalled;
    } else if (std::holds_alternative<LimitReached>(next) && simulator_.now() >= control_.until) {
        return Outcome::time_limit;
    }
    return std::nullopt;
}

Limits WorkloadRun::limits() const {
    return {history_ ? std::min(control_.until, history_->next()) : control_.until, events_between_looks};
}

void WorkloadRun::look_at_links() {
    if (history_ && simulator_.now() == history_->next()) {
        history_->look(simulator_.wire_times());
    }
}

Outcome WorkloadRun::play() {
    register_first();
    while (!stop_asked()) {
        const auto outcome = look_at(simulator_.advance(limits()));
        if (outcome) {
            return *outcome == Outcome::finished ? drain() : *outcome;
        }
        look_at_links();
        tell_progress();
    }
    return Outcome::interrupted;
}

// Every collective has ended. Answers that are still on their way belong to the traffic, not to the completion.
Outcome WorkloadRun::drain() {
    while (!stop_asked()) {
        const auto outcome = look_at(simulator_.drain(limits()));
        if (outcome) {
            return *outcome == Outcome::time_limit ? Outcome::finished : *outcome;
        }
        look_at_links();
    }
    return Outcome::interrupted;
}

// Those of the simulator, which numbers collectives as they are registered, in the order of the workload.
void WorkloadRun::report_into(RunReport& report) const {
    report.engine = simulator_.engine();
    report.fallback_reason = simulator_.fallback_reason();
    report.validity = simulator_.validity();
    report.stall = stall_;
    report.collectives = entries_;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        EntryReport& entry = report.collectives[i];
        entry.started = registered_[i] && entry.collective.start <= simulator_.now();
        if (entry.collective.finished && (!report.completion || *report.completion < entry.collective.end)) {
            report.completion = entry.collective.end;
        }
    }
    if (control_.mode == Mode::flit) {
        span_phases(simulator_.phases(), report.collectives);
    }
    report.statistics = simulator_.statistics();
    report.links = simulator_.links();
    report.link_levels = link_levels(*fabric_);
    if (control_.record_messages) {
        report.messages = simulator_.messages();
    }
    report.ended = simulator_.now();
    report.shares_counted = control_.count_shares;
    report.utilization_recorded = history_.has_value();
    if (history_) {
        report.utilization = history_->spans(report.link_levels, report.ended, simulator_.wire_times());
    }
    if (control_.record_trace) {
        report.trace =
            RunTrace{simulator_.phases(), simulator_.passages(), simulator_.stalls(), simulator_.unrecorded()};
    }
    if (report.statistics.port_messages > 0) {
        report.message_latency = LatencyPercentiles{simulator_.message_latency(50), simulator_.message_latency(99),
                                                    simulator_.message_latency(100)};
    }
    report.event_hash = simulator_.event_hash();
    add_costs(report);
}

void WorkloadRun::add_costs(RunReport& report) const {
    report.wall_seconds += clock_.wall_seconds();
    report.cpu_seconds += clock_.cpu_seconds();
    report.peak_rss_bytes = peak_rss_bytes();
}

// A second run of the same input, which follows the messages of the critical paths.
void explain(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control,
             const std::vector<TracedMessage>& critical, RunReport& report) {
    RunControl plain = control;
    plain.record_utilization = false;
    SimulatorOptions options;
    options.traced_messages = critical;
    options.engine = control.engine;
    options.prefer_explained = false;
    WorkloadRun again(loaded, inputs, plain, options);
    const Outcome outcome = again.play();
    again.add_costs(report);
    if (outcome != report.outcome) {
        report.explained = false;  // interrupted: the first run is whole
        report.paths_missing = true;
        return;
    }
    for (std::size_t entry = 0; entry < report.collectives.size(); ++entry) {
        CollectiveReport& known = report.collectives[entry].collective;
        if (known.finished && !known.explained) {
            const CollectiveReport traced = again.simulator().collective(static_cast<CollectiveId>(entry));
            known.explained = traced.explained;
            known.critical_path = traced.critical_path;
        }
    }
    if (control.explain) {
        for (const std::size_t entry : last_to_end(report, most_explained)) {
            report.collectives[entry].path = again.simulator().explain(static_cast<CollectiveId>(entry));
        }
    }
}

// Collectives whose critical paths a second run must tell: the last to end if they are to be explained port by port,
// and all of which the first run does not know where their time went.
std::vector<CollectiveId> to_trace(const RunReport& report, const RunControl& control) {
    std::vector<CollectiveId> ids;
    if (control.explain) {
        const std::vector<std::size_t> last = last_to_end(report, most_explained);
        ids.assign(last.begin(), last.end());
    }
    for (std::size_t entry = 0; entry < report.collectives.size(); ++entry) {
        const CollectiveReport& one = report.collectives[entry].collective;
        const auto id = static_cast<CollectiveId>(entry);
        if (one.finished && !one.explained && std::find(ids.begin(), ids.end(), id) == ids.end()) {
            ids.push_back(id);
        }
    }
    return ids;
}

bool is_tried(const WorkloadEntry& entry) {
    return entry.collective.schedule == ScheduleKind::automatic_simulated;
}

// What `auto-simulated` is tried for becomes the schedule that it chooses. Once, for all runs of the report.
std::vector<std::vector<ScheduleTrial>> settle_schedules(LoadedRun& loaded, const RunInputs& inputs,
                                                         const RunControl& control) {
    std::vector<WorkloadEntry>& entries = loaded.workload.collectives;
    std::vector<std::vector<ScheduleTrial>> trials(entries.size());
    if (control.mode == Mode::analytic || std::none_of(entries.begin(), entries.end(), is_tried)) {
        return trials;
    }
    const auto fabric = build_fabric_of(loaded, inputs);
    const Simulator simulator(fabric, options_of(control));
    preview(fabric, loaded.workload, inputs);  // what does not fit is refused with its place
    for (std::size_t i = 0; i < entries.size(); ++i) {
        CollectiveSpec& collective = entries[i].collective;
        if (!is_tried(entries[i])) {
            continue;
        }
        trials[i] = simulator.try_schedules(collective, control.stop);
        const auto chosen =
            std::find_if(trials[i].begin(), trials[i].end(), [](const ScheduleTrial& trial) { return trial.chosen; });
        collective.schedule = chosen == trials[i].end() ? ScheduleKind::automatic : chosen->kind;  // stopped: not run
    }
    return trials;
}

}  // namespace

const char* outcome_name(Outcome outcome) {
    switch (outcome) {
        case Outcome::finished:
            return "finished";
        case Outcome::stalled:
            return "stalled";
        case Outcome::time_limit:
            return "time-limit";
        case Outcome::interrupted:
            return "interrupted";
    }
    broken_promise("an outcome is one of four");
}

const char* engine_name(Engine engine) {
    switch (engine) {
        case Engine::automatic:
            return "auto";
        case Engine::reference:
            return "reference";
        case Engine::sweep:
            return "sweep";
    }
    broken_promise("an engine is one of three");
}

RunReport run(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control) {
    require(!control.explain || control.mode == Mode::flit, "flit mode explains");
    require(!control.count_shares || control.mode == Mode::flit, "flit mode counts shares");
    require(!control.record_utilization || control.mode != Mode::analytic, "links are used in flit and message mode");
    RunReport report;
    report.mode = control.mode;
    report.inputs = inputs;
    report.fabric = loaded.fabric;
    report.planned = loaded.planned;
    report.configuration = loaded.configuration;
    report.configuration_hash = loaded.configuration_hash;
    report.workload = loaded.workload;
    if (loaded.workload.traffic) {
        run_traffic(loaded, inputs, control, report);
        return report;
    }
    LoadedRun settled = loaded;
    const std::vector<std::vector<ScheduleTrial>> trials = settle_schedules(settled, inputs, control);
    std::vector<TracedMessage> critical;
    {
        WorkloadRun player(settled, inputs, control, options_of(control));
        report.outcome = player.play();
        player.report_into(report);
        if (control.mode == Mode::flit && report.outcome != Outcome::interrupted) {
            critical = player.simulator().critical_messages(to_trace(report, control));
        }
    }
    report.explained = control.explain;
    if (!critical.empty()) {
        explain(settled, inputs, control, critical, report);
    }
    for (std::size_t i = 0; i < trials.size(); ++i) {
        report.collectives[i].collective.trials = trials[i];
    }
    return report;
}

std::vector<ModeRun> run_modes(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control) {
    std::vector<ModeRun> runs(1);
    runs.front().report = run(loaded, inputs, control);
    RunControl plain = control;
    plain.record_messages = plain.record_trace = plain.record_utilization = plain.count_shares = false;
    plain.explain = false;
    for (const Mode mode : {Mode::message, Mode::analytic}) {
        ModeRun& one = runs.emplace_back();
        one.mode = plain.mode = mode;
        try {
            one.report = run(loaded, inputs, plain);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            one.refused = error.what();
        }
    }
    return runs;
}

}  // namespace simlette
