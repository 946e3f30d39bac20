#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/engine/event_hash.hpp>
#include <simlette/engine/lane_queue.hpp>

#include <support/seeds.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

struct Seen {
    std::int64_t at;
    int turn;
    std::uint32_t entity;
    std::uint32_t detail;

    auto key() const { return std::tie(at, turn, entity, detail); }
    bool operator<(const Seen& other) const { return key() < other.key(); }
    bool operator==(const Seen& other) const { return key() == other.key(); }
};

// Writes down what it is handed.
struct Log {
    std::vector<Seen> seen;

    void deliver(const Event& e) { add(Turn::deliver, e); }
    void credit(const Event& e) { add(Turn::credit, e); }
    void wire_free(const Event& e) { add(Turn::wire_free, e); }
    void inject(const Event& e) { add(Turn::inject, e); }
    void prefetch(Turn, const Event&) const {}

private:
    void add(Turn turn, const Event& e) { seen.push_back({e.at.ps, static_cast<int>(turn), e.entity, e.detail}); }
};

constexpr Turn turns[] = {Turn::deliver, Turn::credit, Turn::wire_free, Turn::inject};

// Runs a queue and a sorted list side by side.
struct SideBySide {
    LaneQueue queue;
    std::multimap<std::int64_t, Seen> reference;
    std::vector<std::tuple<LaneQueue::LaneId, Turn, Duration>> lanes;
    std::int64_t now = 0;
    std::uint32_t pushed = 0;

    SideBySide(Random& random, std::uint64_t lane_count) {
        for (std::uint64_t i = 0; i < lane_count; ++i) {
            const Turn turn = turns[random.below(4)];
            const Duration delay{random.between(1, 40)};
            lanes.emplace_back(queue.lane(turn, delay), turn, delay);
        }
    }

    void push(Random& random) {
        const auto entity = static_cast<std::uint32_t>(random.below(5));
        const std::uint32_t detail = pushed++;
        if (random.below(6) == 0) {
            const Turn turn = turns[random.below(4)];
            const std::int64_t at = now + random.between(0, 60);
            queue.push_at(turn, {Time{at}, entity, detail});
            reference.emplace(at, Seen{at, static_cast<int>(turn), entity, detail});
            return;
        }
        const auto& [lane, turn, delay] = lanes[random.below(lanes.size())];
        const std::int64_t at = now + delay.ps;
        CHECK(queue.push(lane, Time{now}, entity, detail) == Time{at});
        reference.emplace(at, Seen{at, static_cast<int>(turn), entity, detail});
    }

    void drain() {
        const Time next = queue.next();
        if (reference.empty()) {
            CHECK(next == Time::never());
            return;
        }
        REQUIRE(next.ps == reference.begin()->first);
        now = next.ps;
        Log log;
        CHECK(queue.drain(next, log) == reference.count(now));
        std::vector<Seen> expected;
        for (auto it = reference.lower_bound(now); it != reference.upper_bound(now); it = reference.erase(it)) {
            expected.push_back(it->second);
        }
        std::sort(expected.begin(), expected.end());
        std::sort(log.seen.begin(), log.seen.end());
        CHECK(log.seen == expected);
    }
};

}  // namespace

TEST_CASE("the queue hands over at each instant what a sorted list would, with few lanes and with many") {
    for_each_seed(32, Cases::parts, [](Random& random) {
        SideBySide both(random, random.below(2) == 0 ? 6 : 80);
        for (int round = 0; round < 60; ++round) {
            for (std::uint64_t n = random.below(12); n > 0; --n) {
                both.push(random);
            }
            both.drain();
        }
        while (!both.reference.empty()) {
            both.drain();
        }
        CHECK(both.queue.next() == Time::never());
    });
}

TEST_CASE("a lane grows while it is in use and keeps its order") {
    LaneQueue queue;
    const auto lane = queue.lane(Turn::deliver, 1'000_ps);
    for (std::uint32_t i = 0; i < 500; ++i) {
        queue.push(lane, Time{i}, 0, i);
    }
    for (std::uint32_t i = 0; i < 500; ++i) {
        Log log;
        REQUIRE(queue.next() == Time{1'000 + i});
        CHECK(queue.drain(queue.next(), log) == 1);
        CHECK(log.seen[0].detail == i);
        queue.push(lane, Time{1'000 + i}, 0, 500 + i);
    }
}

TEST_CASE("events of one instant come by turn: deliveries, credits, free wires") {
    LaneQueue queue;
    const auto wire = queue.lane(Turn::wire_free, 7_ps);
    const auto credit = queue.lane(Turn::credit, 5_ps);
    const auto deliver = queue.lane(Turn::deliver, 10_ps);
    queue.push(deliver, Time{0}, 1, 0);
    queue.push(wire, Time{3}, 2, 0);
    queue.push(credit, Time{5}, 3, 0);
    Log log;
    CHECK(queue.drain(Time{10}, log) == 3);
    CHECK(log.seen == std::vector<Seen>{{10, 0, 1, 0}, {10, 1, 3, 0}, {10, 2, 2, 0}});
}

TEST_CASE("events outside the lanes come by time, turn, entity, and first scheduled first") {
    LaneQueue queue;
    queue.push_at(Turn::inject, {Time{4}, 0, 0});
    queue.push_at(Turn::credit, {Time{4}, 2, 0});
    queue.push_at(Turn::credit, {Time{4}, 1, 7});
    queue.push_at(Turn::credit, {Time{4}, 1, 3});
    Log log;
    CHECK(queue.drain(Time{4}, log) == 4);
    CHECK(log.seen == std::vector<Seen>{{4, 1, 1, 7}, {4, 1, 1, 3}, {4, 1, 2, 0}, {4, 3, 0, 0}});
}

TEST_CASE("a lane is asked for by turn and delay, and lies in the future") {
    LaneQueue queue;
    CHECK(queue.lane(Turn::credit, 5_ps) == queue.lane(Turn::credit, 5_ps));
    CHECK(queue.lane(Turn::credit, 5_ps) != queue.lane(Turn::deliver, 5_ps));
    CHECK_THROWS_AS(queue.lane(Turn::credit, 0_ps), Error);
}

TEST_CASE("a cleared queue is empty and keeps its lanes") {
    LaneQueue queue;
    const auto lane = queue.lane(Turn::deliver, 5_ps);
    queue.push(lane, Time{0}, 0, 0);
    queue.push_at(Turn::inject, {Time{3}, 0, 0});
    queue.clear();
    CHECK(queue.next() == Time::never());
    CHECK(queue.push(lane, Time{0}, 0, 0) == Time{5});
    CHECK(queue.next() == Time{5});
}

TEST_CASE("an event hash depends on what happened, not on the order in which it was told") {
    EventHash one;
    EventHash other;
    one.add({1, 2, 3});
    one.add({4, 5, 6});
    other.add({4, 5, 6});
    other.add({1, 2, 3});
    CHECK(one.value() == other.value());
    other.add({1, 2, 3});
    CHECK(one.value() != other.value());
    EventHash swapped;
    swapped.add({2, 1, 3});
    swapped.add({4, 5, 6});
    CHECK(swapped.value() != one.value());
}
