// Member functions of FlitNetwork, for those who bring a queue of their own.
#pragma once

#include <algorithm>

#include <simlette/fabric/flit_network.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

template <class Queue>
FlitNetwork<Queue>::FlitNetwork(const HostGraph& graph, const RoutingSpec& routing, ResponsePolicy responses,
                                std::uint64_t seed)
    : graph_(graph),
      first_switch_link_(graph.first_switch_link()),
      responses_(responses),
      sources_(graph, routing, seed),
      way_back_(graph.ways_back()) {
    graph.check();
    build_links();
}

template <class Queue>
void FlitNetwork<Queue>::build_links() {
    links_.assign(graph_.links.size(), {});
    clocks_.assign(graph_.links.size(), {});
    outputs_.resize((graph_.links.size() - first_switch_link_) * channel_count);
    answers_.assign(first_switch_link_, {});
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
        state.to_accelerator = link.to < graph_.accelerators;
        state.route_base = state.to_accelerator ? 0 : (link.to - graph_.accelerators) * graph_.accelerators;
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            const bool finite = kind.credits[channel] != unlimited;
            state.credits[channel] = finite ? static_cast<std::int32_t>(kind.credits[channel]) : INT32_MAX;
            state.finite = static_cast<std::uint8_t>(state.finite | finite << channel);
        }
    }
}

template <class Queue>
void FlitNetwork<Queue>::open(Time t) {
    require(t >= now_, "time does not run backwards");
    now_ = t;
    events_ += queue_.drain(t, *this);
    std::sort(wakes_.begin(), wakes_.end());
}

template <class Queue>
void FlitNetwork<Queue>::close() {
    for (std::size_t i = 0; i < due_.size(); ++i) {
        if (i + 2 < due_.size()) {
            __builtin_prefetch(&links_[due_[i + 2]]);
        }
        decide(due_[i]);
    }
    due_.clear();
    deliveries_.clear();
    wakes_.clear();
}

template <class Queue>
void FlitNetwork<Queue>::inject(const Injection& injection) {
    flits_outside_ += sources_.add(injection, [&](LinkId id, std::int64_t flits) {
        LinkState& link = links_[id];
        const bool own = link.free_at > now_ && (link.on_wire & 1U) == index(Channel::request) &&
                         origins_[link.on_wire >> 2U].collective == injection.collective;
        link.queued[index(Channel::request)] += flits;
        note_waiting(id, link);
        mark(id);
        return PortMessage::Waiting{now_, stall(id, index(Channel::request)), own ? link.free_at - now_ : Duration{0},
                                    0};
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
}

// A flit, in the detail of its arrival: its message, whether it is the last of it, its channel.
template <class Queue>
void FlitNetwork<Queue>::deliver(const Event& event) {
    LinkState& link = links_[event.entity];
    if (link.to_accelerator) {
        release(event.entity, event.detail & 1U);
        reach_core(event.entity, event.detail >> 2U);
    } else {
        arrive(event.entity, link, event.detail);
    }
}

template <class Queue>
void FlitNetwork<Queue>::arrive(LinkId from, LinkState& link, std::uint32_t flit) {
    const std::uint32_t message = flit >> 2U;
    const std::uint32_t channel = flit & 1U;
    const bool last = (flit & 2U) != 0;
    const LinkId out = graph_.routes[link.route_base + messages_[message].destination];
    OutputQueues& queues = output(out, channel);
    queues.push(from, message, last, runs_);
    if (last) {
        start_waiting(out, channel, message,
                      queues.ahead(from, runs_, [&](std::uint32_t other) { return same_flow(message, other); }));
    }
    LinkState& next = links_[out];
    ++next.queued[channel];
    note_waiting(out, next);
    mark(out);
}

template <class Queue>
void FlitNetwork<Queue>::reach_core(LinkId from, std::uint32_t message) {
    --flits_outside_;
    if (--messages_[message].undelivered > 0) {
        return;
    }
    MessageOrigin& origin = origins_[message];
    switch (origin.half) {
        case Half::write:
            origin.answer_link = way_back_[from];
            finish_data(origin, message);
            if (responses_ == ResponsePolicy::per_message) {
                origin.half = Half::response;
                answer(message, 1);
                return;
            }
            break;
        case Half::read_request:
            origin.answer_link = way_back_[from];
            ++totals_.request_flits;
            deliveries_.push_back({message, true, origin.collective, origin.phase, origin.source_rank,
                                   origin.destination_rank, graph_.links[origin.first_link].from_port, origin.flits,
                                   origin.bytes, origin.injected, origin.parts, false});
            return;
        case Half::read_data:
            finish_data(origin, message);
            break;
        case Half::response:
            ++totals_.response_flits;
            break;
    }
    free_messages_.push_back(message);
}

// The data of a port-message has arrived whole.
template <class Queue>
void FlitNetwork<Queue>::finish_data(MessageOrigin& origin, std::uint32_t message) {
    const std::uint32_t port = graph_.links[origin.first_link].from_port;
    totals_.flits += origin.flits;
    totals_.payload_bytes += origin.bytes.count;
    ++totals_.port_messages;
    totals_.last_delivery = now_;
    hash_.add({origin.collective, origin.phase, origin.source_rank, origin.destination_rank, port,
               static_cast<std::uint64_t>(now_.ps)});
    deliveries_.push_back({message, false, origin.collective, origin.phase, origin.source_rank, origin.destination_rank,
                           port, origin.flits, origin.bytes, origin.injected, origin.parts,
                           origin.released_by_request});
    if (recording_) {
        records_.push_back({origin.collective, origin.phase, origin.source_rank, origin.destination_rank, port,
                            origin.bytes.count, origin.flits, origin.injected, now_});
    }
}

template <class Queue>
void FlitNetwork<Queue>::reply(std::uint32_t message, bool released_by_request) {
    MessageOrigin& origin = origins_[message];
    require(origin.half == Half::read_request, "a request is answered once");
    origin.half = Half::read_data;
    origin.released_by_request = released_by_request;
    if (!released_by_request) {
        origin.parts = {};
    }
    Answers& queue = answers_[origin.answer_link];
    const auto found = std::find_if(queue.data.begin(), queue.data.end(),
                                    [&](const CollectiveFlits& c) { return c.collective == origin.collective; });
    const bool known = found != queue.data.end();
    start_waiting(origin.answer_link, index(Channel::response), message, (known ? found->flits : 0) + origin.flits - 1);
    if (known) {
        found->flits += origin.flits;
    } else {
        queue.data.push_back({origin.collective, origin.flits});
    }
    answer(message, origin.flits);
}

// Queues `flits` that go back to where the request came from.
template <class Queue>
void FlitNetwork<Queue>::answer(std::uint32_t message, std::uint32_t flits) {
    const LinkId id = origins_[message].answer_link;
    require(id != no_id, "an answer leaves by the port on which the request came");
    messages_[message] = {graph_.links[origins_[message].first_link].from, flits};
    const std::uint32_t run = answer_runs_.take(message);
    answer_runs_[run].count = flits;
    Answers& queue = answers_[id];
    if (queue.first == no_id) {
        queue.first = run;
    } else {
        answer_runs_[queue.last].next = run;
    }
    queue.last = run;
    flits_outside_ += flits;
    links_[id].queued[index(Channel::response)] += flits;
    note_waiting(id, links_[id]);
    mark(id);
}

template <class Queue>
void FlitNetwork<Queue>::credit(const Event& event) {
    --credits_outside_;
    give_credit(event.entity, event.detail);
}

// Detail: the link and channel whose slot the flit held at the switch it has left, or no_id.
template <class Queue>
void FlitNetwork<Queue>::wire_free(const Event& event) {
    LinkState& link = links_[event.entity];
    if (event.detail != no_id) {
        release(event.detail >> 1U, event.detail & 1U);
    }
    if ((link.queued[0] | link.queued[1]) != 0) {
        mark(event.entity);
    }
}

template <class Queue>
void FlitNetwork<Queue>::release(LinkId id, std::uint32_t channel) {
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
void FlitNetwork<Queue>::give_credit(LinkId id, std::uint32_t channel) {
    LinkState& link = links_[id];
    ++link.credits[channel];
    require(link.credits[channel] <= graph_.class_of(id).credits[channel], "no more credits return than were taken");
    if (link.queued[channel] != 0) {
        mark(id);
    }
}

// Two steps: first the channel, round robin among those with a flit and a credit; then, at a switch, the input.
template <class Queue>
void FlitNetwork<Queue>::decide(LinkId id) {
    LinkState& link = links_[id];
    link.due = false;
    const std::uint32_t ready = (link.queued[0] > 0 ? 1U : 0U) | (link.queued[1] > 0 ? 2U : 0U);
    const std::uint32_t paid = (link.credits[0] > 0 ? 1U : 0U) | (link.credits[1] > 0 ? 2U : 0U);
    const std::uint32_t able = ready & paid;
    if (able == 0) {
        start_stalls(id, link, ready);
        return;
    }
    const std::uint32_t channel = (able >> link.next_channel & 1U) != 0 ? link.next_channel : 1U - link.next_channel;
    link.next_channel = static_cast<std::uint8_t>(1U - channel);
    send(id, link, channel);
}

template <class Queue>
void FlitNetwork<Queue>::send(LinkId id, LinkState& link, std::uint32_t channel) {
    if (link.stalled != 0) {
        end_stalls(id, link);
    }
    if ((link.finite >> channel & 1U) != 0) {
        --link.credits[channel];
    }
    NextFlit next{};
    std::uint32_t freed = no_id;
    if (id < first_switch_link_) {
        next = channel == index(Channel::request) ? next_request(id) : next_answer(id);
    } else {
        const OutputQueues::Taken taken = output(id, channel).pop(runs_);
        next = {taken.message, taken.last};
        freed = taken.input << 1U | channel;
    }
    if (next.last) {
        stop_waiting(id, channel, origins_[next.message]);
    }
    if (link.watched) [[unlikely]] {
        log_departure(id, next.message);
    }
    --link.queued[channel];
    ++link.sent;
    link.on_wire = next.message << 2U | (next.last ? 2U : 0U) | channel;
    link.free_at = queue_.push(link.free_lane, now_, id, freed);
    queue_.push(link.arrive_lane, now_, id, link.on_wire);
}

template <class Queue>
void FlitNetwork<Queue>::log_departure(LinkId id, std::uint32_t message) {
    const MessageOrigin& origin = origins_[message];
    departures_.push_back({id, now_, origin.collective, origin.phase, origin.source_rank, origin.destination_rank,
                           graph_.links[origin.first_link].from_port, origin.half});
}

template <class Queue>
void FlitNetwork<Queue>::watch(const std::vector<LinkId>& links) {
    for (const LinkId id : links) {
        links_[id].watched = true;
    }
}

template <class Queue>
typename FlitNetwork<Queue>::NextFlit FlitNetwork<Queue>::next_request(LinkId id) {
    SourceQueues::Current& current = sources_.current(id);
    if (current.flits_left == 0) {
        const PortMessage next = sources_.next(id);
        current.message = start_message(next, id);
    }
    if (--current.flits_left > 0) {
        return {current.message, false};
    }
    MessageOrigin& origin = origins_[current.message];
    const std::int64_t own_flits = sources_.left(id, origin.collective) - 1 - origin.flits_before;
    origin.own += own_flits * graph_.class_of(id).flit_time;
    return {current.message, true};
}

template <class Queue>
typename FlitNetwork<Queue>::NextFlit FlitNetwork<Queue>::next_answer(LinkId id) {
    Answers& queue = answers_[id];
    FlitRuns::Run& run = answer_runs_[queue.first];
    const std::uint32_t message = run.message;
    const MessageOrigin& origin = origins_[message];
    if (origin.half == Half::read_data) {
        const auto found = std::find_if(queue.data.begin(), queue.data.end(),
                                        [&](const CollectiveFlits& c) { return c.collective == origin.collective; });
        if (--found->flits == 0) {
            queue.data.erase(found);
        }
    }
    const bool last = --run.count == 0;
    if (last) {
        const std::uint32_t done = queue.first;
        queue.first = run.next;
        answer_runs_.give_back(done);
    }
    return {message, last};
}

// Whether a flit of `other` counts as own serialization of `message`: same sender, same collective, same kind.
template <class Queue>
bool FlitNetwork<Queue>::same_flow(std::uint32_t message, std::uint32_t other) const {
    const MessageOrigin& a = origins_[message];
    const MessageOrigin& b = origins_[other];
    return a.collective == b.collective && a.half == b.half && sender(a) == sender(b);
}

// The last flit of a message is ready at a port, behind so many flits of its own flow.
template <class Queue>
void FlitNetwork<Queue>::start_waiting(LinkId id, std::uint32_t channel, std::uint32_t message,
                                       std::int64_t flits_ahead) {
    const LinkState& link = links_[id];
    MessageOrigin& origin = origins_[message];
    const bool own = link.free_at > now_ && (link.on_wire & 1U) == channel && same_flow(message, link.on_wire >> 2U);
    origin.ready = now_;
    origin.stall_before = stall(id, channel);
    origin.own = flits_ahead * graph_.class_of(id).flit_time + (own ? link.free_at - now_ : Duration{0});
}

// It leaves: what it waited for, itself and the way ahead are charged to their causes.
template <class Queue>
void FlitNetwork<Queue>::stop_waiting(LinkId id, std::uint32_t channel, MessageOrigin& origin) {
    const LinkClass& kind = graph_.class_of(id);
    const Duration stalled = stall(id, channel) - origin.stall_before;
    TimeParts& parts = origin.parts;
    parts.serialization += origin.own + kind.flit_time;
    parts.credit_stall += stalled;
    parts.contention += now_ - origin.ready - origin.own - stalled;
    parts.endpoint += kind.latency.endpoint;
    parts.protocol += kind.latency.protocol;
    parts.propagation += kind.latency.propagation;
    parts.switching += kind.latency.switching;
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::new_message() {
    if (free_messages_.empty()) {
        free_messages_.push_back(static_cast<std::uint32_t>(messages_.size()));
        messages_.emplace_back();
        origins_.emplace_back();
        require(messages_.size() < (1U << 30U), "messages under way fit their index");
    }
    const std::uint32_t id = free_messages_.back();
    free_messages_.pop_back();
    return id;
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::start_message(const PortMessage& next, LinkId link) {
    totals_.first_injection = std::min(totals_.first_injection, now_);
    const std::uint32_t id = new_message();
    const Injection& injection = next.injection;
    const auto flits = static_cast<std::uint32_t>(next.share.flits);
    const std::uint32_t peer = next.message.destination_rank;
    messages_[id] = {next.message.destination, injection.read ? 1 : flits};
    origins_[id] = {injection.collective,
                    injection.phase,
                    injection.read ? peer : injection.rank,
                    injection.read ? injection.rank : peer,
                    flits,
                    next.share.bytes,
                    now_,
                    link,
                    no_id,
                    injection.read ? Half::read_request : Half::write,
                    false,
                    {},
                    next.waiting.ready,
                    next.waiting.stall,
                    next.waiting.wire,
                    next.waiting.flits};
    return id;
}

// The largest queue is that left waiting at the end of an instant, so a flit that goes on at once does not count.
template <class Queue>
void FlitNetwork<Queue>::note_waiting(LinkId id, const LinkState& link) {
    const std::int64_t waiting = link.queued[0] + link.queued[1] - (link.free_at > now_ ? 0 : 1);
    if (waiting > 0) {
        clocks_[id].peak_queue = std::max(clocks_[id].peak_queue, waiting);
    }
}

template <class Queue>
void FlitNetwork<Queue>::start_stalls(LinkId id, LinkState& link, std::uint32_t ready) {
    StallClock& clock = clocks_[id];
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        if ((ready & ~std::uint32_t{link.stalled}) >> channel & 1U) {
            clock.since[channel] = now_;
        }
    }
    link.stalled = static_cast<std::uint8_t>(link.stalled | ready);
    clock.peak_queue = std::max(clock.peak_queue, link.queued[0] + link.queued[1]);
}

template <class Queue>
void FlitNetwork<Queue>::end_stalls(LinkId id, LinkState& link) {
    StallClock& clock = clocks_[id];
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        if ((link.stalled >> channel & 1U) != 0) {
            clock.total[channel] += now_ - clock.since[channel];
        }
    }
    link.stalled = 0;
}

template <class Queue>
Duration FlitNetwork<Queue>::stall(LinkId id, std::uint32_t channel) const {
    const StallClock& clock = clocks_[id];
    const bool running = (links_[id].stalled >> channel & 1U) != 0;
    return running ? clock.total[channel] + (now_ - clock.since[channel]) : clock.total[channel];
}

template <class Queue>
NetworkStatistics FlitNetwork<Queue>::statistics() const {
    NetworkStatistics statistics = totals_;
    statistics.events = events_;
    for (LinkId id = 0; id < links_.size(); ++id) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            statistics.stall_total += stall(id, channel);
            statistics.stall_max_port = std::max(statistics.stall_max_port, stall(id, channel));
        }
    }
    return statistics;
}

template <class Queue>
std::vector<LinkStatistics> FlitNetwork<Queue>::link_statistics() const {
    std::vector<LinkStatistics> all(links_.size());
    for (LinkId id = 0; id < links_.size(); ++id) {
        LinkStatistics& one = all[id];
        one.name = graph_.link_name(id);
        one.flits = links_[id].sent;
        one.bytes = one.flits * flit_bytes.count;
        one.busy = one.flits * graph_.class_of(id).flit_time;
        one.stall = {stall(id, 0), stall(id, 1)};
        one.queue = clocks_[id].peak_queue;
    }
    return all;
}

template <class Queue>
StallReport FlitNetwork<Queue>::explain() const {
    std::vector<WaitingPort> waiting;
    for (LinkId id = 0; id < links_.size(); ++id) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            if (links_[id].queued[channel] == 0 || links_[id].credits[channel] > 0) {
                continue;
            }
            WaitingPort port{id, static_cast<Channel>(channel), {}};
            for (LinkId out = first_switch_link_; out < links_.size(); ++out) {
                if (graph_.links[out].from == graph_.links[id].to && output(out, channel).holds(id)) {
                    port.waits_for.push_back(out);
                }
            }
            waiting.push_back(std::move(port));
        }
    }
    return explain_stall(graph_, now_, waiting);
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
    due_.clear();
    messages_.clear();
    origins_.clear();
    free_messages_.clear();
    deliveries_.clear();
    wakes_.clear();
    records_.clear();
    departures_.clear();
    flits_outside_ = credits_outside_ = 0;
    events_ = 0;
    totals_ = NetworkStatistics{};
    hash_ = {};
}

}  // namespace simlette
