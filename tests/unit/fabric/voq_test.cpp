#include <algorithm>
#include <deque>
#include <map>
#include <vector>

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

namespace {

// Inputs of a switch one by one, each looked at in turn: flits by message, the last of a message marked.
struct BruteForce {
    struct Flit {
        std::uint32_t message;
        bool last;
    };
    std::vector<std::deque<Flit>> inputs;
    std::size_t pointer = 0;

    explicit BruteForce(std::size_t count) : inputs(count) {}

    OutputQueues::Taken pop() {
        std::size_t input = pointer % inputs.size();
        while (inputs[input].empty()) {
            input = (input + 1) % inputs.size();
        }
        const Flit flit = inputs[input].front();
        inputs[input].pop_front();
        pointer = input + 1;
        return {static_cast<LinkId>(input), flit.message, flit.last};
    }
    bool empty() const {
        return std::all_of(inputs.begin(), inputs.end(), [](const auto& queue) { return queue.empty(); });
    }
};

// Pushes messages whole, with other inputs between their flits, and compares every flit that is taken.
class ManyInputs {
public:
    ManyInputs(Random& random, std::size_t inputs) : random_(random), brute_(inputs), under_way_(inputs) {}

    void step(unsigned percent_pushes) {
        if (brute_.empty() || random_.below(100) < percent_pushes) {
            push();
        } else {
            pop();
        }
        REQUIRE(queues_.empty() == brute_.empty());
        const std::size_t asked = random_.below(brute_.inputs.size());
        REQUIRE(queues_.holds(static_cast<LinkId>(asked)) == !brute_.inputs[asked].empty());
    }
    void reset_pointer() {
        queues_.reset_pointer();
        brute_.pointer = 0;
    }
    std::size_t inputs_held() const {
        return static_cast<std::size_t>(std::count_if(brute_.inputs.begin(), brute_.inputs.end(),
                                                      [](const auto& queue) { return !queue.empty(); }));
    }

private:
    struct UnderWay {
        std::uint32_t message = 0;
        std::int64_t left = 0;
    };

    void push() {
        const std::size_t input = random_.below(brute_.inputs.size());
        UnderWay& one = under_way_[input];
        if (one.left == 0) {
            one = {next_message_++, random_.between(1, 5)};
        }
        const bool last = --one.left == 0;
        queues_.push(static_cast<LinkId>(input), one.message, last, runs_);
        brute_.inputs[input].push_back({one.message, last});
        if (last) {
            check_ahead(input, one.message);
        }
    }

    // Even messages belong together, and so do odd ones.
    void check_ahead(std::size_t input, std::uint32_t message) {
        const auto same = [&](std::uint32_t other) { return other % 2 == message % 2; };
        const auto& flits = brute_.inputs[input];
        const auto counted =
            std::count_if(flits.begin(), flits.end(), [&](const BruteForce::Flit& flit) { return same(flit.message); });
        REQUIRE(queues_.ahead(static_cast<LinkId>(input), message, runs_, same) == counted - 1);
    }

    void pop() {
        const OutputQueues::Taken expected = brute_.pop();
        const OutputQueues::Taken taken = queues_.pop(runs_);
        REQUIRE(taken.input == expected.input);
        REQUIRE(taken.message == expected.message);
        REQUIRE(taken.last == expected.last);
    }

    Random& random_;
    BruteForce brute_;
    std::vector<UnderWay> under_way_;
    FlitRuns runs_;
    OutputQueues queues_;
    std::uint32_t next_message_ = 0;
};

}  // namespace

TEST_CASE("a hundred inputs that fill and empty are served as if each were looked at in turn") {
    std::size_t most = 0;
    for_each_seed(34, Cases::parts, [&](Random& random) {
        ManyInputs inputs(random, 100);
        // It fills, hovers near empty where places come and go, fills again and drains.
        for (const unsigned percent_pushes : {80U, 45U, 50U, 70U, 20U}) {
            for (int step = 0; step < 300; ++step) {
                inputs.step(percent_pushes);
                most = std::max(most, inputs.inputs_held());
                if (random.below(200) == 0) {
                    inputs.reset_pointer();
                }
            }
        }
    });
    CHECK(most > 50);
}

TEST_CASE("only the last flit of a message is taken as such, however its flits came") {
    FlitRuns runs;
    OutputQueues queues;
    queues.push(4, 7, false, runs);
    queues.push(4, 7, false, runs);
    CHECK_FALSE(queues.pop(runs).last);
    queues.push(4, 7, true, runs);
    queues.push(4, 8, true, runs);
    CHECK_FALSE(queues.pop(runs).last);
    CHECK(queues.pop(runs).last);
    CHECK(queues.pop(runs).last);
    // All gone, the place of the input kept: what comes then starts anew.
    queues.push(4, 9, false, runs);
    CHECK_FALSE(queues.pop(runs).last);
    CHECK(queues.empty());
}

TEST_CASE("before the last flit of a message wait its own flits and those of its like, and no others") {
    FlitRuns runs;
    OutputQueues queues;
    const auto flits = [&](std::uint32_t message, int count) {
        for (int i = 0; i < count; ++i) {
            queues.push(2, message, i + 1 == count, runs);
        }
    };
    flits(1, 3);
    flits(2, 4);
    flits(3, 2);
    queues.push(5, 1, true, runs);
    const auto ahead = [&](std::uint32_t like) {
        return queues.ahead(2, 3, runs, [like](std::uint32_t other) { return other == like; });
    };
    CHECK(ahead(no_id) == 1);
    CHECK(ahead(1) == 4);
    CHECK(ahead(2) == 5);
    queues.pop(runs);
    CHECK(ahead(1) == 3);
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

TEST_CASE("relabelling the inputs, order kept, relabels who is served") {
    for_each_seed(70, 200, [](Random& random) {
        FlitRuns runs;
        OutputQueues queues;
        OutputQueues relabelled;
        const auto label = [](LinkId input) { return 3 * input + 5; };
        for (int step = 0; step < 200; ++step) {
            if (queues.empty() || random.below(2) == 0) {
                const auto input = static_cast<LinkId>(random.below(12));
                const auto message = static_cast<std::uint32_t>(random.below(4));
                queues.push(input, message, false, runs);
                relabelled.push(label(input), message, false, runs);
                continue;
            }
            const OutputQueues::Taken taken = queues.pop(runs);
            const OutputQueues::Taken other = relabelled.pop(runs);
            REQUIRE(other.input == label(taken.input));
            REQUIRE(other.message == taken.message);
        }
    });
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
