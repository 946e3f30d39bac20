// The event queue: one first-in-first-out ring per delay, and a small heap for the rest.
//
// An event pushed at `now + constant` is never earlier than the one pushed before it with the same constant, so each
// ring is sorted by itself and the next event is the least of a few heads, however many events wait.
// Invariant: within a lane times never decrease; now() never decreases.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/base/large_pages.hpp>
#include <simlette/engine/event.hpp>
#include <simlette/engine/event_heap.hpp>

namespace simlette {

// A growing ring of events in time order, all of one turn and pushed with one delay.
class alignas(64) Lane {
public:
    Lane(Turn turn, Duration delay) : delay_(delay), turn_(turn) {}

    Turn turn() const { return turn_; }
    Duration delay() const { return delay_; }
    bool empty() const { return head_ == tail_; }
    const Event& front() const { return events_[head_ & mask_]; }
    // The event `ahead` places behind the front; whatever was there before if there are not so many.
    const Event& peek(std::uint64_t ahead) const { return events_[(head_ + ahead) & mask_]; }
    void pop() { ++head_; }
    void clear() { head_ = tail_ = 0; }

    // Returns whether it was empty.
    bool push(const Event& event) {
        const std::uint64_t waiting = tail_ - head_;
        if (waiting == mask_ + 1) [[unlikely]] {
            grow();
        }
        events_[tail_ & mask_] = event;
        ++tail_;
        return waiting == 0;
    }

    std::uint32_t place = 0;  // in the order of the queue

private:
    void grow() {
        const std::uint64_t capacity = std::max<std::uint64_t>(64, events_.size() * 2);
        LargeVector<Event> events(capacity);
        for (std::uint64_t i = head_; i != tail_; ++i) {
            events[i & (capacity - 1)] = events_[i & mask_];
        }
        events_.swap(events);
        mask_ = capacity - 1;
    }

    LargeVector<Event> events_;
    std::uint64_t mask_ = UINT64_MAX;  // its size, a power of two or 0, less 1
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
    Duration delay_;
    Turn turn_;
};

class LaneQueue {
public:
    using LaneId = std::uint32_t;

    LaneQueue() { heads_.fill(none); }

    // The lane for events of this turn and delay; asked for twice, it is the same one. Delays beyond the first few
    // dozen share the heap. Requires: delay > 0, for what happens at once needs no event; not within drain().
    LaneId lane(Turn turn, Duration delay) {
        require(delay > Duration{0}, "an event lies in the future");
        const auto same = [&](const Lane& lane) { return lane.turn() == turn && lane.delay() == delay; };
        const auto found = std::find_if(lanes_.begin(), lanes_.end(), same);
        const auto id = static_cast<LaneId>(found - lanes_.begin());
        if (found == lanes_.end()) {
            lanes_.emplace_back(turn, delay);
            if (id < max_lanes) {
                add_place(id);
            }
        }
        return id;
    }

    // Returns the time of the event.
    [[gnu::always_inline]] Time push(LaneId id, Time now, std::uint32_t entity, std::uint32_t detail) {
        Lane& lane = lanes_[id];
        const Event event{now + lane.delay(), entity, detail};
        if (id >= max_lanes) [[unlikely]] {
            push_at(lane.turn(), event);
        } else if (lane.push(event)) [[unlikely]] {
            heads_[lane.place] = event.at.ps;
        }
        return event.at;
    }

    // For delays that are no constant: starts, timers.
    void push_at(Turn turn, const Event& event) { rest_.push({event, turn, sequence_++}); }

    // The time of the next event; Time::never() if there is none.
    Time next() const {
        std::int64_t least = rest_.empty() ? none : rest_.first().event.at.ps;
        for (const std::int64_t *head = heads_.data(), *end = head + used_; head < end; ++head) {
            least = std::min(least, *head);
        }
        return Time{least};
    }

    // Hands every event stamped `at` to the handler and returns how many there were. The handler has deliver(event),
    // credit(event), wire_free(event) and inject(event), and may push later events meanwhile.
    template <class Handler>
    std::uint64_t drain(Time at, Handler& handler) {
        std::uint64_t drained = 0;
        for (const std::int64_t *head = heads_.data(), *end = head + used_; head < end; ++head) {
            if (*head == at.ps) {
                drained += drain_lane(lanes_[order_[static_cast<std::size_t>(head - heads_.data())]], at, handler);
            }
        }
        if (!rest_.empty() && rest_.first().event.at == at) {
            drained += drain_rest(at, handler);
        }
        return drained;
    }

    void clear() {
        for (Lane& lane : lanes_) {
            lane.clear();
        }
        heads_.fill(none);
        rest_.clear();
        sequence_ = 0;
    }

private:
    static constexpr LaneId max_lanes = 32;
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    static constexpr std::uint64_t read_ahead = 6;

    struct Rest {
        Event event;
        Turn turn;
        std::uint64_t sequence;

        // By rule: time, turn, entity, first scheduled first. The lanes of an instant come before it; all of phase one
        // commutes.
        bool operator<(const Rest& other) const {
            if (event.at != other.event.at) {
                return event.at < other.event.at;
            }
            if (turn != other.turn) {
                return turn < other.turn;
            }
            return event.entity != other.event.entity ? event.entity < other.event.entity : sequence < other.sequence;
        }
    };

    template <class Handler>
    [[gnu::always_inline]] static void dispatch(Turn turn, const Event& event, Handler& handler) {
        switch (turn) {
            case Turn::deliver:
                handler.deliver(event);
                break;
            case Turn::credit:
                handler.credit(event);
                break;
            case Turn::wire_free:
                handler.wire_free(event);
                break;
            case Turn::inject:
                handler.inject(event);
                break;
            case Turn::decide:
                break;
        }
    }

    // Its place is behind those of its turn and of turns before.
    void add_place(LaneId id) {
        std::uint32_t place = used_++;
        for (; place > 0 && lanes_[order_[place - 1]].turn() > lanes_[id].turn(); --place) {
            order_[place] = order_[place - 1];
            heads_[place] = heads_[place - 1];
            lanes_[order_[place]].place = place;
        }
        order_[place] = id;
        heads_[place] = none;
        lanes_[id].place = place;
    }

    template <class Handler>
    [[gnu::noinline]] std::uint64_t drain_rest(Time at, Handler& handler) {
        std::uint64_t drained = 0;
        do {
            const Rest rest = rest_.pop();
            dispatch(rest.turn, rest.event, handler);
            ++drained;
        } while (!rest_.empty() && rest_.first().event.at == at);
        return drained;
    }

    template <class Handler>
    std::uint64_t drain_lane(Lane& lane, Time at, Handler& handler) {
        switch (lane.turn()) {
            case Turn::deliver:
                return drain_with<Turn::deliver>(lane, at, handler);
            case Turn::credit:
                return drain_with<Turn::credit>(lane, at, handler);
            case Turn::wire_free:
                return drain_with<Turn::wire_free>(lane, at, handler);
            default:
                return drain_with<Turn::inject>(lane, at, handler);
        }
    }

    // Requires: one is due. The events behind are known already: the handler fetches their state while the ones in
    // front are worked on.
    template <Turn turn, class Handler>
    std::uint64_t drain_with(Lane& lane, Time at, Handler& handler) {
        std::uint64_t drained = 0;
        do {
            handler.prefetch(turn, lane.peek(read_ahead));
            const Event event = lane.front();
            lane.pop();
            dispatch(turn, event, handler);
            ++drained;
        } while (!lane.empty() && lane.front().at == at);
        heads_[lane.place] = lane.empty() ? none : lane.front().at.ps;
        return drained;
    }

    std::vector<Lane> lanes_;                    // the first max_lanes of them hold events
    std::array<LaneId, max_lanes> order_{};      // of these: each has its place, by turn
    std::array<std::int64_t, max_lanes> heads_;  // by place: time of the lane's first event, `none` if empty
    std::uint32_t used_ = 0;                     // places
    EventHeap<Rest> rest_;
    std::uint64_t sequence_ = 0;
};

}  // namespace simlette
