// Circuits, schedules and placement that were chosen together, as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/label.hpp>
#include <simlette/base/units.hpp>
#include <simlette/planner/request.hpp>

namespace simlette {

struct PlannedCollective {
    PlanCollective collective;  // its schedule is the chosen one
    std::uint32_t phases = 0;
    Duration time{0};  // of one call
};

struct PlannedAxis {
    std::string name;
    std::uint32_t size = 1;
    // Of a power of two: the bits of the accelerator's label that hold the coordinate, most significant first.
    std::vector<unsigned> bits;
    // The same bits in blocks, each with all masks over it; empty without collectives.
    std::vector<std::vector<unsigned>> blocks;
    std::string topology;  // `Q6[3,3]`
    std::uint32_t degree = 0;
    std::uint32_t multiplicity = 0;  // parallel circuits of each generator that its schedules count on
    std::vector<PlannedCollective> collectives;
};

struct PlannedMesh {
    std::string name;
    std::vector<PlannedAxis> axes;  // slowest first
};

struct Plan {
    std::string space;     // what `optimal` means
    Duration total{0};     // sum of calls times time
    Duration bound{0};     // no plan of the space is faster
    bool optimal = false;  // total == bound
    bool truncated = false;
    std::uint32_t ranks = 0;
    std::uint32_t ports = 0;            // that there are
    std::uint32_t degree = 0;           // generators
    std::uint32_t ports_used = 0;       // circuits of an accelerator
    std::vector<Label> generators;      // ascending
    std::vector<std::uint32_t> copies;  // parallel circuits of each generator
    std::vector<PlannedMesh> meshes;
};

}  // namespace simlette
