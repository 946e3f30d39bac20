// Waiting flits of one switch output and channel, as runs: a FIFO per input, served in turn.
//
// A run that waits alone has no queue; of a wide switch only inputs that had to wait have one. Order: round robin by
// input, the pointer starts at 0 and moves to served + 1.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <simlette/base/large_pages.hpp>
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

// Runs linked to FIFOs; one pool for a port. The place that was given back last is taken first: it is in the cache.
class RunPool {
public:
    struct Node {
        FlitRun run;
        std::uint32_t next = no_id;
    };
    Node& operator[](std::uint32_t id) { return nodes_[id]; }
    const Node& operator[](std::uint32_t id) const { return nodes_[id]; }

    std::uint32_t take(const FlitRun& run) {
        if (free_ == no_id) {
            free_ = static_cast<std::uint32_t>(nodes_.size());
            nodes_.emplace_back();
        }
        const std::uint32_t id = free_;
        free_ = nodes_[id].next;
        nodes_[id] = {run};
        return id;
    }
    void give_back(std::uint32_t id) {
        nodes_[id].next = free_;
        free_ = id;
    }

private:
    LargeVector<Node> nodes_;
    std::uint32_t free_ = no_id;
};

// The run at the head stands here, the others in a pool.
class RunFifo {
public:
    bool empty() const { return head_.count == 0; }
    const FlitRun& head() const { return head_; }

    void push(const FlitRun& run, RunPool& pool) {
        if (empty()) {
            head_ = run;
            return;
        }
        FlitRun& tail = next_ == no_id ? head_ : pool[last_].run;
        if (tail.flit == (run.flit & ~FlitRun::last_bit)) {  // the same message, and more of it
            tail.count += run.count;
            tail.flit = run.flit;
            return;
        }
        const std::uint32_t id = pool.take(run);
        (next_ == no_id ? next_ : pool[last_].next) = id;
        last_ = id;
    }

    // Takes so many flits of the first run. Requires: it has as many.
    FlitRun pop(std::uint32_t count, RunPool& pool) {
        if (head_.count != count) {
            return head_.take(count);
        }
        const FlitRun taken = head_;
        if (next_ == no_id) {
            head_.count = 0;
            return taken;
        }
        const std::uint32_t id = next_;
        head_ = pool[id].run;
        next_ = pool[id].next;
        pool.give_back(id);
        return taken;
    }

private:
    FlitRun head_;
    std::uint32_t next_ = no_id;  // after the head
    std::uint32_t last_ = no_id;  // if there is one after the head
};

class RunQueues {
public:
    // For inputs 0 to `inputs` - 1. Requires: nothing has waited.
    void reset(std::uint32_t inputs) {
        narrow_ = static_cast<std::uint16_t>(inputs < 128 ? inputs : 0);
        reset_pointer();
    }

    void push(std::uint32_t input, const FlitRun& run, RunPool& pool) {
        if (inputs_ == 0) {
            lone_input_ = input;
            lone_ = run;
            inputs_ = 1;
            return;
        }
        if (lone_.count > 0) {
            enqueue_lone(pool);
        } else if (owed_ > 0) {
            pay(pool);
        }
        enqueue(input, run, pool);
    }

    // Inputs that wait.
    std::uint32_t inputs() const { return inputs_; }
    // The run that is served next. Requires: inputs() == 1.
    const FlitRun& head() const { return lone_.count > 0 ? lone_ : queues_[first_waiting(next_)].runs.head(); }

    struct Served {
        std::uint32_t input;
        FlitRun run;
    };
    // Serves so many flits of the next input. Requires: its first run has as many.
    [[gnu::always_inline]] Served pop(std::uint32_t count, RunPool& pool) {
        if (lone_.count > 0) {
            return {lone_input_, pop_lone(count)};
        }
        if (owed_ > 0) {
            pay(pool);
        }
        const std::uint32_t place = first_waiting(next_);
        next_ = place + 1;
        pointer_ = queues_[place].input + 1;
        const Served served{queues_[place].input, pop_at(place, count, pool)};
        if (queues_[place].runs.empty()) {
            drop_empty();
        }
        return served;
    }

    // So many turns each input has until the first of their runs ends, in the last of these turns. Requires:
    // inputs() > 1.
    std::int64_t rounds(RunPool& pool) {
        if (owed_ > 0) {
            pay(pool);
        }
        std::uint32_t least = UINT32_MAX;
        std::uint32_t next = next_;
        for (std::uint32_t input = 0; input < inputs_; ++input) {
            const std::uint32_t place = first_waiting(next);
            least = std::min(least, queues_[place].runs.head().count);
            next = place + 1;
        }
        return least;
    }

    // Serves so many flits, one of each input in turn. Calls per_input(run, flit) with all that leave of an input
    // and which of the flits is their last. Requires: inputs() > 1, no more than rounds() each.
    template <class PerInput>
    void rotate(std::int64_t flits, RunPool& pool, PerInput&& per_input) {
        if (owed_ > 0) {
            pay(pool);
        }
        const std::int64_t inputs = inputs_;
        const std::int64_t whole = flits / inputs;
        const std::int64_t rest = flits % inputs;  // inputs that have a turn more
        std::uint32_t last = 0;
        for (std::int64_t turn = 0; turn < std::min(flits, inputs); ++turn) {
            const std::uint32_t place = first_waiting(next_);
            next_ = place + 1;
            last = rest == 0 || turn < rest ? place : last;
            const std::int64_t count = turn < rest ? whole + 1 : whole;
            per_input(pop_at(place, static_cast<std::uint32_t>(count), pool), turn + (count - 1) * inputs);
        }
        next_ = last + 1;
        pointer_ = queues_[last].input + 1;
        drop_empty();
    }

    // Serves so many flits in turn if no run ends. What is left of each is worked out when that is asked for, many such
    // times at once. Requires: inputs() > 1.
    bool rotate_unseen(std::int64_t flits, RunPool& pool) {
        if (owed_ == 0 || owed_ + flits > may_owe_) {
            const std::int64_t most = inputs_ * (rounds(pool) - 1);
            may_owe_ = static_cast<std::uint32_t>(std::min<std::int64_t>(most, UINT32_MAX));
        }
        const bool none_ends = owed_ + flits <= may_owe_;
        owed_ += static_cast<std::uint32_t>(none_ends ? flits : 0);
        return none_ends;
    }

    bool holds(std::uint32_t input) const {
        return (lone_.count > 0 && lone_input_ == input) ||
               std::any_of(queues_.begin(), queues_.end(),
                           [input](const Queue& queue) { return queue.input == input && !queue.runs.empty(); });
    }
    // Requires: nothing waits.
    void reset_pointer() { next_ = pointer_ = 0; }

private:
    struct Queue {
        std::uint32_t input;
        RunFifo runs;
    };

    [[gnu::noinline]] void pay(RunPool& pool) {
        rotate(std::exchange(owed_, 0U), pool, [](const FlitRun&, std::int64_t) {});
    }

    [[gnu::noinline]] void enqueue_lone(RunPool& pool) {
        if (narrow_ > queues_.size()) {
            queues_.reserve(narrow_);
            for (std::uint32_t each = 0; each < narrow_; ++each) {
                queues_.push_back({each, {}});
            }
            waiting_.resize(narrow_ / 64 + 1);
            next_ = pointer_;
        }
        inputs_ = 0;
        enqueue(lone_input_, lone_, pool);
        lone_.count = 0;
    }

    [[gnu::always_inline]] void enqueue(std::uint32_t input, const FlitRun& run, RunPool& pool) {
        const std::uint32_t place = narrow_ > 0 ? input : find(input);
        std::uint64_t& word = waiting_[place / 64];
        const std::uint64_t bit = std::uint64_t{1} << place % 64;
        inputs_ += (word & bit) == 0 ? 1 : 0;
        word |= bit;
        queues_[place].runs.push(run, pool);
    }

    FlitRun pop_lone(std::uint32_t count) {
        lone_.count -= count;
        const std::uint32_t kept = lone_.count > 0 ? ~FlitRun::last_bit : ~std::uint32_t{0};
        inputs_ = lone_.count > 0 ? 1 : 0;
        pointer_ = lone_input_ + 1;
        if (narrow_ > 0) {
            next_ = pointer_;
        } else {
            forget();
        }
        return {lone_.flit & kept, count, lone_.destination};
    }

    // Requires: all queues are empty.
    void forget() {
        queues_.clear();
        next_ = 0;
    }

    // The place of an input of a wide switch. Makes one if it has none.
    std::uint32_t find(std::uint32_t input) {
        std::uint32_t place = guess_ < queues_.size() ? guess_ : 0;  // inputs come in turn more often than not
        if (place >= queues_.size() || queues_[place].input != input) {
            place = search(input);
        }
        guess_ = static_cast<std::uint16_t>(place + 1);
        return place;
    }

    std::uint32_t search(std::uint32_t input) {
        auto queue = queues_.empty() || queues_.back().input < input
                         ? queues_.end()
                         : std::lower_bound(queues_.begin(), queues_.end(), input,
                                            [](const Queue& q, std::uint32_t i) { return q.input < i; });
        const auto place = static_cast<std::uint32_t>(queue - queues_.begin());
        if (queue == queues_.end() || queue->input != input) {
            queues_.insert(queue, Queue{input, {}});
            next_ += input < pointer_ ? 1 : 0;
            make_place(place);
        }
        return place;
    }

    // The bits of those that stand after it move up.
    void make_place(std::uint32_t place) {
        waiting_.resize(queues_.size() / 64 + 1);
        for (std::size_t word = waiting_.size() - 1; word > place / 64; --word) {
            waiting_[word] = waiting_[word] << 1U | waiting_[word - 1] >> 63U;
        }
        std::uint64_t& word = waiting_[place / 64];
        const std::uint64_t before = (std::uint64_t{1} << place % 64) - 1;
        word = (word & before) | (word & ~before) << 1U;
    }

    // The first place from one on, or else from 0 on. Requires: inputs() > 0, not of a lone run.
    std::uint32_t first_waiting(std::uint32_t from) const {
        std::size_t word = from / 64;
        std::uint64_t waiting = waiting_[word] & ~std::uint64_t{0} << from % 64;
        while (waiting == 0) {
            word = word + 1 < waiting_.size() ? word + 1 : 0;
            waiting = waiting_[word];
        }
        return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(waiting));
    }

    [[gnu::always_inline]] FlitRun pop_at(std::uint32_t place, std::uint32_t count, RunPool& pool) {
        RunFifo& runs = queues_[place].runs;
        const FlitRun run = runs.pop(count, pool);
        if (runs.empty()) {
            waiting_[place / 64] &= ~(std::uint64_t{1} << place % 64);
            --inputs_;
        }
        return run;
    }

    // Of a wide switch at most half of the places are empty, so dropping them costs little a time.
    void drop_empty() {
        if (narrow_ > 0 || 2 * std::size_t{inputs_} >= queues_.size()) {
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
        waiting_.resize(kept / 64 + 1);
        std::fill(waiting_.begin(), waiting_.end(), ~std::uint64_t{0});
        waiting_.back() = (std::uint64_t{1} << kept % 64) - 1;
    }

    // A run that waits alone: then all queues are empty.
    FlitRun lone_;
    std::uint32_t lone_input_ = 0;
    std::uint32_t inputs_ = 0;
    std::uint32_t pointer_ = 0;  // input served last, plus 1
    std::uint32_t next_ = 0;     // the first place whose input is not below the pointer
    std::uint32_t owed_ = 0;     // flits that were served in turn and still stand in the queues
    std::uint32_t may_owe_ = 0;  // as long as nothing else happens
    std::uint16_t guess_ = 0;    // modulo 2^16
    std::uint16_t narrow_ = 0;   // inputs of a switch that has few: each has its place
    boost::container::small_vector<std::uint64_t, 2, LargePages<std::uint64_t>>
        waiting_;  // bit per place: its queue is not empty
    boost::container::small_vector<Queue, 1, LargePages<Queue>>
        queues_;  // by input; of a wide switch only those that had to wait
};

}  // namespace simlette
