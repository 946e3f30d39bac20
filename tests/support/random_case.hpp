// Random small simulations in which many things happen at one instant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <simlette/base/label.hpp>
#include <simlette/base/random.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/fabric/spec.hpp>

#include <support/flit_time.hpp>
#include <support/reference_network.hpp>

namespace simlette {

struct RandomCase {
    FabricSpec fabric;
    std::vector<CollectiveSpec> collectives;
};

template <class T>
T one_of(Random& random, std::initializer_list<T> choices) {
    return choices.begin()[random.below(choices.size())];
}

inline bool one_in(Random& random, std::uint64_t n) {
    return random.below(n) == 0;
}

template <class T>
void shuffle(Random& random, std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(items[i - 1], items[random.below(i)]);
    }
}

inline std::vector<std::uint32_t> random_permutation(Random& random, std::uint32_t n) {
    std::vector<std::uint32_t> order(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        order[i] = i;
    }
    shuffle(random, order);
    return order;
}

// Short flit times and latencies of a few of them meet often; the nominal ones are there as well.
inline void random_times(Random& random, FabricSpec& spec) {
    const std::int64_t flit = one_of<std::int64_t>(random, {1, 2, 4, 5, 10, 12'800});
    spec.port_rate = rate_of({flit});
    const auto latency = [&] {
        return Duration{one_in(random, 3) ? random.between(0, 3 * flit) : flit * random.between(0, 4)};
    };
    if (!one_in(random, 4)) {
        spec.latency = {latency(), latency(), latency(), latency(), latency(), latency(), latency(), latency()};
    }
    spec.credit_return = one_in(random, 2) ? Duration{0} : latency();
    spec.buffers.request = one_in(random, 4) ? unlimited : random.between(1, 6);
    spec.buffers.response = one_in(random, 4) ? unlimited : random.between(1, 6);
}

inline void random_routing(Random& random, FabricSpec& spec) {
    spec.routing.stripe = one_in(random, 3) ? Stripe::restart : Stripe::carry_on;
    if (one_in(random, 4)) {
        spec.routing = {RoutingPolicy::spray, Granularity::message, Stripe::carry_on};
    } else if (one_in(random, 6)) {
        spec.routing.policy = RoutingPolicy::fixed;
    }
}

inline void random_generators(Random& random, FabricSpec& spec) {
    spec.accelerators = std::uint32_t{1} << random.between(1, 4);
    const unsigned bits = bits_of(spec.accelerators);
    if (one_in(random, 2)) {
        spec.circuits.cube = true;
        spec.ports =
            bits * static_cast<std::uint32_t>(random.between(1, 3)) + static_cast<std::uint32_t>(random.below(bits));
        return;
    }
    spec.circuits.generators = unit_generators(bits);
    for (Label extra = 3; extra < spec.accelerators; extra += 2) {
        if (one_in(random, 4)) {
            spec.circuits.generators.push_back(extra);
        }
    }
    shuffle(random, spec.circuits.generators);
    spec.ports = 0;
    for (std::size_t i = 0; i < spec.circuits.generators.size(); ++i) {
        spec.circuits.multiplicity.push_back(static_cast<std::uint32_t>(random.between(1, 3)));
        spec.ports += spec.circuits.multiplicity.back();
    }
}

// A path through all accelerators, and one random matching.
inline void random_pairs(Random& random, FabricSpec& spec) {
    spec.accelerators = static_cast<std::uint32_t>(random.between(2, 9));
    spec.ports = 4;
    spec.circuits.port_pairs.assign(3, {});
    const std::vector<std::uint32_t> path = random_permutation(random, spec.accelerators);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        spec.circuits.port_pairs[i % 2].emplace_back(path[i], path[i + 1]);
    }
    const std::vector<std::uint32_t> matched = random_permutation(random, spec.accelerators);
    for (std::size_t i = 0; i + 1 < matched.size(); i += 2) {
        spec.circuits.port_pairs[2].emplace_back(matched[i], matched[i + 1]);
    }
    shuffle(random, spec.circuits.port_pairs);
}

// A placement that keeps the neighbours of the cube neighbours: bits change places and values.
inline std::vector<std::uint32_t> turned_cube(Random& random, std::uint32_t n) {
    const std::vector<std::uint32_t> places = random_permutation(random, bits_of(n));
    const auto flipped = static_cast<std::uint32_t>(random.below(n));
    std::vector<std::uint32_t> placement(n, flipped);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        for (std::uint32_t bit = 0; bit < places.size(); ++bit) {
            placement[rank] ^= (rank >> bit & 1U) << places[bit];
        }
    }
    return placement;
}

inline FabricSpec random_fabric(Random& random) {
    FabricSpec spec;
    spec.responses = ResponsePolicy::none;
    random_times(random, spec);
    random_routing(random, spec);
    spec.seed = random.next();
    const std::uint64_t kind = random.below(5);
    if (kind < 2) {
        spec.accelerators = static_cast<std::uint32_t>(random.between(2, 9));
        spec.ports = static_cast<std::uint32_t>(random.between(1, 4));
    } else {
        spec.kind = one_in(random, 2) ? FabricKind::direct : FabricKind::single_level;
        spec.device = DeviceKind::ocs;
        if (kind == 4) {
            random_pairs(random, spec);
        } else {
            random_generators(random, spec);
        }
    }
    if (one_in(random, 3)) {
        const bool cube = is_power_of_two(spec.accelerators) && one_in(random, 2);
        spec.placement = cube ? turned_cube(random, spec.accelerators) : random_permutation(random, spec.accelerators);
    }
    return spec;
}

inline bool on_circuits(const FabricSpec& spec) {
    return spec.kind == FabricKind::direct || spec.device == DeviceKind::ocs;
}

inline Bytes random_bytes(Random& random) {
    switch (random.below(4)) {
        case 0:
            return {random.between(1, 20)};
        case 1:
            return {640 * random.between(1, 8)};
        case 2:
            return {random.between(1, 3'000)};
        default:
            return {random.between(1, 10'000)};
    }
}

// Ranks that a rank reaches without a relay.
inline std::vector<std::uint32_t> peers_of(const FabricSpec& fabric, std::uint32_t rank) {
    const ReferenceNetwork network(fabric);
    const auto accelerator = [&](std::uint32_t r) { return fabric.placement.empty() ? r : fabric.placement[r]; };
    std::vector<std::uint32_t> found;
    for (std::uint32_t other = 0; other < fabric.accelerators; ++other) {
        const bool reached = !network.ways(accelerator(rank), accelerator(other)).empty();
        if (other != rank && (!on_circuits(fabric) || reached)) {
            found.push_back(other);
        }
    }
    return found;
}

// Whether the ports of every rank lead to the same generators, as ranks see them, with those of the cube among them.
inline bool holds_cube(const FabricSpec& fabric) {
    std::vector<std::uint32_t> rank_of(fabric.accelerators);
    for (std::uint32_t rank = 0; rank < fabric.accelerators; ++rank) {
        rank_of[fabric.placement.empty() ? rank : fabric.placement[rank]] = rank;
    }
    std::vector<std::uint32_t> generators;
    const ReferenceNetwork network(fabric);
    for (std::uint32_t a = 0; a < fabric.accelerators; ++a) {
        std::vector<std::uint32_t> seen(fabric.ports, 0);
        for (const auto& [port, peer] : network.cables()) {
            seen[port.second] = port.first == a ? rank_of[peer.first] ^ rank_of[a] : seen[port.second];
        }
        generators = a == 0 ? seen : generators;
        if (seen != generators) {
            return false;
        }
    }
    const std::vector<Label> units = unit_generators(bits_of(fabric.accelerators));
    return std::all_of(units.begin(), units.end(),
                       [&](Label unit) { return std::count(generators.begin(), generators.end(), unit) > 0; });
}

inline std::vector<std::uint32_t> random_group(Random& random, const FabricSpec& fabric, std::size_t size) {
    std::vector<std::uint32_t> group = random_permutation(random, fabric.accelerators);
    group.resize(size);
    return group;
}

inline void make_send_recv(Random& random, const FabricSpec& fabric, CollectiveSpec& spec) {
    const auto first = static_cast<std::uint32_t>(random.below(fabric.accelerators));
    const std::vector<std::uint32_t> peers = peers_of(fabric, first);
    spec.primitive = Primitive::send_recv;
    spec.schedule = ScheduleKind::automatic;
    spec.group = {first, peers[random.below(peers.size())]};
}

// A primitive and a schedule that need no generators.
inline void choose_other(Random& random, bool circuits, bool power_of_two, CollectiveSpec& spec) {
    using Choice = std::pair<Primitive, ScheduleKind>;
    std::vector<Choice> choices{{Primitive::broadcast, ScheduleKind::one_shot}};
    if (!circuits) {
        choices.insert(choices.end(), {{Primitive::all_to_all, ScheduleKind::direct},
                                       {Primitive::all_to_all, ScheduleKind::pairwise},
                                       {Primitive::all_gather, ScheduleKind::direct},
                                       {Primitive::all_gather, ScheduleKind::ring},
                                       {Primitive::reduce_scatter, ScheduleKind::direct},
                                       {Primitive::reduce_scatter, ScheduleKind::ring},
                                       {Primitive::all_reduce, ScheduleKind::ring}});
    }
    if (!circuits && power_of_two) {
        choices.emplace_back(Primitive::all_reduce, ScheduleKind::halving_doubling);
    }
    std::tie(spec.primitive, spec.schedule) = choices[random.below(choices.size())];
}

inline CollectiveSpec random_collective(Random& random, const FabricSpec& fabric) {
    CollectiveSpec spec;
    spec.bytes = random_bytes(random);
    const std::int64_t flit = flit_time_of(fabric.port_rate).ps;
    spec.earliest_start = {one_in(random, 2) ? 0 : random.between(0, 30) * flit};
    spec.send_order = one_in(random, 2) ? SendOrder::same : SendOrder::rotated;
    spec.phase_barrier = one_in(random, 3);
    if (!on_circuits(fabric) && one_in(random, 3)) {
        spec.group = random_group(random, fabric, random.below(fabric.accelerators) + 1);
    }
    const std::size_t ranks = spec.group.empty() ? fabric.accelerators : spec.group.size();
    spec.schedule = ScheduleKind::one_shot;
    if (!on_circuits(fabric) && one_in(random, 2)) {
        spec.schedule = ScheduleKind::two_shot;
    } else if (is_power_of_two(ranks) && one_in(random, 2) && (!on_circuits(fabric) || holds_cube(fabric))) {
        spec.schedule = one_of(random, {ScheduleKind::recursive_doubling, ScheduleKind::coset_factored_parallel});
    }
    if (spec.schedule == ScheduleKind::coset_factored_parallel) {
        spec.layers.blocks.assign(bits_of(ranks), 1);  // the cube, whatever folds there are
    }
    if (one_in(random, 6)) {
        make_send_recv(random, fabric, spec);
    } else if (on_circuits(fabric) ? one_in(random, 6) : one_in(random, 2)) {
        choose_other(random, on_circuits(fabric), is_power_of_two(ranks), spec);
    }
    return spec;
}

inline RandomCase random_case(Random& random) {
    RandomCase one{random_fabric(random), {}};
    const std::int64_t collectives = random.between(1, 3);
    for (std::int64_t i = 0; i < collectives; ++i) {
        one.collectives.push_back(random_collective(random, one.fabric));
    }
    return one;
}

// In words, for the message of a failure.
inline std::string text_of(const RandomCase& one) {
    const FabricSpec& f = one.fabric;
    std::ostringstream text;
    text << (on_circuits(f) ? "circuits" : "packets") << " accelerators " << f.accelerators << " ports " << f.ports
         << " rate " << f.port_rate.per_second << " credits " << f.buffers.request << " credit_return "
         << f.credit_return.ps << " policy " << static_cast<int>(f.routing.policy) << " granularity "
         << static_cast<int>(f.routing.granularity) << " stripe " << static_cast<int>(f.routing.stripe)
         << " response credits " << f.buffers.response << " responses " << static_cast<int>(f.responses) << " ualink "
         << (f.fidelity == Fidelity::ualink) << " tags " << f.tags << " generators";
    for (const std::uint32_t g : f.circuits.generators) {
        text << ' ' << g;
    }
    for (const CollectiveSpec& c : one.collectives) {
        text << "; primitive " << static_cast<int>(c.primitive) << " schedule " << static_cast<int>(c.schedule)
             << " bytes " << c.bytes.count << " start " << c.earliest_start.ps << " order "
             << static_cast<int>(c.send_order) << " barrier " << c.phase_barrier << " read "
             << (c.operation == Operation::read) << " group of " << c.group.size();
    }
    return text.str();
}

}  // namespace simlette
