#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include <simlette/base/random.hpp>
#include <simlette/base/tally.hpp>

using namespace simlette;

TEST_CASE("a percentile is the smallest value that its share does not exceed") {
    Tally tally;
    for (std::int64_t value = 1; value <= 200; ++value) {
        tally.add(201 - value);
    }
    CHECK(tally.percentile(1) == 2);
    CHECK(tally.percentile(50) == 100);
    CHECK(tally.percentile(99) == 198);
    CHECK(tally.percentile(100) == 200);
    tally.add(1);
    CHECK(tally.percentile(50) == 100);
}

TEST_CASE("percentiles of many values equal those of the sorted list") {
    Random random(7);
    Tally tally;
    std::vector<std::int64_t> values;
    for (int i = 0; i < 100'000; ++i) {
        values.push_back(random.between(-5'000, 5'000) * random.between(0, 3));
        tally.add(values.back());
    }
    std::sort(values.begin(), values.end());
    for (const std::size_t percent : {1U, 50U, 99U, 100U}) {
        CHECK(tally.percentile(percent) == values[values.size() * percent / 100 - 1]);
    }
    tally.clear();
    CHECK(tally.size() == 0);
}
