#include <deque>
#include <map>

#include <catch2/catch.hpp>

#include <simlette/fabric/voq.hpp>

#include <support/seeds.hpp>

using namespace simlette;

namespace {

// A FIFO per input and a pointer: the plain form of the same.
struct PlainQueues {
    std::map<LinkId, std::deque<std::uint32_t>> inputs;
    LinkId pointer = 0;

    OutputQueues::Taken pop() {
        auto served = inputs.lower_bound(pointer);
        served = served == inputs.end() ? inputs.begin() : served;
        const OutputQueues::Taken taken{served->first, served->second.front(), false};
        served->second.pop_front();
        if (served->second.empty()) {
            inputs.erase(served);
        }
        pointer = taken.input + 1;
        return taken;
    }
};

}  // namespace

TEST_CASE("an output serves its inputs in turn and each in the order of arrival") {
    for_each_seed(33, Cases::parts, [](Random& random) {
        FlitRuns runs;
        OutputQueues queues;
        PlainQueues plain;
        const std::uint64_t inputs = random.below(2) == 0 ? 3 : 24;
        for (int step = 0; step < 400; ++step) {
            if (random.below(2) == 0 || plain.inputs.empty()) {
                const auto input = static_cast<LinkId>(random.below(inputs));
                const auto message = static_cast<std::uint32_t>(random.below(3));
                queues.push(input, message, false, runs);
                plain.inputs[input].push_back(message);
            } else {
                const OutputQueues::Taken expected = plain.pop();
                const OutputQueues::Taken taken = queues.pop(runs);
                REQUIRE(taken.input == expected.input);
                REQUIRE(taken.message == expected.message);
            }
            REQUIRE(queues.empty() == plain.inputs.empty());
            const auto asked = static_cast<LinkId>(random.below(inputs));
            REQUIRE(queues.holds(asked) == (plain.inputs.count(asked) == 1));
            if (random.below(40) == 0) {
                queues.reset_pointer();
                plain.pointer = 0;
            }
        }
    });
}

TEST_CASE("the pointer starts at the first input and moves past the one that was served") {
    FlitRuns runs;
    OutputQueues queues;
    for (const LinkId input : {2U, 0U, 1U}) {
        queues.push(input, 10 + input, false, runs);
        queues.push(input, 10 + input, false, runs);
    }
    for (const LinkId expected : {0U, 1U, 2U, 0U, 1U, 2U}) {
        CHECK(queues.pop(runs).input == expected);
    }
    CHECK(queues.empty());
}

TEST_CASE("cleared queues hold nothing and start at the first input") {
    FlitRuns runs;
    OutputQueues queues;
    queues.push(0, 1, false, runs);
    queues.push(3, 1, false, runs);
    CHECK(queues.pop(runs).input == 0);
    queues.clear();
    runs.clear();
    CHECK(queues.empty());
    queues.push(3, 1, false, runs);
    queues.push(0, 1, false, runs);
    CHECK(queues.pop(runs).input == 0);
}
