// What a fabric is made of, as plain data. A topology file becomes a FabricSpec; a program may fill one directly.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <simlette/base/units.hpp>

namespace simlette {

enum class FabricKind {
    single_level,  // every port of an accelerator leads to a switch of its own (one plane a port)
    direct,        // circuits run from accelerator to accelerator with no device between
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
    Duration propagation{10'000};     // of every link
    Duration packet_switch{300'000};  // pin to pin, electronic (UALink 200G 1.0 section 10.9.2, as the paper reads it)
    Duration circuit_switch{10'000};  // pass-through, optical

    friend bool operator==(const LatencySpec& a, const LatencySpec& b) {
        return a.egress_endpoint == b.egress_endpoint && a.egress_protocol == b.egress_protocol &&
               a.ingress_endpoint == b.ingress_endpoint && a.ingress_protocol == b.ingress_protocol &&
               a.propagation == b.propagation && a.packet_switch == b.packet_switch &&
               a.circuit_switch == b.circuit_switch;
    }
};

inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

// Whole flits per port, direction and channel: `unlimited`, or 1 to 2^31 - 2.
struct BufferSpec {
    std::int64_t request = unlimited;
    std::int64_t response = unlimited;
};

enum class RoutingPolicy {
    spray,   // over all ports that lead there
    hashed,  // one port per (source, destination), by a hash keyed with the seed
    fixed,   // `static`: one port per destination, destination mod ports
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

// Circuits of an optical level, or of `direct`. Exactly one of the three forms is used:
//   cube        unit generators of the cube over the accelerators, each floor(ports / bits) times, the rest idle
//   generators  accelerator x is joined to x XOR g, multiplicity[i] times for generator i; ports run generator by
//               generator in list order, the copies of one generator side by side
//   port_pairs  for each port, the pairs of accelerators that its switch joins
struct CircuitSpec {
    bool cube = false;
    std::vector<std::uint32_t> generators;
    std::vector<std::uint32_t> multiplicity;  // empty: all 1
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> port_pairs;
};

struct FabricSpec {
    FabricKind kind = FabricKind::single_level;
    DeviceKind device = DeviceKind::eps;  // of the single level; ignored by `direct`
    std::uint32_t accelerators = 0;       // serving; 1 to 65,536
    std::uint32_t ports = 0;              // per accelerator; 1 to 1,024
    BitRate port_rate{400'000'000'000};   // payload rate of a port, one direction; a flit must take whole picoseconds
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
    std::vector<std::uint32_t> placement;  // rank -> accelerator; empty: identity
    std::uint64_t seed = 1;
};

}  // namespace simlette
