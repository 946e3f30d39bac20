// What the ports of a MessageNetwork send, run by run.
#include <simlette/fabric/message_network.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

constexpr std::size_t most_wake_lanes = 12;
constexpr std::int64_t most_slots = 1U << 20;  // of one run,

constexpr std::uint32_t bit(std::uint32_t channel) {
    return 1U << channel;
}

}  // namespace

void MessageNetwork::mark(LinkId id) {
    Port& port = ports_[id];
    if (port.slots > 0 || port.due) {
        return;
    }
    if (port.free_at <= now_) {
        port.due = true;
        due_.push_back(id);
    }
}

// A run is over, or a credit is back.
void MessageNetwork::wake(LinkId id) {
    Port& port = ports_[id];
    if (port.slots > 0 && port.free_at == now_) {
        commit(id, port, port.slots);
    }
    if (port.finished != no_id && port.free_at == now_) {
        finish(id, port);
    }
    if ((port.queued[0] | port.queued[1]) != 0) {
        mark(id);
    }
}

// Runs have few lengths, and what cuts them short comes at few offsets, so most wakes share a few lanes.
void MessageNetwork::wake_port_at(LinkId id, Time t) {
    const Duration delay = t - now_;
    for (const WakeLane& known : wake_lanes_) {
        if (known.delay == delay) {
            queue_.push(known.lane, now_, id, 0);
            return;
        }
    }
    const bool room = wake_lanes_.size() + more_delays_.size() < most_wake_lanes;
    if (room && std::find(more_delays_.begin(), more_delays_.end(), delay) == more_delays_.end()) {
        more_delays_.push_back(delay);
    }
    queue_.push_at(Turn::wire_free, {t, id, 0});
}

void MessageNetwork::add_wake_lanes() {
    for (const Duration delay : more_delays_) {
        wake_lanes_.push_back({delay, queue_.lane(Turn::wire_free, delay)});
    }
    more_delays_.clear();
}

void MessageNetwork::decide(LinkId id) {
    Port& port = ports_[id];
    port.due = false;
    std::uint32_t ready = 0;
    std::uint32_t able = 0;
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        if (port.queued[channel] > 0) {
            ready |= bit(channel);
            const bool paid_for = (port.limited & bit(channel)) == 0 || window(id, channel).any(now_);
            able |= paid_for ? bit(channel) : 0U;
        }
    }
    if (able == 0) {
        if (ready != 0) {
            start_stalls(id, port, ready);
        }
        return;
    }
    if (port.stalled != 0) {
        end_stalls(id, port);
    }
    if (able == 3U && port.to_accelerator) {
        plan_both(id, port);
    } else {
        plan_one(id, port, (able & bit(port.next_channel)) != 0 ? port.next_channel : 1U - port.next_channel, ready);
    }
}

// A run of one channel. Another that is ready may cut in at the next slot, or when its credit is back.
void MessageNetwork::plan_one(LinkId id, Port& port, std::uint32_t channel, std::uint32_t ready) {
    prepare_head(id, channel, now_);
    std::int64_t slots = paid(id, channel, now_, flit_time_, slots_to_first_end(id, channel));
    const std::uint32_t other = 1U - channel;
    if ((ready & bit(other)) != 0) {
        const bool able = (port.limited & bit(other)) == 0 || window(id, other).any(now_);
        const Duration alone = able ? Duration{0} : window(id, other).next() - now_;
        slots = std::min(slots, std::max<std::int64_t>(1, ceil_div(alone.ps, flit_time_.ps)));
    }
    if (!port.to_accelerator && from_switch(id) && inputs(id, channel).size() > 1) {
        slots = 1;
    }
    start_run(id, port, bit(channel), channel, slots);
}

// Both channels, slot by slot in turn, on a link to an accelerator.
void MessageNetwork::plan_both(LinkId id, Port& port) {
    const std::uint32_t first = port.next_channel;
    std::int64_t slots = most_slots;
    for (std::uint32_t turn = 0; turn < channel_count; ++turn) {
        const std::uint32_t channel = turn == 0 ? first : 1U - first;
        const Time from = now_ + flit_time_ * std::int64_t{turn};
        prepare_head(id, channel, from);
        const std::int64_t end = slots_to_first_end(id, channel);
        const std::int64_t credits = paid(id, channel, from, 2 * flit_time_, end);
        slots = std::min(slots, credits < end ? 2 * credits + turn : 2 * end - 1 + turn);
    }
    start_run(id, port, 3U, first, slots);
}

void MessageNetwork::start_run(LinkId id, Port& port, std::uint32_t channels, std::uint32_t first, std::int64_t slots) {
    port.start = now_;
    port.slots = static_cast<std::uint32_t>(std::min(slots, most_slots));
    port.channels = static_cast<std::uint8_t>(channels);
    port.first = static_cast<std::uint8_t>(first);
    port.free_at = now_ + flit_time_ * std::int64_t{port.slots};
    if (!port.to_accelerator) {
        port.train = head_message(id, first);
        announce(id, port, first, port.slots, false);
    }
    wake_port_at(id, port.free_at);
}

// How many flits the channel sends until the first message, or known part of one, has left.
std::int64_t MessageNetwork::slots_to_first_end(LinkId id, std::uint32_t channel) const {
    if (!from_switch(id)) {
        return channel == index(Channel::request) ? sources_.current(id).flits_left
                                                  : answer_runs_[answers_[id].first].count;
    }
    const Inputs& feeds = inputs(id, channel);
    const auto count = static_cast<std::int64_t>(feeds.size());
    const auto first = static_cast<std::int64_t>(first_feed(id, channel));
    std::int64_t least = most_slots;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t turn = i >= first ? i - first : i + count - first;
        const std::int64_t flits = feeds[static_cast<std::size_t>(i)].flits;
        least = std::min(least, turn + (flits - 1) * count + 1);
    }
    return least;
}

// The feed that the arbiter serves next.
std::size_t MessageNetwork::first_feed(LinkId id, std::uint32_t channel) const {
    const Inputs& feeds = inputs(id, channel);
    const LinkId next = ports_[id].next_input[channel];
    const auto found =
        std::find_if(feeds.begin(), feeds.end(), [next](const Trains::Feed& feed) { return feed.input >= next; });
    return found == feeds.end() ? 0 : static_cast<std::size_t>(found - feeds.begin());
}

std::int64_t MessageNetwork::paid(LinkId id, std::uint32_t channel, Time from, Duration stride,
                                  std::int64_t most) const {
    return (ports_[id].limited & bit(channel)) == 0 ? most : window(id, channel).paid(from, stride, most);
}

// Slots of the run under way that started before now.
std::uint32_t MessageNetwork::begun(const Port& port) const {
    if (port.slots == 0) {
        return 0;
    }
    return static_cast<std::uint32_t>(
        std::min<std::int64_t>(ceil_div((now_ - port.start).ps, flit_time_.ps), port.slots));
}

// Something joins in or stays away: the slots that have begun stand, the rest is decided anew.
void MessageNetwork::interrupt(LinkId id) {
    Port& port = ports_[id];
    if (port.slots == 0) {
        return;
    }
    const std::uint32_t done = begun(port);
    const std::uint32_t cut = port.slots - done;
    if (cut > 0 && !port.to_accelerator) {
        announce(id, port, port.first, cut, true);
    }
    commit(id, port, done);
    if (cut > 0 && port.free_at > now_) {
        wake_port_at(id, port.free_at);
    }
}

void MessageNetwork::commit(LinkId id, Port& port, std::uint32_t done) {
    const Time start = port.start;
    port.slots = 0;
    port.free_at = start + flit_time_ * std::int64_t{done};
    port.sent += done;
    if (done == 0) {
        return;
    }
    const std::uint32_t first = port.first;
    if (port.channels == 3U) {
        port.next_channel = static_cast<std::uint8_t>(done % 2 == 1 ? 1U - first : first);
        serve(id, port, first, (done + 1) / 2, start, 2 * flit_time_);
        serve(id, port, 1U - first, done / 2, start + flit_time_, 2 * flit_time_);
    } else {
        port.next_channel = static_cast<std::uint8_t>(1U - first);
        serve(id, port, first, done, start, flit_time_);
    }
}

void MessageNetwork::serve(LinkId id, Port& port, std::uint32_t channel, std::uint32_t flits, Time first,
                           Duration stride) {
    if (flits == 0) {
        return;
    }
    port.queued[channel] -= flits;
    Debt& owed = debt(id, channel);
    if (!owed.late_credits.empty()) {
        check_late(owed, flits, first, stride);
    }
    owed.sent += flits;
    if ((port.limited & bit(channel)) != 0) {
        window(id, channel).spend(flits, first, stride);
    }
    if (from_switch(id)) {
        serve_inputs(id, port, channel, flits, first, stride);
    } else {
        serve_source(id, channel, flits, first + stride * (std::int64_t{flits} - 1));
    }
}

void MessageNetwork::serve_source(LinkId id, std::uint32_t channel, std::uint32_t flits, Time last) {
    if (channel == index(Channel::request)) {
        SourceQueues::Current& current = sources_.current(id);
        current.flits_left -= flits;
        left(id, current.message, flits, last);
        return;
    }
    Answers& queue = answers_[id];
    FlitRuns::Run& run = answer_runs_[queue.first];
    const std::uint32_t message = run.message;
    run.count -= flits;
    if (run.count == 0) {
        const std::uint32_t done = queue.first;
        queue.first = run.next;
        answer_runs_.give_back(done);
    }
    left(id, message, flits, last);
}

// The inputs take turns, one flit each.
void MessageNetwork::serve_inputs(LinkId id, Port& port, std::uint32_t channel, std::uint32_t flits, Time first,
                                  Duration stride) {
    Inputs& feeds = inputs(id, channel);
    const auto count = static_cast<std::uint32_t>(feeds.size());
    const auto head = static_cast<std::uint32_t>(first_feed(id, channel));
    const Duration between = stride * std::int64_t{count};
    for (std::uint32_t turn = 0; turn < std::min(count, flits); ++turn) {
        const std::uint32_t of_this = (flits - 1 - turn) / count + 1;
        const Trains::Served served = trains_.serve(feeds[(head + turn) % count], of_this, flit_time_);
        const Time begin = first + stride * std::int64_t{turn};
        const Time last = begin + between * (std::int64_t{of_this} - 1);
        if (finite(served.input, channel)) {
            note_late(id, channel, served, begin, between);
            credit_leaves(served.input, last + flit_time_);
        }
        left(id, served.message, of_this, last);
    }
    port.next_input[channel] = feeds[(head + (flits - 1) % count) % count].input + 1;
    feeds.erase(std::remove_if(feeds.begin(), feeds.end(), [](const Trains::Feed& f) { return f.first == no_id; }),
                feeds.end());
}

// Flits of a message have left, the last of them at `last`.
void MessageNetwork::left(LinkId id, std::uint32_t message, std::uint32_t flits, Time last) {
    Port& port = ports_[id];
    if (!port.to_accelerator) {
        return;
    }
    std::uint32_t& left = table_.way(message).left;
    left -= flits;
    if (left == 0) {
        port.finished = message;
        if (last + flit_time_ == now_) {
            finish(id, port);
        }
    }
}

// The tail of a message has left the wire.
void MessageNetwork::finish(LinkId id, Port& port) {
    const std::uint32_t message = port.finished;
    port.finished = no_id;
    if (graph_.class_of(id).latency.total() == Duration{0}) {
        reach_core(id, message);
    } else {
        queue_.push(port.core_lane, now_, id, message);
    }
}

void MessageNetwork::announce(LinkId id, Port& port, std::uint32_t channel, std::uint32_t flits, bool recall) {
    if (free_arrivals_.empty()) {
        free_arrivals_.push_back(static_cast<std::uint32_t>(arrivals_.size()));
        arrivals_.emplace_back();
    }
    const std::uint32_t arrival = free_arrivals_.back();
    free_arrivals_.pop_back();
    arrivals_[arrival] = {port.train, flits, channel, recall, debt(id, channel).sent};
    queue_.push(port.arrive_lane, now_, id, arrival);
}

std::uint32_t MessageNetwork::head_message(LinkId id, std::uint32_t channel) const {
    if (from_switch(id)) {
        return trains_[inputs(id, channel)[first_feed(id, channel)].first].message;
    }
    return channel == index(Channel::request) ? sources_.current(id).message : answer_runs_[answers_[id].first].message;
}

// Takes the next message of a source's FIFO if the last one has left; its first flit leaves at `when`.
void MessageNetwork::prepare_head(LinkId id, std::uint32_t channel, Time when) {
    if (from_switch(id) || channel != index(Channel::request) || sources_.current(id).flits_left > 0) {
        return;
    }
    SourceQueues::Current& current = sources_.current(id);
    const PortMessage next = sources_.next(id);
    current.message = table_.add(next, id, graph_.links[id].from_port, when);
    first_injection_ = std::min(first_injection_, when);
}

}  // namespace simlette
