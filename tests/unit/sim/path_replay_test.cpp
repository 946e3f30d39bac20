// What a replay puts into its network, and when.
#include <catch2/catch.hpp>

#include <memory>
#include <utility>

#include <simlette/collective/message_sizes.hpp>
#include <simlette/sim/explain.hpp>
#include <simlette/sim/groups.hpp>
#include <simlette/sim/path_replay.hpp>
#include <support/flit_time.hpp>
#include <support/random_answers.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

using Injected = std::pair<Time, Injection>;

// Passes on to a network what goes into it, and remembers it.
struct Watched {
    FlitNetwork<LaneQueue>& network;
    std::vector<Injected> injected;

    Time now() const { return network.now(); }
    bool quiet() const { return network.quiet(); }
    void reset_arbiters() { network.reset_arbiters(); }
    void inject(const Injection& injection) {
        injected.emplace_back(now(), injection);
        network.inject(injection);
    }
    void reply(const Delivery& request, bool released) { network.reply(request, released); }
    void close() { network.close(); }
};

void play(Player& player, FlitNetwork<LaneQueue>& network, std::vector<Injected>& injected) {
    Watched watched{network, {}};
    while (player.unfinished() > 0) {
        player.close(watched);
        player.open(network, network.next_instant());
    }
    injected = std::move(watched.injected);
}

std::vector<Injected> all_of(PastInjections past) {
    std::vector<Injected> all;
    while (past.next() != Time::never()) {
        const Time at = past.next();
        all.emplace_back(at, past.take());
    }
    return all;
}

bool same(const Injected& a, const Injected& b) {
    const auto key = [](const Injected& one) {
        const Injection& i = one.second;
        return std::make_tuple(one.first, i.messages, i.source, i.rank, i.collective, i.phase, i.read,
                               i.requests_per_control);
    };
    return key(a) == key(b);
}

// Of a buffer of 16 flits.
Send to(Schedule& schedule, std::uint32_t peer, std::uint32_t flits) {
    std::vector<Piece> pieces;
    for (std::uint32_t slice = 0; slice < flits; ++slice) {
        pieces.push_back({0, slice, 0});
    }
    return {peer, schedule.add_pieces(pieces), flits};
}

Schedule schedule_of_four() {
    Schedule schedule;
    schedule.ranks = 4;
    schedule.slices = 16;
    return schedule;
}

// In phase 0 rank 0 reads a flit of rank 3 and rank 1 `flits` of rank 2, in phase 1 rank 0 reads a flit of rank 1.
Schedule reads(std::uint32_t flits) {
    Schedule schedule = schedule_of_four();
    const Send many = to(schedule, 1, flits);
    const Send one = to(schedule, 0, 1);
    schedule.add_phase(Effect::reduce, {{}, {}, {many}, {one}});
    schedule.add_phase(Effect::reduce, {{}, {one}, {}, {}});
    return schedule;
}

std::unique_ptr<CollectiveRun> run_of(std::uint32_t id, Schedule schedule, Operation operation, Time start = {}) {
    CollectiveSpec spec = all_reduce(16 * 640);
    spec.operation = operation;
    spec.earliest_start = start;
    return std::make_unique<CollectiveRun>(id, std::make_shared<const CollectiveSpec>(spec),
                                           std::make_shared<const Schedule>(std::move(schedule)),
                                           std::vector<std::uint32_t>{0, 1, 2, 3});
}

// A flit takes 10 ps on a wire, and 90 from an accelerator to where the wire ends.
FabricSpec short_links(FabricSpec spec) {
    spec.responses = ResponsePolicy::per_message;
    spec.port_rate = rate_of({10});
    const Duration none{0};
    spec.latency = {Duration{90}, none, none, none, none, none, none, none};
    return spec;
}

std::vector<PathStep> replayed(const Fabric& fabric, const Player& player, std::uint32_t id, bool sweep) {
    const CollectiveRun& run = *player.find(id)->groups.front();
    PathReplay replay(fabric, player, critical_messages(run), sweep);
    REQUIRE(replay.run([](const PathProgress&) { return true; }));
    return explain_path(fabric.graph, run, replay.traced()).steps;
}

// The path of reads() along circuits, 3 - 0 - 1 - 2.
std::vector<PathStep> path_of_reads(std::uint32_t flits, bool sweep) {
    FabricSpec spec = short_links(packet_fabric(4, 2));
    spec.kind = FabricKind::direct;
    spec.circuits.port_pairs = {{{2, 1}, {3, 0}}, {{0, 1}}};
    const auto fabric = build_fabric(spec);
    Network network = network_for(*fabric, Mode::flit);
    Player player;
    player.add(run_of(0, reads(flits), Operation::read));
    player.start(0, Time{0});
    std::vector<Injected> injected;
    play(player, std::get<FlitNetwork<LaneQueue>>(network), injected);
    return replayed(*fabric, player, 0, sweep);
}

}  // namespace

TEST_CASE("what a replay injects is what was injected, in the same order") {
    for_each_seed(76, Cases::parts, [](Random& random) {
        const RandomCase one = random_answered_case(random);
        INFO(text_of(one));
        const auto fabric = build_fabric(one.fabric);
        Network network = network_for(*fabric, Mode::flit);
        auto& flit = std::get<FlitNetwork<LaneQueue>>(network);
        ScheduleStore store;
        Player player;
        for (std::uint32_t id = 0; id < one.collectives.size(); ++id) {
            const auto spec = std::make_shared<const CollectiveSpec>(
                with_sizes(one.collectives[id], members_of(*fabric, one.collectives[id])));
            for (GroupSchedule& group : schedule_groups(*fabric, *spec, store)) {
                player.add(std::make_unique<CollectiveRun>(id, spec, std::move(group.schedule),
                                                           std::move(group.accelerators)));
            }
            flit.wake_at(spec->earliest_start, id);
        }
        CHECK(all_of(PastInjections(player)).empty());
        std::vector<Injected> injected;
        play(player, flit, injected);
        const std::vector<Injected> past = all_of(PastInjections(player));
        CHECK(std::equal(past.begin(), past.end(), injected.begin(), injected.end(), same));
    });
}

TEST_CASE("data that its holder has in the very instant in which it is asked for has waited for the holder") {
    for (const bool sweep : {false, true}) {
        CAPTURE(sweep);
        // The request of phase 1 leaves at 200 and comes at 300. Rank 1 has its eleven flits at 300, too.
        const std::vector<PathStep> tie = path_of_reads(11, sweep);
        REQUIRE(tie.size() == 2);
        CHECK(tie[0].source == 2);
        CHECK(tie[0].delivered == Time{300});
        CHECK(tie[1].ready == Time{300});
        CHECK(tie[1].delivered == Time{400});
        CHECK(tie[1].hops.size() == 1);

        const std::vector<PathStep> late = path_of_reads(12, sweep);
        CHECK(late[0].source == 2);
        CHECK(late[1].ready == Time{310});
        CHECK(late[1].delivered == Time{410});

        const std::vector<PathStep> early = path_of_reads(10, sweep);
        REQUIRE(early.size() == 2);
        CHECK(early[0].source == 3);
        CHECK(early[1].ready == Time{200});
        CHECK(early[1].delivered == Time{400});
        CHECK(early[1].hops.size() == 2);  // of the request and of the data
    }
}

TEST_CASE("a replay of one plane starts its arbiters afresh when data is let go on another") {
    FabricSpec spec = short_links(packet_fabric(4, 2));
    spec.routing.granularity = Granularity::message;
    const auto fabric = build_fabric(spec);
    Network network = network_for(*fabric, Mode::flit);
    auto& flit = std::get<FlitNetwork<LaneQueue>>(network);
    Player player;
    // All on port 0. Rank 1 enters phase 1 when nothing is on its way: there is data to let go, and nothing to inject.
    player.add(run_of(0, reads(12), Operation::read));
    player.start(0, Time{0});
    // The second message leaves by port 1 and moves the arbiter before accelerator 2.
    Schedule first = schedule_of_four();
    first.add_phase(Effect::reduce, {{to(first, 1, 1), to(first, 2, 1)}, {}, {}, {}});
    player.add(run_of(1, first, Operation::write));
    player.start(1, Time{0});
    // On port 1 ranks 0 and 1 meet there, and last longest.
    Schedule second = schedule_of_four();
    second.add_phase(Effect::reduce,
                     {{to(second, 3, 1), to(second, 2, 3)}, {to(second, 3, 1), to(second, 2, 3)}, {}, {}});
    const Time later{100'000};
    player.add(run_of(2, second, Operation::write, later));
    flit.wake_at(later, 2);
    std::vector<Injected> injected;
    play(player, flit, injected);
    CHECK(player.resets().size() == 3);
    for (const bool sweep : {false, true}) {
        CAPTURE(sweep);
        const std::vector<PathStep> path = replayed(*fabric, player, 2, sweep);
        REQUIRE(path.size() == 1);
        CHECK(path[0].port == 1);
        CHECK(path[0].source == 1);
        CHECK(path[0].destination == 2);
    }
}
