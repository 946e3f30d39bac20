// Random cases, replayable by one number: SIMLETTE_SEED=n runs the case of that seed alone, SIMLETTE_SEEDS=n runs n
// cases of each property.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include <simlette/base/random.hpp>

namespace simlette {

// Cases of each property by default.
struct Cases {
    static constexpr std::uint64_t reference = 1000;   // whole simulations against the reference
    static constexpr std::uint64_t invariants = 200;   // whole simulations, watched at every instant
    static constexpr std::uint64_t engines = 125;      // whole simulations on both engines, each twice
    static constexpr std::uint64_t single_flow = 100;  // one message, run several times
    static constexpr std::uint64_t slicing = 40;       // one simulation, cut up at random
    static constexpr std::uint64_t parts = 100;        // one small part against its oracle
    static constexpr std::uint64_t mutations = 600;    // schedules with one thing wrong
};

// Calls body(random) once a seed, from seed 1 on. Properties differ by `property`, so that none repeats another's
// draws.
template <class Body>
void for_each_seed(std::uint64_t property, std::uint64_t cases, Body&& body) {
    const char* one = std::getenv("SIMLETTE_SEED");
    const char* many = std::getenv("SIMLETTE_SEEDS");
    const std::uint64_t first = one != nullptr ? std::stoull(one) : 1;
    const std::uint64_t last = one != nullptr ? first : (many != nullptr ? std::stoull(many) : cases);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        CAPTURE(seed);
        Random random = Random(seed).fork(property);
        body(random);
    }
}

}  // namespace simlette
