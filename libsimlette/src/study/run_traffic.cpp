#include <simlette/study/run_traffic.hpp>

#include <algorithm>
#include <string>

#include <simlette/base/error.hpp>
#include <simlette/study/run_costs.hpp>
#include <simlette/study/run_setup.hpp>

namespace simlette {

namespace {

void check_control(const RunControl& control) {
    if (control.explain) {
        throw Error(ErrorKind::input, "`--explain` follows the critical path of collectives; `traffic` has none");
    }
    const char* const option = control.record_trace         ? "--trace"
                               : control.record_utilization ? "--utilization"
                               : control.count_shares       ? "--by-collective"
                                                            : nullptr;
    if (option != nullptr) {
        throw Error(ErrorKind::input, "known option `" + std::string(option) + "` with `traffic`, not in this version");
    }
}

class TrafficRun {
public:
    TrafficRun(TrafficSimulator& simulator, const TrafficSpec& traffic, const RunControl& control)
        : simulator_(simulator), control_(control), last_((traffic.warmup + traffic.measure).ps) {}

    Outcome play() {
        while (control_.stop == nullptr || !control_.stop->load(std::memory_order_relaxed)) {
            if (simulator_.advance({control_.until, events_between_looks}) == TrafficAdvance::finished) {
                return Outcome::finished;
            }
            if (simulator_.now() >= control_.until) {
                return Outcome::time_limit;
            }
            tell_progress();
        }
        return Outcome::interrupted;
    }
    const RunClock& clock() const { return clock_; }

private:
    void tell_progress() {
        const double elapsed = clock_.wall_seconds();
        if (control_.progress && elapsed - told_ >= control_.progress_interval) {
            told_ = elapsed;
            const Time now = simulator_.now();
            control_.progress({now, std::min(now.ps, last_), last_, simulator_.progress().events, elapsed});
        }
    }

    TrafficSimulator& simulator_;
    const RunControl& control_;
    std::int64_t last_;  // creation of a message that is measured, in ps
    RunClock clock_{control_.threads};
    double told_ = 0;
};

}  // namespace

void run_traffic(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control, RunReport& report) {
    check_control(control);
    const TrafficSpec& traffic = *loaded.workload.traffic;
    const auto fabric = build_fabric_of(loaded, inputs);
    preview(fabric, loaded.workload, inputs);
    TrafficSimulator simulator(fabric, traffic,
                               {control.mode, control.record_messages, control.engine, control.threads});
    TrafficRun run(simulator, traffic, control);
    report.outcome = run.play();
    report.engine = simulator.engine();
    report.fallback_reason = simulator.fallback_reason();
    report.wall_seconds = run.clock().wall_seconds();
    report.cpu_seconds = run.clock().cpu_seconds();
    report.validity = simulator.validity();
    report.traffic = simulator.report();
    report.statistics = simulator.statistics();
    report.links = simulator.links();
    report.link_levels = link_levels(*fabric);
    if (control.record_messages) {
        report.messages = simulator.messages();
    }
    report.ended = simulator.now();
    if (const std::optional<LatencySummary>& latency = report.traffic->network_latency) {
        report.message_latency = LatencyPercentiles{latency->p50, latency->p99, latency->max};
    }
    report.event_hash = simulator.event_hash();
    report.peak_rss_bytes = peak_rss_bytes();
}

}  // namespace simlette
