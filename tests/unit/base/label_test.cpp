#include <set>

#include <catch2/catch.hpp>

#include <simlette/base/label.hpp>

#include <support/seeds.hpp>

using namespace simlette;

namespace {

// The rank, by counting all sums of the generators: 2 to the rank of them differ.
unsigned rank_by_counting(const std::vector<Label>& generators) {
    std::set<Label> sums{0};
    for (const Label generator : generators) {
        std::set<Label> more = sums;
        for (const Label sum : sums) {
            more.insert(sum ^ generator);
        }
        sums = more;
    }
    unsigned rank = 0;
    while (sums.size() >> rank > 1) {
        ++rank;
    }
    return rank;
}

}  // namespace

TEST_CASE("labels are written with the most significant bit first") {
    CHECK(label_text(1, 5) == "00001");
    CHECK(label_text(16, 5) == "10000");
    CHECK(label_text(6, 3) == "110");
    CHECK(label_text(0, 0).empty());
}

TEST_CASE("the cube has one generator a bit, lowest first") {
    CHECK(unit_generators(4) == std::vector<Label>{1, 2, 4, 8});
    CHECK(unit_generators(0).empty());
}

TEST_CASE("powers of two have one bit, whose place is the number of bits of their labels") {
    CHECK(is_power_of_two(1));
    CHECK(is_power_of_two(64));
    CHECK_FALSE(is_power_of_two(0));
    CHECK_FALSE(is_power_of_two(48));
    CHECK(bits_of(1) == 0);
    CHECK(bits_of(64) == 6);
}

TEST_CASE("the rank of generators is the number of bits that their sums reach") {
    CHECK(rank_gf2({}) == 0);
    CHECK(rank_gf2({0, 0}) == 0);
    CHECK(rank_gf2({3, 5, 6}) == 2);
    CHECK(rank_gf2({1, 2, 4, 7}) == 3);
    for_each_seed(30, Cases::parts, [](Random& random) {
        std::vector<Label> generators(random.below(8));
        for (Label& generator : generators) {
            generator = static_cast<Label>(random.below(64));
        }
        CHECK(rank_gf2(generators) == rank_by_counting(generators));
    });
}
