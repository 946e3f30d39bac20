// The network of each mode behind one type.
#pragma once

#include <variant>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/flit_network.hpp>
#include <simlette/fabric/message_network.hpp>
#include <simlette/fabric/sweep_network.hpp>
#include <simlette/sim/analytic_network.hpp>
#include <simlette/sim/mode.hpp>

namespace simlette {

using Network = std::variant<FlitNetwork<LaneQueue>, SweepNetwork, MessageNetwork, AnalyticNetwork>;

// Throws Error{input} if the mode cannot carry the fabric. The fabric must outlive the network.
// `sweep`: flit mode by a SweepNetwork. Requires: it fits.
Network network_for(const Fabric& fabric, Mode mode, bool sweep = false);

// Why a fabric is not for a SweepNetwork; nullptr if it is.
const char* sweep_misfit(const Fabric& fabric);

// Nothing is simulated later, so that what an event sets off stays in 64 bits: a flit and a path take 1.1e16 ps at
// most.
inline constexpr Time last_instant{9'000'000 * ps_per_second};

}  // namespace simlette
