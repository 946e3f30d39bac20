#include <algorithm>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/base/large_pages.hpp>

using namespace simlette;

namespace {

bool holds(const LargeVector<std::uint32_t>& numbers, std::uint32_t number) {
    return std::all_of(numbers.begin(), numbers.end(), [number](std::uint32_t each) { return each == number; });
}

// Arrays of many sizes that come and go. Returns whether each keeps what was written to it.
bool keeps_apart(std::uint32_t rounds) {
    std::vector<LargeVector<std::uint32_t>> arrays(200);
    bool apart = true;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::uint32_t i = 0; i < arrays.size(); ++i) {
            arrays[i] = LargeVector<std::uint32_t>(1 + (i * 37 + round * 101) % 5000, i);
            apart = apart && reinterpret_cast<std::uintptr_t>(arrays[i].data()) % 64 == 0;
        }
        for (std::uint32_t i = 0; i < arrays.size(); ++i) {
            apart = apart && holds(arrays[i], i);
        }
    }
    return apart;
}

}  // namespace

TEST_CASE("an array keeps its elements as it grows from a block to large pages of its own") {
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

TEST_CASE("arrays that share a large page do not overlap, and each begins at a line of the cache") {
    CHECK(keeps_apart(20));
}

TEST_CASE("threads take blocks at the same time") {
    bool other = false;
    std::thread thread([&other] { other = keeps_apart(10); });
    CHECK(keeps_apart(10));
    thread.join();
    CHECK(other);
}
