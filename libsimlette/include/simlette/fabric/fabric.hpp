// A fabric, checked and built: what a simulation runs on. Immutable, shared by any number of simulators and threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

class Fabric;

// Throws Error{input} with the reasons why the fabric cannot be built, circuits only if the rest is right: port budget,
// radix, circuits that are no matching or do not connect all accelerators, a rate whose flit time is no whole number of
// picoseconds.
SIMLETTE_EXPORT std::shared_ptr<const Fabric> build_fabric(const FabricSpec& spec);

// Devices of one level, those of the whole domain.
struct LevelDescription {
    DeviceKind device = DeviceKind::eps;
    std::uint32_t devices = 0;
    std::uint32_t radix = 0;       // 0: not bounded
    std::uint32_t ports_used = 0;  // of the fullest device, when all of the domain serve
    std::uint64_t links = 0;       // undirected, to the level below (level 1: to the accelerators)
};

// Counts that describe a fabric.
struct FabricDescription {
    std::uint32_t accelerators = 0;  // serving
    std::uint32_t domain = 0;
    std::vector<LevelDescription> levels;  // nearest to the accelerators first; none without devices
    // Capacity of a level-1 device towards its accelerators to that towards level 2, in lowest terms, such as 4 to 1.
    // Of an explicit graph the largest of those of switches that have links of both kinds.
    std::uint64_t oversubscription_down = 1;
    std::uint64_t oversubscription_up = 1;
    std::uint32_t ports = 0;       // per accelerator, as the file gives them
    std::uint32_t ports_used = 0;  // per accelerator, the most of any
    std::uint32_t packet_switches = 0;
    std::uint32_t circuit_switches = 0;
    std::uint32_t switch_ports_used = 0;  // of the fullest switch; 0 without switches
    std::uint64_t links = 0;              // directed
    std::uint64_t circuits = 0;           // undirected; 0 on a packet fabric
    std::uint32_t diameter = 0;           // hops of a message between accelerators, relays included; of the widest part
    std::uint32_t parts = 1;              // that circuits join; more than one only by a plan
    std::uint64_t bisection_links = 0;    // directed links, one way, that cross the worst even cut; see bisection_exact
    bool bisection_exact = false;         // false: an upper bound, the best cut found
    BitRate bisection_rate{0};            // of these links together
    Duration flit_time{0};
    Duration path_latency{0};                 // unloaded, without serialization, of the shortest single hop
    Duration path_latency_most{0};            // of the longest, such as one across racks
    std::vector<std::string> generators;      // bit strings; empty unless circuits are XOR translations
    std::vector<std::uint32_t> multiplicity;  // one per generator
};

SIMLETTE_EXPORT FabricDescription describe(const Fabric& fabric);

// Rates near `rate` whose flit time is a whole number of picoseconds: the next lower and the next higher one.
struct NearestRates {
    BitRate below;
    BitRate above;
};
SIMLETTE_EXPORT NearestRates nearest_exact_rates(BitRate rate);
SIMLETTE_EXPORT bool is_exact_rate(BitRate rate);

}  // namespace simlette
