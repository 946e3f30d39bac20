// A topology file: its keys, and the checks that look at more than one of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <simlette/fabric/spec.hpp>
#include <simlette/study/input_tree.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/plan_file.hpp>

namespace simlette {

// `circuits` as the file says it.
struct CircuitText {
    bool automatic = false;
    bool cube = false;
    CircuitShape shape = CircuitShape::none;
    std::vector<std::uint32_t> torus;         // extents
    std::vector<std::string> generators;      // bit strings
    std::vector<std::uint32_t> multiplicity;  // empty: not given
    bool same_multiplicity = false;           // one number for all generators
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> port_pairs;
    std::string plan_file;                 // empty: none
    std::shared_ptr<const PlanFile> plan;  // that it holds, if it is good and the fabric has circuits for it
};

// A link of an explicit graph as the file says it.
struct LinkText {
    std::string from;  // names of accelerators and devices
    std::string to;
    GraphSpec::Link link;  // all but its ends
};

struct TopologyFile {
    FabricSpec fabric;
    std::string accelerator;  // the profile; empty: none
    CircuitText circuits;
    std::vector<LinkText> links;
    std::string placement_file;                      // a plan; empty: none
    std::shared_ptr<const PlanFile> placement_plan;  // that it holds, if it is good
    std::uint32_t planes = 0;                        // 0: not given
    std::uint32_t ports_per_plane = 0;               // 0: not given
};

Kind<CircuitText> circuits_kind();
Kind<LevelSpec> level1_kind();
Kind<LevelSpec> level2_kind();
Kind<std::vector<GraphSpec::Device>> graph_devices_kind();
Kind<std::vector<LinkText>> graph_links_kind();

// Finds the ends of the links of an explicit graph. Requires: `accelerators`, `devices` and `links` were read cleanly.
void resolve_links(const Value& file, TopologyFile& topology);

// The table of the keys.
const Fields<TopologyFile>& topology_fields();

// Reads a tree and the files that it names, checks what needs more than one key, and resolves the defaults. Problems
// are added to `problems`.
TopologyFile read_topology(const Node& root, Problems& problems, NamedFiles& files);

}  // namespace simlette
