// Waiting flits of one switch output and channel, as runs: a FIFO per input, served in turn.
//
// Only inputs with waiting flits have a queue. Order: round robin by input, the pointer starts at 0 and moves to
// served + 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// Consecutive flits of one message.
struct FlitRun {
    std::uint32_t flit = 0;  // the message, whether the last of these is its last, the channel
    std::uint32_t count = 0;
    std::uint32_t destination = 0;  // accelerator

    static constexpr std::uint32_t last_bit = 2;
    static constexpr std::uint32_t of(std::uint32_t message, std::uint32_t channel) { return message << 2U | channel; }
    std::uint32_t message() const { return flit >> 2U; }
    std::uint32_t channel() const { return flit & 1U; }
    bool has_last() const { return (flit & last_bit) != 0; }
    // Its first flits. Requires: it has more.
    FlitRun take(std::uint32_t flits) {
        count -= flits;
        return {flit & ~last_bit, flits, destination};
    }
};

// Runs linked to FIFOs; one pool for a port. Places are given out in turn, so what arrives together lies together, and
// as inputs are served in turn, also leaves together.
class RunPool {
public:
    struct Node {
        FlitRun run;  // none: the place is free
        std::uint32_t next = no_id;
    };
    Node& operator[](std::uint32_t id) { return nodes_[id]; }
    const Node& operator[](std::uint32_t id) const { return nodes_[id]; }

    std::uint32_t take(const FlitRun& run) {
        if (2 * std::size_t{++taken_} > nodes_.size()) {  // at least half are free, so that the next one is near
            turn_ = static_cast<std::uint32_t>(nodes_.size());
            nodes_.resize(std::max<std::size_t>(4, 2 * nodes_.size()));
        }
        while (nodes_[turn_].run.count != 0) {
            turn_ = turn_ + 1 < nodes_.size() ? turn_ + 1 : 0;
        }
        nodes_[turn_] = {run};
        fetch_after(turn_);
        return turn_;
    }
    void give_back(std::uint32_t id) {
        fetch_after(id);
        nodes_[id].run.count = 0;
        --taken_;
    }

private:
    // Places are used in turn.
    void fetch_after(std::uint32_t place) const {
        constexpr std::size_t ahead = 12;
        if (place + ahead < nodes_.size()) {
            __builtin_prefetch(&nodes_[place + ahead]);
        }
    }

    std::vector<Node> nodes_;
    std::uint32_t taken_ = 0;
    std::uint32_t turn_ = 0;  // the place given out last
};

class RunFifo {
public:
    bool empty() const { return first_ == no_id; }
    std::uint32_t first() const { return first_; }

    void push(const FlitRun& run, RunPool& pool) {
        if (first_ != no_id) {
            FlitRun& tail = pool[last_].run;
            if (tail.flit == (run.flit & ~FlitRun::last_bit)) {  // the same message, and more of it
                tail.count += run.count;
                tail.flit = run.flit;
                return;
            }
        }
        const std::uint32_t id = pool.take(run);
        (first_ == no_id ? first_ : pool[last_].next) = id;
        last_ = id;
    }

    // Takes so many flits of the first run. Requires: it has as many.
    FlitRun pop(std::uint32_t count, RunPool& pool) {
        FlitRun& run = pool[first_].run;
        if (run.count != count) {
            return run.take(count);
        }
        const std::uint32_t id = first_;
        const FlitRun taken{run.flit, count, run.destination};
        first_ = pool[id].next;
        pool.give_back(id);
        return taken;
    }

private:
    std::uint32_t first_ = no_id;
    std::uint32_t last_ = no_id;
};

class RunQueues {
public:
    void push(LinkId input, const FlitRun& run, RunPool& pool) {
        if (inputs() == 0) {
            lone_input_ = input;
            lone_ = run;
            return;
        }
        if (lone_.count > 0) {
            enqueue(lone_input_, lone_, pool);
            lone_.count = 0;
        }
        enqueue(input, run, pool);
    }

    // Inputs that wait.
    std::size_t inputs() const { return lone_.count > 0 ? 1 : queues_.size() - empties_; }
    // The run that is served next. Requires: inputs() > 0.
    const FlitRun& head(const RunPool& pool) const {
        return lone_.count > 0 ? lone_ : pool[queues_[place_to_serve()].runs.first()].run;
    }

    struct Served {
        LinkId input;
        FlitRun run;
    };
    // Serves so many flits of the next input. Requires: its first run has as many.
    Served pop(std::uint32_t count, RunPool& pool) {
        if (lone_.count > 0) {
            return {lone_input_, pop_lone(count)};
        }
        next_ = place_to_serve();
        Queue& queue = queues_[next_++];
        pointer_ = queue.input + 1;
        const Served served{queue.input, queue.runs.pop(count, pool)};
        if (queue.runs.empty()) {
            drop_empty();
        }
        return served;
    }

    bool holds(LinkId input) const {
        return (lone_.count > 0 && lone_input_ == input) ||
               std::any_of(queues_.begin(), queues_.end(),
                           [input](const Queue& queue) { return queue.input == input && !queue.runs.empty(); });
    }
    void reset_pointer() { next_ = pointer_ = 0; }

private:
    struct Queue {
        LinkId input;  // link ids of a switch's inputs are in port order
        RunFifo runs;  // empty ones are kept until there are many of them
    };
    using Queues = boost::container::small_vector<Queue, 2>;

    void enqueue(LinkId input, const FlitRun& run, RunPool& pool) {
        std::uint32_t place = guess_ < queues_.size() ? guess_ : 0;  // inputs come in turn more often than not
        if (place >= queues_.size() || queues_[place].input != input) {
            place = find(input);
        }
        guess_ = place + 1;
        if (queues_[place].runs.empty()) {
            --empties_;
        }
        queues_[place].runs.push(run, pool);
    }

    FlitRun pop_lone(std::uint32_t count) {
        lone_.count -= count;
        const std::uint32_t kept = lone_.count > 0 ? ~FlitRun::last_bit : ~std::uint32_t{0};
        const FlitRun taken{lone_.flit & kept, count, lone_.destination};
        pointer_ = lone_input_ + 1;
        queues_.clear();
        next_ = empties_ = 0;
        return taken;
    }

    // Makes a place for an input that has none.
    std::uint32_t find(LinkId input) {
        auto place = queues_.empty() || queues_.back().input < input
                         ? queues_.end()
                         : std::lower_bound(queues_.begin(), queues_.end(), input,
                                            [](const Queue& q, LinkId i) { return q.input < i; });
        if (place == queues_.end() || place->input != input) {
            place = queues_.insert(place, Queue{input, {}});
            next_ += input < pointer_ ? 1 : 0;
            ++empties_;
        }
        return static_cast<std::uint32_t>(place - queues_.begin());
    }

    // Requires: inputs() > 0.
    std::uint32_t place_to_serve() const {
        std::uint32_t place = next_ < queues_.size() ? next_ : 0;
        while (queues_[place].runs.empty()) {
            place = place + 1 < queues_.size() ? place + 1 : 0;
        }
        return place;
    }

    // At most half of the places are empty, so a turn round them costs little, and dropping them costs little a time.
    void drop_empty() {
        if (std::size_t{++empties_} * 2 <= queues_.size()) {
            return;
        }
        std::uint32_t kept = 0;
        std::uint32_t next = 0;
        for (std::uint32_t i = 0; i < queues_.size(); ++i) {
            next = i == next_ ? kept : next;
            if (!queues_[i].runs.empty()) {
                queues_[kept++] = queues_[i];
            }
        }
        next_ = next_ >= queues_.size() ? kept : next;
        queues_.resize(kept);
        empties_ = 0;
    }

    // A run that waits alone: then all queues are empty.
    FlitRun lone_;
    LinkId lone_input_ = 0;
    std::uint32_t empties_ = 0;
    LinkId pointer_ = 0;      // input served last, plus 1
    std::uint32_t next_ = 0;  // the first place whose input is not below the pointer
    std::uint32_t guess_ = 0;
    Queues queues_;  // by input
};

}  // namespace simlette
