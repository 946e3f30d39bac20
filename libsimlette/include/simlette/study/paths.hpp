// How long the ways between accelerators are: latencies of an idle fabric, without serialization.
#pragma once

#include <cstdint>
#include <optional>

#include <simlette/base/units.hpp>
#include <simlette/fabric/fabric.hpp>

namespace simlette {

// One message without relays: the first of its candidates at every choice.
struct PathLatency {
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::uint32_t packet_switches = 0;
    Duration endpoint{0};
    Duration protocol{0};
    Duration propagation{0};
    Duration switching{0};

    Duration total() const { return endpoint + protocol + propagation + switching; }
};

struct PathRange {
    PathLatency shortest;
    PathLatency longest;  // of equal ones the first
};

// Over all pairs that reach each other without relays; in a large fabric over those from accelerator 0. Empty: no pair.
std::optional<PathRange> path_range(const Fabric& fabric);

}  // namespace simlette
