// A fabric reduced to what a picture can hold: devices in groups, and what joins them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/fabric/built_fabric.hpp>

namespace simlette {

// Devices of one kind with numbers in a row.
struct SketchGroup {
    std::string name;
    std::uint32_t count = 1;
    std::uint32_t level = 0;  // hops from the accelerators, which have 0
};

// All links between two groups; of circuits, those of one colour.
struct SketchEdge {
    std::uint32_t from = 0;  // below `to`, or before it
    std::uint32_t to = 0;
    std::uint32_t colour = 0;
    std::uint32_t parallel = 0;  // edges between the same groups that were drawn before
    std::uint64_t links = 0;     // one way
    std::int64_t use_forth = 0;  // billionths, of the busiest link from `from`
    std::int64_t use_back = 0;
};

struct FabricSketch {
    bool circuits = false;            // from accelerator to accelerator, drawn as a circle
    std::uint32_t columns = 0;        // a torus of two dimensions is drawn as a grid; 0: it is none
    std::vector<SketchGroup> groups;  // accelerators first, then switches by level
    std::uint32_t accelerator_groups = 0;
    std::vector<SketchEdge> edges;            // ends in different groups, ascending by (from, to, colour)
    std::uint64_t inside = 0;                 // circuits between accelerators of one group
    std::vector<std::string> colours;         // what each means: a generator's bits, a port, a rail; empty: nothing
    std::vector<std::uint64_t> colour_links;  // one way, or circuits
    std::vector<std::uint32_t> copies;        // of generators
    std::vector<std::string> notes;           // what was left out or put together
};

// `use`: utilization by link in billionths; empty: none, and links are told apart by generator, port or rail.
FabricSketch sketch(const Fabric& fabric, const std::vector<std::int64_t>& use);

}  // namespace simlette
