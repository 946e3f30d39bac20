#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include <simlette/base/histogram.hpp>
#include <simlette/base/random.hpp>

using namespace simlette;

TEST_CASE("small values have exact percentiles in a histogram") {
    Histogram histogram;
    for (std::int64_t value = 0; value < 2048; ++value) {
        histogram.add(2047 - value);
    }
    CHECK(histogram.percentile(1) == 20);
    CHECK(histogram.percentile(50) == 1023);
    CHECK(histogram.percentile(100) == 2047);
    CHECK(histogram.mean() == 1023);
}

TEST_CASE("a percentile of large values is at most a thousandth too high, mean and maximum are exact") {
    Random random(5);
    Histogram histogram;
    std::vector<std::int64_t> values;
    std::int64_t sum = 0;
    for (int i = 0; i < 20'000; ++i) {
        values.push_back(static_cast<std::int64_t>(random.next() >> random.between(16, 62)));
        histogram.add(values.back());
        sum += values.back();
    }
    std::sort(values.begin(), values.end());
    for (const std::size_t percent : {1U, 10U, 50U, 90U, 99U, 100U}) {
        const std::int64_t exact = values[values.size() * percent / 100 - 1];
        const std::int64_t told = histogram.percentile(percent);
        CHECK(told >= exact);
        CHECK(told - exact <= exact / 1000);
    }
    CHECK(histogram.percentile(100) == values.back());
    CHECK(histogram.largest() == values.back());
    CHECK(histogram.mean() == sum / 20'000);
    CHECK(histogram.size() == 20'000);
}

TEST_CASE("a histogram takes the largest of all values") {
    Histogram histogram;
    histogram.add(INT64_MAX);
    histogram.add(INT64_MAX, 5);
    CHECK(histogram.size() == 6);
    CHECK(histogram.percentile(1) == INT64_MAX);
    CHECK(histogram.mean() == INT64_MAX);
}
