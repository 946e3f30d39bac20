// Virtual output queues of one switch output and channel: a FIFO per input that has flits for it, served in turn.
//
// Only inputs whose flits had to wait have a queue, and equal flits side by side are one run, so memory follows what
// waits, not inputs x outputs. Most queues are one run, which stands in the place of its input. Order: round robin by
// input, the pointer starts at 0 and moves to served + 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <simlette/base/large_pages.hpp>
#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// Runs of waiting flits of one message, linked to FIFOs; one pool for a network.
class FlitRuns {
public:
    struct Run {
        std::uint32_t message = 0;
        std::uint32_t count = 0;
        std::uint32_t next = no_id;
        bool has_last = false;  // the last of these is the last of the message
    };

    Run& operator[](std::uint32_t id) { return runs_[id]; }
    const Run& operator[](std::uint32_t id) const { return runs_[id]; }
    void prefetch(std::uint32_t id) const { __builtin_prefetch(runs_.data() + id); }

    std::uint32_t take(std::uint32_t message) {
        if (free_ == no_id) {
            runs_.push_back({message, 1, no_id, false});
            return static_cast<std::uint32_t>(runs_.size() - 1);
        }
        const std::uint32_t id = free_;
        free_ = runs_[id].next;
        runs_[id] = {message, 1, no_id, false};
        return id;
    }

    void give_back(std::uint32_t id) {
        runs_[id].next = free_;
        free_ = id;
    }

    void clear() {
        runs_.clear();
        free_ = no_id;
    }

private:
    LargeVector<Run> runs_;
    std::uint32_t free_ = no_id;
};

class alignas(64) OutputQueues {
public:
    struct Taken {
        LinkId input;
        std::uint32_t message;
        bool last;  // flit of its message
    };

    [[gnu::always_inline]] void push(LinkId input, std::uint32_t message, bool last, FlitRuns& runs) {
        Queue& queue = queue_of(input);
        FlitRuns::Run& front = queue.front;
        if (front.count == 0) {
            front = {message, 1, no_id, last};
            --empties_;
            return;
        }
        const bool alone = front.next == no_id;
        FlitRuns::Run& back = alone ? front : runs[queue.last];
        if (back.message == message) {
            ++back.count;
            back.has_last = last;
            return;
        }
        const std::uint32_t behind = runs.take(message);
        runs[behind].has_last = last;
        (alone ? front : runs[queue.last]).next = behind;
        queue.last = behind;
    }

    // Flits of an input that wait before the last one of `message`, those of other messages as far as `same` says.
    template <class Same>
    std::int64_t ahead(LinkId input, std::uint32_t message, FlitRuns& runs, Same&& same) {
        std::int64_t flits = -1;
        const FlitRuns::Run* run = &find(input)->front;
        while (true) {
            flits += run->message == message || same(run->message) ? run->count : 0;
            if (run->next == no_id) {
                return flits;
            }
            run = &runs[run->next];
        }
    }

    // Serves the next input. Requires: !empty().
    [[gnu::always_inline]] Taken pop(FlitRuns& runs) {
        next_ = place_to_serve();
        Queue& served = queues_[next_++];
        pointer_ = served.input + 1;
        FlitRuns::Run& front = served.front;
        if (--front.count > 0) {
            return {served.input, front.message, false};
        }
        const Taken taken{served.input, front.message, front.has_last};
        if (front.next != no_id) {
            const std::uint32_t behind = front.next;
            front = runs[behind];
            runs.give_back(behind);
            return taken;
        }
        ++empties_;
        if (too_many_empty()) {
            drop_empty();
        }
        return taken;
    }

    // Steps towards the memory that pop() or push() will need.
    void prefetch_inputs() const {
        constexpr std::size_t in_a_cache_line = 2;
        for (std::size_t place = 0; place < queues_.size(); place += in_a_cache_line) {
            __builtin_prefetch(queues_.data() + place);
        }
    }
    void prefetch_run(const FlitRuns& runs) const {
        if (empty()) {
            return;
        }
        const FlitRuns::Run& front = queues_[place_to_serve()].front;
        if (front.count == 1 && front.next != no_id) {
            runs.prefetch(front.next);
        }
    }
    void prefetch_tail(LinkId input, const FlitRuns& runs) {
        const auto place = find(input);
        if (place != queues_.end() && place->input == input && place->front.next != no_id) {
            runs.prefetch(place->last);
        }
    }

    bool empty() const { return queues_.size() == empties_; }
    bool holds(LinkId input) const {
        return std::any_of(queues_.begin(), queues_.end(),
                           [input](const Queue& queue) { return queue.input == input && queue.front.count > 0; });
    }
    void reset_pointer() { next_ = pointer_ = 0; }
    void clear() {
        queues_.clear();
        empties_ = 0;
        reset_pointer();
    }

private:
    struct Queue {
        LinkId input;         // link ids of a switch's inputs are in port order
        FlitRuns::Run front;  // of no flits: the queue is empty, kept until there are many of them
        std::uint32_t last;   // run, if any is behind the front
    };
    using Queues = boost::container::small_vector<Queue, 1>;

    [[gnu::always_inline]] Queue& queue_of(LinkId input) {
        const auto place = find(input);
        return place != queues_.end() && place->input == input ? *place : make_place(place, input);
    }

    // The only place, if it is empty, changes hands.
    Queue& make_place(const Queues::iterator& place, LinkId input) {
        if (queues_.size() == 1 && empties_ == 1) {
            queues_.front().input = input;
            next_ = input < pointer_ ? 1 : 0;
            return queues_.front();
        }
        next_ += input < pointer_ ? 1 : 0;
        ++empties_;
        return *queues_.insert(place, Queue{input, {0, 0, no_id, false}, no_id});
    }

    // The first place whose input is not lower. Few inputs wait for one output unless many flows meet there.
    Queues::iterator find(LinkId input) {
        if (queues_.empty() || queues_.back().input < input) {
            return queues_.end();
        }
        if (queues_.back().input == input) {
            return queues_.end() - 1;
        }
        return std::lower_bound(queues_.begin(), queues_.end(), input,
                                [](const Queue& q, LinkId i) { return q.input < i; });
    }

    // Requires: !empty().
    std::uint32_t place_to_serve() const {
        std::uint32_t place = next_ < queues_.size() ? next_ : 0;
        while (queues_[place].front.count == 0) {
            place = place + 1 < queues_.size() ? place + 1 : 0;
        }
        return place;
    }

    // One place may be empty, for the next flit of a flow that passes alone, or half of them, so a turn round them
    // costs little, and dropping them costs little a time.
    bool too_many_empty() const { return empties_ > 1 && std::size_t{empties_} * 2 > queues_.size(); }
    void drop_empty() {
        std::uint32_t kept = 0;
        std::uint32_t next = 0;
        for (std::uint32_t i = 0; i < queues_.size(); ++i) {
            next = i == next_ ? kept : next;
            if (queues_[i].front.count > 0) {
                queues_[kept++] = queues_[i];
            }
        }
        next_ = next_ >= queues_.size() ? kept : next;
        queues_.resize(kept);
        empties_ = 0;
    }

    std::uint32_t empties_ = 0;
    LinkId pointer_ = 0;      // input served last, plus 1
    std::uint32_t next_ = 0;  // the first place whose input is not below the pointer
    Queues queues_;           // by input
};

}  // namespace simlette
