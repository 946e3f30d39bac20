// Random small simulations on two levels of switches, the upper one electronic or optical.
#pragma once

#include <algorithm>

#include <support/random_case.hpp>

namespace simlette {

inline void random_choices(Random& random, FabricSpec& spec) {
    spec.routing.policy = one_of(random, {RoutingPolicy::spray, RoutingPolicy::spray, RoutingPolicy::hashed,
                                          RoutingPolicy::fixed, RoutingPolicy::random, RoutingPolicy::adaptive});
    spec.routing.granularity = one_in(random, 4) ? Granularity::message : Granularity::flit;
    spec.routing.stripe = one_in(random, 3) ? Stripe::restart : Stripe::carry_on;
    spec.seed = random.next();
}

// Racks of up to 4, the last one often serving in part; a rack more than serve now and then.
inline void random_racks(Random& random, FabricSpec& spec) {
    spec.kind = FabricKind::two_level;
    spec.group = static_cast<std::uint32_t>(random.between(2, 4));
    const auto serving = static_cast<std::uint32_t>(one_in(random, 10) ? 1 : random.between(2, 4));
    spec.accelerators =
        std::max(2U, spec.group * (serving - 1) + static_cast<std::uint32_t>(random.between(1, spec.group)));
    spec.domain = spec.group * (serving + static_cast<std::uint32_t>(random.below(2)));
    spec.ports = static_cast<std::uint32_t>(random.between(1, 4));
    spec.level1.up = static_cast<std::uint32_t>(random.between(1, 4));
    if (spec.level2.device == DeviceKind::ocs) {
        spec.circuits.automatic = true;
        const std::uint32_t rounds = serving % 2 == 0 ? serving - 1 : serving;
        spec.level1.up = std::max(spec.level1.up, (rounds + spec.ports - 1) / spec.ports);
    }
    spec.level1.down = spec.group + static_cast<std::uint32_t>(random.below(2));
    spec.level1.radix = spec.level1.down + spec.level1.up + static_cast<std::uint32_t>(random.below(2));
    const auto spines = static_cast<std::uint32_t>(random.between(1, std::min(3U, spec.level1.up)));
    const std::uint32_t side_by_side = (spec.level1.up + spines - 1) / spines;
    spec.level2.radix = std::max(2U, spec.domain / spec.group * side_by_side);
}

inline FabricSpec random_levels(Random& random) {
    FabricSpec spec;
    spec.level2.device = one_in(random, 3) ? DeviceKind::ocs : DeviceKind::eps;
    random_times(random, spec);
    random_choices(random, spec);
    random_racks(random, spec);
    spec.hop_reading = one_in(random, 5) ? HopReading::per_hop : HopReading::switch_only;
    spec.credit_return_is_link_latency = one_in(random, 4);
    spec.responses = one_in(random, 2) ? ResponsePolicy::per_message : ResponsePolicy::none;
    if (one_in(random, 3)) {
        spec.placement = random_permutation(random, spec.accelerators);
    }
    return spec;
}

inline RandomCase random_levels_case(Random& random) {
    RandomCase one{random_levels(random), {}};
    const std::int64_t collectives = random.between(1, 3);
    for (std::int64_t i = 0; i < collectives; ++i) {
        one.collectives.push_back(random_collective(random, one.fabric));
    }
    return one;
}

inline std::string levels_text_of(const RandomCase& one) {
    const FabricSpec& f = one.fabric;
    std::ostringstream text;
    text << (f.level2.device == DeviceKind::ocs ? "hybrid" : "all-EPS") << " domain " << f.domain << " group "
         << f.group << " down " << f.level1.down << " up " << f.level1.up << " radix " << f.level2.radix
         << " return of a link " << f.credit_return_is_link_latency << " per hop "
         << (f.hop_reading == HopReading::per_hop) << ' ' << text_of(one);
    return text.str();
}

}  // namespace simlette
