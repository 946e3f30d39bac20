// Member functions of FlitNetwork, second part: messages from their first flit to the last answer.
#pragma once

#include <algorithm>

#include <simlette/fabric/flit_network.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

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
    free_message(message);
}

template <class Queue>
void FlitNetwork<Queue>::free_message(std::uint32_t message) {
    free_messages_.push_back(message);
    if (port_log_.on()) [[unlikely]] {
        port_log_.finish(message);
    }
    if (trace_.on()) [[unlikely]] {
        trace_.end(message);
    }
}

// The data of a port-message has arrived whole.
template <class Queue>
void FlitNetwork<Queue>::finish_data(std::uint32_t message) {
    deliveries_.push_back(delivery(message));
    Delivery& done = deliveries_.back();
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
    if (explains_) {
        done.parts = &parts_.emplace_back(path(message));
        done.taken = done.parts->total();
    }
}

template <class Queue>
void FlitNetwork<Queue>::reply(const Delivery& request, bool released_by_request) {
    const std::uint32_t message = request.message;
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
        free_message(message);
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
    if (trace_.on()) [[unlikely]] {
        trace_.begin(id, trace_key(id));
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
        if (last && counts_parts_) {
            start_waiting(id, index(Channel::response), message, waiting - 1);
        }
    }
    if (trace_.on()) [[unlikely]] {
        trace_answer(message, flits);
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
    links_[id].waited -= std::uint64_t{flits} * static_cast<std::uint64_t>(now_.ps);
    note_waiting(id, links_[id]);
    mark(id);
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
inline typename FlitNetwork<Queue>::NextFlit FlitNetwork<Queue>::next_request(LinkId id) {
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
    if (counts_parts_) {
        tolls_[current.message].serialization += (sources_.left(id, current.collective) - 1) * kind(id).flit_time;
    }
    return {current.message, true};
}

template <class Queue>
inline typename FlitNetwork<Queue>::NextFlit FlitNetwork<Queue>::next_answer(LinkId id) {
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
        if (routing_.granularity == Granularity::message) {
            kept_.emplace_back();
        }
        require(messages_.size() < (1U << 30U), "messages under way fit their index");
    }
    const std::uint32_t id = free_messages_.back();
    free_messages_.pop_back();
    if (!kept_.empty()) {
        kept_[id].clear();
    }
    return id;
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::start_message(const PortMessage& next, LinkId link) {
    const std::uint32_t id = new_message();
    const Injection& injection = *next.injection;
    const std::uint32_t peer = next.message.destination_rank;
    MessageOrigin& origin = origins_[id] = MessageOrigin{};
    origin.collective = injection.collective;
    origin.phase = injection.phase;
    origin.source_rank = injection.read ? peer : injection.rank;
    origin.destination_rank = injection.read ? injection.rank : peer;
    origin.forward = static_cast<std::uint32_t>(next.transactions.forward);
    origin.back = static_cast<std::uint32_t>(next.transactions.back);
    origin.bytes = next.bytes.at(graph_.links[link].from_port);
    origin.first_link = link;
    origin.half = injection.read ? Half::read_request : Half::write;
    origin.may_answer = !injection.read;
    tolls_[id] = {next.waiting.ready, next.waiting.wire - next.waiting.flits * kind(link).flit_time,
                  Duration{0} - next.waiting.stall, Duration{0} - next.waiting.tag_wait};
    messages_[id] = {next.message.destination, origin.forward};
    if (!transactions_.empty()) {
        transactions_[id] = next.transactions;
    }
    if (trace_.on()) [[unlikely]] {
        trace_.begin(id, trace_key(id));
    }
    return id;
}

}  // namespace simlette
