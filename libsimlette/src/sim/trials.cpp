#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include <simlette/base/contract.hpp>
#include <simlette/collective/analytic.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/message_sizes.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/link/flit.hpp>
#include <simlette/sim/groups.hpp>
#include <simlette/sim/trials.hpp>

namespace simlette {

namespace {

// Of ranks and their phases. A run keeps some 170 bytes for each: 700 MB.
constexpr std::uint64_t most_phases_of_ranks = 4'000'000;
constexpr std::uint64_t events_between_looks = std::uint64_t{1} << 18;

// Between the cores of two accelerators, without flit times: no path is shorter.
Duration shortest_path(const HostGraph& graph) {
    Duration last = Time::never() - Time{0};
    for (const HostLink& link : graph.links) {
        if (link.from >= graph.accelerators && link.to < graph.accelerators) {
            last = std::min(last, graph.classes[link.link_class].latency.total());
        }
    }
    Duration least = Time::never() - Time{0};
    for (const HostLink& link : graph.links) {
        if (link.from < graph.accelerators) {
            const Duration first = graph.classes[link.link_class].latency.total();
            least = std::min(least, link.to < graph.accelerators ? first : first + last);
        }
    }
    return least;
}

Duration least_flit_time(const HostGraph& graph) {
    const auto fastest = std::min_element(graph.classes.begin(), graph.classes.end(),
                                          [](const auto& a, const auto& b) { return a.flit_time < b.flit_time; });
    return fastest->flit_time;
}

std::vector<std::int64_t> bytes_in(const CollectiveSpec& spec, const Schedule& schedule, const Phase& phase) {
    std::vector<std::int64_t> in(schedule.ranks, 0);
    for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
        for (const Send& send : schedule.sends_of(phase, rank)) {
            in[schedule.moved(send.peer, rank)] += bytes_of(spec, schedule, send, rank).count;
        }
    }
    return in;
}

// What no routing undercuts. Nobody enters a phase before the first rank has ended the one before, and a rank ends a
// phase when what was sent to it since then has come in: by the shortest path, over all its links at once.
Duration lower_bound(const HostGraph& graph, const Schedule& schedule, const CollectiveSpec& spec,
                     const std::vector<std::uint32_t>& accelerators) {
    const std::vector<LinkId> first_links = graph.first_links();
    const Duration path = shortest_path(graph);
    const Duration flit_time = least_flit_time(graph);
    Duration sum{0};
    for (const Phase& phase : schedule.phases) {
        const std::vector<std::int64_t> in = bytes_in(spec, schedule, phase);
        std::optional<Duration> least;
        for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
            const std::uint32_t a = accelerators[rank];
            const std::int64_t at_once = flit_bytes.count * (first_links[a + 1] - first_links[a]);
            const Duration takes = in[rank] == 0 ? Duration{0} : path + flit_time * ceil_div(in[rank], at_once);
            least = std::min(least.value_or(takes), takes);
        }
        sum += least.value_or(Duration{0});
    }
    return sum;
}

class Contest {
public:
    Contest(const std::shared_ptr<const Fabric>& fabric, const CollectiveSpec& collective,
            const std::atomic<bool>* stop)
        : fabric_(fabric), collective_(collective), stop_(stop) {
        collective_.id.reset();
        collective_.earliest_start = Time{0};
        ScheduleStore store;
        GroupLayout layout = lay_groups(*fabric, collective);
        for (const ScheduleKind kind : automatic_choices(collective.primitive, layout.overlays.front())) {
            for (std::size_t i = 0; i < layout.groups.size(); ++i) {
                layout.groups[i].schedule = store.built(collective.primitive, kind, layout.overlays[i]);
            }
            enter(kind, layout.groups);
        }
    }

    std::vector<ScheduleTrial> hold() {
        const std::vector<std::size_t> order = cheapest_first();
        if (order.size() == 1) {
            trials_.front().reason = "the only choice";
        }
        for (std::size_t i = 0; i < order.size() && order.size() > 1; ++i) {
            attempt(order[i]);
            if (stopped()) {
                return {};
            }
        }
        trials_[best_.value_or(order.front())].chosen = true;
        return std::move(trials_);
    }

private:
    void enter(ScheduleKind kind, const std::vector<GroupSchedule>& groups) {
        ScheduleTrial& trial = trials_.emplace_back();
        trial.kind = kind;
        trial.schedule = groups.front().schedule->name;
        std::uint64_t phases_of_ranks = 0;
        for (const GroupSchedule& group : groups) {
            const Schedule& schedule = *group.schedule;
            trial.at_least =
                std::max(trial.at_least, lower_bound(fabric_->graph, schedule, collective_, group.accelerators));
            phases_of_ranks += schedule.phases.size() * schedule.ranks;
        }
        prices_.push_back(analytic_time(fabric_->graph, collective_, groups));
        too_big_.push_back(phases_of_ranks > most_phases_of_ranks);
    }

    bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

    std::vector<std::size_t> cheapest_first() const {
        std::vector<std::size_t> order(trials_.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return prices_[a] < prices_[b]; });
        return order;
    }

    void attempt(std::size_t index) {
        ScheduleTrial& trial = trials_[index];
        if (best_ && !could_win(index, trial.at_least)) {
            trial.reason = "cannot be the fastest";
        } else if (too_big_[index]) {
            trial.reason = "too many phases to keep account of";
        } else {
            simulate(index);
        }
    }

    // Of equal times the first choice wins.
    bool could_win(std::size_t index, Duration takes) const {
        const Duration fastest = *trials_[*best_].takes;
        return takes < fastest || (takes == fastest && index < *best_);
    }

    void simulate(std::size_t index) {
        ScheduleTrial& trial = trials_[index];
        Simulator simulator(fabric_);
        collective_.schedule = trial.kind;
        simulator.register_collective(collective_);
        const Time limit = best_ ? Time{0} + *trials_[*best_].takes : Time::never();
        while (!stopped()) {
            const Advance next = simulator.advance({limit, events_between_looks});
            if (const auto* done = std::get_if<Completed>(&next)) {
                trial.takes = trial.at_least = done->end - Time{0};
                best_ = !best_ || could_win(index, *trial.takes) ? index : best_;
                return;
            }
            if (std::holds_alternative<Stalled>(next)) {
                trial.reason = "stalls";
                return;
            }
            if (simulator.now() >= limit) {
                trial.at_least = limit - Time{0};
                trial.reason = "given up: the fastest had ended";
                return;
            }
        }
    }

    const std::shared_ptr<const Fabric>& fabric_;
    CollectiveSpec collective_;
    const std::atomic<bool>* stop_;
    std::vector<ScheduleTrial> trials_;
    std::vector<Duration> prices_;  // analytic
    std::vector<bool> too_big_;
    std::optional<std::size_t> best_;
};

}  // namespace

std::vector<ScheduleTrial> try_choices(const std::shared_ptr<const Fabric>& fabric, const CollectiveSpec& collective,
                                       const std::atomic<bool>* stop) {
    return Contest(fabric, collective, stop).hold();
}

ScheduleKind chosen(const std::vector<ScheduleTrial>& trials) {
    const auto one =
        std::find_if(trials.begin(), trials.end(), [](const ScheduleTrial& trial) { return trial.chosen; });
    require(one != trials.end(), "one of the trials is chosen");
    return one->kind;
}

}  // namespace simlette
