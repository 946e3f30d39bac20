// A port in a window: what arrives, what may leave, and when.
#include <algorithm>
#include <new>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/sweep_plane.hpp>

namespace simlette {

namespace {

// Those of one instant stay in order.
template <class Timed>
void sort_by_time(Timed* first, Timed* end) {
    constexpr std::ptrdiff_t few = 32;
    if (end - first > few) {
        std::stable_sort(first, end, [](const Timed& a, const Timed& b) { return a.time < b.time; });
        return;
    }
    for (Timed* next = first + 1; next < end; ++next) {
        if (next[-1].time <= next->time) {
            continue;
        }
        const Timed one = *next;
        Timed* place = next;
        do {
            *place = place[-1];
            --place;
        } while (place > first && one.time < place[-1].time);
        *place = one;
    }
}

}  // namespace

void SweepPlane::run(Time decide_before, Time absorb_before) {
    attention_ = Time::never();
    for (std::size_t word = 0; word < busy_.size(); ++word) {
        std::uint64_t to_do = busy_[word];
        while (to_do != 0) {
            const auto bit = static_cast<unsigned>(__builtin_ctzll(to_do));
            const auto place = static_cast<Place>(word * 64 + bit);
            busy_[word] &= ~(std::uint64_t{1} << bit);
            if (passes_by(place, absorb_before)) {
                to_do &= to_do - 1;
                continue;
            }
            if (order_[place] >= first_switch_link_) {
                visit<true>(place, decide_before, absorb_before);
                tell_landed();
            } else if (tags_.empty()) {
                visit<false>(place, decide_before, absorb_before);
            } else {
                visit<false, true>(place, decide_before, absorb_before);
            }
            to_do = busy_[word] & ~((std::uint64_t{2} << bit) - 1);  // credits may have called others since
        }
    }
    end_run(decide_before);
}

void SweepPlane::end_run(Time decide_before) {
    free_messages_.insert(free_messages_.end(), freed_.begin(), freed_.end());
    freed_.clear();
    decided_ = decide_before;
    last_event_ = std::max(last_event_, credits_home_);
}

template <bool at_switch, bool has_tags>
void SweepPlane::visit(Place place, Time decide_before, Time absorb_before) {
    Pass pass{ports_[place], decide_before};
    Port& port = pass.port;
    take_due<at_switch>(port, absorb_before);
    if (port.finite != 0) {
        take_credits(pass);
    }
    pass.arrival = due_.data();
    arriving_.clear();
    Time now = std::max(port.free_at, decided_);  // no window may pass over an instant at which a stall begins
    while (true) {
        ++events_;
        const Time arrival = pass.arrival->time;
        if ((port.queued[0] | port.queued[1]) == 0) {
            if (arrival == Time::never()) {
                break;
            }
            now = std::max(now, arrival);
        }
        if (now >= decide_before) {
            break;
        }
        if (arrival <= now || !arriving_.empty()) {
            absorb<at_switch>(pass, now);
        }
        std::uint32_t ready = (port.queued[0] > 0 ? 1U : 0U) | (port.queued[1] > 0 ? 2U : 0U);
        if constexpr (has_tags) {
            ready = take_tags(port, ready, now);
        }
        std::uint32_t able = port.finite == 0 ? ready & ~(1U << no_tag) : paid(pass, ready, now);
        if (!has_tags && able == 0 && stalls_alone(pass, ready)) {
            if (one_direction() && send_train<at_switch>(pass, ready >> 1U, now)) {
                now = port.free_at;
                continue;
            }
            now = take_stall(pass, ready >> 1U, now);
            able = ready;
        }
        if (able == 0) {
            now = stall<has_tags>(pass, ready, now);
            if (now == Time::never()) {
                break;
            }
            continue;
        }
        if (port.stalled != 0) {
            if constexpr (has_tags) {
                note_tag_stall(port, 0, now);
            }
            end_stalls(port, now);
        }
        const std::uint32_t channel =
            (able >> port.next_channel & 1U) != 0 ? port.next_channel : 1U - port.next_channel;
        std::int64_t flits = able == 3 ? 1 : next_run<at_switch>(port, channel);
        flits = flits == 1 ? 1 : flits_in_a_row(pass, channel, ready, now, flits);
        if constexpr (has_tags) {
            const Time tag = enough_tags(port, ready);
            flits = tag == Time::never() ? flits : std::min(flits, ceil_div((tag - now).ps, port.flit_time.ps));
            flits = channel == 0 ? flits_with_tags(port, flits) : flits;
        }
        if (flits == 1) {
            send<at_switch>(pass, channel, now, 1);
        } else {
            send_run<at_switch>(pass, channel, now, flits);
        }
        now = port.free_at;
    }
    finish<at_switch, has_tags>(pass, decide_before, absorb_before);
}

// What has arrived is exact at the end of a window, also for what looks at it between.
template <bool at_switch, bool has_tags>
void SweepPlane::finish(Pass& pass, Time decide_before, Time absorb_before) {
    Port& port = pass.port;
    if (pass.sent) {
        last_event_ = std::max(last_event_, port.free_at + (port.delay - port.flit_time));
    }
    absorb<at_switch>(pass, decide_before);
    if (absorb_before > decide_before) {
        note_queue(port, port.queued[0] + port.queued[1] - (port.free_at > decide_before ? 0 : 1));
    }
    // What to make of what has just come, now or when the window was cut at this instant before.
    const auto has_come = [&](const Inbound& one) {
        return one.time + (at_switch ? port.flit_time * (one.run.count - 1) : Duration{0}) == decide_before;
    };
    const bool undecided =
        absorb_before > decide_before && (decided_ == decide_before || std::any_of(due_.data(), due_end_, has_come));
    const Time next_decision = std::max(port.free_at, decide_before);
    if (has_tags || port.finite != 0 || (port.queued[0] | port.queued[1]) != 0) {
        port.idle_before = {};
    }
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        if (port.finite != 0) {
            return_credits(pass, channel, absorb_before - Duration{1});
        }
        const bool lacks_tags = has_tags && channel == 0 && waits_for_tag(port, absorb_before - Duration{1});
        if (port.queued[channel] == 0) {
            continue;
        }
        const bool stalled = (port.finite & port.stalled) >> channel & 1U;
        const bool waits = !undecided && stalled && port.credits[channel] <= 0;
        const Time next = waits ? next_returned(port, channel) : next_decision;
        if (next != Time::never() && (undecided || !lacks_tags)) {
            need(place_of(port));
            expect(next);
        }
    }
}

template <bool at_switch>
void SweepPlane::take_due(Port& port, Time before) {
    if (due_.size() <= port.inbox.size()) {
        due_.resize(2 * port.inbox.size() + 1);
    }
    Inbound* taken = due_.data();
    Inbound* left = port.inbox.data();
    std::uint32_t counts = 0;  // all their bits: above 1 if a run is longer than one flit
    for (const Inbound& each : port.inbox) {
        const Inbound one = each;
        *taken = one;
        *left = one;
        counts |= one.run.count;
        const std::ptrdiff_t due = one.time < before ? 1 : 0;
        taken += due;
        left += 1 - due;
    }
    port.inbox.erase(port.inbox.begin() + (left - port.inbox.data()), port.inbox.end());
    due_end_ = taken;
    if (at_switch && counts > 1) {
        cut_runs(port, before);
    }
    port.idle_before = Time::never();
    if (!port.inbox.empty()) {
        leave_later(port);
    }
    sort_by_time(due_.data(), due_end_);
    *due_end_ = {Time::never(), {}, no_id};
}

// Flits of runs that arrive later.
void SweepPlane::cut_runs(Port& port, Time before) {
    for (Inbound* one = due_.data(); one < due_end_; ++one) {
        if (one->run.count > 1 && one->time + port.flit_time * (one->run.count - 1) >= before) {
            Inbound rest = *one;
            const auto whole = static_cast<std::uint32_t>(ceil_div((before - one->time).ps, port.flit_time.ps));
            rest.time = one->time + port.flit_time * whole;
            one->run = rest.run.take(whole);
            port.inbox.push_back(rest);
        }
    }
}

void SweepPlane::leave_later(Port& port) {
    Time next = Time::never();
    for (const Inbound& one : port.inbox) {
        next = std::min(next, one.time);
    }
    port.idle_before = next;
    need(place_of(port));
    expect(next);
}

void SweepPlane::take_credits(Pass& pass) {
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        LargeVector<CreditRun>& inbox = pass.port.credit_inbox[channel];
        if (inbox.size() > 1 && pass.port.at != no_id) {  // those of a link to an accelerator come in order
            sort_by_time(inbox.data(), inbox.data() + inbox.size());
        }
        inbox.push_back(no_credit);
        pass.credit[channel] = inbox.data();
    }
}

// Everything that arrives up to and including `until`. Just before it, the queue is at its longest since the last
// departure.
template <bool at_switch>
inline void SweepPlane::absorb(Pass& pass, Time until) {
    Port& port = pass.port;
    const bool grown = pass.arrival->time < until || !arriving_.empty();
    std::int64_t last = 0;  // flits that come at this instant
    for (; pass.arrival->time <= until; ++pass.arrival) {
        const Inbound& arrival = *pass.arrival;
        last += arrival.time == until && (!at_switch || arrival.run.count == 1) ? arrival.run.count : 0;
        absorb_one<at_switch>(port, arrival);
    }
    if (grown) {
        note_queue(port, port.queued[0] + port.queued[1] - last - to_come(until - Duration{1}, port.flit_time));
    }
}

template <bool at_switch>
inline void SweepPlane::absorb_one(Port& port, const Inbound& arrival) {
    const std::uint32_t channel = arrival.run.channel();
    const std::int64_t flits = arrival.run.count;
    port.queued[channel] += flits;
    port.waited -= sum_of_times(arrival.time, flits, at_switch ? port.flit_time : Duration{0});
    if constexpr (at_switch) {
        // Laundered, so that the compiler works out once where these queues stand.
        std::launder(&port.outputs[channel])->push(arrival.input, arrival.run, port.pool);
        if (flits > 1) {
            arriving_.push_back({arrival.time, flits});
        }
    } else if (channel == 1) {
        port.answers.push(arrival.run, port.pool);
    }
    if (traces()) [[unlikely]] {
        trace_arrival(port, arrival, at_switch);
    }
}

// Flits of runs that have begun to arrive, later than `after`.
std::int64_t SweepPlane::runs_to_come(Time after, Duration flit_time) {
    std::int64_t flits = 0;
    for (std::size_t i = 0; i < arriving_.size();) {
        const CreditRun& run = arriving_[i];
        const std::int64_t there = run.time > after ? 0 : (after - run.time).ps / flit_time.ps + 1;
        if (there >= run.count) {
            arriving_[i] = arriving_.back();
            arriving_.pop_back();
            continue;
        }
        flits += run.count - there;
        ++i;
    }
    return flits;
}

void SweepPlane::take_credit_run(Pass& pass, std::uint32_t channel, Time until) {
    CreditRun* next = pass.credit[channel];
    CreditRun run = *next;
    const Duration flit_time = pass.port.flit_time;
    const std::int64_t arrived = std::min(run.count, (until - run.time).ps / flit_time.ps + 1);
    pass.port.credits[channel] += arrived;
    if (arrived == run.count) {
        ++pass.credit[channel];
        return;
    }
    run.time = run.time + flit_time * arrived;
    run.count -= arrived;
    for (; next[1].time < run.time; ++next) {
        next[0] = next[1];
    }
    *next = run;
}

// Those that come after `until` wait for another window.
void SweepPlane::return_credits(Pass& pass, std::uint32_t channel, Time until) {
    while (pass.credit[channel]->time <= until) {
        take_credit(pass, channel, until);
    }
    LargeVector<CreditRun>& inbox = pass.port.credit_inbox[channel];
    inbox.pop_back();
    inbox.erase(inbox.begin(), inbox.begin() + (pass.credit[channel] - inbox.data()));
}

// When the first of those comes that wait for another window.
Time SweepPlane::next_returned(const Port& port, std::uint32_t channel) {
    Time first = Time::never();
    for (const CreditRun& run : port.credit_inbox[channel]) {
        first = std::min(first, run.time);
    }
    return first;
}

// When something comes that may end a stall: a flit does if it is of another channel than those that wait.
inline Time SweepPlane::next_change(const Pass& pass, std::uint32_t ready) {
    Time credit = Time::never();
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        credit = (ready >> channel & 1U) != 0 ? std::min(credit, pass.credit[channel]->time) : credit;
    }
    const Inbound* arrival = pass.arrival;
    while (arrival->time < credit && (ready >> arrival->run.channel() & 1U) != 0) {
        ++arrival;
    }
    return std::min(arrival->time, credit);
}

// So many flits, one after the other, find a credit each: any number if all credits of a link to an accelerator pay for
// one and come back in time to pay for another.
std::int64_t SweepPlane::payable(const Pass& pass, std::uint32_t channel, Time from, std::int64_t most) const {
    const Port& port = pass.port;
    std::int64_t flits = port.credits[channel];
    const CreditRun* run = pass.credit[channel];
    for (; flits < most && run->time <= from + port.flit_time * flits; ++run) {
        flits += run->count;
    }
    const bool again = flits < most && port.at == no_id && run->time == Time::never();
    return again && port.credit_loop <= port.flit_time * flits ? most : std::min(flits, most);
}

// Flits of one message that are next, as far as nothing takes turns with them; all that wait if they leave in turn.
template <bool at_switch>
inline std::int64_t SweepPlane::next_run(const Port& port, std::uint32_t channel) {
    if constexpr (at_switch) {
        const RunQueues& queues = port.outputs[channel];
        if (queues.inputs() > 1) {
            return (port.rotates >> channel & 1U) != 0 && !follows_at(port) ? port.queued[channel] : 1;
        }
        return queues.head().count;
    } else {
        return channel == 0 ? begin_request(port.link).flits_left : port.answers.head().count;
    }
}

// How many of these flits may leave one after the other before anything else can come between. What else is ready waits
// for a credit.
std::int64_t SweepPlane::flits_in_a_row(const Pass& pass, std::uint32_t channel, std::uint32_t ready, Time start,
                                        std::int64_t most) const {
    const Port& port = pass.port;
    Time end = std::min(pass.before, pass.arrival->time);
    if ((ready >> (1 - channel) & 1U) != 0) {
        end = std::min(end, pass.credit[1 - channel]->time);
    }
    most = (port.finite >> channel & 1U) == 0 ? most : payable(pass, channel, start, most);
    return most == 1 ? 1 : std::min(most, ceil_div((end - start).ps, port.flit_time.ps));
}

template <bool at_switch>
inline RunQueues::Served SweepPlane::serve(Port& port, std::uint32_t channel, Time start, std::uint32_t flits) {
    if constexpr (at_switch) {
        return std::launder(&port.outputs[channel])->pop(flits, port.pool);  // as in absorb_one()
    } else {
        if (channel == 1) {
            return {no_id, port.answers.pop(flits, port.pool)};
        }
        SourceQueues::Current& current = begin_request(port.link);
        if (current.fresh) {
            current.fresh = false;
            messages_[current.message].injected = start;
            first_injection_ = std::min(first_injection_, start);
        }
        current.flits_left -= flits;
        const std::uint32_t last = current.flits_left == 0 ? FlitRun::last_bit : 0;
        return {no_id, {FlitRun::of(current.message, 0) | last, flits, current.destination}};
    }
}

// By itself, so that the compiler knows where else send() is called that one flit leaves.
template <bool at_switch>
void SweepPlane::send_run(Pass& pass, std::uint32_t channel, Time start, std::int64_t flits) {
    if (at_switch && pass.port.outputs[channel].inputs() > 1) {
        send_in_turn(pass, channel, start, flits);
    } else {
        send<at_switch>(pass, channel, start, flits);
    }
}

template <bool at_switch>
inline void SweepPlane::send(Pass& pass, std::uint32_t channel, Time start, std::int64_t flits) {
    Port& port = pass.port;
    const auto count = static_cast<std::uint32_t>(flits);
    const RunQueues::Served served = serve<at_switch>(port, channel, start, count);
    const FlitRun& run = served.run;
    if constexpr (at_switch) {
        const Feeder& feeder = feeders_[port.feeders + served.input];
        if ((feeder.finite >> channel & 1U) != 0) {
            give_credits(feeder.place, channel, {start + port.flit_time + feeder.credit_return, flits}, port.flit_time);
        }
    }
    if (traces()) [[unlikely]] {
        trace_departure(port, run, at_switch ? feeders_[port.feeders + served.input].link : no_id, start);
    }
    count_sent(pass, channel, start, flits);
    port.on_wire = run.flit;
    note_left_waiting(port, start, flits);
    if ((port.finite >> channel & 1U) != 0) {
        port.credits[channel] -= flits;
        if (port.at == no_id) {
            keep_credits(pass, channel, {start + port.credit_loop, flits});
        }
    }
    go_on(port, run, start + port.delay);
}

// A run arrives at the end of a link.
inline void SweepPlane::go_on(Port& port, const FlitRun& run, Time arrives) {
    if (port.at == no_id) {
        land(port, run, arrives);
        return;
    }
    const Onward& onward = onward_[port.at];
    const GroupPlace& destination = graph_.places[run.destination];
    Place out = onward.first_down + destination.index;
    if (onward.own_group != destination.group) {
        const LinkChoice& choice = graph_.choices[onward.first_choice + destination.group];
        const Place* choices = choices_.data() + choice.first;
        if (run.count > 1 && flit_by_flit_ && choice.count > 1) {
            spread(port, run, choices, choice.count, arrives);
            return;
        }
        out = choices[choice.count == 1 ? 0 : choose(port, run, choice.count)];
    }
    if (run.count == 1) {
        put(out, run, port.input, arrives);
    } else {
        put_each(out, run, port, arrives);
    }
}

// Of a link to an accelerator: they come back to the port at hand.
inline void SweepPlane::keep_credits(Pass& pass, std::uint32_t channel, const CreditRun& run) {
    LargeVector<CreditRun>& inbox = pass.port.credit_inbox[channel];
    const std::ptrdiff_t next = pass.credit[channel] - inbox.data();
    inbox.back() = run;
    inbox.push_back(no_credit);
    pass.credit[channel] = inbox.data() + next;
    credits_home_ = std::max(credits_home_, run.time + pass.port.flit_time * (run.count - 1));
}

inline void SweepPlane::give_credits(Place to, std::uint32_t channel, const CreditRun& run, Duration flit_time) {
    Port& port = ports_[to];
    LargeVector<CreditRun>& inbox = port.credit_inbox[channel];
    if (one_rate_ || run.count == 1) {
        inbox.push_back(run);
    } else {
        for (std::int64_t i = 0; i < run.count; ++i) {
            inbox.push_back({run.time + flit_time * i, 1});
        }
    }
    if (port.queued[channel] > 0) {
        need(to);
        expect(run.time);
    }
    credits_home_ = std::max(credits_home_, run.time + flit_time * (run.count - 1));
}

// Where more flits than one leave, others may have come from many inputs meanwhile, and wait for a credit of the other
// channel.
inline void SweepPlane::note_left_waiting(Port& port, Time start, std::int64_t flits) {
    if (arriving_.empty()) {
        note_queue(port, port.queued[0] + port.queued[1] + flits - 1);
    } else if (flits > 1) {
        note_longest_queue(port, start, flits);
    }
}

// A stall begins for each channel that is ready and was not.
inline void SweepPlane::start_stalls(Port& port, std::uint32_t ready, Time now) {
    const std::uint32_t fresh = ready & ~std::uint32_t{port.stalled};
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        Time& since = port.stalled_since[channel];
        since = (fresh >> channel & 1U) != 0 ? now : since;
    }
    port.stalled = static_cast<std::uint8_t>(ready);
    note_queue(port, port.queued[0] + port.queued[1] - to_come(now, port.flit_time));
}

// Whether one channel alone is ready and waits for a credit, and that comes before anything else.
inline bool SweepPlane::stalls_alone(const Pass& pass, std::uint32_t ready) const {
    const Port& port = pass.port;
    const std::uint32_t channel = ready >> 1U;
    return ready != 3 && port.stalled == 0 && arriving_.empty() && port.credits[channel] == 0 &&
           pass.credit[channel]->time < std::min(pass.before, pass.arrival->time);
}

// A stall from its beginning to its end in one step.
inline Time SweepPlane::take_stall(Pass& pass, std::uint32_t channel, Time now) {
    Port& port = pass.port;
    const Time end = pass.credit[channel]->time;
    note_queue(port, port.queued[0] + port.queued[1]);
    port.stall[channel] += end - now;
    take_credit(pass, channel, end);
    ++events_;
    return end;
}

// Where nothing goes back and the port stands still for want of a credit. Returns whether several rounds of flits have
// left. By itself: inside visit() it slows other ports.
template <bool at_switch>
bool SweepPlane::send_train(Pass& pass, std::uint32_t channel, Time now) {
    Port& port = pass.port;
    const bool in_turn = at_switch && port.outputs[channel].inputs() > 1;
    if (in_turn || follows_at(port)) {
        return false;
    }
    const std::int64_t rounds = rounds_ahead(pass, channel, next_run<at_switch>(port, channel));
    if (rounds < 2) {
        return false;
    }
    const Time start = pass.credit[channel]->time;
    const std::int64_t flits = spend_rounds(pass, channel, rounds, now);
    const FlitRun run = serve<at_switch>(port, channel, start, static_cast<std::uint32_t>(flits)).run;
    require(!follows(run), "flits that are followed wait at their port");
    port.on_wire = run.flit;
    land(port, run, port.free_at + port.delay - port.flit_time * flits);
    return true;
}

// Nothing can leave. Returns when something comes that may change that.
template <bool has_tags>
inline Time SweepPlane::stall(const Pass& pass, std::uint32_t ready, Time now) {
    Port& port = pass.port;
    if constexpr (has_tags) {
        note_tag_stall(port, ready, now);
    }
    start_stalls(port, ready, now);
    const Time change = next_change(pass, ready);
    if constexpr (has_tags) {
        return std::min(change, enough_tags(port, ready));
    }
    return change;
}

inline void SweepPlane::end_stalls(Port& port, Time now) {
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        const Duration stall = now - port.stalled_since[channel];
        port.stall[channel] += (port.stalled >> channel & 1U) != 0 ? stall : Duration{0};
    }
    port.stalled = 0;
}

void SweepPlane::begin_message(LinkId id) {
    SourceQueues::Current& current = sources_.current(id);
    const PortMessage next = sources_.next(id);
    current.message = start_message(next, id);
    current.fresh = true;
}

}  // namespace simlette
