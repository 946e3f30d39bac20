// Finding out why nothing moves: who waits for whose buffer.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/statistics.hpp>

namespace simlette {

// A port with waiting flits and no credit, and the ports whose flits fill the buffer that it waits for.
struct WaitingPort {
    LinkId link = 0;
    Channel channel = Channel::request;
    std::vector<LinkId> waits_for;  // of the same channel, ascending
};

// Requires: ports ascend by (link, channel). The cycle starts at its lowest port; the lowest of several is reported.
StallReport explain_stall(const HostGraph& graph, Time since, const std::vector<WaitingPort>& ports);

}  // namespace simlette
