// What a replay puts into its network, and when.
#include <catch2/catch.hpp>

#include <memory>
#include <utility>

#include <simlette/collective/message_sizes.hpp>
#include <simlette/sim/explain.hpp>
#include <simlette/sim/groups.hpp>
#include <simlette/sim/path_replay.hpp>
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

// Four accelerators in a row, 3 - 0 - 1 - 2. In phase 0 rank 0 reads a flit of rank 3 and rank 1 `flits` of rank 2, in
// phase 1 rank 0 reads a flit of rank 1. A flit takes 100 ps, 10 of them on the wire.
struct Reads {
    explicit Reads(std::uint32_t flits) {
        FabricSpec spec = packet_fabric(4, 2);
        spec.kind = FabricKind::direct;
        spec.circuits.port_pairs = {{{2, 1}, {3, 0}}, {{0, 1}}};
        spec.responses = ResponsePolicy::per_message;
        spec.port_rate = {5'120'000'000'000'000 / 10};
        spec.latency = {};
        spec.latency.egress_endpoint = Duration{90};
        spec.latency.ingress_endpoint = spec.latency.egress_protocol = spec.latency.ingress_protocol = Duration{0};
        spec.latency.propagation = Duration{0};
        fabric = build_fabric(spec);

        auto collective = std::make_shared<CollectiveSpec>(all_reduce(16 * 640));
        collective->operation = Operation::read;
        auto schedule = std::make_shared<Schedule>();
        schedule->ranks = 4;
        schedule->slices = 16;
        const auto send = [&](std::uint32_t peer, std::uint32_t slices) {
            std::vector<Piece> pieces;
            for (std::uint32_t slice = 0; slice < slices; ++slice) {
                pieces.push_back({0, slice, 0});
            }
            return Send{peer, schedule->add_pieces(pieces), slices};
        };
        schedule->add_phase(Effect::reduce, {{}, {}, {send(1, flits)}, {send(0, 1)}});
        schedule->add_phase(Effect::reduce, {{}, {send(0, 1)}, {}, {}});
        player.add(std::make_unique<CollectiveRun>(0, collective, schedule, std::vector<std::uint32_t>{0, 1, 2, 3}));
        player.start(0, Time{0});
        Network network = network_for(*fabric, Mode::flit);
        std::vector<Injected> injected;
        play(player, std::get<FlitNetwork<LaneQueue>>(network), injected);
    }

    std::vector<PathStep> path(bool sweep) const {
        const CollectiveRun& run = *player.find(0)->groups.front();
        PathReplay replay(*fabric, player, critical_messages(run), sweep);
        REQUIRE(replay.run([](const PathProgress&) { return true; }));
        return explain_path(fabric->graph, run, replay.traced()).steps;
    }

    std::shared_ptr<const Fabric> fabric;
    Player player;
};

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
        const std::vector<PathStep> tie = Reads(11).path(sweep);
        REQUIRE(tie.size() == 2);
        CHECK(tie[0].source == 2);
        CHECK(tie[0].delivered == Time{300});
        CHECK(tie[1].ready == Time{300});
        CHECK(tie[1].delivered == Time{400});
        CHECK(tie[1].hops.size() == 1);

        const std::vector<PathStep> late = Reads(12).path(sweep);
        CHECK(late[0].source == 2);
        CHECK(late[1].ready == Time{310});
        CHECK(late[1].delivered == Time{410});

        const std::vector<PathStep> early = Reads(10).path(sweep);
        REQUIRE(early.size() == 2);
        CHECK(early[0].source == 3);
        CHECK(early[1].ready == Time{200});
        CHECK(early[1].delivered == Time{400});
        CHECK(early[1].hops.size() == 2);  // of the request and of the data
    }
}
