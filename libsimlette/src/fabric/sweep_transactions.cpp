// Transactions of ualink: answers that follow them one by one, and tags that limit how many are open.
#include <algorithm>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/sweep_plane.hpp>

namespace simlette {

// Where all flits of a message come one after the other, those that set nothing off are counted with the next that
// does.
void SweepPlane::land_one_by_one(const Port& port, const FlitRun& run, Time first) {
    const std::uint32_t id = run.message();
    const bool each = !one_way_ || follows(run);
    Exchange& exchange = exchanges_[id];
    for (std::uint32_t left = run.count; left > 0;) {
        const std::uint32_t next = each ? 1 : next_to_tell(exchange, run.channel() == 1, left);
        const std::uint32_t flits = next == 0 ? left : next;
        left -= flits;
        exchange.landing += flits;
        exchange.untold += flits;
        const bool last = run.has_last() && left == 0;
        if (next != 0 || last) {
            const std::uint32_t flit = last ? run.flit : run.flit & ~FlitRun::last_bit;
            add_landing({first + port.flit_time * (run.count - left - 1), flit, exchange.untold, port.link});
            exchange.untold = 0;
        }
    }
}

// Which of the flits that land next lets answers go, or frees tags: 1 the first, 0 none of so many. The first to ask
// for data lets some go.
std::uint32_t SweepPlane::next_to_tell(Exchange& exchange, bool answer, std::uint32_t most) const {
    if (answer && tags_.empty()) {
        return 0;
    }
    const Transactions& transactions = exchange.transactions;
    const auto reached_by = [&](std::uint32_t flits) {
        const std::int64_t landed = std::int64_t{exchange.landing} + flits;
        return answer ? transactions.closed(landed) : transactions.answers_due(landed);
    };
    std::uint32_t too_few = 0;
    std::uint32_t enough = 1;
    while (reached_by(enough) == exchange.reached) {
        if (enough == most) {
            return 0;
        }
        too_few = enough;
        enough = std::min(2 * enough, most);
    }
    while (enough - too_few > 1) {
        const std::uint32_t middle = too_few + (enough - too_few) / 2;
        (reached_by(middle) == exchange.reached ? too_few : enough) = middle;
    }
    exchange.reached = reached_by(enough);
    return enough;
}

void SweepPlane::deliver_one_by_one(const Landing& landing) {
    const std::uint32_t id = landing.flit >> 2U;
    if (traces()) [[unlikely]] {
        trace_landing(landing);
    }
    flits_outside_ -= landing.count;
    messages_[id].undelivered -= landing.count;
    if ((landing.flit & 1U) == 0) {
        take_requests(id, landing.link);
    } else {
        take_answers(id, landing.count);
    }
}

void SweepPlane::take_requests(std::uint32_t id, LinkId from) {
    Message& message = messages_[id];
    if (message.answer_link == no_id) {
        message.answer_link = way_back_[from];
        if (message.read) {
            told().deliveries.push_back(delivery(id, account_.now));
        }
    }
    if (message.undelivered == 0 && message.read) {
        told().totals.request_flits += plane_.stands_for * exchanges_[id].transactions.forward;
    } else if (message.undelivered == 0) {
        finish_data(id, account_.now);
    }
    if (!message.read || message.answered) {
        message.released_by_request = message.read;
        let_answers_go(id);
    }
}

void SweepPlane::take_answers(std::uint32_t id, std::uint32_t flits) {
    const Message& message = messages_[id];
    const Transactions& transactions = exchanges_[id].transactions;
    if (!tags_.empty()) {
        const std::int64_t arrived = transactions.back - message.undelivered;
        tags_[message.first_link].freed.push_back(
            {account_.now, transactions.closed(arrived) - transactions.closed(arrived - flits)});
        need(place_[message.first_link]);
    }
    if (message.undelivered > 0) {
        return;
    }
    if (message.read) {
        finish_data(id, account_.now);
    } else {
        told().totals.response_flits += plane_.stands_for * transactions.back;
    }
    free_message(id);
}

// Answers leave as far as the requests that have arrived call for them. The last of them ends the request.
void SweepPlane::let_answers_go(std::uint32_t id) {
    const Transactions& transactions = exchanges_[id].transactions;
    const std::int64_t arrived = transactions.forward - messages_[id].undelivered;
    const std::int64_t due = transactions.answers_due(arrived);
    const bool last = due == transactions.back;
    const bool over = last && arrived == transactions.forward;
    const auto flits = static_cast<std::uint32_t>(due - exchanges_[id].answered);
    if (flits > 0) {  // a new answer may move the exchanges
        const std::uint32_t answer = exchanges_[id].partner == no_id ? new_answer(id) : exchanges_[id].partner;
        exchanges_[id].partner = answer;
        exchanges_[id].answered = due;
        messages_[answer].released_by_request = messages_[id].released_by_request;
        put_answer(answer, flits, last, account_.now);
    }
    if (over) {
        free_message(id);
    }
}

std::uint32_t SweepPlane::new_answer(std::uint32_t id) {
    const std::uint32_t answer = new_message();
    const Transactions& transactions = exchanges_[id].transactions;
    exchanges_[answer] = {transactions};
    Message& message = messages_[answer] = messages_[id];
    require(message.answer_link != no_id, "an answer leaves by the port on which the request came");
    message.undelivered = static_cast<std::uint32_t>(transactions.back);
    message.answered = true;
    if (traces()) [[unlikely]] {
        account_.trace.begin(traced_as(answer), trace_key(answer, 1));
    }
    return answer;
}

// Tags that are free by now. Returns what is ready, where a request for which there are not enough stands for that.
std::uint32_t SweepPlane::take_tags(const Port& port, std::uint32_t ready, Time now) {
    Tags& tags = tags_[port.link];
    for (; tags.next < tags.freed.size() && tags.freed[tags.next].time <= now; ++tags.next) {
        tags.open -= tags.freed[tags.next].count;
    }
    const bool lacks = (ready & 1U) != 0 && tags.open + opened_by(port.link, 1) > rules_.tags;
    return lacks ? (ready & ~1U) | 1U << no_tag : ready;
}

// Transactions that the next flits of the message under way open.
std::int64_t SweepPlane::opened_by(LinkId id, std::int64_t flits) {
    const SourceQueues::Current& current = begin_request(id);
    const Transactions& transactions = exchanges_[current.message].transactions;
    const std::int64_t sent = transactions.forward - current.flits_left;
    return transactions.opened(sent + flits) - transactions.opened(sent);
}

// How many of these flits may leave in a row, as far as tags go. Opens the transactions of those that do.
std::int64_t SweepPlane::flits_with_tags(const Port& port, std::int64_t most) {
    Tags& tags = tags_[port.link];
    const auto enough_for = [&](std::int64_t flits) { return tags.open + opened_by(port.link, flits) <= rules_.tags; };
    std::int64_t flits = enough_for(most) ? most : 1;
    for (std::int64_t too_many = most; too_many - flits > 1;) {
        const std::int64_t middle = flits + (too_many - flits) / 2;
        (enough_for(middle) ? flits : too_many) = middle;
    }
    tags.open += opened_by(port.link, flits);
    return flits;
}

// When there are enough tags in this window for what lacks them.
Time SweepPlane::enough_tags(const Port& port, std::uint32_t ready) {
    if ((ready >> no_tag & 1U) == 0) {
        return Time::never();
    }
    const Tags& tags = tags_[port.link];
    std::int64_t lacking = tags.open + opened_by(port.link, 1) - rules_.tags;
    for (std::size_t i = tags.next; i < tags.freed.size(); ++i) {
        lacking -= tags.freed[i].count;
        if (lacking <= 0) {
            return tags.freed[i].time;
        }
    }
    return Time::never();
}

// Before the stalls of the channels are noted.
void SweepPlane::note_tag_stall(const Port& port, std::uint32_t ready, Time now) {
    Tags& tags = tags_[port.link];
    const bool lacked = (port.stalled >> no_tag & 1U) != 0;
    const bool lacks = (ready >> no_tag & 1U) != 0;
    if (lacked && !lacks) {
        tags.stall += now - tags.since;
    } else if (lacks && !lacked) {
        tags.since = now;
    }
}

// Whether the port stands still for want of a tag, with those that come up to and including `until`. A window is over.
bool SweepPlane::waits_for_tag(const Port& port, Time until) {
    const std::uint32_t ready = take_tags(port, port.queued[0] > 0 ? 1U : 0U, until);
    Tags& tags = tags_[port.link];
    require(tags.next == tags.freed.size(), "tags that are freed in a window are taken in it");
    tags.freed.clear();
    tags.next = 0;
    return (ready & port.stalled) >> no_tag & 1U;
}

Duration SweepPlane::tag_stall(const Port& port, Time at) const {
    const Tags& tags = tags_[port.link];
    const bool running = (port.stalled >> no_tag & 1U) != 0;
    return running ? tags.stall + (at - tags.since) : tags.stall;
}

}  // namespace simlette
