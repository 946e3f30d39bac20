#include <catch2/catch.hpp>
#include <cstdint>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <simlette/study/quantity.hpp>

namespace simlette {
namespace {

using Form = Quantity::Form;

Form form_of(const std::string& text) {
    return parse_quantity(text, time_units()).form;
}
std::int64_t value_of(const std::string& text, const UnitTable& table) {
    const Quantity quantity = parse_quantity(text, table);
    CHECK(quantity.form == Form::good);
    return quantity.value;
}

}  // namespace

TEST_CASE("decimals come to exact whole picoseconds") {
    CHECK(value_of("0.52 us", time_units()) == 520'000);
    CHECK(value_of("139.45 ns", time_units()) == 139'450);
    CHECK(value_of("370.55ns", time_units()) == 370'550);
    CHECK(value_of("4.4500000000000000000000 ns", time_units()) == 4'450);
    CHECK(value_of("0.000000000001 s", time_units()) == 1);
    CHECK(value_of("9223372.036854775807 s", time_units()) == INT64_MAX);
    CHECK(value_of("0 ns", time_units()) == 0);
}

TEST_CASE("Gb is bits, GB is bytes, KiB is 1024, kB is 1000, and a metre is 5 ns") {
    CHECK(value_of("400 Gb/s", rate_units()) == 400'000'000'000);
    CHECK(value_of("50 GB/s", rate_units()) == 400'000'000'000);
    CHECK(value_of("0.4 Tb/s", rate_units()) == 400'000'000'000);
    CHECK(value_of("64 KiB", size_units()) == 65'536);
    CHECK(value_of("64 kB", size_units()) == 64'000);
    CHECK(value_of("1.5 KiB", size_units()) == 1'536);
    CHECK(value_of("0.0009765625 KiB", size_units()) == 1);
    CHECK(value_of("2 m", length_units()) == 10'000);
    CHECK(value_of("0.4 mm", length_units()) == 2);
}

TEST_CASE("what is no exact quantity is told apart") {
    CHECK(form_of("300") == Form::bare);
    CHECK(form_of("300 sec") == Form::unknown_unit);
    CHECK(form_of("300 NS") == Form::unknown_unit);
    CHECK(form_of("-300 ns") == Form::negative);
    CHECK(form_of("0.0001 ns") == Form::not_whole);
    CHECK(form_of("0.3 ps") == Form::not_whole);
    CHECK(form_of("0.0000000000000000001 s") == Form::not_whole);
    CHECK(form_of("9223372036854775807 ps") == Form::good);
    CHECK(form_of("9223372036854775808 ps") == Form::too_large);
    CHECK(form_of("9223372.036854775808 s") == Form::too_large);
    CHECK(form_of("99999999999999999999999 ps") == Form::too_large);
    CHECK(form_of("9223372036854775807 s") == Form::too_large);
    for (const char* text :
         {"",      " ",     "ns",    "nan",   ".inf ns", "+5 ns",    "1e3 ns",   "0x10 ns", "010 ns", "5. ns",
          ".5 ns", "5  ns", " 5 ns", "5 ns ", "5\tns",   "1,000 ns", "1 000 ns", "5 ",      "--5 ns", "5 5 ns"}) {
        INFO(text);
        CHECK(form_of(text) != Form::good);
        CHECK(form_of(text) != Form::bare);
    }
}

TEST_CASE("counts are decimal digits without sign, leading zero or exponent, below 2^63") {
    std::int64_t value = -1;
    CHECK(parse_whole("0", value));
    CHECK(value == 0);
    CHECK(parse_whole("9223372036854775807", value));
    CHECK(value == INT64_MAX);
    for (const char* text : {"", "-1", "+1", "007", "1e3", "0x1", "1.0", "1_000", " 1", "9223372036854775808", "nan"}) {
        INFO(text);
        CHECK_FALSE(parse_whole(text, value));
    }
}

TEST_CASE("the canonical text of a quantity is read back as the same value") {
    for (const std::int64_t value :
         {0LL, 1LL, 1'000LL, 4'450LL, 520'000LL, 1'000'000LL, 3'000'000'000'000LL, 9'223'372'036'854'775'807LL}) {
        CHECK(value_of(duration_text({value}), time_units()) == value);
        CHECK(value_of(size_text({value}), size_units()) == value);
        CHECK(value_of(rate_text({value}), rate_units()) == value);
    }
    CHECK(duration_text({520'000}) == "520 ns");
    CHECK(duration_text({139'450}) == "139450 ps");
    CHECK(size_text({65'536}) == "64 KiB");
    CHECK(size_text({64'000}) == "64000 B");
    CHECK(rate_text({3'200'000'000'000}) == "3200 Gb/s");
}

TEST_CASE("the pattern in the schema takes what the reader takes") {
    const std::regex pattern(time_units().pattern());
    for (const char* text : {"300 ns", "300ns", "0.52 us", "0 s"}) {
        CHECK(std::regex_match(text, pattern));
    }
    for (const char* text : {"300", "300  ns", "010 ns", "1e3 ns", "-1 ns", "5. ns", "300 m"}) {
        CHECK_FALSE(std::regex_match(text, pattern));
    }
}

}  // namespace simlette
