#include <algorithm>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/fabric/striping.hpp>
#include <simlette/link/flit.hpp>

#include <support/random_case.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

OutMessage message_of(std::int64_t bytes, std::uint32_t destination = 1) {
    return {destination, destination, {bytes}};
}

// Deals the flits out one by one.
std::vector<Bytes> dealt(const OutMessage& message, std::uint32_t start, std::uint32_t candidates) {
    std::vector<Bytes> shares(candidates, Bytes{0});
    for (std::int64_t from = 0, flit = 0; from < message.bytes.count; from += 640, ++flit) {
        Bytes& share = shares[static_cast<std::size_t>((start + flit) % candidates)];
        share.count += std::min<std::int64_t>(640, message.bytes.count - from);
    }
    return shares;
}

std::vector<Bytes> shares_of(const Striping& striping, const OutMessage& message, std::int64_t before,
                             std::uint32_t candidates) {
    std::vector<Bytes> shares;
    for (std::uint32_t position = 0; position < candidates; ++position) {
        shares.push_back(striping.share(message, 0, before, candidates, position));
    }
    return shares;
}

void check_equal(const std::vector<Bytes>& a, const std::vector<Bytes>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        CAPTURE(i);
        CHECK(a[i] == b[i]);
    }
}

}  // namespace

TEST_CASE("a sprayed message is dealt flit by flit from where the last one ended") {
    for_each_seed(34, Cases::parts, [](Random& random) {
        const auto candidates = static_cast<std::uint32_t>(random.between(1, 9));
        const std::int64_t before = random.between(0, 1'000);
        const OutMessage message = message_of(random_bytes(random).count);
        const Striping striping({RoutingPolicy::spray, Granularity::flit, Stripe::carry_on}, flit_bytes, 1);
        check_equal(shares_of(striping, message, before, candidates),
                    dealt(message, static_cast<std::uint32_t>(before % candidates), candidates));
        CHECK(striping.units(message.bytes) == flits_for(message.bytes));
    });
}

TEST_CASE("with restart a message of at least as many flits as ports starts at the first port") {
    const Striping striping({RoutingPolicy::spray, Granularity::flit, Stripe::restart}, flit_bytes, 1);
    check_equal(shares_of(striping, message_of(4 * 640), 3, 4), dealt(message_of(4 * 640), 0, 4));
    check_equal(shares_of(striping, message_of(3 * 640), 3, 4), dealt(message_of(3 * 640), 3, 4));
}

TEST_CASE("by message the whole message takes one port, and messages are counted") {
    const Striping striping({RoutingPolicy::spray, Granularity::message, Stripe::carry_on}, flit_bytes, 1);
    const OutMessage message = message_of(3'000);
    CHECK(striping.units(message.bytes) == 1);
    CHECK(striping.units(Bytes{0}) == 0);
    const std::vector<Bytes> shares = shares_of(striping, message, 6, 4);
    for (std::size_t position = 0; position < 4; ++position) {
        CHECK(shares[position].count == (position == 2 ? 3'000 : 0));
    }
}

TEST_CASE("static routing takes the port of the destination, whatever came before") {
    const Striping striping({RoutingPolicy::fixed, Granularity::flit, Stripe::carry_on}, flit_bytes, 1);
    for (std::uint32_t destination = 0; destination < 9; ++destination) {
        for (const std::int64_t before : {0, 1, 5}) {
            CHECK(striping.share(message_of(1'300, destination), 0, before, 4, destination % 4).count == 1'300);
        }
    }
}

TEST_CASE("hashed routing keeps a pair on one port, and the seed and the pair choose it") {
    const RoutingSpec hashed{RoutingPolicy::hashed, Granularity::flit, Stripe::carry_on};
    std::set<std::vector<std::uint32_t>> choices;
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
        const Striping striping(hashed, flit_bytes, seed);
        std::vector<std::uint32_t> ports;
        for (std::uint32_t destination = 0; destination < 64; ++destination) {
            std::uint32_t taken = 0;
            for (std::uint32_t port = 0; port < 4; ++port) {
                const Bytes bytes = striping.share(message_of(1'300, destination), 7, 0, 4, port);
                CHECK(bytes == striping.share(message_of(1'300, destination), 7, 9, 4, port));
                taken += bytes.count > 0 ? 1U : 0U;
                if (bytes.count > 0) {
                    ports.push_back(port);
                }
            }
            CHECK(taken == 1);
        }
        CHECK(std::set<std::uint32_t>(ports.begin(), ports.end()).size() == 4);
        choices.insert(ports);
    }
    CHECK(choices.size() == 3);
}
