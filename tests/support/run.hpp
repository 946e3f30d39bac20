// Runs collectives to their end through the public door.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/sim/simulator.hpp>

namespace simlette {

struct RunResult {
    std::vector<MessageRecord> messages;
    std::vector<Time> ends;  // by collective
    NetworkStatistics statistics;
    std::vector<LinkStatistics> links;
    std::uint64_t hash = 0;

    Time end() const { return *std::max_element(ends.begin(), ends.end()); }
};

// Takes completions until nothing is left.
inline std::vector<Time> finish(Simulator& simulator) {
    std::vector<Time> ends(simulator.collectives());
    while (true) {
        const Advance step = simulator.advance();
        if (const auto* done = std::get_if<Completed>(&step)) {
            ends[done->id] = done->end;
            continue;
        }
        REQUIRE(std::holds_alternative<Idle>(step));
        return ends;
    }
}

inline RunResult run(const FabricSpec& fabric, const std::vector<CollectiveSpec>& collectives, bool messages = true,
                     Engine engine = Engine::automatic) {
    SimulatorOptions options;
    options.record_messages = messages;
    options.engine = engine;
    Simulator simulator(build_fabric(fabric), options);
    for (const CollectiveSpec& collective : collectives) {
        simulator.register_collective(collective);
    }
    RunResult result;
    result.ends = finish(simulator);
    if (messages) {
        result.messages = simulator.messages();
    }
    result.statistics = simulator.statistics();
    result.links = simulator.links();
    result.hash = simulator.event_hash();
    return result;
}

// Builders of the usual cases, without responses; what is not named keeps its default.
inline FabricSpec packet_fabric(std::uint32_t accelerators, std::uint32_t ports) {
    FabricSpec spec;
    spec.accelerators = accelerators;
    spec.ports = ports;
    spec.responses = ResponsePolicy::none;
    return spec;
}

inline FabricSpec cube_fabric(std::uint32_t accelerators, std::uint32_t ports) {
    FabricSpec spec = packet_fabric(accelerators, ports);
    spec.device = DeviceKind::ocs;
    spec.circuits.cube = true;
    return spec;
}

inline FabricSpec with_buffers(FabricSpec spec, std::int64_t flits) {
    spec.buffers = {flits, flits};
    return spec;
}

inline CollectiveSpec all_reduce(std::int64_t bytes, ScheduleKind schedule = ScheduleKind::one_shot) {
    CollectiveSpec spec;
    spec.schedule = schedule;
    spec.bytes = {bytes};
    return spec;
}

inline CollectiveSpec send(std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    CollectiveSpec spec;
    spec.primitive = Primitive::send_recv;
    spec.group = {from, to};
    spec.bytes = {bytes};
    return spec;
}

inline std::string text_of(const MessageRecord& m) {
    std::ostringstream text;
    text << "collective " << m.collective << " phase " << m.phase << ' ' << m.source << "->" << m.destination
         << " port " << m.port << ": " << m.bytes << " B, " << m.flits << " flits, injected " << m.injected.ps
         << ", delivered " << m.delivered.ps;
    return text.str();
}

// The first message that differs, in words; empty if none does.
inline std::string first_difference(const std::vector<MessageRecord>& ours, const std::vector<MessageRecord>& theirs) {
    for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
        std::string left = i < ours.size() ? text_of(ours[i]) : "nothing";
        const std::string right = i < theirs.size() ? text_of(theirs[i]) : "nothing";
        if (left != right) {
            return left.append(" | but ").append(right);
        }
    }
    return "";
}

}  // namespace simlette
