// Message mode on paths through several switches, which no topology of one level has.
#include <catch2/catch.hpp>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/player.hpp>
#include <simlette/fabric/flit_network.hpp>
#include <simlette/fabric/message_network.hpp>
#include <support/random_case.hpp>
#include <support/route_singly.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// On each rail two leaves with `group` accelerators each, joined by `up` links to a switch above; destination d goes up
// by link d mod up.
HostGraph two_levels(std::uint32_t group, std::uint32_t rails, std::uint32_t up, LinkClass kind) {
    HostGraph graph;
    const std::uint32_t n = 2 * group;
    graph.accelerators = n;
    graph.packet_switches = 3 * rails;
    graph.ports_to_all = rails;
    graph.classes = {kind};
    const auto leaf = [&](std::uint32_t rail, std::uint32_t side) { return n + 3 * rail + side; };
    const auto top = [&](std::uint32_t rail) { return n + 3 * rail + 2; };
    for (std::uint32_t a = 0; a < n; ++a) {
        for (std::uint32_t rail = 0; rail < rails; ++rail) {
            graph.links.push_back({a, leaf(rail, a / group), rail, a % group, 0});
        }
    }
    std::vector<LinkId> routes(std::size_t{graph.packet_switches} * n, no_id);
    const auto route = [&](NodeId at, std::uint32_t to) -> LinkId& { return routes[(at - n) * n + to]; };
    const auto add = [&](HostLink link) {
        graph.links.push_back(link);
        return static_cast<LinkId>(graph.links.size() - 1);
    };
    for (std::uint32_t rail = 0; rail < rails; ++rail) {
        for (std::uint32_t a = 0; a < n; ++a) {
            route(leaf(rail, a / group), a) = add({leaf(rail, a / group), a, a % group, rail, 0});
        }
        for (std::uint32_t side = 0; side < 2; ++side) {
            for (std::uint32_t u = 0; u < up; ++u) {
                const LinkId rise = add({leaf(rail, side), top(rail), group + u, side * up + u, 0});
                for (std::uint32_t a = 0; a < group; ++a) {
                    const std::uint32_t to = (1 - side) * group + a;
                    if (to % up == u) {
                        route(leaf(rail, side), to) = rise;
                    }
                }
            }
        }
        for (std::uint32_t side = 0; side < 2; ++side) {
            for (std::uint32_t u = 0; u < up; ++u) {
                const LinkId fall = add({top(rail), leaf(rail, side), side * up + u, group + u, 0});
                for (std::uint32_t a = 0; a < group; ++a) {
                    if (a % up == u) {
                        route(top(rail), side * group + a) = fall;
                    }
                }
            }
        }
    }
    route_singly(graph, routes);
    return graph;
}

struct Setting {
    HostGraph graph;
    RoutingSpec routing;
    TransactionRules rules;
    std::vector<CollectiveSpec> collectives;
};

Setting random_setting(Random& random, bool finite) {
    LinkClass kind;
    if (finite) {
        kind.credits = {random.between(1, 40), random.between(1, 40)};
        kind.credit_return = {random.between(0, 20)};
    }
    kind.flit_time = {random.between(1, 6)};
    kind.latency.switching = {random.between(0, 20)};
    Setting setting{
        two_levels(static_cast<std::uint32_t>(random.between(1, 4)), static_cast<std::uint32_t>(random.between(1, 2)),
                   static_cast<std::uint32_t>(random.between(1, 2)), kind),
        {},
        {Fidelity::paper, one_in(random, 3) ? ResponsePolicy::none : ResponsePolicy::per_message, unlimited},
        {}};
    for (std::int64_t i = random.between(1, 3); i > 0; --i) {
        CollectiveSpec spec;
        spec.bytes = {random.between(1, 20'000)};
        spec.schedule = one_in(random, 2) ? ScheduleKind::one_shot : ScheduleKind::two_shot;
        spec.send_order = one_in(random, 2) ? SendOrder::same : SendOrder::rotated;
        spec.phase_barrier = one_in(random, 3);
        spec.operation = one_in(random, 3) ? Operation::read : Operation::write;
        spec.earliest_start = {random.between(0, 40)};
        setting.collectives.push_back(spec);
    }
    return setting;
}

template <class Network>
std::uint64_t history(const Setting& setting, Network& network) {
    Player player;
    std::vector<std::uint32_t> all(setting.graph.accelerators);
    for (std::uint32_t a = 0; a < all.size(); ++a) {
        all[a] = a;
    }
    for (const CollectiveSpec& spec : setting.collectives) {
        const Overlay complete{setting.graph.accelerators, {}};
        const auto id = static_cast<std::uint32_t>(player.collectives().size());
        player.add(std::make_unique<CollectiveRun>(
            id, std::make_shared<const CollectiveSpec>(spec),
            std::make_shared<const Schedule>(build_schedule(spec.primitive, spec.schedule, complete)), all));
        network.wake_at(spec.earliest_start, id);
    }
    for (Time next = network.next_instant(); next != Time::never(); next = network.next_instant()) {
        player.open(network, next);
        player.close(network);
    }
    REQUIRE(player.unfinished() == 0);
    return network.event_hash();
}

}  // namespace

TEST_CASE("message mode is exact through several switches with unlimited buffers") {
    for_each_seed(64, 200, [](Random& random) {
        const Setting setting = random_setting(random, false);
        MessageNetwork message(setting.graph, setting.routing, setting.rules, 1);
        FlitNetwork<LaneQueue> flit(setting.graph, setting.routing, setting.rules, 1);
        CHECK(history(setting, message) == history(setting, flit));
        CHECK(message.worst_lateness().link == no_id);
        CHECK(message.quiet());
        CHECK(message.statistics().response_flits == flit.statistics().response_flits);
        for (LinkId id = 0; id < setting.graph.links.size(); ++id) {
            REQUIRE(message.link_statistics()[id].flits == flit.link_statistics()[id].flits);
        }
    });
}

TEST_CASE("message mode is exact through several switches with finite buffers when no credit was late") {
    int exact = 0;
    for_each_seed(65, 200, [&](Random& random) {
        const Setting setting = random_setting(random, true);
        MessageNetwork message(setting.graph, setting.routing, setting.rules, 1);
        FlitNetwork<LaneQueue> flit(setting.graph, setting.routing, setting.rules, 1);
        const std::uint64_t ours = history(setting, message);
        if (message.worst_lateness().link == no_id) {
            CHECK(ours == history(setting, flit));
            ++exact;
        }
    });
    CHECK((exact > 20 || std::getenv("SIMLETTE_SEED") != nullptr));
}
