// How long a network may go on before it tells what it delivered.
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/player.hpp>

#include <support/overlays.hpp>

using namespace simlette;

namespace {

// Four ranks all-reduce: in each phase a rank gets three messages of 1280 bytes.
std::unique_ptr<CollectiveRun> run_of(std::uint32_t id, ScheduleKind schedule = ScheduleKind::one_shot,
                                      Operation operation = Operation::write) {
    CollectiveSpec spec;
    spec.bytes = {schedule == ScheduleKind::one_shot ? 1280 : 4 * 1280};
    spec.operation = operation;
    const std::vector<std::uint32_t> accelerators{0, 1, 2, 3};
    return std::make_unique<CollectiveRun>(
        id, std::make_shared<const CollectiveSpec>(spec),
        std::make_shared<const Schedule>(build_schedule(spec.primitive, schedule, complete_overlay(4))), accelerators);
}

Delivery delivery(std::uint32_t source, std::uint32_t destination, Bytes bytes, std::uint32_t phase = 0) {
    Delivery one;
    one.phase = phase;
    one.source_rank = source;
    one.destination_rank = destination;
    one.bytes = bytes;
    one.at = Time{500};
    return one;
}

constexpr Outlook::Pace two_ports{Time{1000}, Duration{10}, 2, Bytes{640}};

}  // namespace

TEST_CASE("a rank reacts once the flits that it lacks can have come") {
    CollectiveRun run = std::move(*run_of(0, ScheduleKind::two_shot));
    CollectiveRun::Orders orders;
    run.start(Time{0}, orders);
    CHECK(run.first_reaction(two_ports) == Time{1020});  // six on two ports: the third turn
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{640}}) == Time{1050});
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{1280}}) == Time{1050});  // as many flits
    std::vector<std::int64_t> on_way{4, 0, 3, 0};
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{1280}, on_way}) ==
          Time{1020});  // four may be there, but of each message one must come
    run.deliver(delivery(1, 2, {1280}), orders);
    CHECK(run.first_reaction(two_ports) == Time{1010});
    on_way = {0, 0, 2, 0};
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{1280}, on_way}) == Time{1010});
}

TEST_CASE("ranks in the last phase react all together, when it ends, and others before") {
    CollectiveRun run = std::move(*run_of(0, ScheduleKind::two_shot));
    CollectiveRun::Orders orders;
    run.start(Time{0}, orders);
    const auto deliver_all = [&](std::uint32_t to, std::uint32_t phase) {
        for (std::uint32_t from = 0; from < 4; ++from) {
            if (from != to) {
                run.deliver(delivery(from, to, {1280}, phase), orders);
            }
        }
    };
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        deliver_all(rank, 0);
    }
    run.deliver(delivery(0, 1, {1280}, 1), orders);
    CHECK(run.first_reaction(two_ports) == Time{1020});  // the last rank of the first phase
    deliver_all(3, 0);
    CHECK(run.first_reaction(two_ports) == Time{1020});  // all but one lack six flits
    for (const std::uint32_t rank : {0U, 2U, 3U}) {
        deliver_all(rank, 1);
    }
    CHECK(run.first_reaction(two_ports) == Time{1010});  // the one
}

TEST_CASE("a rank reacts no sooner than credits let the flits that it lacks come") {
    CollectiveRun run = std::move(*run_of(0));
    CollectiveRun::Orders orders;
    run.start(Time{0}, orders);
    Outlook::Pace pace{Time{1000}, Duration{10}, 1, Bytes{640}, {}, 2, Duration{100}};
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
    CHECK(run.first_reaction({Time{1000}, Duration{10}, 1, Bytes{640}, {}, 2, Duration{std::int64_t{1} << 62}}) ==
          Time::never());
}

TEST_CASE("a rank that is asked for data may react at once") {
    CollectiveRun run = std::move(*run_of(0, ScheduleKind::one_shot, Operation::read));
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
