// Virtual output queues of one switch output and channel: a FIFO per input that has flits for it, served in turn.
//
// Only inputs with waiting flits have a queue, and equal flits side by side are one node, so memory follows what waits,
// not inputs x outputs. Order: round robin by input, the pointer starts at 0 and moves to served + 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// Runs of waiting flits of one message, linked to FIFOs; one pool for a network.
class FlitRuns {
public:
    struct Run {
        std::uint32_t message = 0;
        std::uint32_t count = 0;
        std::uint32_t next = no_id;
    };

    Run& operator[](std::uint32_t id) { return runs_[id]; }
    const Run& operator[](std::uint32_t id) const { return runs_[id]; }

    std::uint32_t take(std::uint32_t message) {
        if (free_ == no_id) {
            runs_.push_back({message, 1, no_id});
            return static_cast<std::uint32_t>(runs_.size() - 1);
        }
        const std::uint32_t id = free_;
        free_ = runs_[id].next;
        runs_[id] = {message, 1, no_id};
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
    std::vector<Run> runs_;
    std::uint32_t free_ = no_id;
};

class OutputQueues {
public:
    struct Taken {
        LinkId input;
        std::uint32_t message;
    };

    void push(LinkId input, std::uint32_t message, FlitRuns& runs) {
        const auto place = find(input);
        if (place == queues_.end() || place->input != input) {
            const std::uint32_t run = runs.take(message);
            queues_.insert(place, Queue{input, run, run});
            return;
        }
        FlitRuns::Run& last = runs[place->last];
        if (last.message == message) {
            ++last.count;
            return;
        }
        const std::uint32_t run = runs.take(message);  // may move `last`
        runs[place->last].next = run;
        place->last = run;
    }

    // Serves the next input. Requires: !empty().
    Taken pop(FlitRuns& runs) {
        auto served = find(next_input_);
        if (served == queues_.end()) {
            served = queues_.begin();
        }
        const Taken taken{served->input, runs[served->first].message};
        next_input_ = served->input + 1;
        if (--runs[served->first].count == 0) {
            const std::uint32_t run = served->first;
            served->first = runs[run].next;
            runs.give_back(run);
            if (served->first == no_id) {
                queues_.erase(served);
            }
        }
        return taken;
    }

    bool empty() const { return queues_.empty(); }
    bool holds(LinkId input) const {
        const auto place = const_cast<OutputQueues*>(this)->find(input);
        return place != queues_.end() && place->input == input;
    }
    void reset_pointer() { next_input_ = 0; }
    void clear() {
        queues_.clear();
        next_input_ = 0;
    }

private:
    struct Queue {
        LinkId input;  // link ids of a switch's inputs are in port order
        std::uint32_t first;
        std::uint32_t last;
    };
    using Queues = boost::container::small_vector<Queue, 2>;

    // Few inputs wait for one output unless many flows meet there.
    Queues::iterator find(LinkId input) {
        if (queues_.size() <= 4) {
            return std::find_if(queues_.begin(), queues_.end(), [input](const Queue& q) { return q.input >= input; });
        }
        return std::lower_bound(queues_.begin(), queues_.end(), input,
                                [](const Queue& q, LinkId i) { return q.input < i; });
    }

    Queues queues_;  // by input
    LinkId next_input_ = 0;
};

}  // namespace simlette
