#include <catch2/catch.hpp>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/base/units.hpp>

using namespace simlette;
using namespace simlette::literals;

TEST_CASE("literals count in picoseconds, bytes and bits per second") {
    CHECK((300_ns).ps == 300'000);
    CHECK((2_us).ps == 2'000'000);
    CHECK((64_KiB).count == 65'536);
    CHECK((1_MiB).count == 1'048'576);
    CHECK((400_Gbps).per_second == 400'000'000'000);
}

TEST_CASE("a duration leads from one instant to another") {
    const Time start{1'000};
    CHECK(start + 5_ps == Time{1'005});
    CHECK((start + 5_ps) - start == 5_ps);
    CHECK(start - 5_ps < start);
    CHECK(3 * 5_ps == 15_ps);
}

TEST_CASE("time counts beyond a hundred days") {
    const Duration day = 86'400 * Duration{ps_per_second};
    CHECK(Time{} + 106 * day < Time::never());
    CHECK((Time{} + 106 * day) - Time{} == 106 * day);
}

TEST_CASE("a division that rounds up adds one exactly when something is left") {
    CHECK(ceil_div(0, 640) == 0);
    CHECK(ceil_div(1, 640) == 1);
    CHECK(ceil_div(640, 640) == 1);
    CHECK(ceil_div(641, 640) == 2);
}

TEST_CASE("a broken promise is an internal error that names the promise") {
    CHECK_NOTHROW(require(true, "kept"));
    try {
        require(false, "nothing is lost");
        FAIL("the promise was broken");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::internal);
        CHECK(error.what() == std::string("a promise of the library was broken: nothing is lost"));
    }
}

TEST_CASE("an error of several problems tells each on a line of its own, with its place") {
    const Error error({{"a.yaml", 3, 7, "first"}, {"a.yaml", 0, 0, "second"}, {"", 0, 0, "third"}});
    CHECK(error.kind() == ErrorKind::input);
    CHECK(error.what() == std::string("a.yaml:3:7: first\na.yaml: second\nthird"));
    CHECK(error.problems().size() == 3);
}
