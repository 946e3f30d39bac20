// The event queue of textbooks: one std::priority_queue of whole events, in the total order of the rules.
// It has the interface of LaneQueue, so that one simulation can run on either.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/engine/event.hpp>

namespace simlette {

class PriorityEventQueue {
public:
    using LaneId = std::uint32_t;

    LaneId lane(Turn turn, Duration delay) {
        require(delay > Duration{0}, "an event lies in the future");
        const auto same = [&](const Kind& kind) { return kind.turn == turn && kind.delay == delay; };
        const auto found = std::find_if(kinds_.begin(), kinds_.end(), same);
        const auto id = static_cast<LaneId>(found - kinds_.begin());
        if (found == kinds_.end()) {
            kinds_.push_back({turn, delay});
        }
        return id;
    }

    Time push(LaneId lane, Time now, std::uint32_t entity, std::uint32_t detail) {
        const Kind& kind = kinds_[lane];
        const Time at = now + kind.delay;
        push_at(kind.turn, {at, entity, detail});
        return at;
    }

    void push_at(Turn turn, const Event& event) {
        entries_.push({event, std::uint64_t{static_cast<std::uint8_t>(turn)} << turn_shift | sequence_++});
    }

    Time next() const { return entries_.empty() ? Time::never() : entries_.top().event.at; }

    template <class Handler>
    std::uint64_t drain(Time at, Handler& handler) {
        std::uint64_t drained = 0;
        while (!entries_.empty() && entries_.top().event.at == at) {
            const Entry entry = entries_.top();
            entries_.pop();
            dispatch(static_cast<Turn>(entry.order >> turn_shift), entry.event, handler);
            ++drained;
        }
        return drained;
    }

    void clear() {
        entries_ = {};
        sequence_ = 0;
    }

private:
    static constexpr int turn_shift = 61;

    struct Kind {
        Turn turn;
        Duration delay;
    };
    struct Entry {
        Event event;
        std::uint64_t order;  // the turn, then the sequence
    };
    struct Later {
        bool operator()(const Entry& a, const Entry& b) const {
            if (a.event.at != b.event.at) {
                return a.event.at > b.event.at;
            }
            if (a.order >> turn_shift != b.order >> turn_shift) {
                return a.order > b.order;
            }
            return a.event.entity != b.event.entity ? a.event.entity > b.event.entity : a.order > b.order;
        }
    };

    template <class Handler>
    static void dispatch(Turn turn, const Event& event, Handler& handler) {
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

    std::vector<Kind> kinds_;
    std::priority_queue<Entry, std::vector<Entry>, Later> entries_;
    std::uint64_t sequence_ = 0;
};

}  // namespace simlette
