// Proves that circuits stand: knows the devices and the light, nothing of how a plan was found or laid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/label.hpp>
#include <simlette/collective/rank_group.hpp>
#include <simlette/fabric/device_matchings.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

// What is wrong, for a person; empty if all of it holds. Every port of an accelerator or a device has one circuit at
// most and stands within the radix; the light that enters at one end of a circuit comes out at the other, through the
// matchings of the devices in between, and no matching joins ports that no circuit uses. Fabrics without circuit
// switches have no devices; of hybrid ones a circuit joins switches of level 1.
std::vector<std::string> faults_of_circuits(const FabricSpec& fabric, const HostGraph& graph,
                                            const std::vector<DeviceMatching>& devices);

// From each accelerator to the one that a generator leads to stand as many circuits as it has copies, and no others.
// `labels`: how a generator is added to an accelerator.
std::vector<std::string> faults_of_generators(const HostGraph& graph, const RankGroup& labels,
                                              const std::vector<Label>& generators,
                                              const std::vector<std::uint32_t>& copies);

}  // namespace simlette
