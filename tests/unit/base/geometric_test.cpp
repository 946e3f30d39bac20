#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <map>

#include <simlette/base/geometric.hpp>

using namespace simlette;

namespace {

constexpr int draws = 200'000;

// Within four standard errors of a share `p` of the draws.
bool near(std::int64_t count, double p) {
    return std::abs(static_cast<double>(count) - p * draws) < 4 * std::sqrt(p * (1 - p) * draws);
}

}  // namespace

TEST_CASE("a gap of k ticks comes with probability p (1 - p)^(k - 1)") {
    Random random(3);
    const GeometricGaps gaps(1, 3);
    std::map<std::int64_t, std::int64_t> counts;
    for (int i = 0; i < draws; ++i) {
        ++counts[gaps.draw(random)];
    }
    CHECK(counts.begin()->first == 1);
    double probability = 1.0 / 3;
    for (std::int64_t gap = 1; gap <= 12; ++gap) {
        CHECK(near(counts[gap], probability));
        probability *= 2.0 / 3;
    }
}

TEST_CASE("long gaps have the mean 1 / p, and one in e exceeds it") {
    for (const std::uint64_t mean : {std::uint64_t{100'000}, std::uint64_t{1} << 40, (std::uint64_t{1} << 50) - 1}) {
        Random random(11);
        const GeometricGaps gaps(7, GeometricGaps::Wide{7} * mean);
        double sum = 0;
        std::int64_t above = 0;
        for (int i = 0; i < draws; ++i) {
            const std::int64_t gap = gaps.draw(random);
            REQUIRE(gap >= 1);
            sum += static_cast<double>(gap);
            above += gap > static_cast<std::int64_t>(mean) ? 1 : 0;
        }
        CHECK(std::abs(sum / draws / static_cast<double>(mean) - 1) < 4 / std::sqrt(double{draws}));
        CHECK(near(above, std::exp(-1)));
    }
}

TEST_CASE("gaps are drawn alike on every platform") {
    Random random(1);
    const GeometricGaps gaps(3, 10'000'000);
    std::int64_t sum = 0;
    for (int i = 0; i < 1000; ++i) {
        sum += gaps.draw(random) * (i + 1);
    }
    CHECK(sum == 1661209098227);
}
