// A workload as plain data: meshes, collectives and what each waits for, or synthetic traffic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/sim/traffic_spec.hpp>

namespace simlette {

// All ranks, arranged along axes. A rank is its coordinates, written as one number: the first axis counts slowest.
struct Mesh {
    struct Axis {
        std::string name;
        std::uint32_t size = 1;
    };
    std::string name;
    std::vector<Axis> axes;

    SIMLETTE_EXPORT std::uint64_t ranks() const;  // the product of the sizes
};

// The groups of ranks that differ along one axis only, by their first ranks. Requires: axis < mesh.axes.size().
SIMLETTE_EXPORT std::vector<std::vector<std::uint32_t>> groups_of_axis(const Mesh& mesh, std::size_t axis);

struct WorkloadEntry {
    std::string name;                // unique; empty: not named
    std::string group = "world";     // as the file says it; of an axis `mesh.axis`
    CollectiveSpec collective;       // earliest_start counts from 0, or from the end of the last of `after`
    std::vector<std::size_t> after;  // entries before this one, by index
    std::uint32_t calls = 1;         // how often a decode step makes it; it is run once

    bool on_axis() const { return !collective.groups.empty(); }
};

struct WorkloadSpec {
    std::vector<WorkloadEntry> collectives;
    std::vector<Mesh> meshes;
    std::optional<TrafficSpec> traffic;  // then there are no collectives
};

}  // namespace simlette
