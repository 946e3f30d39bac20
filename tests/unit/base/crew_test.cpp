#include <simlette/base/crew.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace simlette {

TEST_CASE("A crew does every part of each task once", "[crew]") {
    for (const unsigned threads : {1U, 2U, 5U}) {
        Crew crew(threads);
        for (std::size_t parts = 0; parts < 40; ++parts) {
            std::vector<int> done(parts, 0);
            auto work = [&done](std::size_t part) { ++done[part]; };
            crew.share(parts, work);
            CHECK(done == std::vector<int>(parts, 1));
        }
    }
}

TEST_CASE("A crew throws what the lowest of the parts that failed threw, and goes on", "[crew]") {
    Crew crew(3);
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> done{0};
        auto work = [&done](std::size_t part) {
            ++done;
            if (part % 4 == 3) {
                throw std::runtime_error(std::to_string(part));
            }
        };
        CHECK_THROWS_WITH(crew.share(16, work), "3");
        CHECK(done == 16);
    }
}

}  // namespace simlette
