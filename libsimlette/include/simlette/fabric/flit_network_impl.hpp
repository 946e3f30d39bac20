// Member functions of FlitNetwork, for those who bring a queue of their own. First part: an instant, flit by flit.
#pragma once

#include <algorithm>

#include <simlette/fabric/flit_network.hpp>
#include <simlette/fabric/flit_network_account.hpp>
#include <simlette/fabric/flit_network_routing.hpp>
#include <simlette/fabric/flit_network_trace.hpp>
#include <simlette/fabric/flit_network_transactions.hpp>

namespace simlette {

template <class Queue>
FlitNetwork<Queue>::FlitNetwork(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules,
                                std::uint64_t seed)
    : graph_(graph),
      first_switch_link_(graph.first_switch_link()),
      routing_(routing),
      rules_(rules),
      seed_(seed),
      one_switch_(!graph.has_choices() && !graph.has_levels()),
      counts_parts_(one_switch_),
      many_landings_(!one_switch_ && graph.groups == graph.accelerators),
      far_apart_(graph.links.size() > links_nearby),
      sources_(graph, routing, rules, seed),
      way_back_(graph.ways_back()) {
    graph.check();
    build_links();
}

template <class Queue>
void FlitNetwork<Queue>::build_links() {
    require(graph_.classes.size() <= UINT16_MAX, "a link keeps its class in 16 bits");
    links_.assign(graph_.links.size(), {});
    due_.resize(graph_.links.size());
    ends_.assign(graph_.links.size(), {});
    spray_cycles_ = graph_.spray_cycles();
    clocks_.assign(graph_.links.size(), {});
    outputs_.resize((graph_.links.size() - first_switch_link_) * channel_count);
    answers_.assign(first_switch_link_, {});
    open_.assign(rules_.tags == unlimited ? 0 : first_switch_link_, 0);
    for (LinkId id = 0; id < links_.size(); ++id) {
        const HostLink& link = graph_.links[id];
        const LinkClass& kind = graph_.class_of(id);
        LinkState& state = links_[id];
        state.arrive_lane =
            static_cast<std::uint16_t>(queue_.lane(Turn::deliver, kind.flit_time + kind.latency.total()));
        state.free_lane = static_cast<std::uint16_t>(queue_.lane(Turn::wire_free, kind.flit_time));
        state.credit_at_once = kind.credit_return == Duration{0};
        if (!state.credit_at_once) {
            state.credit_lane = static_cast<std::uint16_t>(queue_.lane(Turn::credit, kind.credit_return));
        }
        state.watched = port_log_.on() || shares_.on() || trace_.on();
        ends_[id].link_class = static_cast<std::uint16_t>(link.link_class);
        if (link.to >= graph_.accelerators) {
            ends_[id].at = link.to - graph_.accelerators;
        }
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            const bool finite = kind.credits[channel] != unlimited;
            state.credits[channel] = finite ? static_cast<std::int32_t>(kind.credits[channel]) : INT32_MAX;
            state.finite = static_cast<std::uint8_t>(state.finite | finite << channel);
        }
        ends_[id].counts_credits = state.finite != 0;
    }
    reset_spray();
}

template <class Queue>
void FlitNetwork<Queue>::open(Time t) {
    require(t >= now_, "time does not run backwards");
    now_ = t;
    events_ += queue_.drain(t, *this);
    if (!arrivals_.empty()) {
        take_arrivals();
    }
    if (!landed_.empty()) {
        take_landed();
    }
    if (wakes_.size() > 1) {
        std::sort(wakes_.begin(), wakes_.end());
    }
}

template <class Queue>
void FlitNetwork<Queue>::decide_all() {
    for (std::uint32_t i = 0; i < due_ports_; ++i) {
        if (far_apart_) {
            fetch_for_decision(i);
        }
        decide(due_[i]);
    }
    due_ports_ = 0;
}

template <class Queue>
void FlitNetwork<Queue>::inject(const Injection& injection) {
    flits_outside_ += sources_.add(injection, [&](LinkId id, std::int64_t flits) {
        LinkState& link = links_[id];
        link.queued[index(Channel::request)] += flits;
        link.waited -= static_cast<std::uint64_t>(flits) * static_cast<std::uint64_t>(now_.ps);
        note_waiting(id, link);
        mark(id);
        if (trace_.on()) [[unlikely]] {
            trace_injection(injection, id);
        }
        return counts_parts_ ? waiting_from_now(id, injection.collective) : PortMessage::Waiting{now_, {}, {}, {}, 0};
    });
}

template <class Queue>
void FlitNetwork<Queue>::reset_arbiters() {
    require(quiet(), "arbiters are reset on a quiet network");
    for (LinkState& link : links_) {
        link.next_channel = 0;
    }
    for (OutputQueues& queues : outputs_) {
        queues.reset_pointer();
    }
    reset_spray();
}

// A flit, in the detail of its arrival: its message, whether it is the last of it, its channel.
template <class Queue>
inline void FlitNetwork<Queue>::deliver(const Event& event) {
    if (ends_[event.entity].at != no_id) {
        arrivals_.push_back({event.entity, event.detail});
        return;
    }
    if (ends_[event.entity].counts_credits) {
        release(event.entity, event.detail & 1U);
    }
    landed_.push_back({event.entity, event.detail});
}

// Arrivals at switches touch memory far apart, so ways are chosen some arrivals ahead of the queues they lead to. The
// order matters to adaptive routing alone: by input.
template <class Queue>
void FlitNetwork<Queue>::take_arrivals() {
    constexpr std::size_t ahead = 32;
    constexpr std::size_t inputs_ahead = 20;
    constexpr std::size_t tails_ahead = 8;
    if (routing_.policy == RoutingPolicy::adaptive) {
        std::sort(arrivals_.begin(), arrivals_.end(),
                  [](const Arrival& a, const Arrival& b) { return a.from < b.from; });
    }
    if (!far_apart_ || routing_.policy == RoutingPolicy::adaptive) {
        for (const Arrival& arrival : arrivals_) {
            arrive(arrival, way_on(arrival));
        }
        arrivals_.clear();
        return;
    }
    std::array<LinkId, ahead> ways{};
    for (std::size_t i = 0; i < arrivals_.size() + ahead; ++i) {
        if (i >= ahead) {
            arrive(arrivals_[i - ahead], ways[i % ahead]);
        }
        // `ahead` less what a step is early: so many steps after the way was chosen.
        const auto queues_at = [&](std::size_t early) -> OutputQueues* {
            const std::size_t place = i - (ahead - early);
            return place < arrivals_.size() ? &output(ways[place % ahead], arrivals_[place].flit & 1U) : nullptr;
        };
        if (OutputQueues* queues = queues_at(inputs_ahead)) {
            queues->prefetch_inputs();
        }
        if (OutputQueues* queues = queues_at(tails_ahead)) {
            queues->prefetch_tail(arrivals_[i - (ahead - tails_ahead)].from, runs_);
        }
        if (i < arrivals_.size()) {
            const LinkId way = ways[i % ahead] = way_on(arrivals_[i]);
            __builtin_prefetch(&output(way, arrivals_[i].flit & 1U));
            __builtin_prefetch(&links_[way]);
        }
    }
    arrivals_.clear();
}

// Flits that have reached the core.
template <class Queue>
void FlitNetwork<Queue>::take_landed() {
    constexpr std::size_t ahead = 12;
    if (many_landings_) {
        std::sort(landed_.begin(), landed_.end(), [](const Arrival& a, const Arrival& b) { return a.from < b.from; });
    }
    for (std::size_t i = 0; i < landed_.size(); ++i) {
        if (far_apart_ && i + ahead < landed_.size()) {
            const std::uint32_t later = landed_[i + ahead].flit >> 2U;
            __builtin_prefetch(&origins_[later]);
            __builtin_prefetch(&tolls_[later]);
        }
        const LinkId from = landed_[i].from;
        const std::uint32_t message = landed_[i].flit >> 2U;
        if (trace_.on() && trace_.wanted_of(message) != no_id) [[unlikely]] {
            const std::uint32_t wanted = trace_.wanted_of(message);
            trace_.reach_core(wanted, trace_.arrive(from, wanted, departure(from)));
        }
        reach_core(from, message);
    }
    landed_.clear();
}

template <class Queue>
void FlitNetwork<Queue>::fetch_for_decision(std::size_t place) const {
    constexpr std::size_t links_ahead = 28;
    constexpr std::size_t queues_ahead = 21;
    constexpr std::size_t inputs_ahead = 14;
    constexpr std::size_t runs_ahead = 7;
    const auto fetch = [&](std::size_t ahead, auto&& what) {
        if (place + ahead < due_ports_) {
            what(due_[place + ahead]);
        }
    };
    fetch(links_ahead, [&](LinkId id) { __builtin_prefetch(&links_[id]); });
    fetch(queues_ahead, [&](LinkId id) {
        if (id >= first_switch_link_) {
            __builtin_prefetch(&first_queued(id));
        } else {
            sources_.prefetch(id);
        }
    });
    fetch(inputs_ahead, [&](LinkId id) {
        if (id >= first_switch_link_) {
            first_queued(id).prefetch_inputs();
        }
    });
    fetch(runs_ahead, [&](LinkId id) {
        if (id >= first_switch_link_) {
            first_queued(id).prefetch_run(runs_);
        }
    });
}

template <class Queue>
inline void FlitNetwork<Queue>::arrive(const Arrival& arrival, LinkId out) {
    const LinkId from = arrival.from;
    const std::uint32_t message = arrival.flit >> 2U;
    const std::uint32_t channel = arrival.flit & 1U;
    const bool last = (arrival.flit & 2U) != 0;
    OutputQueues& queues = output(out, channel);
    queues.push(from, message, last, runs_);
    if (last && counts_parts_) {
        start_waiting(out, channel, message, queues.ahead(from, message, runs_, [&](std::uint32_t other) {
            return same_flow(message, other);
        }));
    }
    if (trace_.on()) [[unlikely]] {
        trace_arrival(from, out, message, channel);
    }
    LinkState& next = links_[out];
    ++next.queued[channel];
    next.waited -= static_cast<std::uint64_t>(now_.ps);
    note_waiting(out, next);
    mark(out);
}

template <class Queue>
inline void FlitNetwork<Queue>::credit(const Event& event) {
    --credits_outside_;
    give_credit(event.entity, event.detail);
}

// Detail: the link and channel whose slot the flit held at the switch it has left, or no_id.
template <class Queue>
inline void FlitNetwork<Queue>::wire_free(const Event& event) {
    LinkState& link = links_[event.entity];
    if (event.detail != no_id) {
        release(event.detail >> 1U, event.detail & 1U);
    }
    if ((link.queued[0] | link.queued[1]) != 0) {
        mark(event.entity);
    }
}

template <class Queue>
inline void FlitNetwork<Queue>::release(LinkId id, std::uint32_t channel) {
    LinkState& link = links_[id];
    if ((link.finite >> channel & 1U) == 0) {
        return;
    }
    if (link.credit_at_once) {
        give_credit(id, channel);
    } else {
        ++credits_outside_;
        queue_.push(link.credit_lane, now_, id, channel);
    }
}

template <class Queue>
inline void FlitNetwork<Queue>::give_credit(LinkId id, std::uint32_t channel) {
    LinkState& link = links_[id];
    ++link.credits[channel];
    require(link.credits[channel] <= kind(id).credits[channel], "no more credits return than were taken");
    if (link.queued[channel] != 0) {
        mark(id);
    }
}

// Two steps: first the channel, round robin among those with a flit and a credit; then, at a switch, the input.
template <class Queue>
inline void FlitNetwork<Queue>::decide(LinkId id) {
    LinkState& link = links_[id];
    link.due = false;
    std::uint32_t ready = (link.queued[0] > 0 ? 1U : 0U) | (link.queued[1] > 0 ? 2U : 0U);
    if (!open_.empty() && (ready & 1U) != 0 && id < first_switch_link_ && open_[id] + opened_next(id) > rules_.tags) {
        ready = (ready & ~1U) | 1U << no_tag;
    }
    const std::uint32_t paid = (link.credits[0] > 0 ? 1U : 0U) | (link.credits[1] > 0 ? 2U : 0U);
    const std::uint32_t able = ready & paid;
    if (able == 0) {
        start_stalls(id, link, ready);
        return;
    }
    const std::uint32_t channel = able == 3U ? link.next_channel : able >> 1U;
    link.next_channel = static_cast<std::uint8_t>(1U - channel);
    send(id, link, channel);
}

template <class Queue>
inline void FlitNetwork<Queue>::send(LinkId id, LinkState& link, std::uint32_t channel) {
    if (link.stalled != 0) {
        end_stalls(id, link, link.stalled);
    }
    if ((link.finite >> channel & 1U) != 0) {
        --link.credits[channel];
    }
    NextFlit next{};
    std::uint32_t freed = no_id;
    LinkId input = no_id;
    if (id < first_switch_link_) {
        next = channel == index(Channel::request) ? next_request(id) : next_answer(id);
    } else {
        const OutputQueues::Taken taken = output(id, channel).pop(runs_);
        next = {taken.message, taken.last};
        input = taken.input;
        freed = ends_[input].counts_credits ? input << 1U | channel : no_id;
    }

    if (link.watched) [[unlikely]] {
        note_departure(id, channel, next, input);
    }
    --link.queued[channel];
    link.waited += static_cast<std::uint64_t>(now_.ps);
    ++link.sent;
    link.on_wire = next.message << 2U | (next.last ? 2U : 0U) | channel;
    link.free_at = queue_.push(link.free_lane, now_, id, freed);
    if (next.last && counts_parts_) {
        stop_waiting(id, link, channel, next.message);
    }
    queue_.push(link.arrive_lane, now_, id, link.on_wire);
}

template <class Queue>
void FlitNetwork<Queue>::clear() {
    queue_.clear();
    now_ = {};
    build_links();
    for (OutputQueues& queues : outputs_) {
        queues.clear();
    }
    runs_.clear();
    sources_.clear();
    answer_runs_.clear();
    due_ports_ = 0;
    messages_.clear();
    origins_.clear();
    tolls_.clear();
    transactions_.clear();
    kept_.clear();
    arrivals_.clear();
    landed_.clear();
    free_messages_.clear();
    deliveries_.clear();
    parts_.clear();
    wakes_.clear();
    records_.clear();
    trace_.clear();
    port_log_.clear();
    shares_.clear();
    flits_outside_ = credits_outside_ = 0;
    events_ = 0;
    totals_ = NetworkStatistics{};
    hash_ = {};
}

}  // namespace simlette
