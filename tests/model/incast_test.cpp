// Both engines of flit mode where many send to one at a time.
#include <algorithm>

#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>

#include <support/both_engines.hpp>
#include <support/flit_time.hpp>
#include <support/random_levels.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// All to one or two, or to all in the same order.
CollectiveSpec random_incast(Random& random, const FabricSpec& fabric, std::int64_t most_bytes) {
    const std::uint32_t ranks = fabric.accelerators;
    CollectiveSpec spec = all_reduce(random.between(1, most_bytes));
    if (one_in(random, 2)) {
        SizeTable sizes(ranks, std::vector<Bytes>(ranks, Bytes{0}));
        for (std::vector<Bytes>& row : sizes) {
            for (std::int64_t left = random.between(1, 2); left > 0; --left) {
                row[random.below(std::min(ranks, 2U))] = Bytes{random.between(1, most_bytes)};
            }
        }
        sizes[ranks - 1][0] = Bytes{random.between(1, most_bytes)};  // not to itself
        spec = {};
        spec.primitive = Primitive::all_to_all;
        spec.schedule = ScheduleKind::direct;
        spec.sizes = std::make_shared<const SizeTable>(sizes);
    }
    const std::int64_t flit = flit_time_of(fabric.port_rate).ps;
    spec.earliest_start = {one_in(random, 2) ? 0 : random.between(0, 60) * flit};
    spec.send_order = one_in(random, 4) ? SendOrder::rotated : SendOrder::same;
    return spec;
}

}  // namespace

// Many inputs wait for one accelerator. Nothing goes back on the channel of requests, at times on none.
TEST_CASE("The sweep gives what the reference gives, where many send to one", "[engines]") {
    for_each_seed(309, Cases::engines, [](Random& random) {
        const bool wide = one_in(random, 20);
        FabricSpec fabric = wide ? packet_fabric(static_cast<std::uint32_t>(random.between(126, 132)), 1)
                                 : packet_fabric(static_cast<std::uint32_t>(random.between(3, 16)),
                                                 static_cast<std::uint32_t>(random.between(1, 3)));
        if (!wide && one_in(random, 3)) {
            fabric = random_levels(random);
        }
        random_times(random, fabric);
        random_choices(random, fabric);
        if (fabric.routing.policy == RoutingPolicy::adaptive) {
            fabric.routing.policy = RoutingPolicy::spray;
        }
        fabric.responses = one_in(random, 2) ? ResponsePolicy::none : ResponsePolicy::per_message;
        fabric.buffers.request = unlimited;
        RandomCase one{fabric, {}};
        for (std::int64_t left = random.between(1, 3); left > 0; --left) {
            one.collectives.push_back(random_incast(random, fabric, wide ? 3'000 : 12'000));
        }
        random_operations(random, one);
        INFO(levels_text_of(one));
        const auto built = build_fabric(one.fabric);
        check_cut(random, one, built, check_whole(one, built));
    });
}

TEST_CASE("The sweep sees the longest queue where it lies inside a rotation, and only up to where it is cut",
          "[engines]") {
    constexpr std::uint32_t senders = 5;
    constexpr std::int64_t flits = 20;
    const Duration flit{12'800};
    SizeTable sizes(senders + 1, std::vector<Bytes>(senders + 1, Bytes{0}));
    for (std::uint32_t sender = 1; sender <= senders; ++sender) {
        sizes[sender][0] = Bytes{640 * flits};
    }
    CollectiveSpec incast;
    incast.primitive = Primitive::all_to_all;
    incast.schedule = ScheduleKind::direct;
    incast.sizes = std::make_shared<const SizeTable>(sizes);
    const auto fabric = build_fabric(packet_fabric(senders + 1, 1));
    Both whole(fabric);
    whole.add(incast);
    const auto longest = [](const Seen& seen) {
        return std::max_element(seen.links.begin() + senders + 1, seen.links.end(),
                                [](const LinkStatistics& a, const LinkStatistics& b) { return a.queue < b.queue; })
            ->queue;
    };
    CHECK(longest(whole.go({})) == (senders - 1) * flits);  // one leaves as five come
    const Time first{flit.ps + 555'000};                    // comes to the switch
    for (std::int64_t come = 1; come <= flits + 2; ++come) {
        Both cut(fabric);
        cut.add(incast);
        CHECK(longest(cut.go({first + flit * (come - 1)})) == (senders - 1) * std::min(come, flits));
    }
}

// Two inputs have sent to an accelerator, and what is left of one leaves when data that was read comes from two more.
TEST_CASE("The sweep sees the longest queue where answers wait for credits while requests pass them", "[engines]") {
    FabricSpec spec = packet_fabric(5, 1);
    spec.responses = ResponsePolicy::per_message;
    const auto built = build_fabric(spec);
    HostGraph graph = built->graph;
    LinkClass slow = graph.class_of(static_cast<LinkId>(graph.links.size()) - 1);
    slow.credits = {unlimited, 1};
    slow.credit_return = Duration{100'000'000};
    graph.links.back().link_class = static_cast<std::uint32_t>(graph.classes.size());
    graph.classes.push_back(slow);
    const auto fabric = std::make_shared<const Fabric>(built->spec, std::move(graph));
    RandomCase one{spec, {send(0, 4, 640 * 60), send(1, 4, 640 * 30), send(2, 4, 640 * 8), send(3, 4, 640 * 8)}};
    one.collectives[2].operation = one.collectives[3].operation = Operation::read;
    for (std::int64_t start = 0; start < 300'000; start += 30'000) {
        CAPTURE(start);
        one.collectives[2].earliest_start = one.collectives[3].earliest_start = Time{start};
        check_whole(one, fabric);
    }
}
