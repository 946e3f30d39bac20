#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/link/flit.hpp>

#include <support/seeds.hpp>

using namespace simlette;
using namespace simlette::literals;

TEST_CASE("a last partial flit is charged whole") {
    CHECK(flits_for(0_B) == 0);
    CHECK(flits_for(1_B) == 1);
    CHECK(flits_for(640_B) == 1);
    CHECK(flits_for(641_B) == 2);
    CHECK(flits_for(40_KiB) == 64);
    CHECK(flits_for(1_MiB) == 1639);
}

TEST_CASE("a flit takes a whole number of picoseconds at the usual rates") {
    CHECK(flit_time(100_Gbps) == 51'200_ps);
    CHECK(flit_time(200_Gbps) == 25'600_ps);
    CHECK(flit_time(400_Gbps) == 12'800_ps);
    CHECK(flit_time(800_Gbps) == 6'400_ps);
    CHECK(flit_time(1600_Gbps) == 3'200_ps);
    CHECK(flit_time(3200_Gbps) == 1'600_ps);
}

TEST_CASE("rates with a broken flit time are not exact") {
    for (const std::int64_t giga : {448, 224, 112, 480, 600, 900, 1200}) {
        CHECK_FALSE(is_exact_rate({giga * 1'000'000'000}));
    }
    CHECK_FALSE(is_exact_rate({212'500'000'000}));
    CHECK_FALSE(is_exact_rate({0}));
    CHECK_FALSE(is_exact_rate({-400'000'000'000}));
    CHECK_THROWS_AS(flit_time({448'000'000'000}), Error);
}

TEST_CASE("the fastest exact rate sends a flit a picosecond") {
    CHECK(flit_time({flit_bits_ps}) == 1_ps);
    CHECK_FALSE(is_exact_rate({2 * flit_bits_ps}));
}

TEST_CASE("between a rate and the nearest exact ones lies no other") {
    for_each_seed(31, Cases::parts, [](Random& random) {
        const std::int64_t flit = random.between(2, 3'000);
        const BitRate rate{flit_bits_ps / flit + random.between(0, 1)};
        const NearestRates nearest = nearest_exact_rates(rate);
        CHECK(is_exact_rate(nearest.below));
        CHECK(is_exact_rate(nearest.above));
        CHECK(nearest.below.per_second <= rate.per_second);
        CHECK(nearest.above.per_second >= rate.per_second);
        // Every exact rate is flit_bits_ps / t; from one to the other the flit times between divide nothing.
        for (std::int64_t t = flit_time(nearest.above).ps + 1; t < flit_time(nearest.below).ps; ++t) {
            CHECK(flit_bits_ps % t != 0);
        }
    });
}
