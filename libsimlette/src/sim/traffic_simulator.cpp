#include <simlette/sim/traffic_simulator.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <tuple>
#include <utility>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/base/histogram.hpp>
#include <simlette/sim/judge.hpp>
#include <simlette/sim/network.hpp>
#include <simlette/sim/traffic_source.hpp>

namespace simlette {

namespace {

constexpr Duration longest_window{1'000 * ps_per_second};

Network carrier_for(const Fabric& fabric, const TrafficSpec& spec, Mode mode, bool sweep, std::uint32_t threads) {
    if (mode == Mode::analytic) {
        throw Error(ErrorKind::input,
                    "analytic mode knows no queues, which synthetic traffic is about; use flit or message mode");
    }
    if (spec.load < 1 || spec.load > 1'000'000 || spec.message.count < 1 || most_message_bytes < spec.message ||
        spec.hot_share < 0 || spec.hot_share > 1'000'000) {
        throw Error(ErrorKind::input, "a load, a share or a message of synthetic traffic is out of bounds");
    }
    if (spec.warmup < Duration{0} || spec.measure <= Duration{0} || spec.warmup > longest_window ||
        spec.measure > longest_window) {
        throw Error(ErrorKind::input, "`warmup` and `measure` take at most 1000 s each, `measure` more than nothing");
    }
    return network_for(fabric, mode, sweep, threads);
}

std::optional<LatencySummary> summary_of(const Histogram& latencies) {
    if (latencies.size() == 0) {
        return std::nullopt;
    }
    return LatencySummary{
        {latencies.mean()}, {latencies.percentile(50)}, {latencies.percentile(99)}, {latencies.largest()}};
}

}  // namespace

struct TrafficSimulator::State {
    template <class Self, class Visit>
    static auto visit_carrier(Self& self, Visit&& visit) {
        if (auto* message = std::get_if<MessageNetwork>(&self.network)) {
            return visit(*message);
        }
        auto* sweep = std::get_if<SweepNetwork>(&self.network);
        return sweep != nullptr ? visit(*sweep) : visit(std::get<FlitNetwork<LaneQueue>>(self.network));
    }
    template <class Visit>
    auto with_carrier(Visit&& visit) {
        return visit_carrier(*this, visit);
    }
    template <class Visit>
    auto with_carrier(Visit&& visit) const {
        return visit_carrier(*this, visit);
    }

    State(std::shared_ptr<const Fabric> on, const TrafficSpec& traffic, const TrafficOptions& with)
        : fabric(std::move(on)),
          spec(traffic),
          options(with),
          fallback_reason(fallback_reason_for(options.mode, options.engine, sweep_misfit(*fabric))),
          network(carrier_for(*fabric, spec, options.mode, sweeps(), options.threads)),
          source(*fabric, spec),
          window_start(Time{0} + spec.warmup),
          window_end(window_start + spec.measure) {
        with_carrier([&](auto& carrier) {
            carrier.record_messages(options.record_messages);
            explain_none(carrier);
            for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
                carrier.wake_at(Time{0} + source.draw_gap(rank), rank);
            }
        });
    }

    bool sweeps() const { return sweep_carries(options.mode, options.engine, fallback_reason); }

    Time now() const {
        return with_carrier([](const auto& carrier) { return carrier.now(); });
    }

    bool in_window(Time t) const { return window_start <= t && t < window_end; }
    // Twice the time until all was created: by then messages that are still under way say that there is no end.
    Time cut() const { return window_end + (window_end - Time{0}); }
    Time end() const { return measured == measured_delivered ? window_end : cut(); }

    template <class Carrier>
    TrafficAdvance advance(Carrier& carrier, const Limits& limits);
    template <class Carrier>
    void open(Carrier& carrier, Time t);
    template <class Carrier>
    void create(Carrier& carrier, Span<std::uint32_t> ranks, Time t);
    void deliver(const Delivery& delivery, Time t);
    void count_waiting(Time t, std::int64_t bytes);
    TrafficReport report() const;

    std::shared_ptr<const Fabric> fabric;
    TrafficSpec spec;
    TrafficOptions options;
    std::string fallback_reason;
    Network network;
    TrafficSource source;
    Time window_start;
    Time window_end;
    std::atomic<bool> stop{false};

    std::int64_t created = 0;
    std::int64_t delivered = 0;
    std::int64_t measured = 0;
    std::int64_t measured_delivered = 0;
    std::int64_t offered_bytes = 0;
    std::int64_t accepted_bytes = 0;
    std::int64_t waiting_at_start = 0;
    std::int64_t waiting_at_end = 0;
    Histogram latencies;
    Histogram network_latencies;
};

// Before the window what waits counts for both of its ends, in the window for its end.
void TrafficSimulator::State::count_waiting(Time t, std::int64_t bytes) {
    waiting_at_start += t < window_start ? bytes : 0;
    waiting_at_end += t < window_end ? bytes : 0;
}

void TrafficSimulator::State::deliver(const Delivery& delivery, Time t) {
    const Bytes bytes = delivery.bytes;
    network_latencies.add((t - delivery.injected).ps, delivery.planes);
    count_waiting(t, -bytes.count);
    accepted_bytes += in_window(t) ? bytes.count : 0;
    const std::optional<Time> since = source.deliver(delivery);
    if (!since) {
        return;
    }
    ++delivered;
    if (in_window(*since)) {
        ++measured_delivered;
        latencies.add((t - *since).ps);
    }
}

template <class Carrier>
void TrafficSimulator::State::create(Carrier& carrier, Span<std::uint32_t> ranks, Time t) {
    if (ranks.begin() != ranks.end() && carrier.quiet()) {
        carrier.reset_arbiters();
    }
    for (const std::uint32_t rank : ranks) {
        carrier.inject(source.create(rank, t));
        carrier.wake_at(t + source.draw_gap(rank), rank);
        ++created;
        count_waiting(t, spec.message.count);
        measured += in_window(t) ? 1 : 0;
        offered_bytes += in_window(t) ? spec.message.count : 0;
    }
}

template <class Carrier>
void TrafficSimulator::State::open(Carrier& carrier, Time t) {
    carrier.open(t);
    for (const Delivery& delivery : carrier.deliveries()) {
        deliver(delivery, t);
    }
    create(carrier, carrier.wakes(), t);
}

template <class Carrier>
TrafficAdvance TrafficSimulator::State::advance(Carrier& carrier, const Limits& limits) {
    const std::uint64_t last_event = carrier.events() + std::min(limits.events, UINT64_MAX - carrier.events());
    while (carrier.now() < end()) {
        if (stop.load(std::memory_order_relaxed) && stop.exchange(false)) {
            return TrafficAdvance::stopped;
        }
        if (carrier.events() >= last_event || limits.time <= carrier.now()) {
            return TrafficAdvance::limit_reached;
        }
        carrier.close();
        const Time limit = std::min(limits.time, end());
        open(carrier, std::min(next_instant_of(carrier, limit), limit));
    }
    return TrafficAdvance::finished;
}

TrafficReport TrafficSimulator::State::report() const {
    TrafficReport report;
    report.ranks = source.ranks();
    report.injection_rate = source.injection_rate();
    report.window_start = std::min(window_start, now());
    report.window_end = std::min(window_end, now());
    report.offered = {offered_bytes};
    report.accepted = {accepted_bytes};
    report.measured = measured;
    report.measured_delivered = measured_delivered;
    report.waiting_at_start = {waiting_at_start};
    report.waiting_at_end = {waiting_at_end};
    report.latency = summary_of(latencies);
    report.network_latency = summary_of(network_latencies);
    report.created = created;
    report.delivered = delivered;
    report.cut = measured_delivered < measured && now() >= cut();
    return report;
}

TrafficSimulator::TrafficSimulator(std::shared_ptr<const Fabric> fabric, const TrafficSpec& traffic,
                                   TrafficOptions options)
    : state_(std::make_unique<State>(std::move(fabric), traffic, options)) {}
TrafficSimulator::~TrafficSimulator() = default;
TrafficSimulator::TrafficSimulator(TrafficSimulator&&) noexcept = default;
TrafficSimulator& TrafficSimulator::operator=(TrafficSimulator&&) noexcept = default;

TrafficAdvance TrafficSimulator::advance(const Limits& limits) {
    return state_->with_carrier([&](auto& carrier) { return state_->advance(carrier, limits); });
}

Engine TrafficSimulator::engine() const {
    return state_->sweeps() ? Engine::sweep : Engine::reference;
}

const std::string& TrafficSimulator::fallback_reason() const {
    return state_->fallback_reason;
}

Time TrafficSimulator::now() const {
    return state_->now();
}

void TrafficSimulator::request_stop() noexcept {
    state_->stop.store(true);
}

TrafficReport TrafficSimulator::report() const {
    return state_->report();
}

NetworkStatistics TrafficSimulator::statistics() const {
    state_->with_carrier([](auto& carrier) { settle(carrier); });
    return progress();
}

NetworkStatistics TrafficSimulator::progress() const {
    const State& s = *state_;
    NetworkStatistics statistics = s.with_carrier([](const auto& carrier) { return carrier.statistics(); });
    statistics.payload_bytes_due = s.created * s.spec.message.count;
    return statistics;
}

std::vector<LinkStatistics> TrafficSimulator::links() const {
    return state_->with_carrier([](auto& carrier) { return settle(carrier).link_statistics(); });
}

std::vector<MessageRecord> TrafficSimulator::messages() const {
    require(state_->options.record_messages, "messages were recorded");
    std::vector<MessageRecord> records =
        std::as_const(*state_).with_carrier([](const auto& carrier) { return carrier.records(); });
    std::sort(records.begin(), records.end(), [](const MessageRecord& a, const MessageRecord& b) {
        return std::tie(a.phase, a.source, a.destination, a.port) < std::tie(b.phase, b.source, b.destination, b.port);
    });
    return records;
}

std::uint64_t TrafficSimulator::event_hash() const {
    return std::as_const(*state_).with_carrier([](const auto& carrier) { return carrier.event_hash(); });
}

Validity TrafficSimulator::validity() const {
    const State& s = *state_;
    return s.with_carrier([&](const auto& carrier) { return judge(carrier, *s.fabric); });
}

}  // namespace simlette
