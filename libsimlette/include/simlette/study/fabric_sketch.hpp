// A fabric reduced to what a picture can hold: devices in groups, and what joins them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/fabric/built_fabric.hpp>

namespace simlette {

// Devices of one kind with numbers in a row.
struct SketchGroup {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
};

// All links between two groups; of circuits, those of one colour.
struct SketchEdge {
    std::uint32_t from = 0;  // accelerators
    std::uint32_t to = 0;    // accelerators of circuits, from <= to; or switches
    std::uint32_t colour = 0;
    std::uint32_t parallel = 0;  // edges between the same groups that were drawn before
    std::uint64_t links = 0;     // one way
    std::int64_t use_forth = 0;  // billionths, of the busiest link from `from`
    std::int64_t use_back = 0;
};

struct FabricSketch {
    bool circuits = false;
    std::vector<SketchGroup> accelerators;
    std::vector<SketchGroup> switches;  // of a packet fabric
    std::vector<SketchEdge> edges;      // ends in different groups, ascending by (from, to, colour)
    std::uint64_t inside = 0;           // circuits between accelerators of one group
    std::vector<std::string> colours;   // what each means: a generator's bits, or a port; empty: nothing
    std::vector<std::uint64_t> colour_circuits;
    std::vector<std::uint32_t> copies;  // of generators
};

// `use`: utilization by link in billionths; empty: none, and circuits are told apart by their generator or port.
FabricSketch sketch(const Fabric& fabric, const std::vector<std::int64_t>& use);

}  // namespace simlette
