// The network of each mode behind one type.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
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
// `sweep`: flit mode by a SweepNetwork, on so many threads. Requires: it fits.
Network network_for(const Fabric& fabric, Mode mode, bool sweep = false, std::uint32_t threads = 1);

// Why a fabric is not for a SweepNetwork; nullptr if it is.
const char* sweep_misfit(const Fabric& fabric);

// Why not the sweep but the reference carries flit mode; empty: the sweep does, or the choice was not free, or the mode
// is another. `misfit`: what the sweep cannot do, or nullptr. Throws Error{input} if the sweep was asked for.
std::string fallback_reason_for(Mode mode, Engine engine, const char* misfit);
inline bool sweep_carries(Mode mode, Engine engine, const std::string& fallback_reason) {
    return mode == Mode::flit && engine != Engine::reference && fallback_reason.empty();
}

// The sweep simulates on the way to its next instant, so it asks for how far; and before its statistics are read, its
// ports must come to the instant that is open.
template <class Carrier>
Time next_instant_of(Carrier& carrier, Time) {
    return carrier.next_instant();
}
inline Time next_instant_of(SweepNetwork& sweep, Time limit) {
    return sweep.next_instant(limit);
}
// Not an instant to stop at.
template <class Carrier>
bool is_ahead(const Carrier&) {
    return false;
}
inline bool is_ahead(const SweepNetwork& sweep) {
    return sweep.ahead();
}
// Nobody will ask where time went.
template <class Carrier>
void explain_none(Carrier&) {}
inline void explain_none(FlitNetwork<LaneQueue>& network) {
    network.explain_none();
}
// Counts latencies by itself.
template <class Carrier>
inline constexpr bool tallies = std::is_same_v<Carrier, SweepNetwork>;
template <class Carrier>
Carrier& settle(Carrier& carrier) {
    return carrier;
}
inline SweepNetwork& settle(SweepNetwork& sweep) {
    sweep.settle();
    return sweep;
}

// Nothing is simulated later, so that what an event sets off stays in 64 bits: a flit and a path take 1.1e16 ps at
// most.
inline constexpr Time last_instant{9'000'000 * ps_per_second};

}  // namespace simlette
