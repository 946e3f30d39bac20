#include <set>

#include <catch2/catch.hpp>

#include <simlette/engine/event_heap.hpp>

#include <support/seeds.hpp>

using namespace simlette;

TEST_CASE("a heap gives what a sorted list would, however pushes and pops follow each other") {
    for_each_seed(48, Cases::parts, [](Random& random) {
        EventHeap<std::int64_t> heap;
        std::multiset<std::int64_t> sorted;
        const std::uint64_t most = random.below(60);
        for (int step = 0; step < 400; ++step) {
            if (sorted.empty() || random.below(most + 1) > sorted.size()) {
                const std::int64_t item = random.between(0, 40);
                heap.push(item);
                sorted.insert(item);
            } else {
                CHECK(heap.pop() == *sorted.begin());
                sorted.erase(sorted.begin());
            }
            REQUIRE(heap.empty() == sorted.empty());
            REQUIRE((sorted.empty() || heap.first() == *sorted.begin()));
        }
        heap.clear();
        CHECK(heap.empty());
    });
}
