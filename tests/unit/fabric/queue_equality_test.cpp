// The result of a simulation does not depend on the queue that orders its events.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include <simlette/base/random.hpp>
#include <simlette/fabric/flit_network_impl.hpp>
#include <simlette/sim/simulator.hpp>

#include "bench/world_run.hpp"
#include "support/seeds.hpp"

namespace simlette {

template class FlitNetwork<PriorityEventQueue>;

namespace {

constexpr std::uint64_t property = 61;  // for the seeds
constexpr std::uint64_t cases = 60;

template <class T>
T pick(Random& random, const std::vector<T>& choices) {
    return choices[random.below(choices.size())];
}

Duration up_to(Random& random, std::int64_t most_ns) {
    return {random.between(0, most_ns) * 1'000};
}

void choose_link(FabricSpec& fabric, Random& random) {
    fabric.port_rate = {pick<std::int64_t>(random, {100, 200, 400, 800}) * 1'000'000'000};
    if (random.below(2) == 0) {
        fabric.latency.egress_protocol = up_to(random, 300);
        fabric.latency.ingress_protocol = up_to(random, 300);
        fabric.latency.packet_switch = up_to(random, 300);
    }
    if (random.below(3) > 0) {
        fabric.buffers.request = random.between(1, 40);
    }
    if (random.below(2) == 0) {
        fabric.credit_return = up_to(random, 600);
    }
}

Setting random_packets(Random& random) {
    Setting setting;
    const std::uint32_t bits = static_cast<std::uint32_t>(random.between(1, 4));
    const bool cube = random.below(2) == 0;
    setting.fabric.accelerators = cube ? 1U << bits : static_cast<std::uint32_t>(random.between(2, 17));
    setting.fabric.ports = static_cast<std::uint32_t>(random.between(1, 9));
    setting.fabric.routing.policy =
        pick<RoutingPolicy>(random, {RoutingPolicy::spray, RoutingPolicy::hashed, RoutingPolicy::fixed});
    setting.fabric.routing.granularity = pick<Granularity>(random, {Granularity::flit, Granularity::message});
    setting.fabric.routing.stripe = pick<Stripe>(random, {Stripe::carry_on, Stripe::restart});
    setting.collective.schedule =
        cube ? pick<ScheduleKind>(random, {ScheduleKind::one_shot, ScheduleKind::two_shot,
                                           ScheduleKind::recursive_doubling, ScheduleKind::coset_factored_parallel})
             : pick<ScheduleKind>(random, {ScheduleKind::one_shot, ScheduleKind::two_shot});
    return setting;
}

Setting random_circuits(Random& random) {
    Setting setting;
    const std::uint32_t bits = static_cast<std::uint32_t>(random.between(1, 5));
    setting.fabric.kind = pick<FabricKind>(random, {FabricKind::single_level, FabricKind::direct});
    setting.fabric.device = DeviceKind::ocs;
    setting.fabric.accelerators = 1U << bits;
    setting.fabric.ports = bits * static_cast<std::uint32_t>(random.between(1, 3));
    setting.fabric.circuits.cube = true;
    setting.collective.schedule = pick<ScheduleKind>(
        random, {ScheduleKind::one_shot, ScheduleKind::recursive_doubling, ScheduleKind::coset_factored_parallel});
    return setting;
}

Setting random_setting(Random& random) {
    Setting setting = random.below(2) == 0 ? random_packets(random) : random_circuits(random);
    choose_link(setting.fabric, random);
    setting.fabric.seed = random.next();
    setting.collective.bytes = {random.between(1, 40 * 1024)};
    setting.collective.send_order = pick<SendOrder>(random, {SendOrder::rotated, SendOrder::same});
    setting.collective.phase_barrier = random.below(4) == 0;
    return setting;
}

auto as_tuple(const MessageRecord& r) {
    return std::make_tuple(r.collective, r.phase, r.source, r.destination, r.port, r.bytes, r.flits, r.injected.ps,
                           r.delivered.ps);
}

auto as_tuple(const LinkStatistics& s) {
    return std::make_tuple(s.name, s.flits, s.bytes, s.busy.ps, s.stall[0].ps, s.stall[1].ps, s.queue);
}

auto as_tuple(const NetworkStatistics& s) {
    return std::make_tuple(s.flits, s.payload_bytes, s.port_messages, s.events, s.first_injection.ps,
                           s.last_delivery.ps, s.stall_total.ps, s.stall_max_port.ps);
}

template <class T>
auto as_tuples(const std::vector<T>& all) {
    std::vector<decltype(as_tuple(all.front()))> tuples;
    for (const T& one : all) {
        tuples.push_back(as_tuple(one));
    }
    return tuples;
}

void check_equal(const Setting& setting) {
    const auto fabric = build_fabric(setting.fabric);
    Simulator on_lanes(fabric, {.record_messages = true, .engine = Engine::reference});
    on_lanes.register_collective(setting.collective);
    const Advance end = on_lanes.advance();
    REQUIRE(std::holds_alternative<Completed>(end));

    WorldRun<PriorityEventQueue> run(fabric, setting.collective, {.record_messages = true});
    REQUIRE(run.finish());
    auto records = as_tuples(run.network().records());
    std::sort(records.begin(), records.end());

    CHECK(std::get<Completed>(end).end.ps == run.collective().end().ps);
    CHECK(on_lanes.event_hash() == run.network().event_hash());
    CHECK(as_tuple(on_lanes.statistics()) == as_tuple(run.network().statistics()));
    CHECK(as_tuples(on_lanes.links()) == as_tuples(run.network().link_statistics()));
    CHECK(as_tuples(on_lanes.messages()) == records);
}

}  // namespace

TEST_CASE("a simulation on one std::priority_queue of all events ends as the one on delay lanes") {
    for_each_seed(property, cases, [](Random& random) { check_equal(random_setting(random)); });
}

}  // namespace simlette
