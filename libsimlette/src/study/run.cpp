#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/study/run.hpp>
#include <simlette/study/run_setup.hpp>

namespace simlette {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t events_between_looks = std::uint64_t{1} << 18;
constexpr double seconds_between_reports = 0.2;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * std::int64_t{1024};
}

// The latency that `percent` of the sorted latencies do not exceed.
Duration percentile(const std::vector<Duration>& sorted, std::size_t percent) {
    return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

std::optional<LatencyPercentiles> latency_percentiles(const std::vector<MessageRecord>& messages) {
    if (messages.empty()) {
        return std::nullopt;
    }
    std::vector<Duration> latencies;
    latencies.reserve(messages.size());
    for (const MessageRecord& message : messages) {
        latencies.push_back(message.delivered - message.injected);
    }
    std::sort(latencies.begin(), latencies.end());
    return LatencyPercentiles{percentile(latencies, 50), percentile(latencies, 99), latencies.back()};
}

// Plays a workload: registers each entry when the last of those it waits for has ended.
class WorkloadRun {
public:
    WorkloadRun(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control)
        : workload_(loaded.workload),
          control_(control),
          fabric_(build_fabric_of(loaded, inputs)),
          entries_(preview(fabric_, workload_, inputs)),
          registered_(entries_.size(), false),
          simulator_(fabric_, SimulatorOptions{control.record_messages}) {
        for (const EntryReport& entry : entries_) {
            payload_due_ += entry.collective.payload.count;
        }
    }

    Outcome play();
    void report_into(RunReport& report) const;

private:
    bool stop_asked() const { return control_.stop != nullptr && control_.stop->load(std::memory_order_relaxed); }
    bool can_start(std::size_t entry) const;
    void register_ready();
    void take_completed(const Completed& completed);
    void tell_progress();

    const WorkloadSpec& workload_;
    const RunControl& control_;
    std::shared_ptr<const Fabric> fabric_;
    std::vector<EntryReport> entries_;
    std::vector<bool> registered_;
    std::vector<std::size_t> entry_of_;  // by collective id
    Simulator simulator_;
    std::int64_t payload_due_ = 0;
    StallReport stall_;
    Clock::time_point began_ = Clock::now();
    double told_ = 0;
};

bool WorkloadRun::can_start(std::size_t entry) const {
    const auto& after = workload_.collectives[entry].after;
    return !registered_[entry] && std::all_of(after.begin(), after.end(), [this](std::size_t earlier) {
        return entries_[earlier].collective.finished;
    });
}

void WorkloadRun::register_ready() {
    for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
        if (!can_start(entry)) {
            continue;
        }
        CollectiveSpec collective = workload_.collectives[entry].collective;
        Time released{0};
        for (const std::size_t earlier : workload_.collectives[entry].after) {
            released = std::max(released, entries_[earlier].collective.end);
        }
        collective.earliest_start = released + (collective.earliest_start - Time{0});
        const CollectiveId id = simulator_.register_collective(collective);
        require(id == entry_of_.size(), "collectives are numbered in the order of registration");
        entry_of_.push_back(entry);
        entries_[entry].collective.id = id;
        entries_[entry].collective.start = collective.earliest_start;
        registered_[entry] = true;
    }
}

void WorkloadRun::take_completed(const Completed& completed) {
    EntryReport& entry = entries_[entry_of_[completed.id]];
    entry.collective = simulator_.collective(completed.id);
    require(entry.collective.finished, "a collective that completed has finished");
    register_ready();
}

void WorkloadRun::tell_progress() {
    const double elapsed = seconds_since(began_);
    if (!control_.progress || elapsed - told_ < seconds_between_reports) {
        return;
    }
    told_ = elapsed;
    const NetworkStatistics statistics = simulator_.statistics();
    control_.progress({simulator_.now(), statistics.payload_bytes, payload_due_, statistics.events, elapsed});
}

Outcome WorkloadRun::play() {
    register_ready();
    while (!stop_asked()) {
        const std::uint64_t events = simulator_.statistics().events;
        const Advance next = simulator_.advance({control_.until, events_between_looks});
        if (const auto* completed = std::get_if<Completed>(&next)) {
            take_completed(*completed);
        } else if (std::holds_alternative<Idle>(next)) {
            return Outcome::finished;
        } else if (const auto* stalled = std::get_if<Stalled>(&next)) {
            stall_ = stalled->report;
            return Outcome::stalled;
        } else if (std::holds_alternative<LimitReached>(next) &&
                   simulator_.statistics().events - events < events_between_looks) {
            return Outcome::time_limit;
        }
        tell_progress();
    }
    return Outcome::interrupted;
}

void WorkloadRun::report_into(RunReport& report) const {
    report.wall_seconds = seconds_since(began_);
    report.stall = stall_;
    report.collectives = entries_;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        EntryReport& entry = report.collectives[i];
        entry.started = registered_[i] && entry.collective.start <= simulator_.now();
        if (entry.collective.finished && (!report.completion || *report.completion < entry.collective.end)) {
            report.completion = entry.collective.end;
        }
    }
    report.statistics = simulator_.statistics();
    report.links = simulator_.links();
    if (control_.record_messages) {
        report.messages = simulator_.messages();
        report.message_latency = latency_percentiles(report.messages);
    }
    report.event_hash = simulator_.event_hash();
    report.peak_rss_bytes = peak_rss_bytes();
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

RunReport run(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control) {
    RunReport report;
    report.inputs = inputs;
    report.fabric = loaded.fabric;
    report.configuration = loaded.configuration;
    report.configuration_hash = loaded.configuration_hash;
    report.workload = loaded.workload;
    WorkloadRun player(loaded, inputs, control);
    report.outcome = player.play();
    player.report_into(report);
    return report;
}

}  // namespace simlette
