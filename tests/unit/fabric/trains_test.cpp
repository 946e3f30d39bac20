#include <catch2/catch.hpp>

#include <simlette/fabric/trains.hpp>

using namespace simlette;

namespace {

constexpr Duration flit{10};

Trains::Train train(std::uint32_t message, std::uint32_t flits, std::int64_t place, std::int64_t arrival) {
    return {message, flits, no_id, place, Time{arrival}};
}

}  // namespace

TEST_CASE("parts of a message that follow each other without a gap are one train") {
    Trains trains;
    Trains::Feed feed{3, no_id, no_id, 0};
    trains.append(feed, train(7, 2, 0, 100), flit);
    trains.append(feed, train(7, 4, 2, 120), flit);
    CHECK(feed.first == feed.last);
    CHECK(trains[feed.first].flits == 6);
    CHECK(feed.flits == 6);
    trains.append(feed, train(7, 1, 6, 170), flit);  // one flit time late
    trains.append(feed, train(8, 1, 7, 180), flit);
    CHECK(feed.first != feed.last);
}

TEST_CASE("what is served knows when it arrived and where it stood") {
    Trains trains;
    Trains::Feed feed{3, no_id, no_id, 0};
    trains.append(feed, train(7, 3, 40, 100), flit);
    CHECK(trains.serve(feed, 2, flit).arrival == Time{100});
    const Trains::Served last = trains.serve(feed, 1, flit);
    CHECK(last.arrival == Time{120});
    CHECK(last.place == 42);
    CHECK(last.input == 3);
    CHECK(feed.flits == 0);
    CHECK(feed.first == no_id);
    CHECK(feed.last == no_id);
}

TEST_CASE("a recall shortens the last train and leaves those before it") {
    Trains trains;
    Trains::Feed feed{3, no_id, no_id, 0};
    trains.append(feed, train(7, 3, 0, 100), flit);
    trains.append(feed, train(8, 2, 3, 150), flit);
    trains.recall(feed, 1);
    CHECK(trains[feed.last].flits == 1);
    trains.recall(feed, 1);
    CHECK(feed.first == feed.last);
    CHECK(trains[feed.last].message == 7);
    CHECK_THROWS(trains.recall(feed, 4));
    trains.recall(feed, 3);
    CHECK(feed.first == no_id);
}
