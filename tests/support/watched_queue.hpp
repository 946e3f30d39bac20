// An event queue that writes down the start of every flit on every link, whatever the network counts.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/engine/lane_queue.hpp>
#include <simlette/fabric/flit_network_impl.hpp>

namespace simlette {

struct FlitStart {
    Time at;
    LinkId link = 0;
    std::uint32_t channel = 0;
    LinkId freed = no_id;       // the link whose slot at the switch it leaves
    std::uint32_t message = 0;  // its place among the messages under way
};

class WatchedQueue {
public:
    using LaneId = LaneQueue::LaneId;

    LaneId lane(Turn turn, Duration delay) {
        const LaneId id = queue_.lane(turn, delay);
        turns_.resize(std::max<std::size_t>(turns_.size(), id + 1), turn);
        return id;
    }

    Time push(LaneId lane, Time now, std::uint32_t entity, std::uint32_t detail) {
        if (turns_[lane] == Turn::wire_free) {
            freed_ = detail;
        } else if (turns_[lane] == Turn::deliver) {
            starts().push_back({now, entity, detail & 1U, freed_ == no_id ? no_id : freed_ >> 1U, detail >> 2U});
        }
        return queue_.push(lane, now, entity, detail);
    }

    void push_at(Turn turn, const Event& event) { queue_.push_at(turn, event); }
    Time next() const { return queue_.next(); }
    template <class Handler>
    std::uint64_t drain(Time at, Handler& handler) {
        return queue_.drain(at, handler);
    }
    void clear() { queue_.clear(); }

    // Of this thread, since the last clear().
    static std::vector<FlitStart>& starts() {
        static thread_local std::vector<FlitStart> all;
        return all;
    }

private:
    LaneQueue queue_;
    std::vector<Turn> turns_;
    std::uint32_t freed_ = no_id;
};

}  // namespace simlette
