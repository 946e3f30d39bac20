#include <deque>
#include <map>

#include <catch2/catch.hpp>

#include <simlette/fabric/run_queues.hpp>

#include <support/seeds.hpp>

using namespace simlette;

namespace {

// A FIFO of flits for each input and a pointer: the plain form of the same.
struct PlainQueues {
    std::map<std::uint32_t, std::deque<std::uint32_t>> inputs;
    std::uint32_t pointer = 0;

    std::uint32_t next() const {
        const auto served = inputs.lower_bound(pointer);
        return served == inputs.end() ? inputs.begin()->first : served->first;
    }
    std::uint32_t pop() {
        const auto served = inputs.find(next());
        const std::uint32_t message = served->second.front();
        served->second.pop_front();
        pointer = served->first + 1;
        if (served->second.empty()) {
            inputs.erase(served);
        }
        return message;
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
                queues.push(input, {FlitRun::of(message, 0), flits, 0}, pool);
                plain.inputs[input].insert(plain.inputs[input].end(), flits, message);
            } else {
                const std::uint32_t input = plain.next();
                CHECK(queues.holds(input));
                CHECK(queues.inputs() == plain.inputs.size());
                const RunQueues::Served served = queues.pop(1, pool);
                CHECK(served.input == input);
                CHECK(served.run.message() == plain.pop());
            }
        }
    });
}
