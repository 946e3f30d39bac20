// Random simulations for the comparison of modes: longer messages than elsewhere, and every kind of answer.
#pragma once

#include <algorithm>
#include <vector>

#include <simlette/sim/simulator.hpp>
#include <support/random_case.hpp>

namespace simlette {

struct ModeRun {
    std::vector<Time> ends;  // by collective
    Time end;
    std::uint64_t hash = 0;
    NetworkStatistics statistics;
    Validity validity;
};

inline ModeRun run_in(Mode mode, const RandomCase& one) {
    SimulatorOptions options;
    options.mode = mode;
    Simulator simulator(build_fabric(one.fabric), options);
    for (const CollectiveSpec& collective : one.collectives) {
        simulator.register_collective(collective);
    }
    ModeRun result;
    result.ends.resize(one.collectives.size());
    while (true) {
        const Advance step = simulator.advance();
        const auto* done = std::get_if<Completed>(&step);
        if (done == nullptr) {
            break;
        }
        result.ends[done->id] = done->end;
        result.end = std::max(result.end, done->end);
    }
    // What is still on its way, such as responses, is part of the statistics of neither.
    result.hash = simulator.event_hash();
    result.statistics = simulator.statistics();
    result.validity = simulator.validity();
    return result;
}

inline RandomCase random_mode_case(Random& random, bool finite) {
    RandomCase one = random_case(random);
    one.fabric.responses = one_in(random, 3) ? ResponsePolicy::none : ResponsePolicy::per_message;
    one.fabric.buffers = {};
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

}  // namespace simlette
