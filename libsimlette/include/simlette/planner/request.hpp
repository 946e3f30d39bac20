// What a plan is asked for: meshes whose axes carry collectives, the ports to build circuits from, and what a circuit
// costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/units.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

struct PlanCollective {
    Primitive primitive = Primitive::all_reduce;
    Bytes bytes{0};                                   // the larger of a rank's input and output buffer
    std::uint32_t calls = 1;                          // weight: how often a step makes it
    ScheduleKind schedule = ScheduleKind::automatic;  // the best, or this one
};

struct PlanAxis {
    std::string name;
    std::uint32_t size = 1;
    std::vector<PlanCollective> collectives;  // none: the axis gets no circuits, its bits only label
};

// All ranks arranged along axes, slowest first; the product of the sizes is the number of ranks. All ranks at once, as
// `group: world` means them, are a mesh of one axis.
struct PlanMesh {
    std::string name;
    std::vector<PlanAxis> axes;
};

struct PlanRequest {
    std::uint32_t ranks = 0;
    std::uint32_t ports = 0;  // per accelerator
    BitRate rate{400'000'000'000};
    Duration latency{0};         // of a circuit inside a group, core to core; on one level of every circuit
    Duration latency_across{0};  // of a circuit between groups
    std::uint32_t group = 0;     // accelerators of a group (a rack); 0: one level
    std::uint32_t up = 0;        // on two levels: circuits of one rail that may leave a group
    bool same_port = false;      // both ends of a circuit are on the same port, as optical switches join them
    std::vector<PlanMesh> meshes;
    bool rings = false;        // an axis may be a ring, which is priced and not laid, if only one mesh has collectives
    std::uint64_t effort = 0;  // nodes of the search at most; 0: the default of the planner
};

}  // namespace simlette
