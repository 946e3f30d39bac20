// Member functions of FlitNetwork, for those who bring a queue of their own.
#pragma once

#include <algorithm>

#include <simlette/fabric/flit_network.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

template <class Queue>
FlitNetwork<Queue>::FlitNetwork(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules,
                                std::uint64_t seed)
    : graph_(graph),
      first_switch_link_(graph.first_switch_link()),
      rules_(rules),
      sources_(graph, routing, rules, seed),
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
        return PortMessage::Waiting{now_, stall(id, index(Channel::request)), stall(id, no_tag),
                                    own ? link.free_at - now_ : Duration{0}, 0};
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
        start_waiting(out, channel, message, queues.ahead(from, message, runs_, [&](std::uint32_t other) {
            return same_flow(message, other);
        }));
    }
    LinkState& next = links_[out];
    ++next.queued[channel];
    note_waiting(out, next);
    mark(out);
}

template <class Queue>
void FlitNetwork<Queue>::reach_core(LinkId from, std::uint32_t message) {
    --flits_outside_;
    const std::uint32_t left = --messages_[message].undelivered;
    if (left > 0 && !rules_.one_by_one()) {
        return;
    }
    if (origins_[message].answers()) {
        reach_requester(message, left);
    } else {
        reach_completer(from, message, left);
    }
}

template <class Queue>
void FlitNetwork<Queue>::reach_completer(LinkId from, std::uint32_t message, std::uint32_t left) {
    MessageOrigin& origin = origins_[message];
    const bool read = origin.half == Half::read_request;
    if (origin.answer_link == no_id) {
        origin.answer_link = way_back_[from];
        if (read) {
            deliveries_.push_back(delivery(message));
        }
    }
    if (left == 0 && read) {
        totals_.request_flits += origin.forward;
    } else if (left == 0) {
        finish_data(message);
    }
    if (origin.may_answer) {
        origin.released_by_request = read;
        let_answers_go(message, origin.forward - left);
    }
}

template <class Queue>
void FlitNetwork<Queue>::reach_requester(std::uint32_t message, std::uint32_t left) {
    const MessageOrigin& origin = origins_[message];
    if (!open_.empty()) {
        const Transactions& transactions = transactions_[message];
        const std::int64_t arrived = origin.back - left;
        open_[origin.first_link] -= transactions.closed(arrived) - transactions.closed(arrived - 1);
        mark(origin.first_link);
    }
    if (left > 0) {
        return;
    }
    if (origin.half == Half::read_data) {
        finish_data(message);
    } else {
        totals_.response_flits += origin.back;
    }
    free_messages_.push_back(message);
}

template <class Queue>
Delivery FlitNetwork<Queue>::delivery(std::uint32_t message) const {
    const MessageOrigin& origin = origins_[message];
    return {message,
            origin.half == Half::read_request,
            origin.collective,
            origin.phase,
            origin.source_rank,
            origin.destination_rank,
            graph_.links[origin.first_link].from_port,
            origin.data_flits(),
            origin.bytes,
            origin.injected,
            {},
            origin.released_by_request};
}

// The data of a port-message has arrived whole.
template <class Queue>
void FlitNetwork<Queue>::finish_data(std::uint32_t message) {
    Delivery done = delivery(message);
    totals_.flits += done.flits;
    totals_.payload_bytes += done.bytes.count;
    ++totals_.port_messages;
    totals_.last_delivery = now_;
    hash_.add({done.collective, done.phase, done.source_rank, done.destination_rank, done.port,
               static_cast<std::uint64_t>(now_.ps)});
    if (recording_) {
        records_.push_back({done.collective, done.phase, done.source_rank, done.destination_rank, done.port,
                            done.bytes.count, done.flits, done.injected, now_});
    }
    done.parts = path(message);
    deliveries_.push_back(done);
}

// What the last flit went through: latencies by their names along its way, then what it waited for; contention is the
// rest. The way of data that was read includes the request if its departure waited for it.
template <class Queue>
TimeParts FlitNetwork<Queue>::path(std::uint32_t message) const {
    const MessageOrigin& origin = origins_[message];
    const Toll& toll = tolls_[message];
    TimeParts parts;
    if (origin.half == Half::write) {
        add_latencies(origin.first_link, messages_[message].destination, parts);
    } else {
        add_latencies(origin.answer_link, messages_[message].destination, parts);
        if (origin.released_by_request) {
            add_latencies(origin.first_link, graph_.links[origin.answer_link].from, parts);
        }
    }
    parts.serialization = toll.serialization;
    parts.credit_stall = toll.credit_stall;
    parts.wait = toll.tag_wait;
    parts.contention = (now_ - toll.ready) - parts.total();
    return parts;
}

template <class Queue>
void FlitNetwork<Queue>::add_latencies(LinkId first, std::uint32_t destination, TimeParts& parts) const {
    for (LinkId link = first;; link = graph_.routes[links_[link].route_base + destination]) {
        const LatencyParts& latency = graph_.class_of(link).latency;
        parts.endpoint += latency.endpoint;
        parts.protocol += latency.protocol;
        parts.propagation += latency.propagation;
        parts.switching += latency.switching;
        if (links_[link].to_accelerator) {
            return;
        }
    }
}

template <class Queue>
void FlitNetwork<Queue>::reply(std::uint32_t message, bool released_by_request) {
    MessageOrigin& origin = origins_[message];
    require(origin.half == Half::read_request && !origin.may_answer, "a request is answered once");
    origin.may_answer = true;
    origin.released_by_request = released_by_request;
    if (!released_by_request && messages_[message].undelivered == 0) {
        tolls_[message] = {now_, {0}, {0}, {0}};
    }
    let_answers_go(message, origin.forward - messages_[message].undelivered);
}

// Answers leave as far as the forward flits that have arrived call for them. The last of them ends the forward message.
template <class Queue>
void FlitNetwork<Queue>::let_answers_go(std::uint32_t message, std::uint32_t arrived) {
    const std::uint32_t due = answers_due(message, arrived);
    const std::uint32_t flits = due - origins_[message].answered;
    if (flits > 0) {
        if (origins_[message].partner == no_id) {
            const std::uint32_t partner = new_answer(message);
            origins_[message].partner = partner;
        }
        MessageOrigin& origin = origins_[message];
        MessageOrigin& partner = origins_[origin.partner];
        origin.answered = due;
        partner.released_by_request = origin.released_by_request;
        tolls_[origin.partner] = tolls_[message];
        queue_answer(origin.partner, flits, due == origin.back);
    }
    if (due == origins_[message].back && arrived == origins_[message].forward) {
        free_messages_.push_back(message);
    }
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::answers_due(std::uint32_t message, std::uint32_t arrived) const {
    const MessageOrigin& origin = origins_[message];
    if (arrived == origin.forward) {
        return origin.back;
    }
    return static_cast<std::uint32_t>(transactions_[message].answers_due(arrived));
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::new_answer(std::uint32_t message) {
    const std::uint32_t id = new_message();
    origins_[id] = origins_[message];
    MessageOrigin& origin = origins_[id];
    require(origin.answer_link != no_id, "an answer leaves by the port on which the request came");
    origin.half = origin.half == Half::read_request ? Half::read_data : Half::response;
    messages_[id] = {graph_.links[origin.first_link].from, origin.back};
    if (!transactions_.empty()) {
        transactions_[id] = transactions_[message];
    }
    return id;
}

// Data of a collective that waits to answer at a port.
template <class Queue>
std::int64_t FlitNetwork<Queue>::waiting_data(LinkId id, std::uint32_t collective, std::int64_t added) {
    auto& data = answers_[id].data;
    auto found = std::find_if(data.begin(), data.end(), [&](const auto& c) { return c.collective == collective; });
    if (found == data.end()) {
        found = data.insert(data.end(), {collective, 0});
    }
    found->flits += added;
    const std::int64_t flits = found->flits;
    if (flits == 0) {
        data.erase(found);
    }
    return flits;
}

// Queues flits that go back to where the request came from.
template <class Queue>
void FlitNetwork<Queue>::queue_answer(std::uint32_t message, std::uint32_t flits, bool last) {
    const MessageOrigin& origin = origins_[message];
    const LinkId id = origin.answer_link;
    if (origin.half == Half::read_data) {
        const std::int64_t waiting = waiting_data(id, origin.collective, flits);
        if (last) {
            start_waiting(id, index(Channel::response), message, waiting - 1);
        }
    }
    const std::uint32_t run = answer_runs_.take(message);
    answer_runs_[run].count = flits;
    answer_runs_[run].has_last = last;
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

    if (link.watched) [[unlikely]] {
        log_departure(id, next.message);
    }
    --link.queued[channel];
    ++link.sent;
    link.on_wire = next.message << 2U | (next.last ? 2U : 0U) | channel;
    link.free_at = queue_.push(link.free_lane, now_, id, freed);
    if (next.last) {
        stop_waiting(id, link, channel, next.message);
    }
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

// Transactions that the next request flit opens.
template <class Queue>
std::int64_t FlitNetwork<Queue>::opened_next(LinkId id) {
    const SourceQueues::Current& current = begin_request(id);
    const Transactions& transactions = transactions_[current.message];
    const std::int64_t sent = transactions.forward - current.flits_left;
    return transactions.opened(sent + 1) - transactions.opened(sent);
}

// The message under way at a port; the next one begins if none is.
template <class Queue>
SourceQueues::Current& FlitNetwork<Queue>::begin_request(LinkId id) {
    SourceQueues::Current& current = sources_.current(id);
    if (current.flits_left == 0) {
        const PortMessage next = sources_.next(id);
        current.message = start_message(next, id);
        current.fresh = true;
    }
    return current;
}

template <class Queue>
typename FlitNetwork<Queue>::NextFlit FlitNetwork<Queue>::next_request(LinkId id) {
    SourceQueues::Current& current = begin_request(id);
    if (current.fresh) {
        current.fresh = false;
        origins_[current.message].injected = now_;
        totals_.first_injection = std::min(totals_.first_injection, now_);
    }
    if (!open_.empty()) {
        open_[id] += opened_next(id);
    }
    if (--current.flits_left > 0) {
        return {current.message, false};
    }
    tolls_[current.message].serialization +=
        (sources_.left(id, current.collective) - 1) * graph_.class_of(id).flit_time;
    return {current.message, true};
}

template <class Queue>
typename FlitNetwork<Queue>::NextFlit FlitNetwork<Queue>::next_answer(LinkId id) {
    Answers& queue = answers_[id];
    FlitRuns::Run& run = answer_runs_[queue.first];
    const std::uint32_t message = run.message;
    if (origins_[message].half == Half::read_data) {
        waiting_data(id, origins_[message].collective, -1);
    }
    bool last = false;
    if (--run.count == 0) {
        last = run.has_last;
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
    Toll& toll = tolls_[message];
    if (flits_ahead > 0) {
        toll.serialization += flits_ahead * graph_.class_of(id).flit_time;
    }
    if (link.free_at > now_ && (link.on_wire & 1U) == channel && same_flow(message, link.on_wire >> 2U)) {
        toll.serialization += link.free_at - now_;
    }
    if (link.finite != 0) {
        toll.credit_stall += Duration{0} - stall(id, channel);
    }
}

// It has taken the wire.
template <class Queue>
void FlitNetwork<Queue>::stop_waiting(LinkId id, const LinkState& link, std::uint32_t channel, std::uint32_t message) {
    Toll& toll = tolls_[message];
    toll.serialization += link.free_at - now_;
    if (link.finite != 0) {
        toll.credit_stall += stall(id, channel);
    }
    if (!open_.empty() && id < first_switch_link_ && channel == index(Channel::request)) {
        toll.tag_wait += stall(id, no_tag);
    }
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::new_message() {
    if (free_messages_.empty()) {
        free_messages_.push_back(static_cast<std::uint32_t>(messages_.size()));
        messages_.emplace_back();
        origins_.emplace_back();
        tolls_.emplace_back();
        if (rules_.fidelity == Fidelity::ualink) {
            transactions_.emplace_back();
        }
        require(messages_.size() < (1U << 30U), "messages under way fit their index");
    }
    const std::uint32_t id = free_messages_.back();
    free_messages_.pop_back();
    return id;
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::start_message(const PortMessage& next, LinkId link) {
    const std::uint32_t id = new_message();
    const Injection& injection = next.injection;
    const std::uint32_t peer = next.message.destination_rank;
    MessageOrigin& origin = origins_[id] = MessageOrigin{};
    origin.collective = injection.collective;
    origin.phase = injection.phase;
    origin.source_rank = injection.read ? peer : injection.rank;
    origin.destination_rank = injection.read ? injection.rank : peer;
    origin.forward = static_cast<std::uint32_t>(next.transactions.forward);
    origin.back = static_cast<std::uint32_t>(next.transactions.back);
    origin.bytes = next.bytes;
    origin.first_link = link;
    origin.half = injection.read ? Half::read_request : Half::write;
    origin.may_answer = !injection.read;
    tolls_[id] = {next.waiting.ready, next.waiting.wire - next.waiting.flits * graph_.class_of(link).flit_time,
                  Duration{0} - next.waiting.stall, Duration{0} - next.waiting.tag_wait};
    messages_[id] = {next.message.destination, origin.forward};
    if (!transactions_.empty()) {
        transactions_[id] = next.transactions;
    }
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
    if ((link.stalled & ~ready) != 0) {
        end_stalls(id, link);  // a tag came, and now it waits for a credit
    }
    StallClock& clock = clocks_[id];
    for (std::uint32_t cause = 0; cause <= no_tag; ++cause) {
        if ((ready & ~std::uint32_t{link.stalled}) >> cause & 1U) {
            clock.since[cause] = now_;
        }
    }
    link.stalled = static_cast<std::uint8_t>(link.stalled | ready);
    clock.peak_queue = std::max(clock.peak_queue, link.queued[0] + link.queued[1]);
}

template <class Queue>
void FlitNetwork<Queue>::end_stalls(LinkId id, LinkState& link) {
    StallClock& clock = clocks_[id];
    for (std::uint32_t cause = 0; cause <= no_tag; ++cause) {
        if ((link.stalled >> cause & 1U) != 0) {
            clock.total[cause] += now_ - clock.since[cause];
        }
    }
    link.stalled = 0;
}

template <class Queue>
Duration FlitNetwork<Queue>::stall(LinkId id, std::uint32_t cause) const {
    const StallClock& clock = clocks_[id];
    const bool running = (links_[id].stalled >> cause & 1U) != 0;
    return running ? clock.total[cause] + (now_ - clock.since[cause]) : clock.total[cause];
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
    tolls_.clear();
    transactions_.clear();
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
