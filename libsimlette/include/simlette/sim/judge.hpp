// How far each mode may be off, from what it noticed while it ran.
#pragma once

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/flit_network.hpp>
#include <simlette/fabric/message_network.hpp>
#include <simlette/fabric/sweep_network.hpp>
#include <simlette/sim/analytic_network.hpp>
#include <simlette/sim/mode.hpp>

namespace simlette {

inline Validity judge(const SweepNetwork&, const Fabric&) {
    return {};
}
inline Validity judge(const FlitNetwork<LaneQueue>&, const Fabric&) {
    return {};
}

// Message mode is exact as long as no source has counted on a credit before flit mode would have given it back. The
// error estimated is what those credits were late by, the longest of each window, of the time taken with that added.
Validity judge(const MessageNetwork& network, const Fabric& fabric);

// Analytic mode knows neither other collectives, nor credits, nor packing.
Validity judge(const AnalyticNetwork& network, const Fabric& fabric);

}  // namespace simlette
