#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/fabric/run_queues.hpp>

#include <support/seeds.hpp>

using namespace simlette;

namespace {

// A FIFO of flits for each input and a pointer: the plain form of the same.
struct PlainQueues {
    struct Flit {
        std::uint32_t message;
        bool last;
    };
    std::map<std::uint32_t, std::deque<Flit>> inputs;
    std::uint32_t pointer = 0;

    void push(std::uint32_t input, std::uint32_t message, std::uint32_t flits) {
        std::deque<Flit>& queue = inputs[input];
        queue.insert(queue.end(), flits, {message, false});
        queue.back().last = true;
    }
    std::uint32_t next() const {
        const auto served = inputs.lower_bound(pointer);
        return served == inputs.end() ? inputs.begin()->first : served->first;
    }
    Flit pop() {
        const auto served = inputs.find(next());
        const Flit flit = served->second.front();
        served->second.pop_front();
        pointer = served->first + 1;
        if (served->second.empty()) {
            inputs.erase(served);
        }
        return flit;
    }
};

}  // namespace

TEST_CASE("runs of an output are served by input in turn, however many inputs a switch has") {
    for_each_seed(91, Cases::parts, [](Random& random) {
        const bool border = random.below(4) == 0;  // of a word, or of where each input has a place
        const auto width =
            static_cast<std::uint32_t>(border ? (1 + random.below(2)) * (62 + random.below(5)) : 1 + random.below(200));
        RunPool pool;
        RunQueues queues;
        queues.reset(width);
        PlainQueues plain;
        std::uint32_t message = 0;
        const std::uint64_t often = 1 + random.below(3);
        for (int step = 0; step < 400; ++step) {
            if (plain.inputs.empty() || random.below(4) < often) {
                const auto input = static_cast<std::uint32_t>(random.below(width));
                const auto flits = static_cast<std::uint32_t>(random.between(1, 3));
                ++message;
                queues.push(input, {FlitRun::of(message, 0) | FlitRun::last_bit, flits, 0}, pool);
                plain.push(input, message, flits);
            } else {
                const std::uint32_t input = plain.next();
                CHECK(queues.holds(input));
                CHECK(queues.inputs() == plain.inputs.size());
                const RunQueues::Served served = queues.pop(1, pool);
                CHECK(served.input == input);
                const PlainQueues::Flit flit = plain.pop();
                CHECK(served.run.message() == flit.message);
                CHECK(served.run.has_last() == flit.last);
            }
        }
    });
}

TEST_CASE("many rounds at once serve what single flits in turn do") {
    for_each_seed(92, Cases::parts, [](Random& random) {
        const auto width = static_cast<std::uint32_t>(random.between(2, 200));
        RunPool pool;
        RunQueues queues;
        queues.reset(width);
        PlainQueues plain;
        std::uint32_t message = 0;
        for (int step = 0; step < 90; ++step) {
            for (std::int64_t runs = random.below(2) == 0 ? 0 : random.between(0, 20); runs > 0; --runs) {
                const auto input = static_cast<std::uint32_t>(random.below(width));
                const auto flits = static_cast<std::uint32_t>(random.between(1, 9));
                ++message;
                queues.push(input, {FlitRun::of(message, 0) | FlitRun::last_bit, flits, 0}, pool);
                plain.push(input, message, flits);
            }
            if (queues.inputs() > 0 && random.below(2) == 0) {
                CHECK(queues.pop(1, pool).run.message() == plain.pop().message);
            }
            if (queues.inputs() < 2) {
                continue;
            }
            const std::int64_t waiting = queues.inputs();
            const std::int64_t unseen = random.between(1, 3 * waiting);
            const bool none_ends = queues.rotate_unseen(unseen, pool);
            for (std::int64_t flit = 0; none_ends && flit < unseen; ++flit) {
                CHECK_FALSE(plain.pop().last);
            }
            CHECK(queues.inputs() == plain.inputs.size());
            if (random.below(2) == 0) {
                continue;
            }
            const std::int64_t rounds = queues.rounds(pool);
            CHECK((none_ends || unseen > waiting * (rounds - 1)));
            const std::int64_t flits = random.below(3) == 0 ? waiting * rounds : random.between(1, waiting * rounds);
            std::vector<PlainQueues::Flit> expected;
            for (std::int64_t flit = 0; flit < flits; ++flit) {
                expected.push_back(plain.pop());
            }
            std::int64_t served = 0;
            queues.rotate(flits, pool, [&](const FlitRun& run, std::int64_t last) {
                const PlainQueues::Flit& flit = expected[static_cast<std::size_t>(last)];
                CHECK(flit.message == run.message());
                CHECK(flit.last == run.has_last());
                CHECK(run.count == std::count_if(expected.begin(), expected.end(), [&](const PlainQueues::Flit& one) {
                          return one.message == run.message();
                      }));
                served += run.count;
            });
            CHECK(served == flits);
            CHECK(queues.inputs() == plain.inputs.size());
        }
    });
}
