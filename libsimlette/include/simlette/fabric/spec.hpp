// What a fabric is made of, as plain data. A topology file becomes a FabricSpec; a program may fill one directly.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <simlette/base/units.hpp>

namespace simlette {

enum class FabricKind {
    single_level,    // every port of an accelerator leads to a switch of its own (one plane a port)
    two_level,       // a device of level 1 per group and rail (port of the accelerators), above them level 2 per rail
    direct,          // circuits run from accelerator to accelerator with no device between
    explicit_graph,  // switches and links, one by one
};

enum class DeviceKind { eps, ocs };  // electronic packet switch, optical circuit switch

enum class Channel : std::uint8_t { request, response };
inline constexpr int channel_count = 2;

// Latency segments of one path, unloaded, without serialization. All are >= 0.
// Defaults are the nominal profile: 245 + 10 | 300 | 10 + 245 = 810 ns through one electronic switch, 520 ns through
// one optical one. Of the 510 ns that are neither, 250 ns are MMU and TLB (the paper's Table 9), half each way; the
// rest is an even split of its remainder.
struct LatencySpec {
    Duration egress_endpoint{125'000};   // core to wire: inside the accelerator
    Duration egress_protocol{120'000};   // core to wire: the scale-up port
    Duration ingress_endpoint{125'000};  // wire to core
    Duration ingress_protocol{120'000};
    Duration propagation{10'000};         // of every link, on two levels of those between accelerators and level 1
    Duration propagation_level2{10'000};  // of the links between level 1 and level 2
    Duration packet_switch{300'000};  // pin to pin, electronic (UALink 200G 1.0 section 10.9.2, as the paper reads it)
    Duration circuit_switch{10'000};  // pass-through, optical

    friend bool operator==(const LatencySpec& a, const LatencySpec& b) {
        return a.egress_endpoint == b.egress_endpoint && a.egress_protocol == b.egress_protocol &&
               a.ingress_endpoint == b.ingress_endpoint && a.ingress_protocol == b.ingress_protocol &&
               a.propagation == b.propagation && a.propagation_level2 == b.propagation_level2 &&
               a.packet_switch == b.packet_switch && a.circuit_switch == b.circuit_switch;
    }
};

inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

// Whole flits per port, direction and channel: `unlimited`, or 1 to 2^31 - 2.
struct BufferSpec {
    std::int64_t request = unlimited;
    std::int64_t response = unlimited;
};

// Who chooses among ports that lead on equally well. The first three say it at the source and at switches; sources of
// the last two spray.
enum class RoutingPolicy {
    spray,     // over all ports in turn
    hashed,    // one port per (source, destination), by a hash keyed with the seed, a fresh one per level
    fixed,     // `static`: one port per destination, destination mod ports
    random,    // at switches a random port per flit, keyed with the seed
    adaptive,  // at switches the port with the fewest flits queued
};
enum class Granularity { flit, message };
enum class Stripe {
    carry_on,  // `continue`: a message starts where the last one of this phase ended
    restart,   // a message of at least as many flits as ports starts at the first port
};

// What a flit carries and what a transaction is.
enum class Fidelity {
    paper,   // 640 bytes of payload a flit; the port-message is the transaction
    ualink,  // requests of up to 256 bytes, packed as in link/packing.hpp; they are what is sprayed over the ports
};

enum class ResponsePolicy {
    none,
    per_message,      // one response flit per port-message, when its last flit is delivered
    per_transaction,  // one response per 256-byte request, packed eight to a TL flit; with Fidelity::ualink
};

struct RoutingSpec {
    RoutingPolicy policy = RoutingPolicy::spray;
    Granularity granularity = Granularity::flit;
    Stripe stripe = Stripe::carry_on;
};

// What 810 ns through an electronic switch mean on a path with several of them.
enum class HopReading {
    switch_only,  // a further switch adds its own latency and the propagation of its link
    per_hop,      // it adds all that a path through one switch takes, endpoints and protocol included
};

// A level of a two-level fabric.
struct LevelSpec {
    DeviceKind device = DeviceKind::eps;
    std::uint32_t radix = 0;  // ports of one device
    std::uint32_t down = 0;   // of level 1: ports towards the accelerators, at least `group`
    std::uint32_t up = 0;     // of level 1: ports towards level 2

    friend bool operator==(const LevelSpec& a, const LevelSpec& b) {
        return a.device == b.device && a.radix == b.radix && a.down == b.down && a.up == b.up;
    }
};

// A graph of accelerators and electronic packet switches. Nodes: the accelerators, then the switches in list order.
struct GraphSpec {
    struct Device {
        std::string name;         // unique; not one of a0, a1, ...
        std::uint32_t radix = 0;  // 0: not bounded
    };
    struct Link {  // both directions
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint32_t count = 1;              // side by side
        std::optional<BitRate> rate;          // port_rate if not given
        std::optional<Duration> propagation;  // end to end, passes included; latency.propagation if not given
        std::uint32_t optical_passes = 0;     // circuit switches on the way
    };
    std::vector<Device> devices;
    // Ports of a node count up in this order, but those of a switch begin with accelerators, by number.
    std::vector<Link> links;
};

// Circuits by a rule that fits any number of accelerators.
enum class CircuitShape {
    none,
    ring,       // x to x + 1
    full_mesh,  // every pair
    torus,      // a ring per dimension, the last one fastest
};

// Circuits of an optical level, or of `direct`. Exactly one of these forms is used:
//   cube        unit generators of the cube over the accelerators, each floor(ports / bits) times, the rest idle
//   generators  accelerator x is joined to x XOR g, multiplicity[i] times for generator i; ports run generator by
//               generator in list order, the copies of one generator side by side
//   port_pairs  for each port, the pairs of accelerators that its switch joins
//   cables      of `direct` from a port of an accelerator to one of another, of racks from up link to up link
//   shape       of `direct`
//   automatic   of an optical level 2 above electronic switches: racks joined evenly by the circle method
struct CircuitSpec {
    bool cube = false;
    bool automatic = false;
    bool parted = false;  // of a plan: where nothing runs, accelerators need not be joined
    CircuitShape shape = CircuitShape::none;
    std::vector<std::uint32_t> torus;  // extents, slowest first; their product is the number of accelerators
    std::vector<std::uint32_t> generators;
    std::vector<std::uint32_t> multiplicity;  // empty: all 1
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> port_pairs;
    struct Cable {
        std::uint32_t from = 0;
        std::uint32_t from_port = 0;
        std::uint32_t to = 0;
        std::uint32_t to_port = 0;
    };
    std::vector<Cable> cables;
};

// What light loses on its way from port to port, in thousandths of a decibel.
struct OpticsSpec {
    std::int64_t pass_loss = 0;       // of an optical circuit switch
    std::int64_t connector_loss = 0;  // of one connector; every fibre has two
    std::int64_t limit = 0;           // that a receiver stands
};

struct FabricSpec {
    FabricKind kind = FabricKind::single_level;
    DeviceKind device = DeviceKind::eps;  // of the single level; ignored by the others
    std::uint32_t accelerators = 0;       // serving, the first ones of the domain; 1 to 65,536
    std::uint32_t domain = 0;             // accelerators that the devices are built for; 0: the serving ones
    std::uint32_t group = 0;              // of two levels: accelerators per device of level 1 (a rack)
    LevelSpec level1;
    LevelSpec level2;
    HopReading hop_reading = HopReading::switch_only;
    GraphSpec graph;                     // of an explicit graph
    std::uint32_t ports = 0;             // per accelerator; 1 to 1,024
    BitRate port_rate{400'000'000'000};  // payload rate of a port, one direction; a flit must take whole picoseconds
    LatencySpec latency;
    bool credit_return_is_link_latency = false;  // then credit_return is ignored
    Duration credit_return{0};                   // from the freed slot to the sender's use of the credit
    BufferSpec buffers;
    RoutingSpec routing;
    Fidelity fidelity = Fidelity::paper;
    ResponsePolicy responses = ResponsePolicy::per_message;
    std::int64_t tags = unlimited;         // open transactions of a port; if finite at least 128, and per_transaction
    CircuitSpec circuits;                  // of an optical level or of `direct`
    std::uint32_t radix = 0;               // most ports of one switch; 0: not bounded
    std::optional<OpticsSpec> optics;      // if set, no way of light may lose more than its limit
    std::vector<std::uint32_t> placement;  // rank -> accelerator; empty: identity
    std::uint64_t seed = 1;
};

}  // namespace simlette
