// Links to accelerators with finite credits: the sweep goes far ahead.
#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>

#include <support/both_engines.hpp>
#include <support/random_graph.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// As a rule only links to accelerators have finite credits, each a number and a return of its own, or all those of a
// class the same.
LinkClass with_own_credits(Random& random, LinkClass kind, bool to_switch) {
    const std::int64_t most = one_of<std::int64_t>(random, {3, 20, 256});
    const bool finite = !to_switch || one_in(random, 10);
    kind.credits = {finite ? random.between(1, most) : unlimited, finite ? random.between(1, most) : unlimited};
    kind.credit_return = kind.flit_time * (one_in(random, 2) ? 0 : random.between(0, 200));
    return kind;
}

std::shared_ptr<const Fabric> with_own_credits(Random& random, const FabricSpec& spec) {
    const auto fabric = build_fabric(spec);
    HostGraph graph = fabric->graph;
    const auto classes = static_cast<std::uint32_t>(graph.classes.size());
    const bool each = one_in(random, 3);
    graph.classes.clear();
    for (std::uint32_t i = 0; !each && i < 2 * classes; ++i) {
        graph.classes.push_back(with_own_credits(random, fabric->graph.classes[i % classes], i >= classes));
    }
    for (HostLink& link : graph.links) {
        const bool to_switch = link.to >= graph.accelerators;
        if (each) {
            graph.classes.push_back(with_own_credits(random, fabric->graph.classes[link.link_class], to_switch));
            link.link_class = static_cast<std::uint32_t>(graph.classes.size()) - 1;
        } else {
            link.link_class += to_switch ? classes : 0;
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

TEST_CASE("The sweep gives what the reference gives, where credits come back from accelerators alone", "[engines]") {
    for_each_seed(307, Cases::engines, [](Random& random) {
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
