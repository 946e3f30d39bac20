#include <cstdint>
#include <numeric>

#include <catch2/catch.hpp>

#include <simlette/base/large_pages.hpp>

using namespace simlette;

TEST_CASE("an array keeps its elements as it grows from the heap to large pages") {
    constexpr std::uint64_t count = large_page;  // of eight bytes
    LargeVector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < count; ++i) {
        numbers.push_back(i);
    }
    CHECK(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}) == count * (count - 1) / 2);
    CHECK(reinterpret_cast<std::uintptr_t>(numbers.data()) % large_page == 0);
    const LargeVector<std::uint64_t> few(3, 7);
    CHECK(std::accumulate(few.begin(), few.end(), std::uint64_t{0}) == 21);
}

TEST_CASE("a count that no memory holds is refused, not cut to 64 bits") {
    LargePages<std::uint64_t> pages;
    CHECK_THROWS_AS(pages.allocate(SIZE_MAX / sizeof(std::uint64_t) + 2), std::bad_alloc);
    CHECK_THROWS_AS(pages.allocate(PTRDIFF_MAX / sizeof(std::uint64_t)), std::bad_alloc);
}
