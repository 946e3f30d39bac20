// From the trace of the messages on a critical path to the story of its last flits.
#pragma once

#include <vector>

#include <simlette/collective/player.hpp>
#include <simlette/fabric/flit_trace.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/sim/simulator.hpp>

namespace simlette {

// The messages of the path, requests of reads included.
std::vector<TracedMessage> critical_messages(const CollectiveRun& run);

// Where the time of a collective went, and the story that says so.
struct CriticalPath {
    TimeParts parts;
    std::vector<PathStep> steps;
};

// Requires: all of these messages were traced.
CriticalPath explain_path(const HostGraph& graph, const CollectiveRun& run, const FlitTrace& trace);

}  // namespace simlette
