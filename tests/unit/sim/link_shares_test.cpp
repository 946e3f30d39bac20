#include <catch2/catch.hpp>

#include <map>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/sim/simulator.hpp>

#include <support/random_levels.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

struct Outcome {
    std::vector<LinkStatistics> links;
    std::vector<CollectiveReport> collectives;
    std::vector<PassageRecord> passages;
    std::uint64_t hash = 0;
    std::uint64_t events = 0;
};

Outcome run_case(const RandomCase& one, bool shares, bool ports = false) {
    SimulatorOptions options;
    options.engine = Engine::reference;  // for the count of events
    options.count_shares = shares;
    options.record_ports = ports;
    Simulator simulator(build_fabric(one.fabric), options);
    for (const CollectiveSpec& collective : one.collectives) {
        simulator.register_collective(collective);
    }
    finish(simulator);
    REQUIRE(std::holds_alternative<Idle>(simulator.drain()));
    Outcome outcome;
    outcome.links = simulator.links();
    for (CollectiveId id = 0; id < one.collectives.size(); ++id) {
        outcome.collectives.push_back(simulator.collective(id));
    }
    outcome.hash = simulator.event_hash();
    outcome.events = simulator.statistics().events;
    if (ports) {
        outcome.passages = simulator.passages();
    }
    return outcome;
}

// The shares of a link by collective, as the log of ports has them.
std::vector<std::map<std::uint32_t, std::int64_t>> logged(const Outcome& outcome) {
    std::vector<std::map<std::uint32_t, std::int64_t>> all(outcome.links.size());
    for (const PassageRecord& passage : outcome.passages) {
        all[passage.link][passage.collective] += passage.flits;
    }
    return all;
}

std::map<std::uint32_t, std::int64_t> shares_of(const LinkStatistics& link) {
    std::map<std::uint32_t, std::int64_t> shares;
    for (const CollectiveFlits& share : link.shares) {
        shares.emplace(share.collective, share.flits);
    }
    CHECK(shares.size() == link.shares.size());
    return shares;
}

void check_case(const RandomCase& one) {
    const Outcome plain = run_case(one, false);
    const Outcome counted = run_case(one, true, true);
    CHECK(counted.hash == plain.hash);
    CHECK(counted.events == plain.events);
    const auto passed = logged(counted);
    for (std::size_t id = 0; id < counted.links.size(); ++id) {
        std::int64_t flits = 0;
        for (const CollectiveFlits& share : counted.links[id].shares) {
            flits += share.flits;
        }
        CHECK(flits == plain.links[id].flits);
        CHECK(shares_of(counted.links[id]) == passed[id]);
        CHECK(plain.links[id].shares.empty());
    }
}

}  // namespace

TEST_CASE("the flits of a link are those of the collectives together, whatever is sent and answered") {
    for_each_seed(0x5a4e, Cases::parts, [](Random& random) { check_case(random_answered_case(random)); });
    for_each_seed(0x5a4f, Cases::parts, [](Random& random) { check_case(random_levels_case(random)); });
}

TEST_CASE("what leaves the accelerators for a collective is what the collective sends") {
    for_each_seed(0x5a50, Cases::parts, [](Random& random) {
        RandomCase one = random_levels_case(random);
        one.fabric.responses = ResponsePolicy::none;
        for (CollectiveSpec& collective : one.collectives) {
            collective.operation = Operation::write;
        }
        const Outcome outcome = run_case(one, true);
        std::vector<std::int64_t> sent(one.collectives.size(), 0);
        for (LinkId id = 0; id < build_fabric(one.fabric)->graph.first_switch_link(); ++id) {
            for (const CollectiveFlits& share : outcome.links[id].shares) {
                sent[share.collective] += share.flits;
            }
        }
        for (std::size_t i = 0; i < sent.size(); ++i) {
            CHECK(sent[i] == outcome.collectives[i].flits);
        }
    });
}

TEST_CASE("an answer belongs to the collective that it answers") {
    FabricSpec fabric = packet_fabric(3, 1);
    fabric.responses = ResponsePolicy::per_message;
    const Outcome outcome = run_case({fabric, {send(0, 1, 6'400), send(2, 1, 640), send(1, 0, 1'280)}}, true);
    CHECK(shares_of(outcome.links[0]) == std::map<std::uint32_t, std::int64_t>{{0, 10}, {2, 1}});
    CHECK(shares_of(outcome.links[1]) == std::map<std::uint32_t, std::int64_t>{{0, 1}, {1, 1}, {2, 2}});
    CHECK(shares_of(outcome.links[2]) == std::map<std::uint32_t, std::int64_t>{{1, 1}});
}

TEST_CASE("a simulator that is reset counts afresh") {
    SimulatorOptions options;
    options.count_shares = true;
    Simulator simulator(build_fabric(packet_fabric(2, 1)), options);
    for (int round = 0; round < 2; ++round) {
        simulator.register_collective(send(0, 1, 6'400));
        finish(simulator);
        REQUIRE(simulator.links()[0].shares.size() == 1);
        CHECK(simulator.links()[0].shares[0].flits == 10);
        simulator.reset();
    }
}

TEST_CASE("a wire has been busy for the time that has passed of the flit on it") {
    for (const Mode mode : {Mode::flit, Mode::message}) {
        SimulatorOptions options;
        options.mode = mode;
        Simulator simulator(build_fabric(packet_fabric(2, 1)), options);
        simulator.register_collective(send(0, 1, 3 * 640));  // flits of 12,800 ps
        for (const std::int64_t t : {0, 1, 12'799, 12'800, 12'801, 30'000, 38'399, 38'400, 50'000}) {
            CAPTURE(t, static_cast<int>(mode));
            simulator.advance({Time{t}});
            CHECK(simulator.wire_times()[0] == Duration{std::min<std::int64_t>(t, 38'400)});
        }
    }
}
