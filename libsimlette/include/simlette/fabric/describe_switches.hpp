// Parts of a description that are read off the switches of a graph.
#pragma once

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/fabric.hpp>

namespace simlette {

// Levels of an explicit graph, by their distance from the accelerators, and its oversubscription.
void describe_switches(const Fabric& fabric, FabricDescription& description);

// The shortest and the longest latency of a way over switches. Where all racks are alike, ways to accelerator 0 are
// enough.
void describe_switch_paths(const Fabric& fabric, FabricDescription& description);

}  // namespace simlette
