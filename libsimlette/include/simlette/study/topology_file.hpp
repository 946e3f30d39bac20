// A topology file: its keys, and the checks that look at more than one of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <simlette/fabric/spec.hpp>
#include <simlette/study/kinds.hpp>

namespace simlette {

// `circuits` as the file says it.
struct CircuitText {
    bool cube = false;
    std::vector<std::string> generators;      // bit strings
    std::vector<std::uint32_t> multiplicity;  // empty: not given
    bool same_multiplicity = false;           // one number for all generators
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> port_pairs;
};

struct TopologyFile {
    FabricSpec fabric;
    CircuitText circuits;
    std::uint32_t planes = 0;           // 0: not given
    std::uint32_t ports_per_plane = 0;  // 0: not given
};

Kind<CircuitText> circuits_kind();

// The table of the keys.
const Fields<TopologyFile>& topology_fields();

// Reads a tree, checks what needs more than one key, and resolves the defaults. Problems are added to `problems`.
TopologyFile read_topology(const Node& root, Problems& problems);

}  // namespace simlette
