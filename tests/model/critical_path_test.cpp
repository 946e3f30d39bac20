// Where the time of a collective went, and the story of its critical path.
#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>

#include <simlette/fabric/built_fabric.hpp>

#include <support/random_answers.hpp>
#include <support/random_levels.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

std::vector<Duration> all_parts(const TimeParts& p) {
    return {p.endpoint, p.protocol, p.propagation, p.switching, p.serialization, p.credit_stall, p.contention, p.wait};
}

// A simulation and a second one of the same input, that traced what was critical in the first.
struct Explained {
    explicit Explained(const RandomCase& one)
        : fabric(build_fabric(one.fabric)), plain(fabric), tracing(fabric, options(one, Engine::reference)) {
        enter(one, tracing);
    }

    SimulatorOptions options(const RandomCase& one, Engine engine) {
        SimulatorOptions options;
        options.traced_messages = traced(one);
        options.engine = engine;
        return options;
    }

    std::vector<TracedMessage> traced(const RandomCase& one) {
        if (plain.collectives() == 0) {
            enter(one, plain);
        }
        std::vector<CollectiveId> ids;
        for (CollectiveId id = 0; id < one.collectives.size(); ++id) {
            ids.push_back(id);
        }
        return plain.critical_messages(ids);
    }

    static void enter(const RandomCase& one, Simulator& simulator) {
        for (const CollectiveSpec& collective : one.collectives) {
            simulator.register_collective(collective);
        }
        while (std::holds_alternative<Completed>(simulator.advance())) {
        }
    }

    std::shared_ptr<const Fabric> fabric;
    Simulator plain;
    Simulator tracing;
};

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

// Both engines tell the same story, hop by hop and rival by rival.
void check_sweep(const RandomCase& one, Explained& runs) {
    if (one.fabric.routing.policy == RoutingPolicy::adaptive) {
        return;
    }
    Simulator sweep(runs.fabric, runs.options(one, Engine::sweep));
    Explained::enter(one, sweep);
    for (CollectiveId id = 0; id < one.collectives.size(); ++id) {
        CHECK(all_parts(sweep.collective(id).critical_path) == all_parts(runs.tracing.collective(id).critical_path));
        const std::vector<PathStep> told = sweep.explain(id);
        const std::vector<PathStep> expected = runs.tracing.explain(id);
        REQUIRE(told.size() == expected.size());
        for (std::size_t i = 0; i < told.size(); ++i) {
            CHECK(std::equal(told[i].hops.begin(), told[i].hops.end(), expected[i].hops.begin(), expected[i].hops.end(),
                             same));
        }
    }
}

void check_case(const RandomCase& one, Seen& seen) {
    Explained runs(one);
    check_sweep(one, runs);
    for (CollectiveId id = 0; id < one.collectives.size(); ++id) {
        const CollectiveReport report = runs.tracing.collective(id);
        REQUIRE(report.finished);
        check_parts(report);
        const TimeParts& parts = report.critical_path;
        const CollectiveReport plain = runs.plain.collective(id);
        CHECK(plain.end == report.end);
        const HostGraph& graph = runs.fabric->graph;
        const bool one_switch = !graph.has_levels() && !graph.has_choices();
        CHECK(plain.explained == (one_switch || report.flits == 0));
        if (plain.explained) {
            CHECK(all_parts(plain.critical_path) == all_parts(parts));
        }
        CHECK((parts.wait == Duration{0} || one.fabric.tags != unlimited));
        check_story(parts, runs.tracing.explain(id));
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

TEST_CASE("a message that others hold up names them") {
    // Both go to accelerator 2 through one port of its switch; the longer one began first.
    const RandomCase one{packet_fabric(3, 1), {send(0, 2, 100 * 640), send(1, 2, 10 * 640)}};
    Explained runs(one);
    const std::vector<PathStep> steps = runs.tracing.explain(1);
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
    CHECK(output.contention == runs.plain.collective(1).critical_path.contention);
}

TEST_CASE("a message that answers hold up names them as answers") {
    // The response to what 0 writes leaves 1 among the flits that 1 writes.
    FabricSpec fabric = packet_fabric(2, 1);
    fabric.responses = ResponsePolicy::per_message;
    CollectiveSpec back = send(1, 0, 200 * 640);
    const RandomCase one{fabric, {send(0, 1, 640), back}};
    Explained runs(one);
    const std::vector<PathStep> steps = runs.tracing.explain(1);
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
        Explained runs(one);
        for (CollectiveId id = 0; id < one.collectives.size(); ++id) {
            const CollectiveReport report = runs.plain.collective(id);
            Time at = report.start;
            for (const PathStep& step : runs.tracing.explain(id)) {
                CHECK(step.ready == at);
                at = step.delivered;
            }
            CHECK(at == report.end);
        }
    });
}
