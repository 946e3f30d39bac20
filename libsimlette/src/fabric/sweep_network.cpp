// What the caller sees of a sweep: windows, deliveries, injections, statistics.
#include <simlette/fabric/sweep_network.hpp>

#include <algorithm>
#include <numeric>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

// Random routing draws by switch, so planes differ.
Planes planes_for(const HostGraph& graph, const RoutingSpec& routing) {
    return routing.policy == RoutingPolicy::random && graph.has_choices() ? Planes{} : planes_of(graph);
}

}  // namespace

SweepNetwork::SweepNetwork(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules,
                           std::uint64_t seed, std::uint32_t threads)
    : graph_(graph),
      many_landings_((graph.has_choices() || graph.has_levels()) && graph.groups == graph.accelerators),
      split_(planes_for(graph, routing)),
      plane_count_(std::max(1U, static_cast<std::uint32_t>(split_.links.size()))),
      threads_(std::min(threads, plane_count_)) {
    require(misfit(graph, routing) == nullptr, "a sweep carries what it was asked to");
    graph.check();
    planes_.reserve(plane_count_);
    planes_.emplace_back(plane_count_ > 1 ? split_.graph : graph, planes_from(0, plane_count_, 0), routing, rules, seed,
                         account_);
    end_ = start_ + planes_.front().window();
}

const char* SweepNetwork::misfit(const HostGraph& graph, const RoutingSpec& routing) {
    if (routing.policy == RoutingPolicy::adaptive) {
        return "adaptive routing looks at queues at the instant of each arrival";
    }
    return channel_stages(graph).empty() ? "links depend on each other in a cycle" : nullptr;
}

Plane SweepNetwork::planes_from(std::uint32_t first, std::uint32_t count, std::uint32_t slot) const {
    return plane_count_ == 1 ? Plane{} : Plane{first, plane_count_, count, slot, &split_.links[first]};
}

const SweepPlane& SweepNetwork::carrier_of(std::uint32_t plane) const {
    return *std::find_if(planes_.begin(), planes_.end(), [plane](const SweepPlane& one) { return one.carries(plane); });
}

template <class Differs>
void SweepNetwork::part_planes(Differs&& differs) {
    const std::size_t before = planes_.size();
    std::vector<std::uint16_t> origins;  // of the planes that are new
    for (std::size_t slot = 0; slot < before; ++slot) {
        SweepPlane* last = &planes_[slot];
        const std::uint32_t end = last->plane().index + last->plane().stands_for;
        for (std::uint32_t first = last->plane().index + 1; first < end; ++first) {
            if (!differs(first)) {
                continue;
            }
            const auto next = static_cast<std::uint32_t>(planes_.size());
            planes_.push_back(*last);
            const Plane& plane = last->plane();
            last->stand_at(planes_from(plane.index, first - plane.index, plane.slot));
            last = &planes_.back();
            last->stand_at(planes_from(first, end - first, next));
            origins.push_back(static_cast<std::uint16_t>(slot));
        }
    }
    if (!origins.empty()) {
        part_landings(origins);
    }
}

// What was to be told of a plane is to be told of those that have left it too.
void SweepNetwork::part_landings(const std::vector<std::uint16_t>& origins) {
    const std::size_t first_new = planes_.size() - origins.size();
    sorting_.clear();
    for (std::size_t i = next_landing_; i < due_landings_.size(); ++i) {
        sorting_.push_back(due_landings_[i]);
        for (std::size_t k = 0; k < origins.size(); ++k) {
            if (origins[k] == due_landings_[i].slot) {
                sorting_.push_back(due_landings_[i]);
                sorting_.back().slot = static_cast<std::uint16_t>(first_new + k);
            }
        }
    }
    due_landings_.swap(sorting_);
    next_landing_ = 0;
}

void SweepNetwork::carry_only(const std::vector<std::uint32_t>& ports) {
    if (plane_count_ == 1 || ports.empty()) {
        return;
    }
    require(planes_.size() == 1 && quiet(), "what is carried is settled before anything is injected");
    std::vector<std::uint32_t> carried = ports;
    std::sort(carried.begin(), carried.end());
    carried.erase(std::unique(carried.begin(), carried.end()), carried.end());
    planes_.front().stand_at(planes_from(carried.front(), 1, 0));
    for (std::uint32_t slot = 1; slot < carried.size(); ++slot) {
        planes_.push_back(planes_.front());
        planes_.back().stand_at(planes_from(carried[slot], 1, slot));
    }
}

Time SweepNetwork::attention() const {
    Time first = Time::never();
    for (const SweepPlane& plane : planes_) {
        first = std::min(first, plane.attention());
    }
    return first;
}

Time SweepNetwork::first_landing() const {
    Time first = Time::never();
    for (const SweepPlane& plane : planes_) {
        first = std::min(first, plane.first_landing());
    }
    return first;
}

Time SweepNetwork::last_event() const {
    Time last;
    for (const SweepPlane& plane : planes_) {
        last = std::max(last, plane.last_event());
    }
    return last;
}

Time SweepNetwork::credits_home() const {
    Time last;
    for (const SweepPlane& plane : planes_) {
        last = std::max(last, plane.credits_home());
    }
    return last;
}

bool SweepNetwork::carries_flits() const {
    return std::any_of(planes_.begin(), planes_.end(), [](const SweepPlane& plane) { return plane.carries_flits(); });
}

bool SweepNetwork::quiet() const {
    return !carries_flits() && now() >= credits_home();
}

void SweepNetwork::run_ports(Time decide_before, Time absorb_before) {
    on_planes([&](SweepPlane& plane) { plane.run(decide_before, absorb_before); });
    decided_ = decide_before;
}

void SweepNetwork::begin_window(Time start) {
    start_ = start;
    end_ = start + planes_.front().window();
    looked_out_ = false;
    for (; next_landing_ < due_landings_.size(); ++next_landing_) {
        planes_[due_landings_[next_landing_].slot].add_landing(due_landings_[next_landing_]);
    }
    due_landings_.clear();
    next_landing_ = 0;
}

// Those of the window, once it is known that something may react to them.
void SweepNetwork::take_landings() {
    for (SweepPlane& plane : planes_) {
        plane.move_landings(end_, due_landings_);
    }
    sort_landings();
}

// Into slices of the window, then each by itself.
void SweepNetwork::sort_landings() {
    constexpr std::size_t slices = 2048;
    constexpr std::size_t few = 256;
    const auto sort = [this](LargeVector<Landing>::iterator first, LargeVector<Landing>::iterator last) {
        const auto by_time = [this](const Landing& a, const Landing& b) { return earlier(a, b); };
        if (!std::is_sorted(first, last, by_time)) {
            std::sort(first, last, by_time);
        }
    };
    if (due_landings_.size() < few) {
        sort(due_landings_.begin(), due_landings_.end());
        return;
    }
    unsigned shift = 0;
    while (static_cast<std::uint64_t>((end_ - start_).ps) >> shift >= slices) {
        ++shift;
    }
    const auto slice = [&](const Landing& landing) {
        return static_cast<std::size_t>((landing.time - start_).ps >> shift);
    };
    std::array<std::uint32_t, slices + 1> place{};  // where a slice begins
    for (const Landing& landing : due_landings_) {
        ++place[slice(landing) + 1];
    }
    std::partial_sum(place.begin(), place.end(), place.begin());
    std::array<std::uint32_t, slices + 1> next = place;
    sorting_.resize(due_landings_.size());
    for (const Landing& landing : due_landings_) {
        sorting_[next[slice(landing)]++] = landing;
    }
    due_landings_.swap(sorting_);
    for (std::size_t i = 0; i < slices; ++i) {
        sort(due_landings_.begin() + place[i], due_landings_.begin() + place[i + 1]);
    }
}

Time SweepNetwork::next_instant(Time limit) {
    for (const std::uint64_t enough = events() + many_events;;) {
        if (lots_ > 0) {
            return lots_at_;
        }
        Time next = next_landing_ < due_landings_.size() ? due_landings_[next_landing_].time : Time::never();
        next = alarms_.empty() ? next : std::min(next, alarms_.first().at);
        if (next_landing_ == due_landings_.size() && !carries_flits() && now() < credits_home()) {
            next = std::min(next, credits_home());
        }
        if (next >= start_ && !looked_out_) {
            if (const Time end = lot_end(limit); end > start_) {
                if (ahead()) {
                    return start_;  // all is told: a caller may stop between two long windows
                }
                go_ahead(end);
                continue;
            }
            looked_out_ = true;
            take_landings();
            next = std::min(next, next_landing_ < due_landings_.size() ? due_landings_[next_landing_].time : next);
        }
        if (next < end_) {
            return next;
        }
        const bool cut = limit < end_;
        if (cut && limit >= start_) {
            run_ports(limit, limit + Duration{1});
            begin_window(limit);
        } else if (!cut) {
            run_ports(end_, end_);
        }
        next = std::min({next, attention(), first_landing()});
        if (next == Time::never()) {
            account_.now = std::max(now(), last_event());
            return next;
        }
        if (cut) {
            return end_;
        }
        begin_window(std::max(end_, next));
        if (events() >= enough) {
            return start_;  // all is told: a caller may stop though nothing lands for long
        }
    }
}

void SweepNetwork::open(Time t) {
    require(t >= now(), "time does not run backwards");
    account_.now = t;
    if (lots_ > 0) {
        account_.told.deliveries.swap(planes_[--lots_].lot().told.deliveries);
        return;
    }
    if (t < start_ && t >= decided_) {
        begin_window(t);
    }
    for (; next_landing_ < due_landings_.size() && due_landings_[next_landing_].time == t; ++next_landing_) {
        __builtin_prefetch(message_later(next_landing_));
        const Landing& landing = due_landings_[next_landing_];
        planes_[landing.slot].deliver(landing);
    }
    while (!alarms_.empty() && alarms_.first().at == t) {
        wakes_.push_back(alarms_.pop().entity);
        calm_before_ = {};
        ++woken_;
    }
}

void SweepNetwork::close() {
    account_.told.deliveries.clear();
    if (lots_ == 0) {
        account_.parts.clear();
    }
    wakes_.clear();
}

void SweepNetwork::settle() {
    if (now() >= start_) {
        run_ports(now(), now() + Duration{1});
        begin_window(now());
    }
}

void SweepNetwork::trace(const std::vector<TracedMessage>& messages) {
    account_.trace.want(messages);
    if (account_.trace.on()) {
        part_planes([](std::uint32_t) { return true; });
    }
}

void SweepNetwork::inject(const Injection& injection) {
    require(!ahead(), "ports do not go ahead of what is injected");
    calm_before_ = {};
    windows_a_lot_ = 1;
    const Spread& spread = planes_.front().spread_of(injection);
    if (planes_.size() < plane_count_) {
        part_planes([&spread](std::uint32_t plane) { return spread.differs[plane]; });
    }
    injected_messages_ += spread.messages;
    injected_powers_ += spread.powers;
    for (SweepPlane& plane : planes_) {
        plane.inject(injection, spread);
    }
}

void SweepNetwork::reply(const Delivery& request, bool released_by_request) {
    const std::uint32_t first = planes_[request.slot].plane().index;  // as it was then
    for (SweepPlane& plane : planes_) {
        if (plane.plane().index >= first && plane.plane().index < first + request.planes) {
            plane.reply(request.message, released_by_request);
        }
    }
}

void SweepNetwork::reset_arbiters() {
    require(quiet(), "arbiters are reset on a quiet network");
    for (SweepPlane& plane : planes_) {
        plane.reset_arbiters();
    }
}

std::uint64_t SweepNetwork::events() const {
    return std::accumulate(planes_.begin(), planes_.end(), woken_,
                           [](std::uint64_t sum, const SweepPlane& plane) { return sum + plane.events(); });
}

template <class PerLink>
void SweepNetwork::for_each_link(PerLink&& per_link) const {
    for (std::uint32_t i = 0; i < plane_count_; ++i) {
        const SweepPlane& plane = carrier_of(i);
        const auto links = static_cast<LinkId>(graph_.links.size() / plane_count_);
        for (LinkId link = 0; link < links; ++link) {
            per_link(plane, link, plane_count_ > 1 ? split_.links[i][link] : link);
        }
    }
}

NetworkStatistics SweepNetwork::statistics() const {
    NetworkStatistics statistics = account_.told.totals;
    statistics.events = events();
    for (const SweepPlane& plane : planes_) {
        statistics.first_injection = std::min(statistics.first_injection, plane.first_injection());
    }
    for_each_link([&](const SweepPlane& plane, LinkId link, LinkId) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            const Duration stall = plane.stalled_for(link, channel);
            statistics.stall_total += stall;
            statistics.stall_max_port = std::max(statistics.stall_max_port, stall);
        }
    });
    return statistics;
}

std::vector<LinkStatistics> SweepNetwork::link_statistics() const {
    std::vector<LinkStatistics> all(graph_.links.size());
    for_each_link([&](const SweepPlane& plane, LinkId link, LinkId in_whole) {
        all[in_whole] = plane.link_statistics(link);
        all[in_whole].name = graph_.link_name(in_whole);
    });
    return all;
}

std::vector<Duration> SweepNetwork::wire_times() const {
    std::vector<Duration> all(graph_.links.size());
    for_each_link(
        [&](const SweepPlane& plane, LinkId link, LinkId in_whole) { all[in_whole] = plane.wire_time(link); });
    return all;
}

StallReport SweepNetwork::explain() const {
    std::vector<WaitingPort> waiting;
    for (std::uint32_t i = 0; i < plane_count_; ++i) {
        for (WaitingPort& port : carrier_of(i).waiting()) {
            if (plane_count_ > 1) {
                const std::vector<LinkId>& links = split_.links[i];
                port.link = links[port.link];
                std::transform(port.waits_for.begin(), port.waits_for.end(), port.waits_for.begin(),
                               [&links](LinkId link) { return links[link]; });
            }
            waiting.push_back(std::move(port));
        }
    }
    std::sort(waiting.begin(), waiting.end(), [](const WaitingPort& a, const WaitingPort& b) {
        return std::make_pair(a.link, a.channel) < std::make_pair(b.link, b.channel);
    });
    return explain_stall(graph_, now(), waiting);
}

void SweepNetwork::clear() {
    while (planes_.size() > 1) {
        planes_.pop_back();
    }
    planes_.front().clear();
    planes_.front().stand_at(planes_from(0, plane_count_, 0));
    account_.now = {};
    account_.told = {};
    account_.parts.clear();
    account_.trace.clear();
    start_ = decided_ = {};
    end_ = start_ + planes_.front().window();
    looked_out_ = false;
    calm_before_ = {};
    flits_a_landing_ = injected_messages_ = injected_powers_ = 0;
    windows_a_lot_ = 1;
    due_landings_.clear();
    next_landing_ = lots_ = 0;
    alarms_.clear();
    wakes_.clear();
    woken_ = 0;
}

}  // namespace simlette
