// What a schedule costs by itself, whatever latency, rate and parallel circuits it will meet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/base/units.hpp>
#include <simlette/collective/exact.hpp>
#include <simlette/collective/overlay_shape.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

struct ScheduleCost {
    std::uint32_t phases = 0;  // one after the other
    Exact volume = 0;          // bytes on the busiest circuit, summed over the phases, per byte of the buffer
    std::uint32_t ports = 0;   // that a rank drives at once

    friend bool operator==(const ScheduleCost& a, const ScheduleCost& b) {
        return a.phases == b.phases && a.volume == b.volume && a.ports == b.ports;
    }
};

// By phase and coset layer: what every circuit of the layer carries, per byte of the buffer, or its largest message.
using LayerShares = std::vector<std::vector<Exact>>;
using LayerMessages = std::vector<std::vector<Bytes>>;

struct ClosedForm {
    LayerKind layers;  // that it may use
    // Nothing if the schedule can be carried out, else what is missing.
    std::optional<std::string> (*misfit)(const OverlayShape&);
    // All below require: no misfit.
    ScheduleCost (*cost)(const OverlayShape&);
    // The largest message of each phase; bytes do not divide evenly.
    std::vector<Bytes> (*messages)(const OverlayShape&, Bytes buffer);
    // Both are nullptr if it does not go along layers.
    LayerShares (*layer_shares)(const OverlayShape&) = nullptr;
    LayerMessages (*layer_messages)(const OverlayShape&, Bytes buffer) = nullptr;
};

// nullptr if there is none for this pair.
SIMLETTE_EXPORT const ClosedForm* closed_form(Primitive primitive, ScheduleKind kind);

// With flits that are not divided: phase after phase the latency, and the largest message over `copies` parallel
// circuits; a phase that moves nothing takes no time. Requires: copies >= 1.
SIMLETTE_EXPORT Duration flit_time_of(const std::vector<Bytes>& messages, Duration latency, Duration flit_time,
                                      std::int64_t copies);

// The same where the latency depends on the layer: a phase ends with the last of its messages.
SIMLETTE_EXPORT Duration flit_time_of(const LayerMessages& messages, const std::vector<Duration>& latencies,
                                      Duration flit_time, std::int64_t copies);

// On packet switches of one level every rank sends so much in a phase, spread over its ports.
struct PacketPhase {
    std::uint32_t messages = 0;
    Bytes largest{0};  // of them; bytes do not divide evenly
};
using PacketForm = std::vector<PacketPhase> (*)(std::uint32_t ranks, Bytes buffer);

// nullptr if there is none for this pair.
PacketForm packet_form(Primitive primitive, ScheduleKind kind);

// Phase after phase the latency, the flits of the fullest port, and the one that the switch stores: what flit mode
// takes where all messages of a phase have equal flits and leave in rotated order, since then no two meet at an output.
// Requires: ports >= 1.
Duration packet_time_of(const std::vector<PacketPhase>& phases, Duration latency, Duration flit_time,
                        std::int64_t ports);

// Half the cost, for one half of a schedule.
ScheduleCost half_of(const ScheduleCost& cost);

// One per file of a schedule.
extern const ClosedForm one_shot_form;
extern const ClosedForm one_shot_dvo_form;
extern const ClosedForm recursive_doubling_form;
extern const ClosedForm ring_form;
extern const ClosedForm ring_half_form;
extern const ClosedForm coset_factored_form;
extern const ClosedForm coset_factored_parallel_form;
extern const ClosedForm rs_ag_form;
extern const ClosedForm rs_ag_scatter_form;
extern const ClosedForm rs_ag_gather_form;
extern const ClosedForm rs_ag_parallel_form;
extern const ClosedForm rs_ag_parallel_scatter_form;
extern const ClosedForm rs_ag_parallel_gather_form;
extern const ClosedForm rs_ag_parallel_r_min_form;
extern const ClosedForm bruck_form;
extern const ClosedForm bruck_parallel_form;

std::vector<PacketPhase> one_shot_packets(std::uint32_t ranks, Bytes buffer);
std::vector<PacketPhase> direct_packets(std::uint32_t ranks, Bytes buffer);
std::vector<PacketPhase> two_shot_packets(std::uint32_t ranks, Bytes buffer);
std::vector<PacketPhase> pairwise_packets(std::uint32_t ranks, Bytes buffer);
std::vector<PacketPhase> halving_doubling_packets(std::uint32_t ranks, Bytes buffer);  // ranks: a power of two
std::vector<PacketPhase> ring_packets(std::uint32_t ranks, Bytes buffer);
std::vector<PacketPhase> ring_half_packets(std::uint32_t ranks, Bytes buffer);

}  // namespace simlette
