// Both engines of flit mode give the same results, whatever is simulated and however a caller slices it.
#include <catch2/catch.hpp>

#include <simlette/sim/traffic_simulator.hpp>

#include <support/both_engines.hpp>
#include <support/flit_time.hpp>
#include <support/random_graph.hpp>
#include <support/random_sizes.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// Windows of up to 256 flits, another one for responses, and messages that they can hold up.
void widen(Random& random, RandomCase& one) {
    one.fabric.buffers = {random.between(1, 256), random.between(1, 256)};
    for (CollectiveSpec& collective : one.collectives) {
        collective.bytes.count *= random.between(1, 40);
    }
}

// Transactions of ualink, as a rule answered one by one, and messages so long that tags may run out.
void pack(Random& random, RandomCase& one) {
    pack_transactions(random, one);
    if (one_in(random, 5)) {
        one.fabric.responses = ResponsePolicy::per_message;
        one.fabric.tags = unlimited;
    }
    const std::int64_t longer = one_in(random, 2) ? 1 : random.between(1, 40);
    for (CollectiveSpec& collective : one.collectives) {
        collective.bytes.count *= longer;
    }
}

// Messages that spread evenly over all ports, and later perhaps some that do not.
void even_out(Random& random, RandomCase& one) {
    constexpr std::int64_t flits_and_requests = 1280;
    for (CollectiveSpec& collective : one.collectives) {
        collective.bytes.count = flits_and_requests * one.fabric.ports * one.fabric.accelerators * random.between(1, 3);
        if (one_in(random, 3)) {
            return;
        }
    }
}

void check_engines(Random& random, RandomCase one) {
    if (one.fabric.routing.policy == RoutingPolicy::adaptive) {
        one.fabric.routing.policy = RoutingPolicy::spray;
    }
    if (one_in(random, 4)) {
        widen(random, one);
    }
    if (one_in(random, 3)) {
        pack(random, one);
    }
    if (one_in(random, 3)) {
        even_out(random, one);
    }
    INFO(levels_text_of(one));
    const auto fabric = build_fabric(one.fabric);
    check_cut(random, one, fabric, check_whole(one, fabric));
}

std::string text_of(const LatencySummary& latency) {
    std::ostringstream text;
    text << latency.mean.ps << ' ' << latency.p50.ps << ' ' << latency.p99.ps << ' ' << latency.max.ps;
    return text.str();
}

std::string text_of(const TrafficReport& report) {
    std::ostringstream text;
    text << "window " << report.window_start.ps << ' ' << report.window_end.ps << " offered " << report.offered.count
         << " accepted " << report.accepted.count << " measured " << report.measured << ' ' << report.measured_delivered
         << " waiting " << report.waiting_at_start.count << ' ' << report.waiting_at_end.count << " created "
         << report.created << " delivered " << report.delivered << " cut " << report.cut << " latency "
         << (report.latency ? text_of(*report.latency) : "-") << " in the network "
         << (report.network_latency ? text_of(*report.network_latency) : "-");
    return text.str();
}

Seen look(const TrafficSimulator& simulator, TrafficAdvance step) {
    Seen seen;
    seen.now = simulator.now();
    seen.kind = static_cast<std::size_t>(step);
    seen.step = text_of(simulator.report());
    seen.messages = simulator.messages();
    seen.links = simulator.links();
    seen.wires.resize(seen.links.size());
    seen.statistics = simulator.statistics();
    seen.hash = simulator.event_hash();
    return seen;
}

TrafficSpec random_traffic(Random& random, const FabricSpec& fabric) {
    const Duration flit = flit_time_of(fabric.port_rate);
    TrafficSpec traffic;
    traffic.pattern = one_of(random, {TrafficPattern::uniform, TrafficPattern::permutation, TrafficPattern::hot_spot,
                                      TrafficPattern::all_to_all});
    traffic.hot_share = random.between(0, 1'000'000);
    traffic.load = random.between(10'000, 900'000);
    traffic.message = {one_in(random, 2) ? random.between(640, 60'000) : 640 * random.between(1, 20)};
    traffic.warmup = flit * random.between(0, 200);
    traffic.measure = flit * random.between(1, 400);
    return traffic;
}

// Whole, or cut at random.
void check_traffic(Random& random, FabricSpec spec) {
    if (spec.routing.policy == RoutingPolicy::adaptive) {
        spec.routing.policy = RoutingPolicy::random;
    }
    RandomCase one{spec, {}};
    if (one_in(random, 3)) {
        pack(random, one);
    }
    const TrafficSpec traffic = random_traffic(random, spec);
    INFO(levels_text_of(one) << " pattern " << static_cast<int>(traffic.pattern) << " load " << traffic.load
                             << " message " << traffic.message.count);
    const auto fabric = build_fabric(one.fabric);
    const std::uint32_t threads = one_in(random, 8) ? 2 : 1;
    TrafficSimulator sweep(fabric, traffic, {Mode::flit, true, Engine::sweep, threads});
    TrafficSimulator reference(fabric, traffic, {Mode::flit, true, Engine::reference});
    const bool cut = one_in(random, 2);
    const std::int64_t longest = (traffic.warmup + traffic.measure).ps / random.between(1, 20) + 1;
    for (TrafficAdvance step = TrafficAdvance::limit_reached; step != TrafficAdvance::finished;) {
        const Limits limits{cut ? reference.now() + Duration{random.between(0, longest)} : Time::never()};
        step = reference.advance(limits);
        check_equal(look(sweep, sweep.advance(limits)), look(reference, step));
    }
}

// Traffic is not relayed, and no rank sends in every picosecond.
void check_traffic_that_fits(Random& random, const FabricSpec& spec) {
    try {
        check_traffic(random, spec);
    } catch (const Error& refused) {
        if (refused.kind() != ErrorKind::input) {
            throw;
        }
    }
}

}  // namespace

TEST_CASE("The sweep gives what the reference gives, on one level and on circuits", "[engines]") {
    for_each_seed(300, Cases::engines, [](Random& random) {
        check_engines(random, one_in(random, 3) ? random_case(random) : random_responses_case(random));
    });
}

TEST_CASE("The sweep gives what the reference gives, on two levels", "[engines]") {
    for_each_seed(301, Cases::engines, [](Random& random) { check_engines(random, random_levels_case(random)); });
}

TEST_CASE("The sweep gives what the reference gives, on any graph of switches and links of unequal rates",
          "[engines]") {
    for_each_seed(302, Cases::engines,
                  [](Random& random) { check_engines(random, with_any_collectives(random, random_graph(random))); });
}

TEST_CASE("The sweep gives what the reference gives, by every schedule on circuits and on packet switches",
          "[engines]") {
    for_each_seed(303, Cases::engines, [](Random& random) {
        FabricSpec fabric = one_in(random, 2) ? random_fabric(random) : random_optical_levels(random);
        fabric = one_in(random, 4) ? random_levels(random) : fabric;
        check_engines(random, with_any_collectives(random, fabric));
    });
}

TEST_CASE("The sweep gives what the reference gives, of synthetic traffic on all kinds of fabrics", "[engines]") {
    for_each_seed(304, Cases::engines, [](Random& random) {
        FabricSpec fabric = one_in(random, 3) ? random_fabric(random) : random_levels(random);
        fabric = one_in(random, 4) ? random_graph(random) : fabric;
        fabric.responses = one_in(random, 2) ? ResponsePolicy::per_message : ResponsePolicy::none;
        check_traffic_that_fits(random, fabric);
    });
}

// Far from the sources to the switches, near from there to many accelerators: ranks lack more than comes in a window.
TEST_CASE("The sweep gives what the reference gives, where it goes far ahead of deliveries", "[engines]") {
    for_each_seed(305, Cases::engines, [](Random& random) {
        FabricSpec fabric = packet_fabric(static_cast<std::uint32_t>(random.between(8, 48)),
                                          static_cast<std::uint32_t>(random.between(1, 3)));
        random_times(random, fabric);
        random_routing(random, fabric);
        const Duration flit = flit_time_of(fabric.port_rate);
        fabric.latency.egress_endpoint = flit * random.between(0, 80);
        fabric.latency.ingress_endpoint = fabric.latency.ingress_protocol = Duration{0};
        fabric.latency.propagation = flit * random.between(0, 2);
        fabric.responses = one_in(random, 3) ? ResponsePolicy::none : ResponsePolicy::per_message;
        fabric.buffers = one_in(random, 2) ? BufferSpec{} : BufferSpec{random.between(1, 90), random.between(1, 90)};
        const CollectiveSpec first = all_reduce(random.between(640, 3'000));
        CollectiveSpec second = all_reduce(random.between(640, 60'000), ScheduleKind::two_shot);
        second.earliest_start = Time{0} + flit * random.between(0, 200);
        RandomCase one{fabric, {first}};
        if (one_in(random, 2)) {
            one.collectives.push_back(second);
        }
        INFO(levels_text_of(one));
        const auto built = build_fabric(one.fabric);
        check_cut(random, one, built, check_whole(one, built));
    });
}

// The second collective, which spreads otherwise, begins at any instant of the first.
TEST_CASE("The sweep gives what the reference gives, where planes part while they carry flits", "[engines]") {
    for_each_seed(306, Cases::engines, [](Random& random) {
        FabricSpec fabric = one_in(random, 3) ? random_levels(random)
                                              : packet_fabric(static_cast<std::uint32_t>(random.between(2, 6)), 1);
        random_times(random, fabric);
        fabric.ports = std::max(fabric.ports, static_cast<std::uint32_t>(random.between(2, 9)));
        fabric.routing = {};
        const Duration flit = flit_time_of(fabric.port_rate);
        fabric.latency.egress_endpoint = flit * random.between(0, 20);
        fabric.latency.ingress_endpoint = flit * random.between(0, 20);
        fabric.responses = ResponsePolicy::per_message;
        fabric.buffers = one_in(random, 2) ? BufferSpec{} : BufferSpec{random.between(1, 90), random.between(1, 90)};
        if (one_in(random, 3)) {
            random_choices(random, fabric);
        }
        const bool one_shot = one_in(random, 3);
        const std::int64_t flit_each = std::int64_t{640} * (one_shot ? 1 : fabric.accelerators);
        const std::int64_t flits = one_in(random, 2) ? fabric.ports * random.between(1, 4) : random.between(1, 30);
        CollectiveSpec first =
            all_reduce(flit_each * flits - (one_in(random, 2) ? 0 : random.between(1, flit_each - 1)),
                       one_shot ? ScheduleKind::one_shot : ScheduleKind::two_shot);
        CollectiveSpec second = all_reduce(random.between(1, 20'000));
        first.operation = one_in(random, 2) ? Operation::read : Operation::write;
        first.send_order = one_in(random, 2) ? SendOrder::same : SendOrder::rotated;
        RandomCase one{fabric, {first, second}};
        if (one.fabric.routing.policy == RoutingPolicy::adaptive) {
            one.fabric.routing.policy = RoutingPolicy::random;
        }
        INFO(levels_text_of(one));
        const auto built = build_fabric(one.fabric);
        check_cut(random, one, built, check_whole({one.fabric, {first}}, built));
    });
}

TEST_CASE("The sweep gives what the reference gives, of messages that are equal, unequal or nothing", "[engines]") {
    for_each_seed(307, Cases::engines, [](Random& random) {
        FabricSpec fabric = packet_fabric(static_cast<std::uint32_t>(random.between(2, 9)),
                                          static_cast<std::uint32_t>(random.between(1, one_in(random, 4) ? 70 : 9)));
        if (one_in(random, 3)) {
            fabric = random_levels(random);
            fabric.routing = {};
        }
        random_times(random, fabric);
        random_routing(random, fabric);
        if (one_in(random, 4)) {
            fabric.routing.policy = RoutingPolicy::hashed;
        }
        fabric.responses = one_in(random, 2) ? ResponsePolicy::per_message : ResponsePolicy::none;
        RandomCase one{fabric, {random_sizes_collective(random, fabric.accelerators)}};
        random_operations(random, one);
        if (one_in(random, 3)) {
            pack_transactions(random, one);
        }
        INFO(levels_text_of(one));
        const auto built = build_fabric(one.fabric);
        check_cut(random, one, built, check_whole(one, built));
    });
}

// Ranks that come late to a phase have been asked for its data before.
TEST_CASE("The sweep answers on every plane what was asked before they parted", "[engines]") {
    FabricSpec spec = packet_fabric(5, 2);
    spec.responses = ResponsePolicy::per_message;
    spec.buffers = {2, 2};
    const auto fabric = build_fabric(spec);
    CollectiveSpec first = all_reduce(5 * 2 * 640 * 3, ScheduleKind::two_shot);
    first.operation = Operation::read;
    first.send_order = SendOrder::same;
    const Seen whole = check_whole({spec, {first}}, fabric);
    for (const MessageRecord& message : whole.messages) {
        Both both(fabric);
        both.add(first);
        both.go(Limits{message.delivered});
        CollectiveSpec second = all_reduce(640);
        second.earliest_start = both.now();
        both.add(second);
        while (!over(both.go({}))) {
        }
    }
}

TEST_CASE("The sweep simulates planes that carry the same once", "[engines]") {
    const auto fabric = build_fabric(packet_fabric(16, 8));
    const auto steps = [&](std::int64_t bytes) {
        SimulatorOptions options;
        options.engine = Engine::sweep;
        Simulator simulator(fabric, options);
        simulator.register_collective(all_reduce(bytes));
        simulator.drain();
        return simulator.statistics().events;
    };
    const auto flits = [&](std::int64_t each) { return steps(each * 640 - 1); };
    CHECK(steps(8 * 640) * 7 < flits(9));
    CHECK(flits(8) * 7 < flits(9));
    CHECK(flits(12) * 3 < flits(9));      // four by four
    CHECK(flits(10) * 5 < flits(9) * 3);  // two by two
}

TEST_CASE("The sweep loses nothing when it is stopped twice at one instant", "[engines]") {
    FabricSpec spec = packet_fabric(5, 1);
    spec.responses = ResponsePolicy::per_message;
    spec.buffers.response = 1;
    const RandomCase one{spec, {send(1, 0, 640), send(2, 0, 640), send(3, 0, 640), send(4, 0, 640)}};
    const auto fabric = build_fabric(spec);
    for (const MessageRecord& message : check_whole(one, fabric).messages) {
        Both both(fabric);
        for (const CollectiveSpec& collective : one.collectives) {
            both.add(collective);
        }
        while (both.now() < message.delivered) {
            both.go({message.delivered});
        }
        both.go({message.delivered});
        both.go({message.delivered});
        both.go({message.delivered + Duration{1}});
    }
}

TEST_CASE("The sweep loses nothing when it is stopped in the middle of flits that come one after the other",
          "[engines]") {
    FabricSpec spec = with_buffers(packet_fabric(3, 1), 6);
    spec.kind = FabricKind::explicit_graph;
    spec.graph.devices = {{"near", 0}, {"far", 0}};
    for (const auto& [from, to] : {std::pair{0U, 4U}, {1U, 3U}, {2U, 3U}, {3U, 4U}}) {
        GraphSpec::Link link;
        link.from = from;
        link.to = to;
        spec.graph.links.push_back(link);
    }
    CollectiveSpec later = send(2, 0, 6 * 640);  // comes when the other has taken all credits between the switches
    later.earliest_start = Time{6 * 12'800};
    const auto fabric = build_fabric(spec);
    for (std::int64_t flit = 0; flit < 8; ++flit) {
        Both both(fabric);
        both.add(send(1, 0, 6 * 640));
        both.add(later);
        const Time arrival = later.earliest_start + Duration{(flit + 1) * 12'800 + 555'000};
        both.go({arrival});
        both.go({arrival + Duration{1}});
    }
}

TEST_CASE("The sweep answers in a long window also when no accelerator has anything to send", "[engines]") {
    constexpr std::uint32_t ranks = 120;  // more messages for one of them than flits pass in such a window
    SizeTable sizes(ranks, std::vector<Bytes>(ranks, Bytes{0}));
    for (std::vector<Bytes>& row : sizes) {
        row.front() = Bytes{640};
    }
    CollectiveSpec incast;
    incast.primitive = Primitive::all_to_all;
    incast.schedule = ScheduleKind::direct;
    incast.sizes = std::make_shared<const SizeTable>(sizes);
    FabricSpec spec = packet_fabric(ranks, 1);
    spec.responses = ResponsePolicy::per_message;
    check_whole({spec, {incast}}, build_fabric(spec));
}

// Every source has sent all that it has before the first flit reaches its switch.
TEST_CASE("The sweep answers what lands in a long window though no source has anything else to send", "[engines]") {
    FabricSpec spec = packet_fabric(50, 2);
    spec.responses = ResponsePolicy::per_message;
    spec.latency = {};
    spec.latency.egress_endpoint = Duration{1'000'000};
    spec.latency.ingress_endpoint = spec.latency.ingress_protocol = spec.latency.packet_switch = Duration{5'000};
    const auto fabric = build_fabric(spec);
    Both both(fabric);
    both.add(all_reduce(1'280));
    both.go({});
    both.go({});
}

TEST_CASE("The sweep stops after so many events though nothing that lands sets anything off", "[engines]") {
    SimulatorOptions options;
    options.engine = Engine::sweep;
    Simulator simulator(build_fabric(packet_fabric(400, 1)), options);
    simulator.register_collective(all_reduce(640));
    CHECK(std::holds_alternative<LimitReached>(simulator.advance({Time::never(), 1'000})));
    CHECK(simulator.now() < Time{1'400'000});
    CHECK(std::holds_alternative<Completed>(simulator.advance()));
    CHECK(simulator.now() == Time{398 * 12'800 + 835'600});
}

TEST_CASE("The sweep carries the largest message on a slow link", "[engines]") {
    FabricSpec spec = packet_fabric(2, 1);
    spec.port_rate = {1'000'000'000};
    Both both(build_fabric(spec));
    both.add(send(0, 1, std::int64_t{1} << 40));
    for (const std::int64_t ps : {1, 20'000'000, 30'000'000}) {
        both.go(Limits{Time{ps}});
    }
}

TEST_CASE("The sweep counts more waiting flits than 32 bits hold as the reference does", "[engines]") {
    const CollectiveSpec huge = all_reduce(std::int64_t{1} << 40);
    const auto fabric = build_fabric(packet_fabric(8, 2));
    SimulatorOptions options{true};
    options.engine = Engine::sweep;
    Simulator sweep(fabric, options);
    options.engine = Engine::reference;
    Simulator reference(fabric, options);
    sweep.register_collective(huge);
    reference.register_collective(huge);
    const Limits limits{{10'000'000}};
    const Advance ours = sweep.advance(limits);
    const Seen seen = look(reference, reference.advance(limits));
    CHECK(seen.links.front().queue > std::int64_t{1} << 32);
    check_equal(look(sweep, ours), seen);
}

TEST_CASE("The sweep goes ahead in long windows however slow the ports and however long the message", "[engines]") {
    FabricSpec spec = packet_fabric(2, 1);
    spec.port_rate = {1'000'000'000};
    spec.latency = {};
    const Duration flit{5'120'000};
    SimulatorOptions options;
    options.engine = Engine::sweep;
    Simulator simulator(build_fabric(spec), options);
    simulator.register_collective(send(0, 1, std::int64_t{1} << 40));
    const Advance step = simulator.advance({Time::never(), 1'000'000});
    REQUIRE(std::holds_alternative<Completed>(step));
    const std::int64_t flits = ceil_div(std::int64_t{1} << 40, 640);
    CHECK(simulator.now() == Time{} + flit * (flits + 1) + Duration{810'000});
}

TEST_CASE("The sweep stops after so many events though a message lands whole only after many more", "[engines]") {
    FabricSpec spec = packet_fabric(2, 1);
    spec.fidelity = Fidelity::ualink;  // no long windows
    spec.responses = ResponsePolicy::per_message;
    SimulatorOptions options;
    options.engine = Engine::sweep;
    Simulator simulator(build_fabric(spec), options);
    simulator.register_collective(send(0, 1, std::int64_t{1} << 32));
    CHECK(std::holds_alternative<LimitReached>(simulator.advance({Time::never(), 1'000})));
    CHECK(simulator.statistics().flits == 0);
    CHECK(std::holds_alternative<Completed>(simulator.advance()));
}

TEST_CASE("The sweep stops soon though one message among many is far longer than the others", "[engines]") {
    constexpr std::uint32_t ranks = 256;
    constexpr std::int64_t most_events = 300'000;  // of more than a million
    SizeTable sizes(ranks, std::vector<Bytes>(ranks, Bytes{640 * 9}));
    sizes[0][1] = Bytes{std::int64_t{1} << 30};
    CollectiveSpec spec;
    spec.primitive = Primitive::all_to_all;
    spec.schedule = ScheduleKind::direct;
    spec.sizes = std::make_shared<const SizeTable>(std::move(sizes));
    SimulatorOptions options;
    options.engine = Engine::sweep;
    Simulator simulator(build_fabric(packet_fabric(ranks, 8)), options);
    simulator.register_collective(spec);
    std::uint64_t events = 0;
    for (Advance step = LimitReached{}; std::holds_alternative<LimitReached>(step);) {
        step = simulator.advance({Time::never(), 1});
        CHECK(simulator.progress().events - events < most_events);
        events = simulator.progress().events;
    }
    CHECK(events > 1'000'000);
}

TEST_CASE("The sweep tells nothing from beyond the end of simulated time, and forgets it when it begins again",
          "[engines]") {
    const auto fabric = build_fabric(packet_fabric(4, 2));
    const auto simulate = [&](Engine engine) {
        SimulatorOptions options{true};
        options.engine = engine;
        Simulator simulator(fabric, options);
        CollectiveSpec late = all_reduce(640 * 160);
        late.earliest_start = Time{9'000'000 * ps_per_second - 2'000'000};  // lasts longer
        simulator.register_collective(late);
        CHECK_THROWS_AS(simulator.advance(), Error);
        const NetworkStatistics told = simulator.progress();
        CHECK(told.flits > 0);
        simulator.reset();
        simulator.register_collective(all_reduce(640 * 160));
        return std::make_pair(told.flits, look(simulator, simulator.drain()));
    };
    const auto [flits, seen] = simulate(Engine::sweep);
    const auto [expected_flits, expected] = simulate(Engine::reference);
    CHECK(flits == expected_flits);
    check_equal(seen, expected);
}
