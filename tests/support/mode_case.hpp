// Random simulations for the comparison of modes: longer messages than elsewhere, and every kind of answer.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/sim/simulator.hpp>
#include <support/random_case.hpp>

namespace simlette {

struct ModeResult {
    std::vector<Time> ends;  // by collective
    Time end;
    Time drained;  // responses and credits have come home
    std::uint64_t hash = 0;
    NetworkStatistics statistics;
    std::vector<LinkStatistics> links;
    std::vector<MessageRecord> messages;
    Validity validity;
};

inline ModeResult run_in(Mode mode, const RandomCase& one) {
    SimulatorOptions options;
    options.mode = mode;
    options.engine = Engine::reference;  // an event for each flit
    options.record_messages = true;
    Simulator simulator(build_fabric(one.fabric), options);
    for (const CollectiveSpec& collective : one.collectives) {
        simulator.register_collective(collective);
    }
    ModeResult result;
    result.ends.resize(one.collectives.size());
    for (Advance step = simulator.advance(); std::holds_alternative<Completed>(step); step = simulator.advance()) {
        const auto& done = std::get<Completed>(step);
        result.ends[done.id] = done.end;
        result.end = std::max(result.end, done.end);
    }
    REQUIRE(std::holds_alternative<Idle>(simulator.drain()));
    result.drained = simulator.now();
    result.hash = simulator.event_hash();
    result.statistics = simulator.statistics();
    result.links = simulator.links();
    result.messages = simulator.messages();
    result.validity = simulator.validity();
    return result;
}

// One collective on an idle fabric.
inline ModeResult run_in(Mode mode, const FabricSpec& fabric, const CollectiveSpec& collective) {
    return run_in(mode, RandomCase{fabric, {collective}});
}

inline RandomCase random_mode_case(Random& random, bool finite) {
    RandomCase one = random_case(random);
    one.fabric.responses = one_in(random, 3) ? ResponsePolicy::none : ResponsePolicy::per_message;
    one.fabric.buffers = {};
    one.fabric.credit_return_is_link_latency = one_in(random, 3);
    if (finite) {
        const std::int64_t most = one_of<std::int64_t>(random, {4, 16, 64});
        one.fabric.buffers.request = random.between(1, most);
        one.fabric.buffers.response = one_in(random, 2) ? unlimited : random.between(1, most);
    }
    for (CollectiveSpec& collective : one.collectives) {
        if (one_in(random, 2)) {
            collective.bytes = {random.between(1, one_in(random, 3) ? 200'000 : 40'000)};
        }
        const bool reads = one.fabric.responses != ResponsePolicy::none && one_in(random, 4);
        collective.operation = reads ? Operation::read : Operation::write;
    }
    return one;
}

// Of completion, against flit mode, in millionths of it.
inline std::int64_t error_ppm(const ModeResult& other, const ModeResult& flit) {
    return std::abs(other.end.ps - flit.end.ps) / std::max<std::int64_t>(1, flit.end.ps / 1'000'000);
}

}  // namespace simlette
