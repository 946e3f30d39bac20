// Links to accelerators with finite credits: the sweep takes trains of many credits in one step, and goes far ahead.
#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/sweep_network.hpp>
#include <simlette/sim/path_replay.hpp>

#include <support/both_engines.hpp>
#include <support/random_graph.hpp>
#include <support/seeds.hpp>
#include <support/traffic.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

constexpr Duration each_flit{12'800};

// When flit k of a message alone on a circuit of nominal latency starts.
struct Train {
    std::int64_t credits;
    Duration loop;

    Time start(std::int64_t k) const {
        return Time{} + k / credits * std::max(loop, credits * each_flit) + k % credits * each_flit;
    }
};

// As a rule only links to accelerators have finite credits.
LinkClass with_own_credits(Random& random, LinkClass kind, bool to_switch) {
    const std::int64_t most = one_of<std::int64_t>(random, {3, 20, 256});
    const bool finite = !to_switch || one_in(random, 10);
    kind.credits = {finite ? random.between(1, most) : unlimited, finite ? random.between(1, most) : unlimited};
    kind.credit_return = kind.flit_time * (one_in(random, 2) ? 0 : random.between(0, 200));
    return kind;
}

// Credits of each link, or of all links of a class that lead to accelerators, and to switches.
std::shared_ptr<const Fabric> with_own_credits(Random& random, const FabricSpec& spec) {
    const auto fabric = build_fabric(spec);
    HostGraph graph = fabric->graph;
    const auto kinds = static_cast<std::uint32_t>(graph.classes.size());
    const bool each = one_in(random, 3);
    graph.classes.clear();
    for (std::uint32_t i = 0; !each && i < 2 * kinds; ++i) {
        graph.classes.push_back(with_own_credits(random, fabric->graph.classes[i % kinds], i >= kinds));
    }
    for (HostLink& link : graph.links) {
        const bool to_switch = link.to >= graph.accelerators;
        if (each) {
            graph.classes.push_back(with_own_credits(random, fabric->graph.classes[link.link_class], to_switch));
            link.link_class = static_cast<std::uint32_t>(graph.classes.size()) - 1;
        } else {
            link.link_class += to_switch ? kinds : 0;
        }
    }
    return std::make_shared<const Fabric>(fabric->spec, std::move(graph));
}

FabricSpec any_fabric(Random& random) {
    switch (random.below(4)) {
        case 0:
            return random_optical_levels(random);
        case 1:
            return random_graph(random);
        default:
            return random_fabric(random);
    }
}

}  // namespace

TEST_CASE("a train of flits leaves as the closed form says, in a few steps whatever its length", "[engines]") {
    const std::int64_t flits = GENERATE(5, 1'000, 1'000'000);
    const std::int64_t credits = GENERATE(1, 2, 22, 41, 42, 256);
    const Duration credit_return = GENERATE(0_ps, 1_ps, 255_ns, 3_us);
    CAPTURE(flits, credits, credit_return.ps);
    FabricSpec spec = with_buffers(cube_fabric(2, 1), credits);
    spec.credit_return = credit_return;
    const Train train{credits, each_flit + 520_ns + credit_return};
    SimulatorOptions options;
    options.engine = Engine::sweep;
    Simulator simulator(build_fabric(spec), options);
    simulator.register_collective(send(0, 1, 640 * flits));
    const std::int64_t some = std::min(flits, credits + 3);
    simulator.drain({train.start(some - 1) + 1_ps});
    CHECK(simulator.links()[0].flits == some);
    simulator.drain();
    const Time last = train.start(flits - 1);
    CHECK(simulator.now() == last + each_flit + 520_ns);
    CHECK(simulator.links()[0].stall[0] == last - Time{} - (flits - 1) * each_flit);
    CHECK(simulator.statistics().events < 40);
}

TEST_CASE("The sweep sees the queue of a train that begins with a stall", "[engines]") {
    FabricSpec spec = with_buffers(cube_fabric(2, 1), 2);
    spec.credit_return = 3_us;
    Both both(build_fabric(spec));
    both.add(send(0, 1, 640 * 2));
    both.go({});
    both.go({Time{1'000'000}});
    CollectiveSpec train = send(0, 1, 640 * 100);
    train.earliest_start = both.now();
    both.add(train);
    CHECK(both.go({}).links[0].queue == 100);
}

TEST_CASE("The sweep is quiet when the last credit of a train is home, and not a picosecond sooner", "[engines]") {
    FabricSpec spec = with_buffers(cube_fabric(2, 1), 1);
    spec.credit_return = 1_us;
    const auto fabric = build_fabric(spec);
    SweepNetwork network(fabric->graph, spec.routing, no_responses, spec.seed);
    const DeafOutlook outlook;
    network.look_out(outlook);
    const OneMessage message({0, 1, 640 * 8, {}});
    network.open({});
    network.inject({&message, 0, 0, 0, 0});
    network.close();
    while (!network.quiet()) {
        network.open(network.next_instant(Time::never()));
        network.close();
    }
    CHECK(network.now() == Time{} + 8 * (each_flit + 520_ns + 1_us));
}

TEST_CASE("The sweep passes in a few steps over the time in which a slow link waits, however fast others are",
          "[engines]") {
    const auto fabric = build_fabric(cube_fabric(4, 2));
    HostGraph graph = fabric->graph;
    LinkClass slow = graph.classes.front();
    slow.credits = {1, 1};
    slow.credit_return = 1000_us;
    graph.links.front().link_class = static_cast<std::uint32_t>(graph.classes.size());
    graph.classes.push_back(slow);
    SimulatorOptions options;
    options.engine = Engine::sweep;
    Simulator simulator(std::make_shared<const Fabric>(fabric->spec, std::move(graph)), options);
    simulator.register_collective(send(0, 1, 640 * 200));
    simulator.drain();
    CHECK(simulator.links().front().flits == 200);
    CHECK(simulator.statistics().events < 200 * 10);
}

TEST_CASE("The sweep gives what the reference gives, where credits come back from accelerators alone", "[engines]") {
    for_each_seed(308, Cases::engines, [](Random& random) {
        FabricSpec spec = any_fabric(random);
        spec.routing.policy =
            spec.routing.policy == RoutingPolicy::adaptive ? RoutingPolicy::spray : spec.routing.policy;
        RandomCase one = with_any_collectives(random, spec);
        one.fabric.responses = one_in(random, 6) ? ResponsePolicy::per_message : ResponsePolicy::none;
        for (CollectiveSpec& collective : one.collectives) {
            collective.bytes.count *= random.between(1, one_in(random, 3) ? 400 : 20);
            collective.operation = Operation::write;
            collective.earliest_start.ps *= random.between(1, 40);
        }
        INFO(levels_text_of(one));
        const auto fabric = with_own_credits(random, one.fabric);
        check_cut(random, one, fabric, check_whole(one, fabric));
    });
}
