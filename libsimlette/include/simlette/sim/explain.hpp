// From the log of the ports on a critical path to the story of its last flits.
#pragma once

#include <vector>

#include <simlette/collective/player.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/traffic.hpp>
#include <simlette/sim/simulator.hpp>

namespace simlette {

// The links that the messages of the path go by, requests of reads included.
void append_critical_links(const HostGraph& graph, const CollectiveRun& run, std::vector<LinkId>& links);

std::vector<PathStep> explain_path(const HostGraph& graph, const CollectiveRun& run,
                                   const std::vector<Departure>& departures);

}  // namespace simlette
