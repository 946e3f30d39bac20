// How far each mode may be off, from what it noticed while it ran.
#pragma once

#include <simlette/fabric/flit_network.hpp>
#include <simlette/fabric/message_network.hpp>
#include <simlette/sim/analytic_network.hpp>
#include <simlette/sim/mode.hpp>

namespace simlette {

inline Validity judge(const FlitNetwork<LaneQueue>&, const HostGraph&) {
    return {};
}

// Message mode is exact as long as no source has counted on a credit before flit mode would have given it back. The
// error estimated is what those credits were late by, the longest of each window, of the time taken with that added.
Validity judge(const MessageNetwork& network, const HostGraph& graph);

// Analytic mode knows neither other collectives nor credits.
Validity judge(const AnalyticNetwork& network, const HostGraph& graph);

}  // namespace simlette
