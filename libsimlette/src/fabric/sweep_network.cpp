// What the caller sees of a sweep: windows, deliveries, injections, statistics.
#include <simlette/fabric/sweep_network.hpp>

#include <algorithm>
#include <numeric>

#include <simlette/base/contract.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

SweepNetwork::SweepNetwork(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules,
                           std::uint64_t seed)
    : graph_(graph),
      first_switch_link_(graph.first_switch_link()),
      routing_(routing),
      rules_(rules),
      seed_(seed),
      one_rate_(
          std::all_of(graph.classes.begin(), graph.classes.end(),
                      [&graph](const LinkClass& kind) { return kind.flit_time == graph.classes.front().flit_time; })),
      one_way_(!graph.has_choices() || routing.granularity == Granularity::message ||
               routing.policy == RoutingPolicy::hashed || routing.policy == RoutingPolicy::fixed),
      flit_by_flit_(routing.granularity == Granularity::flit &&
                    (routing.policy == RoutingPolicy::spray || routing.policy == RoutingPolicy::random)),
      many_landings_((graph.has_choices() || graph.has_levels()) && graph.groups == graph.accelerators),
      sources_(graph, routing, rules, seed),
      spray_cycles_(graph.spray_cycles()),
      way_back_(graph.ways_back()) {
    require(misfit(graph, routing) == nullptr, "a sweep carries what it was asked to");
    graph.check();
    order_ports();
    list_feeders();
    build_ports();
}

const char* SweepNetwork::misfit(const HostGraph& graph, const RoutingSpec& routing) {
    if (routing.policy == RoutingPolicy::adaptive) {
        return "adaptive routing looks at queues at the instant of each arrival";
    }
    return channel_stages(graph).empty() ? "links depend on each other in a cycle" : nullptr;
}

void SweepNetwork::build_ports() {
    const std::size_t links = graph_.links.size();
    ports_.assign(links, {});
    busy_.assign(links / 64 + 1, 0);
    apart_ = Duration{ps_per_second};
    window_ = Duration{ps_per_second};  // at most, so that a time and a window stay in 64 bits
    for (LinkId id = 0; id < links; ++id) {
        const LinkClass& kind = graph_.class_of(id);
        Port& port = ports_[place_[id]];
        port.link = id;
        port.flit_time = kind.flit_time;
        port.way = kind.flit_time + kind.latency.total();
        window_ = std::min(window_, port.way);
        if (graph_.links[id].to >= graph_.accelerators) {
            port.at = graph_.links[id].to - graph_.accelerators;
        } else {
            apart_ = std::min(apart_, kind.flit_time);
        }
        if (id >= first_switch_link_) {
            const std::uint32_t from = graph_.links[id].from - graph_.accelerators;
            port.feeders = first_feeder_[from];
            for (RunQueues& queues : port.outputs) {
                queues.reset(first_feeder_[from + 1] - port.feeders);
            }
        }
        port.credits = kind.credits;
        port.finite = static_cast<std::uint8_t>(kind.finite());
    }
    for (std::uint32_t at = 0; at < graph_.packet_switches; ++at) {
        for (std::uint32_t i = first_feeder_[at]; i < first_feeder_[at + 1]; ++i) {
            ports_[feeders_[i].place].input = i - first_feeder_[at];
        }
    }
    tags_.assign(rules_.tags == unlimited ? 0 : first_switch_link_, {});
    end_ = start_ + window_;
    build_long_window();
    reset_spray();
}

void SweepNetwork::begin_window(Time start) {
    start_ = start;
    end_ = start + window_;
    looked_out_ = false;
    for (; landed_ < due_landings_.size(); ++landed_) {
        add_landing(due_landings_[landed_]);
    }
    due_landings_.clear();
    landed_ = 0;
    const Time since = std::min(start, first_landing_);
    if (last_landing_ < end_) {
        due_landings_.swap(landings_);
        first_landing_ = Time::never();
        last_landing_ = {};
    } else if (first_landing_ < end_) {
        sorting_.swap(landings_);
        landings_.clear();
        first_landing_ = Time::never();
        last_landing_ = {};
        for (const Landing& landing : sorting_) {
            if (landing.time < end_) {
                due_landings_.push_back(landing);
            } else {
                add_landing(landing);
            }
        }
    }
    sort_landings(since);
}

// Into slices of the window, then each by itself.
void SweepNetwork::sort_landings(Time since) {
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
    while (static_cast<std::uint64_t>((end_ - since).ps) >> shift >= slices) {
        ++shift;
    }
    const auto slice = [&](const Landing& landing) {
        return static_cast<std::size_t>((landing.time - since).ps >> shift);
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
    while (true) {
        Time next = landed_ < due_landings_.size() ? due_landings_[landed_].time : Time::never();
        next = alarms_.empty() ? next : std::min(next, alarms_.top().first);
        if (flits_outside_ == 0 && now_ < credits_home_) {
            next = std::min(next, credits_home_);
        }
        if (next >= start_ && !looked_out_) {
            if (may_go_ahead(limit)) {
                if (ahead()) {
                    return start_;  // all is told: a caller may stop between two long windows
                }
                go_ahead();
                continue;
            }
            looked_out_ = true;
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
        next = std::min(
            {next, attention_, first_landing_, landed_ < due_landings_.size() ? due_landings_[landed_].time : next});
        if (next == Time::never()) {
            now_ = std::max(now_, last_event_);
            return next;
        }
        if (cut) {
            return end_;
        }
        begin_window(std::max(end_, next));
    }
}

void SweepNetwork::open(Time t) {
    require(t >= now_, "time does not run backwards");
    now_ = t;
    if (t < start_ && t >= decided_) {
        begin_window(t);
    }
    for (; landed_ < due_landings_.size() && due_landings_[landed_].time == t; ++landed_) {
        constexpr std::size_t ahead = 16;
        if (landed_ + ahead < due_landings_.size()) {
            __builtin_prefetch(messages_.data() + (due_landings_[landed_ + ahead].flit >> 2U));
        }
        deliver(due_landings_[landed_]);
    }
    for (; !alarms_.empty() && alarms_.top().first == t; alarms_.pop()) {
        wakes_.push_back(alarms_.top().second);
        ++events_;
    }
}

void SweepNetwork::close() {
    deliveries_.clear();
    parts_.clear();
    wakes_.clear();
}

void SweepNetwork::settle() {
    if (now_ >= start_) {
        run_ports(now_, now_ + Duration{1});
        begin_window(now_);
    }
}

void SweepNetwork::inject(const Injection& injection) {
    require(!ahead(), "ports do not go ahead of what is injected");
    const std::int64_t more = sources_.add(injection, [&](LinkId id, std::int64_t flits) {
        for (std::int64_t left = flits; left > 0; left -= UINT32_MAX) {
            put(place_[id],
                {FlitRun::of(0, 0), static_cast<std::uint32_t>(std::min<std::int64_t>(left, UINT32_MAX)), 0}, no_id,
                now_);
        }
        if (trace_.on()) [[unlikely]] {
            note_injection(injection, id);
        }
        return PortMessage::Waiting{now_, {}, {}, {}, 0};
    });
    flits_outside_ += more;
    constexpr std::int64_t most = 1 << 22;
    const auto room = static_cast<std::size_t>(std::min(flits_outside_, most));  // a message has one flit at least
    if (messages_.capacity() < room) {
        messages_.reserve(std::max(room, 2 * messages_.capacity()));
    }
}

void SweepNetwork::reset_arbiters() {
    require(quiet(), "arbiters are reset on a quiet network");
    for (Port& port : ports_) {
        port.next_channel = 0;
        for (RunQueues& queues : port.outputs) {
            queues.reset_pointer();
        }
    }
    reset_spray();
}

void SweepNetwork::deliver(const Landing& landing) {
    ++events_;
    if (rules_.one_by_one()) {
        deliver_one_by_one(landing);
        return;
    }
    const std::uint32_t id = landing.flit >> 2U;
    if (landing.counted) {
        flits_outside_ -= landing.count;
        finish_data(id);
        return;
    }
    Message& message = messages_[id];
    const bool answer = (landing.flit & 1U) != 0;
    const bool followed = trace_.on() && trace_landing(landing);
    const std::uint32_t flits = one_way_ && !followed ? message.undelivered : landing.count;
    flits_outside_ -= flits;
    message.undelivered -= flits;
    if (message.undelivered > 0) {
        return;
    }
    if (!answer) {
        reach_completer(id, landing.link);
        return;
    }
    if (message.read) {
        finish_data(id);
    } else {
        ++totals_.response_flits;
    }
    free_message(id);
}

void SweepNetwork::reach_completer(std::uint32_t id, LinkId from) {
    Message& message = messages_[id];
    message.answer_link = way_back_[from];
    if (message.read) {
        totals_.request_flits += exchanges_.empty() ? 1 : exchanges_[id].transactions.forward;
        message.released_by_request = false;
        deliveries_.push_back(delivery(id));
        return;
    }
    finish_data(id);
    if (rules_.responses == ResponsePolicy::none) {
        free_message(id);
    } else {
        queue_answer(id, 1, now_);
    }
}

// The data of a port-message has arrived whole.
void SweepNetwork::finish_data(std::uint32_t id) {
    const Message& message = messages_[id];
    totals_.flits += message.flits;
    totals_.payload_bytes += message.bytes.count;
    ++totals_.port_messages;
    totals_.last_delivery = now_;
    hash_.add({message.collective, message.phase, message.source_rank, message.destination_rank, message.port,
               static_cast<std::uint64_t>(now_.ps)});
    if (recording_) {
        records_.push_back({message.collective, message.phase, message.source_rank, message.destination_rank,
                            message.port, message.bytes.count, message.flits, message.injected, now_});
    }
    deliveries_.push_back(delivery(id));
    deliveries_.back().taken = now_ - message.ready;
    if (trace_.on()) [[unlikely]] {
        tell_parts(id, deliveries_.back());
    }
}

Delivery SweepNetwork::delivery(std::uint32_t id) const {
    const Message& message = messages_[id];
    return {id,
            message.read && !message.answered,
            message.collective,
            message.phase,
            message.source_rank,
            message.destination_rank,
            message.port,
            message.flits,
            message.bytes,
            message.injected,
            {},
            nullptr,
            message.released_by_request};
}

void SweepNetwork::reply(std::uint32_t id, bool released_by_request) {
    Message& message = messages_[id];
    require(message.read && !message.answered, "a request is answered once");
    message.answered = true;
    message.released_by_request = released_by_request;
    if (!released_by_request && message.undelivered == 0) {
        message.ready = now_;
    }
    if (rules_.one_by_one()) {
        let_answers_go(id);
        return;
    }
    queue_answer(id, message.flits, now_);
}

// Flits go back to where the request came from.
void SweepNetwork::queue_answer(std::uint32_t id, std::uint32_t flits, Time at) {
    Message& message = messages_[id];
    require(message.answer_link != no_id, "an answer leaves by the port on which the request came");
    message.undelivered = flits;
    if (trace_.on()) [[unlikely]] {
        trace_.end(id);
        trace_.begin(id, trace_key(id, 1));
    }
    put_answer(id, flits, true, at);
}

void SweepNetwork::put_answer(std::uint32_t id, std::uint32_t flits, bool last, Time at) {
    const Message& message = messages_[id];
    flits_outside_ += flits;
    if (trace_.on()) [[unlikely]] {
        note_answer(id);
    }
    const std::uint32_t flit = FlitRun::of(id, 1) | (last ? FlitRun::last_bit : 0);
    put(place_[message.answer_link], {flit, flits, graph_.links[message.first_link].from}, no_id, at);
}

std::uint32_t SweepNetwork::new_message() {
    if (free_messages_.empty()) {
        free_messages_.push_back(static_cast<std::uint32_t>(messages_.size()));
        messages_.emplace_back();
        if (rules_.fidelity == Fidelity::ualink) {
            exchanges_.emplace_back();
        }
        if (routing_.granularity == Granularity::message) {
            kept_.emplace_back();
        }
        require(messages_.size() < (1U << 30U), "messages under way fit their index");
    }
    const std::uint32_t id = free_messages_.back();
    free_messages_.pop_back();
    constexpr std::size_t ahead = 4;
    if (free_messages_.size() >= ahead) {
        __builtin_prefetch(messages_.data() + free_messages_[free_messages_.size() - ahead]);
    }
    if (!kept_.empty()) {
        kept_[id].clear();
    }
    return id;
}

void SweepNetwork::free_message(std::uint32_t id) {
    if (trace_.on()) [[unlikely]] {
        trace_.end(id);
        freed_.push_back(id);
        return;
    }
    free_messages_.push_back(id);
}

std::uint32_t SweepNetwork::start_message(const PortMessage& next, LinkId link) {
    const std::uint32_t id = new_message();
    const Injection& injection = *next.injection;
    const std::uint32_t peer = next.message.destination_rank;
    Message& message = messages_[id];
    message.ready = next.waiting.ready;
    message.bytes = next.bytes;
    message.collective = injection.collective;
    message.phase = injection.phase;
    message.source_rank = injection.read ? peer : injection.rank;
    message.destination_rank = injection.read ? injection.rank : peer;
    message.first_link = link;
    message.port = graph_.links[link].from_port;
    message.answer_link = no_id;
    message.flits = static_cast<std::uint32_t>(injection.read ? next.transactions.back : next.transactions.forward);
    message.undelivered = static_cast<std::uint32_t>(next.transactions.forward);
    message.read = injection.read;
    message.answered = false;
    message.released_by_request = false;
    if (!exchanges_.empty()) {
        exchanges_[id] = {next.transactions};
    }
    if (trace_.on()) [[unlikely]] {
        trace_.begin(id, trace_key(id, 0));
    }
    return id;
}

Duration SweepNetwork::stalled_for(const Port& port, std::uint32_t channel) const {
    const bool running = (port.stalled >> channel & 1U) != 0;
    return running ? port.stall[channel] + (now_ - port.stalled_since[channel]) : port.stall[channel];
}

NetworkStatistics SweepNetwork::statistics() const {
    NetworkStatistics statistics = totals_;
    statistics.events = events_;
    for (const Port& port : ports_) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            statistics.stall_total += stalled_for(port, channel);
            statistics.stall_max_port = std::max(statistics.stall_max_port, stalled_for(port, channel));
        }
    }
    return statistics;
}

std::vector<LinkStatistics> SweepNetwork::link_statistics() const {
    std::vector<LinkStatistics> all(ports_.size());
    for (LinkId id = 0; id < ports_.size(); ++id) {
        const Port& port = port_of(id);
        LinkStatistics& one = all[id];
        one.name = graph_.link_name(id);
        one.flits = port.sent;
        one.bytes = one.flits * flit_bytes.count;
        one.busy = one.flits * port.flit_time;
        one.stall = {stalled_for(port, 0), stalled_for(port, 1)};
        one.queue = port.peak_queue;
        const auto waiting = static_cast<std::uint64_t>(port.queued[0] + port.queued[1]);
        one.waited = Duration{static_cast<std::int64_t>(port.waited + waiting * static_cast<std::uint64_t>(now_.ps))};
    }
    return all;
}

std::vector<Duration> SweepNetwork::wire_times() const {
    std::vector<Duration> all(ports_.size());
    for (LinkId id = 0; id < ports_.size(); ++id) {
        const Port& port = port_of(id);
        const Duration to_come = port.free_at > now_ ? port.free_at - now_ : Duration{0};
        all[id] = port.sent * port.flit_time - to_come;
    }
    return all;
}

StallReport SweepNetwork::explain() const {
    std::vector<std::vector<LinkId>> leaving(graph_.packet_switches);
    for (LinkId out = first_switch_link_; out < ports_.size(); ++out) {
        leaving[graph_.links[out].from - graph_.accelerators].push_back(out);
    }
    std::vector<WaitingPort> waiting;
    for (LinkId id = 0; id < ports_.size(); ++id) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            if (port_of(id).queued[channel] == 0 || port_of(id).credits[channel] > 0) {
                continue;
            }
            WaitingPort port{id, static_cast<Channel>(channel), {}};
            const std::uint32_t at = port_of(id).at;
            for (const LinkId out : at == no_id ? std::vector<LinkId>{} : leaving[at]) {
                if (port_of(out).outputs[channel].holds(port_of(id).input)) {
                    port.waits_for.push_back(out);
                }
            }
            waiting.push_back(std::move(port));
        }
    }
    return explain_stall(graph_, now_, waiting);
}

void SweepNetwork::clear() {
    now_ = start_ = decided_ = last_event_ = credits_home_ = {};
    looked_out_ = false;
    attention_ = Time::never();
    build_ports();
    sources_.clear();
    messages_.clear();
    free_messages_.clear();
    exchanges_.clear();
    kept_.clear();
    landings_.clear();
    due_landings_.clear();
    first_landing_ = Time::never();
    last_landing_ = {};
    landed_ = 0;
    alarms_ = {};
    deliveries_.clear();
    wakes_.clear();
    records_.clear();
    flits_outside_ = 0;
    events_ = 0;
    totals_ = NetworkStatistics{};
    hash_ = {};
    parts_.clear();
    trace_.clear();
    freed_.clear();
    traced_injections_.clear();
    traced_answers_.clear();
}

}  // namespace simlette
