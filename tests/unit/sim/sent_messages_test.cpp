#include <simlette/sim/sent_messages.hpp>

#include <iterator>
#include <map>
#include <utility>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>

#include <support/seeds.hpp>

using namespace simlette;

TEST_CASE("sent messages are found by rank and number until they are removed, in whatever order") {
    for_each_seed(49, Cases::parts, [](Random& random) {
        SentMessages messages;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> there;  // when each was created
        const std::uint64_t most = random.below(300);
        for (std::uint32_t number = 0; number < 1000; ++number) {
            if (there.size() > random.below(most + 1)) {
                const auto gone = std::next(there.begin(), static_cast<std::ptrdiff_t>(random.below(there.size())));
                const auto [rank, which] = gone->first;
                messages.remove(messages.find(rank, which));
                CHECK_THROWS_AS(messages.find(rank, which), Error);
                there.erase(gone);
            }
            const auto rank = static_cast<std::uint32_t>(random.below(4));
            messages.add({rank, number, 7, {1}, Time{number + 5}});
            CHECK_THROWS_AS(messages.add({rank, number, 7, {1}, Time{}}), Error);
            there[{rank, number}] = number + 5;
            for (const auto& [key, created] : there) {
                REQUIRE(messages.find(key.first, key.second).created == Time{created});
            }
        }
    });
}
