// Where the time of a collective went, and the story of its critical path.
#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>

#include <simlette/fabric/built_fabric.hpp>

#include <support/flit_time.hpp>
#include <support/random_answers.hpp>
#include <support/random_levels.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>
#include <support/traced_run.hpp>

using namespace simlette;

namespace {

std::vector<Duration> all_parts(const TimeParts& p) {
    return {p.endpoint, p.protocol, p.propagation, p.switching, p.serialization, p.credit_stall, p.contention, p.wait};
}

std::vector<CollectiveId> ids_of(const RandomCase& one) {
    std::vector<CollectiveId> ids;
    for (CollectiveId id = 0; id < one.collectives.size(); ++id) {
        ids.push_back(id);
    }
    return ids;
}

SimulatorOptions on(Engine engine) {
    SimulatorOptions options;
    options.engine = engine;
    return options;
}

// A simulation to its end, with paths that were found by a replay on the same engine.
Simulator replayed(const RandomCase& one, const std::shared_ptr<const Fabric>& fabric, Engine engine,
                   const std::vector<CollectiveId>& ids) {
    Simulator simulator(fabric, on(engine));
    for (const CollectiveSpec& collective : one.collectives) {
        simulator.register_collective(collective);
    }
    finish(simulator);
    REQUIRE(simulator.find_paths(ids));
    return simulator;
}

// What the hops of a story say in all.
struct Story {
    explicit Story(const std::vector<PathStep>& steps) {
        for (const PathStep& step : steps) {
            Time ready = step.ready;
            for (const PathHop& hop : step.hops) {
                unbroken = unbroken && hop.ready == ready;
                ready = hop.left + hop.flit_time + hop.latency;
                serialization += hop.own + hop.flit_time;
                contention += hop.contention;
                waited += hop.credit_stall;
                latency += hop.latency;
                agree = agree && hop.left - hop.ready == hop.own + hop.contention + hop.credit_stall;
                rivals += static_cast<std::int64_t>(hop.rivals.size());
            }
            unbroken = unbroken && ready == step.delivered;
        }
    }

    Duration serialization{0};
    Duration contention{0};
    Duration waited{0};
    Duration latency{0};
    bool agree = true;
    bool unbroken = true;  // each hop is ready when the flit has come from the one before
    std::int64_t rivals = 0;
};

// How often the random cases were of the kind that matters.
struct Seen {
    std::int64_t finished = 0;
    std::int64_t stalled = 0;
    std::int64_t contended = 0;
    std::int64_t tagged = 0;
};

void check_parts(const CollectiveReport& report) {
    REQUIRE(report.explained);
    for (const Duration part : all_parts(report.critical_path)) {
        CHECK(part >= Duration{0});
    }
    CHECK(report.critical_path.total() == report.end - report.start);
}

void check_story(const TimeParts& parts, const std::vector<PathStep>& steps) {
    const Story story(steps);
    CHECK(story.serialization == parts.serialization);
    CHECK(story.contention == parts.contention);
    CHECK(story.waited == parts.credit_stall + parts.wait);
    CHECK(story.latency == parts.endpoint + parts.protocol + parts.propagation + parts.switching);
    CHECK(story.agree);
    CHECK(story.unbroken);
    CHECK((story.rivals > 0) == (parts.contention > Duration{0}));
}

bool same(const PathHop& a, const PathHop& b) {
    return std::tie(a.port, a.channel, a.ready, a.left, a.own, a.credit_stall, a.contention) ==
               std::tie(b.port, b.channel, b.ready, b.left, b.own, b.credit_stall, b.contention) &&
           std::equal(a.rivals.begin(), a.rivals.end(), b.rivals.begin(), b.rivals.end(),
                      [](const PathHop::Rival& x, const PathHop::Rival& y) {
                          return std::tie(x.collective, x.source, x.destination, x.answer, x.flits) ==
                                 std::tie(y.collective, y.source, y.destination, y.answer, y.flits);
                      });
}

bool same(const PathStep& a, const PathStep& b) {
    return std::tie(a.phase, a.source, a.destination, a.port, a.ready, a.delivered) ==
               std::tie(b.phase, b.source, b.destination, b.port, b.ready, b.delivered) &&
           std::equal(a.hops.begin(), a.hops.end(), b.hops.begin(), b.hops.end(),
                      [](const PathHop& x, const PathHop& y) { return same(x, y); });
}

// The same story, hop by hop and rival by rival.
void check_told(const Simulator& simulator, CollectiveId id, const CriticalPath& expected) {
    CHECK(all_parts(simulator.collective(id).critical_path) == all_parts(expected.parts));
    const std::vector<PathStep>& told = simulator.explain(id);
    REQUIRE(told.size() == expected.steps.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
        CHECK(same(told[i], expected.steps[i]));
    }
}

// Once by the reference with its collectives, then by a replay on each engine.
void check_replays(const RandomCase& one) {
    const auto fabric = build_fabric(one.fabric);
    const TracedRun traced(*fabric, one.collectives, TracedRun(*fabric, one.collectives).critical());
    for (const Engine engine : {Engine::reference, Engine::sweep}) {
        if (engine == Engine::sweep && one.fabric.routing.policy == RoutingPolicy::adaptive) {
            continue;
        }
        CAPTURE(static_cast<int>(engine));
        const Simulator simulator = replayed(one, fabric, engine, ids_of(one));
        for (const CollectiveId id : ids_of(one)) {
            check_told(simulator, id, traced.path(id));
        }
    }
}

// What the reference knows before anything is replayed.
void check_plain(const RandomCase& one, const std::shared_ptr<const Fabric>& fabric, const Simulator& told) {
    Simulator plain(fabric, on(Engine::reference));
    for (const CollectiveSpec& collective : one.collectives) {
        plain.register_collective(collective);
    }
    finish(plain);
    const bool one_switch = !fabric->graph.has_levels() && !fabric->graph.has_choices();
    for (const CollectiveId id : ids_of(one)) {
        const CollectiveReport report = plain.collective(id);
        CHECK(report.end == told.collective(id).end);
        CHECK(report.explained == (one_switch || report.flits == 0));
        if (report.explained) {
            CHECK(all_parts(report.critical_path) == all_parts(told.collective(id).critical_path));
        }
    }
}

void check_case(const RandomCase& one, Seen& seen) {
    check_replays(one);
    const auto fabric = build_fabric(one.fabric);
    const Simulator simulator = replayed(one, fabric, Engine::automatic, ids_of(one));
    check_plain(one, fabric, simulator);
    for (const CollectiveId id : ids_of(one)) {
        const CollectiveReport report = simulator.collective(id);
        REQUIRE(report.finished);
        check_parts(report);
        const TimeParts& parts = report.critical_path;
        CHECK((parts.wait == Duration{0} || one.fabric.tags != unlimited));
        check_story(parts, simulator.explain(id));
        ++seen.finished;
        seen.stalled += parts.credit_stall > Duration{0} ? 1 : 0;
        seen.contended += parts.contention > Duration{0} ? 1 : 0;
        seen.tagged += parts.wait > Duration{0} ? 1 : 0;
    }
}

bool replaying() {
    return std::getenv("SIMLETTE_SEED") != nullptr || std::getenv("SIMLETTE_SEEDS") != nullptr;
}

}  // namespace

TEST_CASE("the parts of a critical path are never negative, add up to the time, and the story of its hops agrees") {
    Seen seen;
    for_each_seed(70, 10 * Cases::parts, [&](Random& random) {
        const RandomCase one = random_answered_case(random);
        INFO(text_of(one));
        check_case(one, seen);
    });
    INFO(seen.finished << " finished, " << seen.stalled << " stalled, " << seen.contended << " contended");
    CHECK((replaying() || std::min(seen.stalled, seen.contended) > 50));
}

TEST_CASE("on two levels the flits that were followed add up to the time, whichever way the last one went") {
    Seen seen;
    for_each_seed(73, 3 * Cases::parts, [&](Random& random) {
        RandomCase one = random_levels_case(random);
        if (one_in(random, 4)) {
            pack_transactions(random, one);
        } else if (one.fabric.responses != ResponsePolicy::none) {
            random_operations(random, one);
        }
        INFO(levels_text_of(one));
        check_case(one, seen);
    });
    INFO(seen.finished << " finished, " << seen.stalled << " stalled, " << seen.contended << " contended");
    CHECK((replaying() || std::min(seen.stalled, seen.contended) > 50));
}

// The rivals have senders of their own, so a flit that is followed comes while one of theirs is on the wire.
TEST_CASE("a message that comes to an accelerator for which many wait is followed past them") {
    Seen seen;
    for_each_seed(77, 2 * Cases::parts, [&](Random& random) {
        const auto ranks = static_cast<std::uint32_t>(random.between(4, 12));
        RandomCase one{packet_fabric(ranks, static_cast<std::uint32_t>(random.between(1, 2))), {}};
        random_times(random, one.fabric);
        one.fabric.buffers.request = unlimited;
        const std::int64_t flit = flit_time_of(one.fabric.port_rate).ps;
        for (const bool rival : {false, true}) {
            SizeTable sizes(ranks, std::vector<Bytes>(ranks, Bytes{0}));
            for (std::uint32_t sender = rival ? 2 : 1; sender < (rival ? ranks : 2); ++sender) {
                sizes[sender][0] = {random.between(1, rival ? 12'000 : 1'300)};
            }
            CollectiveSpec incast;
            incast.primitive = Primitive::all_to_all;
            incast.schedule = ScheduleKind::direct;
            incast.sizes = std::make_shared<const SizeTable>(sizes);
            incast.earliest_start = {rival ? 0 : random.between(0, 20 * flit)};
            one.collectives.push_back(incast);
        }
        INFO(text_of(one));
        const auto fabric = build_fabric(one.fabric);
        const Simulator told = replayed(one, fabric, Engine::sweep, {0});
        const Simulator expected = replayed(one, fabric, Engine::reference, {0});
        check_told(told, 0, {expected.collective(0).critical_path, expected.explain(0)});
        seen.contended += told.collective(0).critical_path.contention > Duration{0} ? 1 : 0;
    });
    CHECK((replaying() || seen.contended > 50));
}

TEST_CASE("waits for tags are part of the critical path of long messages") {
    Seen seen;
    for_each_seed(71, 5 * Cases::parts, [&](Random& random) {
        RandomCase one = random_answered_case(random);
        pack_transactions(random, one);
        one.fabric.tags = random.between(128, 300);
        one.fabric.buffers.request = one_in(random, 2) ? unlimited : random.between(1, 40);
        one.fabric.buffers.response = unlimited;
        one.collectives.front().bytes = {random.between(50'000, 200'000)};
        INFO(text_of(one));
        check_case(one, seen);
    });
    CHECK((replaying() || seen.tagged > 50));
}

TEST_CASE("a replay starts arbiters afresh where the simulation did, whatever part of the fabric it carries") {
    Seen seen;
    for_each_seed(74, 2 * Cases::parts, [&](Random& random) {
        RandomCase one = one_in(random, 3) ? random_levels_case(random) : random_answered_case(random);
        one.collectives.push_back(one.collectives.back());
        for (std::size_t i = 0; i < one.collectives.size(); ++i) {
            one.collectives[i].earliest_start = Time{static_cast<std::int64_t>(i / 2) * 1'000'000'000};
        }
        INFO(text_of(one));
        check_case(one, seen);
        const auto fabric = build_fabric(one.fabric);
        const Simulator all = replayed(one, fabric, Engine::automatic, ids_of(one));
        for (const CollectiveId id : ids_of(one)) {
            const Simulator simulator = replayed(one, fabric, Engine::automatic, {id});
            check_told(simulator, id, {all.collective(id).critical_path, all.explain(id)});
        }
    });
    CHECK((replaying() || seen.contended > 50));
}

TEST_CASE(
    "every schedule of packet switches is replayed, written and read, with and without a barrier, on both presets") {
    using Choice = std::pair<Primitive, ScheduleKind>;
    for (const auto& [primitive, schedule] :
         {Choice{Primitive::all_reduce, ScheduleKind::one_shot}, Choice{Primitive::all_reduce, ScheduleKind::two_shot},
          Choice{Primitive::all_reduce, ScheduleKind::recursive_doubling},
          Choice{Primitive::all_reduce, ScheduleKind::halving_doubling},
          Choice{Primitive::all_reduce, ScheduleKind::ring}, Choice{Primitive::all_reduce, ScheduleKind::rs_ag},
          Choice{Primitive::all_to_all, ScheduleKind::direct}, Choice{Primitive::all_to_all, ScheduleKind::pairwise},
          Choice{Primitive::all_to_all, ScheduleKind::bruck}, Choice{Primitive::all_gather, ScheduleKind::ring},
          Choice{Primitive::reduce_scatter, ScheduleKind::direct},
          Choice{Primitive::broadcast, ScheduleKind::one_shot}}) {
        for (const unsigned variant : {0U, 1U, 2U, 3U}) {
            CAPTURE(static_cast<int>(primitive), static_cast<int>(schedule), variant);
            RandomCase one{with_buffers(packet_fabric(8, 3), 20), {}};
            one.fabric.responses = ResponsePolicy::per_message;
            if (variant >= 2) {
                one.fabric.fidelity = Fidelity::ualink;
                one.fabric.responses = ResponsePolicy::per_transaction;
                one.fabric.credit_return_is_link_latency = true;
                one.fabric.tags = 256;
            }
            CollectiveSpec collective = all_reduce(20'000, schedule);
            collective.primitive = primitive;
            collective.phase_barrier = variant % 2 == 1;
            collective.operation = variant % 2 == 1 ? Operation::read : Operation::write;
            CollectiveSpec other = all_reduce(9'001, ScheduleKind::two_shot);
            other.send_order = SendOrder::same;
            other.earliest_start = Time{400'000};
            one.collectives = {collective, other};
            check_replays(one);
        }
    }
}

TEST_CASE(
    "paths may be found while other collectives are under way, and the simulation goes on as if nobody had looked") {
    for_each_seed(75, Cases::parts, [](Random& random) {
        const RandomCase one = one_in(random, 3) ? random_levels_case(random) : random_answered_case(random);
        INFO(text_of(one));
        const auto fabric = build_fabric(one.fabric);
        const Simulator whole = replayed(one, fabric, Engine::automatic, ids_of(one));
        Simulator simulator(fabric);
        for (const CollectiveSpec& collective : one.collectives) {
            simulator.register_collective(collective);
        }
        while (true) {
            const Advance step = simulator.advance();
            const auto* done = std::get_if<Completed>(&step);
            if (done == nullptr) {
                break;
            }
            REQUIRE(simulator.find_paths(ids_of(one)));
            check_told(simulator, done->id, {whole.collective(done->id).critical_path, whole.explain(done->id)});
        }
        CHECK(simulator.event_hash() == whole.event_hash());
    });
}

// Flits in turn leave many in one step where nothing that is followed waits.
TEST_CASE("a replay tells alike where many send to one, without credits") {
    for_each_seed(76, 4 * Cases::parts, [](Random& random) {
        const auto ranks = static_cast<std::uint32_t>(random.between(3, 16));
        RandomCase one{packet_fabric(ranks, static_cast<std::uint32_t>(random.between(1, 3))), {}};
        one.fabric.responses = one_in(random, 3) ? ResponsePolicy::per_message : ResponsePolicy::none;
        for (std::int64_t left = random.between(1, 3); left > 0; --left) {
            CollectiveSpec spec = all_reduce(random.between(1, 40'000));
            spec.send_order = one_in(random, 4) ? SendOrder::rotated : SendOrder::same;
            spec.earliest_start = Time{one_in(random, 2) ? 0 : random.between(0, 2'000'000)};
            one.collectives.push_back(spec);
        }
        INFO(text_of(one));
        check_replays(one);
    });
}

TEST_CASE("a message that others hold up names them") {
    // Both go to accelerator 2 through one port of its switch; the longer one began first.
    const RandomCase one{packet_fabric(3, 1), {send(0, 2, 100 * 640), send(1, 2, 10 * 640)}};
    const Simulator simulator = replayed(one, build_fabric(one.fabric), Engine::automatic, {1});
    const std::vector<PathStep>& steps = simulator.explain(1);
    REQUIRE(steps.size() == 1);
    REQUIRE(steps[0].hops.size() == 2);
    CHECK(steps[0].hops[0].rivals.empty());
    CHECK(steps[0].hops[0].contention == Duration{0});
    const PathHop& output = steps[0].hops[1];
    CHECK(output.contention > Duration{0});
    REQUIRE(output.rivals.size() == 1);
    CHECK(output.rivals[0].collective == 0);
    CHECK(output.rivals[0].source == 0);
    CHECK(output.rivals[0].destination == 2);
    CHECK_FALSE(output.rivals[0].answer);
    CHECK(output.rivals[0].flits * Duration{12'800} >= output.contention);
    CHECK(output.contention == simulator.collective(1).critical_path.contention);
}

TEST_CASE("a message that answers hold up names them as answers") {
    // The response to what 0 writes leaves 1 among the flits that 1 writes.
    FabricSpec fabric = packet_fabric(2, 1);
    fabric.responses = ResponsePolicy::per_message;
    CollectiveSpec back = send(1, 0, 200 * 640);
    const RandomCase one{fabric, {send(0, 1, 640), back}};
    const Simulator simulator = replayed(one, build_fabric(one.fabric), Engine::automatic, {1});
    const std::vector<PathStep>& steps = simulator.explain(1);
    REQUIRE(steps.size() == 1);
    const PathHop& source = steps[0].hops[0];
    CHECK(source.contention == Duration{12'800});
    REQUIRE(source.rivals.size() == 1);
    CHECK(source.rivals[0].collective == 0);
    CHECK(source.rivals[0].answer);
    CHECK(source.rivals[0].flits == 1);
}

TEST_CASE("a path of phases is a chain: each message was ready when the one before was delivered") {
    for_each_seed(72, Cases::parts, [](Random& random) {
        RandomCase one = random_answered_case(random);
        for (CollectiveSpec& collective : one.collectives) {
            collective.operation = Operation::write;
        }
        INFO(text_of(one));
        const Simulator simulator = replayed(one, build_fabric(one.fabric), Engine::automatic, ids_of(one));
        for (const CollectiveId id : ids_of(one)) {
            const CollectiveReport report = simulator.collective(id);
            Time at = report.start;
            for (const PathStep& step : simulator.explain(id)) {
                CHECK(step.ready == at);
                at = step.delivered;
            }
            CHECK(at == report.end);
        }
    });
}
