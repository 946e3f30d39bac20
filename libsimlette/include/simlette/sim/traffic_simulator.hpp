// Synthetic traffic on a fabric: messages at random times, and how long they take once the start has been forgotten.
//
//     simlette::TrafficSimulator simulator(fabric, traffic);
//     while (simulator.advance() == simlette::TrafficAdvance::limit_reached) {}
//     use(simulator.report());
//
// Messages come from time 0 on, whether the network keeps up or not. What is created and delivered from `warmup` on,
// for the time `measure`, is counted. Messages go on coming after that until all that were created in this window have
// been delivered, so that the last of them meet the same load as the first. If that takes longer than all the time
// until then, the run is cut.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/fabric/statistics.hpp>
#include <simlette/sim/simulator.hpp>
#include <simlette/sim/traffic_spec.hpp>

namespace simlette {

// Percentiles are exact or less than a thousandth too high; the mean is rounded down.
struct LatencySummary {
    Duration mean{0};
    Duration p50{0};
    Duration p99{0};
    Duration max{0};
};

struct TrafficReport {
    std::uint32_t ranks = 0;
    BitRate injection_rate{0};  // of all accelerators together
    Time window_start;
    Time window_end;  // exclusive; where a run that was stopped before came to
    // In the window.
    Bytes offered{0};           // created
    Bytes accepted{0};          // delivered
    std::int64_t measured = 0;  // messages created
    std::int64_t measured_delivered = 0;
    Bytes waiting_at_start{0};  // created and not delivered
    Bytes waiting_at_end{0};
    // Of the messages created in the window that were delivered, from creation to the last byte. None: there are none.
    std::optional<LatencySummary> latency;
    // Of all port-messages that were delivered, from the start of the first flit to the last.
    std::optional<LatencySummary> network_latency;
    // From the start to the end.
    std::int64_t created = 0;  // messages
    std::int64_t delivered = 0;
    bool cut = false;  // before all measured messages were delivered

    // What waits has grown by more than a twentieth of what was offered: the load is more than the fabric carries.
    bool saturated() const { return 20 * (waiting_at_end.count - waiting_at_start.count) > offered.count; }
};

struct TrafficOptions {
    Mode mode = Mode::flit;
    bool record_messages = false;
    Engine engine = Engine::automatic;  // of flit mode
    std::uint32_t threads = 1;          // as in SimulatorOptions
};

enum class TrafficAdvance { finished, limit_reached, stopped };

class SIMLETTE_EXPORT TrafficSimulator {
public:
    // Throws Error{input} when the traffic does not fit the fabric or the mode or the engine cannot carry it.
    TrafficSimulator(std::shared_ptr<const Fabric> fabric, const TrafficSpec& traffic, TrafficOptions options = {});
    ~TrafficSimulator();
    TrafficSimulator(TrafficSimulator&&) noexcept;
    TrafficSimulator& operator=(TrafficSimulator&&) noexcept;

    TrafficAdvance advance(const Limits& limits = {});
    Time now() const;
    // What carries flit mode, never `automatic`; and why the sweep does not, if the choice was free.
    Engine engine() const;
    const std::string& fallback_reason() const;  // empty: it does, or was not asked to
    // Makes a running advance() return `stopped` soon. Safe from another thread and from a signal handler.
    void request_stop() noexcept;

    TrafficReport report() const;
    NetworkStatistics statistics() const;
    NetworkStatistics progress() const;         // as in Simulator
    std::vector<LinkStatistics> links() const;  // by link id
    // The number of a message among those of its source stands as its phase. Sorted by (phase, source, destination,
    // port). Requires: options.record_messages.
    std::vector<MessageRecord> messages() const;
    std::uint64_t event_hash() const;
    Validity validity() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace simlette
