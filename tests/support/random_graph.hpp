// Random simulations on explicit graphs, on circuits of two levels, and by any schedule that there is.
#pragma once

#include <memory>

#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/sim/simulator.hpp>

#include <support/random_levels.hpp>

namespace simlette {

// Parallel links, rates, lengths and optical passes differ from link to link.
inline void random_link(Random& random, FabricSpec& spec, std::uint32_t from, std::uint32_t to) {
    GraphSpec::Link link;
    link.from = from;
    link.to = to;
    link.count = one_in(random, 3) ? 2 : 1;
    if (one_in(random, 3)) {
        link.rate = BitRate{spec.port_rate.per_second / one_of<std::int64_t>(random, {2, 4, 5})};
    }
    if (one_in(random, 3)) {
        link.propagation = Duration{random.between(0, 40)};
    }
    link.optical_passes = one_in(random, 4) ? 1 : 0;
    spec.graph.links.push_back(link);
}

// A tree of nodes from `first` on.
inline void random_tree(Random& random, FabricSpec& spec, std::uint32_t first, std::uint32_t nodes) {
    for (std::uint32_t node = 1; node < nodes; ++node) {
        random_link(random, spec, first + node, first + static_cast<std::uint32_t>(random.below(node)));
    }
}

// Leaves that each hang on every spine.
inline void random_spines(Random& random, FabricSpec& spec, std::uint32_t leaves, std::uint32_t spines) {
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
        for (std::uint32_t spine = 0; spine < spines; ++spine) {
            random_link(random, spec, spec.accelerators + leaf, spec.accelerators + leaves + spine);
        }
    }
}

// Accelerators on one or two switches of a tree or of two levels, or joined without any switch.
inline FabricSpec random_graph(Random& random) {
    FabricSpec spec;
    spec.kind = FabricKind::explicit_graph;
    random_times(random, spec);
    random_choices(random, spec);
    spec.credit_return_is_link_latency = one_in(random, 4);
    spec.accelerators = static_cast<std::uint32_t>(random.between(2, 8));
    spec.ports = 16;
    if (one_in(random, 5)) {
        random_tree(random, spec, 0, spec.accelerators);
        return spec;
    }
    const auto leaves = static_cast<std::uint32_t>(random.between(1, 4));
    const auto spines = static_cast<std::uint32_t>(random.below(3));
    for (std::uint32_t a = 0; a < spec.accelerators; ++a) {
        for (std::int64_t links = random.between(1, 2); links > 0; --links) {
            random_link(random, spec, a, spec.accelerators + static_cast<std::uint32_t>(random.below(leaves)));
        }
    }
    spines == 0 ? random_tree(random, spec, spec.accelerators, leaves) : random_spines(random, spec, leaves, spines);
    for (std::uint32_t device = 0; device < leaves + spines; ++device) {
        spec.graph.devices.push_back({"s" + std::to_string(device), 0});
    }
    return spec;
}

// Circuits in racks and across, of two latencies.
inline FabricSpec random_optical_levels(Random& random) {
    FabricSpec spec;
    random_times(random, spec);
    random_choices(random, spec);
    random_generators(random, spec);
    spec.kind = FabricKind::two_level;
    spec.group = spec.accelerators >> random.below(bits_of(spec.accelerators) + 1);
    spec.level1 = {DeviceKind::ocs, 2 * spec.group, spec.group, spec.group};
    spec.level2 = {DeviceKind::ocs, 64, 0, 0};
    return spec;
}

// Any primitive by any schedule that the fabric does not refuse.
inline CollectiveSpec any_collective(Random& random, const std::shared_ptr<const Fabric>& fabric) {
    constexpr auto last = static_cast<std::uint64_t>(ScheduleKind::pairwise);
    Simulator simulator(fabric);
    while (true) {
        CollectiveSpec spec = random_collective(random, fabric->spec);
        spec.layers = {};
        spec.primitive = static_cast<Primitive>(random.below(static_cast<std::uint64_t>(Primitive::broadcast) + 1));
        spec.schedule = static_cast<ScheduleKind>(random.below(last + 1));
        if (one_in(random, 2)) {
            spec.layers.blocks.assign(static_cast<std::size_t>(random.between(1, 3)), 1);
            spec.layers.blocks.front() = static_cast<std::uint32_t>(random.between(1, 3));
        }
        try {
            simulator.register_collective(spec);
            return spec;
        } catch (const Error& refused) {
            if (refused.kind() != ErrorKind::input) {
                throw;
            }
        }
    }
}

inline RandomCase with_any_collectives(Random& random, FabricSpec spec) {
    spec.responses = one_in(random, 2) ? ResponsePolicy::per_message : ResponsePolicy::none;
    RandomCase one{std::move(spec), {}};
    const auto fabric = build_fabric(one.fabric);
    for (std::int64_t left = random.between(1, 3); left > 0; --left) {
        one.collectives.push_back(any_collective(random, fabric));
    }
    random_operations(random, one);
    return one;
}

}  // namespace simlette
