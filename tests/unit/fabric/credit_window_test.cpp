#include <catch2/catch.hpp>

#include <deque>

#include <simlette/fabric/credit_window.hpp>
#include <support/seeds.hpp>

using namespace simlette;

TEST_CASE("a window that is spent comes back one loop later, credit by credit") {
    CreditWindow window;
    window.set(3, {100});
    CHECK(window.paid({0}, {10}, 9) == 3);
    window.spend(3, {0}, {10});
    CHECK_FALSE(window.any({99}));
    CHECK(window.any({100}));
    CHECK(window.next() == Time{100});
    CHECK(window.paid({100}, {10}, 9) == 3);
    CHECK(window.paid({100}, {10}, 2) == 2);
    CHECK(window.paid({100}, {9}, 9) == 1);
}

// The same with one time stamp a credit.
TEST_CASE("runs of credits pay for no flit too early, and for one at least whenever a credit is there") {
    for_each_seed(63, Cases::parts, [](Random& random) {
        const std::int64_t credits = random.between(1, 8);
        const Duration loop{random.between(1, 60)};
        CreditWindow window;
        window.set(credits, loop);
        std::deque<Time> back(static_cast<std::size_t>(credits), Time{0});
        Time now{0};
        for (int step = 0; step < 50; ++step) {
            now = std::max(now, back.front());
            const Duration stride{random.between(1, 9)};
            REQUIRE(window.any(now));
            const std::int64_t flits = window.paid(now, stride, random.between(1, 12));
            REQUIRE(flits >= 1);
            for (std::int64_t i = 0; i < flits; ++i) {
                REQUIRE(back.front() <= now + stride * i);
                back.pop_front();
                back.push_back(now + stride * i + loop);
            }
            window.spend(flits, now, stride);
            now = now + stride * flits;
        }
    });
}
