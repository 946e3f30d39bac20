// How long a network may go on before it tells what it delivered.
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/player.hpp>

#include <support/overlays.hpp>

using namespace simlette;

namespace {

// Four ranks all-reduce three messages of 1280 bytes each.
std::unique_ptr<CollectiveRun> run_of(std::uint32_t id, Operation operation = Operation::write) {
    CollectiveSpec spec;
    spec.bytes = {1280};
    spec.operation = operation;
    const std::vector<std::uint32_t> accelerators{0, 1, 2, 3};
    return std::make_unique<CollectiveRun>(
        id, std::make_shared<const CollectiveSpec>(spec),
        std::make_shared<const Schedule>(build_schedule(spec.primitive, ScheduleKind::one_shot, complete_overlay(4))),
        accelerators);
}

Delivery delivery(std::uint32_t source, std::uint32_t destination, Bytes bytes) {
    Delivery one;
    one.source_rank = source;
    one.destination_rank = destination;
    one.bytes = bytes;
    return one;
}

constexpr Outlook::Pace two_ports{Time{1000}, Duration{10}, 2, Bytes{640}};

}  // namespace

TEST_CASE("a rank reacts once the flits that it lacks can have come") {
    CollectiveRun run = std::move(*run_of(0));
    CollectiveRun::Orders orders;
    run.start(Time{0}, orders);
    CHECK(run.first_reaction(two_ports) == Time{1020});  // six on two ports: the third turn
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{640}}) == Time{1050});
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{1280}}) == Time{1050});  // as many flits
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{1280}, 4}) ==
          Time{1020});  // four of them may be there
    run.deliver(Time{500}, delivery(1, 2, {640}), orders);
    run.deliver(Time{500}, delivery(3, 2, {640}), orders);
    CHECK(run.first_reaction(two_ports) == Time{1010});
}

TEST_CASE("a rank reacts no sooner than credits let the flits that it lacks come") {
    CollectiveRun run = std::move(*run_of(0));
    CollectiveRun::Orders orders;
    run.start(Time{0}, orders);
    Outlook::Pace pace{Time{1000}, Duration{10}, 1, Bytes{640}, 0, 2, Duration{100}};
    CHECK(run.first_reaction(pace) == Time{1210});  // six, two a round: the second of the third round
    pace.per_round = 5;
    CHECK(run.first_reaction(pace) == Time{1100});
    pace.per_round = 6;
    CHECK(run.first_reaction(pace) == Time{1050});
}

TEST_CASE("a rank whose flits take longer than time lasts does not react") {
    CollectiveRun run = std::move(*run_of(0));
    CollectiveRun::Orders orders;
    run.start(Time{0}, orders);
    CHECK(run.first_reaction({Time{1000}, Duration{std::int64_t{1} << 61}, 1, Bytes{640}}) == Time::never());
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{640}, 0, 2, Duration{std::int64_t{1} << 62}}) ==
          Time::never());
}

TEST_CASE("a rank that is asked for data may react at once") {
    CollectiveRun run = std::move(*run_of(0, Operation::read));
    CollectiveRun::Orders orders;
    run.start(Time{0}, orders);
    CHECK(run.first_reaction(two_ports) == Time{1000});
}

TEST_CASE("of several collectives the one that reacts first counts, those under way alone") {
    Player player;
    CHECK(player.first_reaction(two_ports) == Time{1000});
    player.add(run_of(0));
    player.add(run_of(1));
    CHECK(player.first_reaction(two_ports) == Time::never());
    player.start(1, Time{0});
    CHECK(player.first_reaction(two_ports) == Time{1020});
}
