#include <array>

#include <catch2/catch.hpp>

#include <simlette/base/fingerprint.hpp>
#include <simlette/base/random.hpp>

using namespace simlette;

TEST_CASE("the draws of a seed are those of SplitMix64, everywhere") {
    Random random(1234567);
    for (const std::uint64_t expected : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                         4593380528125082431ULL, 16408922859458223821ULL}) {
        CHECK(random.next() == expected);
    }
    CHECK(Random(0).next() == 0xE220A8397B1DCDAFULL);
}

TEST_CASE("bounded draws stay in their bounds and reach all of them") {
    Random random(5);
    std::array<int, 7> times{};
    for (int i = 0; i < 7'000; ++i) {
        ++times[random.below(7)];
    }
    for (const int count : times) {
        CHECK(count > 800);
        CHECK(count < 1'200);
    }
    for (int i = 0; i < 100; ++i) {
        const std::int64_t drawn = random.between(-2, 1);
        CHECK(drawn >= -2);
        CHECK(drawn <= 1);
    }
    CHECK(random.between(9, 9) == 9);
}

TEST_CASE("a fork draws numbers of its own and leaves its parent as it was") {
    const Random parent(3);
    Random left = parent.fork(1);
    Random again = parent.fork(1);
    Random right = parent.fork(2);
    Random itself = parent;
    const std::uint64_t drawn = left.next();
    CHECK(again.next() == drawn);
    CHECK(right.next() != drawn);
    CHECK(itself.next() == Random(3).next());
}

TEST_CASE("fingerprints are FNV-1a of 64 bits, in sixteen hexadecimal digits") {
    CHECK(fnv1a("") == 0xCBF29CE484222325ULL);
    CHECK(fnv1a("a") == 0xAF63DC4C8601EC8CULL);
    CHECK(fnv1a("foobar") == 0x85944171F73967E8ULL);
    CHECK(hex_text(0xAF) == "00000000000000af");
}
