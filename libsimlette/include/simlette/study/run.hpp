// One run: a loaded topology and workload, simulated, with its report as JSON, table or CSV.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/link_levels.hpp>
#include <simlette/sim/simulator.hpp>
#include <simlette/sim/traffic_simulator.hpp>
#include <simlette/study/load.hpp>

namespace simlette {

struct RunProgress {
    Time now;
    std::int64_t done = 0;  // payload that was delivered; of synthetic traffic simulated time
    std::int64_t due = 0;   // of the whole workload
    std::uint64_t events = 0;
    double wall_seconds = 0;
    bool again = false;  // of the second simulation, which follows the critical paths; all counts begin anew
};

struct RunControl {
    Mode mode = Mode::flit;
    Engine engine = Engine::automatic;
    unsigned threads = 1;  // see SimulatorOptions
    Time until = Time::never();
    bool record_messages = false;
    bool record_trace = false;
    bool record_utilization = false;                   // for RunReport::utilization; not in analytic mode
    bool count_shares = false;                         // for LinkStatistics::shares; flit mode only
    bool explain = false;                              // simulate a second time, for EntryReport::path; flit mode only
    std::function<void(const RunProgress&)> progress;  // may be empty
    double progress_interval = 0.2;                    // seconds of wall time, at least
    const std::atomic<bool>* stop = nullptr;           // set by another thread or a signal handler to end early
};

enum class Outcome { finished, stalled, time_limit, interrupted };

// As the contract of the files names it: `finished`, `stalled`, `time-limit`, `interrupted`.
SIMLETTE_EXPORT const char* outcome_name(Outcome outcome);

// `auto`, `reference`, `sweep`.
SIMLETTE_EXPORT const char* engine_name(Engine engine);

// A phase over all ranks that entered it.
struct PhaseSpan {
    Time first_start = Time::never();
    Time last_start;
    Time first_end = Time::never();  // Time::never(): no rank has ended it
    Time last_end;
};

// A workload entry as the run left it.
struct EntryReport {
    bool started = false;           // `collective.start` is meaningful
    CollectiveReport collective;    // its id is its place in the workload, which messages carry too
    std::vector<PhaseSpan> phases;  // in flit mode
    std::vector<PathStep> path;  // its critical path, if asked for and if it is one of the last `most_explained` to end
};

inline constexpr std::size_t most_explained = 3;

// Between the start of the first flit and the delivery of the last one, over all port-messages that were delivered.
// p50 and p99 are the smallest latency that at least that share of the port-messages does not exceed.
struct LatencyPercentiles {
    Duration p50;
    Duration p99;
    Duration max;
};

// What write_trace() draws besides the collectives.
struct RunTrace {
    std::vector<PhaseRecord> phases;
    std::vector<PassageRecord> passages;
    std::vector<StallRecord> stalls;
    std::uint64_t left_out = 0;  // records of a run with too many
};

// How busy the links of each level were from `start` to `end`.
struct UseSpan {
    Time start;
    Time end;
    struct Level {
        Duration busy;  // of all its links together
        std::int64_t links = 0;
        Duration most;              // of the busiest
        std::uint32_t hottest = 0;  // that link, of equal ones the first; of no meaning if `most` is 0
    };
    std::vector<Level> levels;  // as in LinkLevels
};

struct RunReport {
    Mode mode = Mode::flit;
    Engine engine = Engine::reference;  // of the first simulation
    std::string fallback_reason;        // why not the sweep, if it was free to choose; else empty
    RunInputs inputs;
    FabricSpec fabric;
    std::string planned;  // as in LoadedRun
    std::string configuration;
    std::string configuration_hash;
    Validity validity;
    Outcome outcome = Outcome::finished;
    StallReport stall;  // of a stalled run
    WorkloadSpec workload;
    std::vector<EntryReport> collectives;  // one per workload entry, in order
    std::optional<Time> completion;        // the latest end; none if no collective has ended
    std::optional<TrafficReport> traffic;  // of a workload of synthetic traffic
    NetworkStatistics statistics;
    std::vector<LinkStatistics> links;
    LinkLevels link_levels;
    bool shares_counted = false;          // LinkStatistics::shares are meaningful
    bool utilization_recorded = false;    // `utilization` is
    std::vector<UseSpan> utilization;     // from time 0 to `ended`, at most 128 spans
    std::vector<MessageRecord> messages;  // if recorded
    std::optional<RunTrace> trace;        // if recorded
    Time ended;                           // of the simulation: the last instant that it came to
    bool explained = false;               // critical paths were asked for
    bool paths_missing = false;           // interrupted once the run had ended, before critical paths were known
    std::optional<LatencyPercentiles> message_latency;
    std::uint64_t event_hash = 0;
    double wall_seconds = 0;  // of the second simulation too, if there was one
    double cpu_seconds = 0;   // of the thread; of the process if the run may use several
    std::int64_t peak_rss_bytes = 0;
};

// Throws Error{input} when the fabric cannot be built or a collective does not fit it, before anything is simulated.
// So too when the mode cannot carry it.
SIMLETTE_EXPORT RunReport run(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control = {});

// One of several modes on the same input.
struct ModeRun {
    Mode mode = Mode::flit;
    std::optional<RunReport> report;
    std::string refused;  // why there is no report
};

// In flit, message and analytic mode. What flit mode takes and another one refuses is told in its ModeRun. Messages are
// recorded and paths explained in flit mode alone. Throws as run() in flit mode does.
SIMLETTE_EXPORT std::vector<ModeRun> run_modes(const LoadedRun& loaded, const RunInputs& inputs,
                                               const RunControl& control = {});

// A time as files write it, such as `50 us`. Throws Error{input}; `what` names the text in the message.
SIMLETTE_EXPORT Time time_of(const std::string& what, const std::string& text);

// What `simlette run --check` prints: sizes before anything runs.
struct RunEstimate {
    std::int64_t flits = 0;
    std::int64_t flit_hops = 0;     // flits times the links that each crosses
    std::int64_t memory_bytes = 0;  // an estimate of the peak, from the fabric, the messages and their flits
};
SIMLETTE_EXPORT RunEstimate estimate(const LoadedRun& loaded, const RunInputs& inputs);

SIMLETTE_EXPORT std::string report_json(const RunReport& report);
SIMLETTE_EXPORT std::string report_table(const RunReport& report);
// The modes side by side. The first run is the one that errors and speed-ups count from. Requires: it has a report.
SIMLETTE_EXPORT std::string modes_json(const std::vector<ModeRun>& runs);
SIMLETTE_EXPORT std::string modes_table(const std::vector<ModeRun>& runs);
SIMLETTE_EXPORT std::string stall_text(const RunReport& report);  // why it stalled: the wait cycle, a line each
// The critical paths, message by message and port by port. Requires: report.explained.
SIMLETTE_EXPORT std::string explanation_text(const RunReport& report);
SIMLETTE_EXPORT std::string report_csv(const RunReport& report);  // the scalar results: a header and one row
SIMLETTE_EXPORT std::string messages_csv(const RunReport& report);
SIMLETTE_EXPORT std::string links_csv(const RunReport& report);
SIMLETTE_EXPORT std::string utilization_csv(const RunReport& report);  // Requires: report.utilization_recorded

}  // namespace simlette
