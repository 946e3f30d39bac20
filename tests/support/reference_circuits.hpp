// Which port leads where, read from the rules for the reference.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/fabric/spec.hpp>

namespace simlette {

// peers[accelerator][port]: the accelerator at the far end of the circuit, or -1.
using ReferencePeers = std::vector<std::vector<std::int64_t>>;

inline bool reference_packets(const FabricSpec& spec) {
    return spec.kind == FabricKind::two_level ||
           (spec.kind == FabricKind::single_level && spec.device == DeviceKind::eps);
}

inline ReferencePeers reference_peers(const FabricSpec& spec) {
    ReferencePeers peers(spec.accelerators, std::vector<std::int64_t>(spec.ports, -1));
    for (std::uint32_t port = 0; port < spec.circuits.port_pairs.size(); ++port) {
        for (const auto& [a, b] : spec.circuits.port_pairs[port]) {
            peers[a][port] = b;
            peers[b][port] = a;
        }
    }
    std::vector<std::uint32_t> generators = spec.circuits.generators;
    std::vector<std::uint32_t> copies = spec.circuits.multiplicity;
    for (std::uint32_t bit = 1; spec.circuits.cube && bit < spec.accelerators; bit *= 2) {
        generators.push_back(bit);
    }
    if (copies.empty()) {
        copies.assign(generators.size(), spec.circuits.cube && !generators.empty()
                                             ? spec.ports / static_cast<std::uint32_t>(generators.size())
                                             : 1);
    }
    std::uint32_t port = 0;
    for (std::size_t g = 0; g < generators.size(); ++g) {
        for (std::uint32_t copy = 0; copy < copies[g]; ++copy, ++port) {
            for (std::uint32_t a = 0; a < spec.accelerators; ++a) {
                peers[a][port] = a ^ generators[g];
            }
        }
    }
    return peers;
}

}  // namespace simlette
