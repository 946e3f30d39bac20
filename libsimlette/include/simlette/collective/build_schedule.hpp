// From a collective and an overlay to a schedule. One file and one row of the table per algorithm.
#pragma once

#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/overlay.hpp>
#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

// Throws Error{input} if the schedule does not fit the primitive, the number of ranks or the overlay.
// ScheduleKind::automatic is the first of its choices.
Schedule build_schedule(Primitive primitive, ScheduleKind kind, const Overlay& overlay);

// Throws Error{input} if the schedule has faults, is for another number of ranks or leaves the circuits.
Schedule build_own_schedule(const ScheduleSpec& spec, const Overlay& overlay);

// Those that carry out a primitive on some overlay.
SIMLETTE_EXPORT std::vector<ScheduleKind> schedules_of(Primitive primitive);

// Whether it can be told which coset layers to use.
SIMLETTE_EXPORT bool takes_layers(ScheduleKind kind);

// What `auto` chooses from: of equal price the first. Never empty.
std::vector<ScheduleKind> automatic_choices(Primitive primitive, const Overlay& overlay);

// The algorithms. Each throws Error{input} that says what it needs.
Schedule build_one_shot(const Overlay& overlay);
Schedule build_two_shot(const Overlay& overlay);
Schedule build_recursive_doubling(const Overlay& overlay);
Schedule build_one_shot_dvo(const Overlay& overlay);
Schedule build_coset_factored(const Overlay& overlay);
Schedule build_coset_factored_parallel(const Overlay& overlay);
Schedule build_rs_ag(const Overlay& overlay);
Schedule build_rs_ag_reduce_scatter(const Overlay& overlay);
Schedule build_rs_ag_all_gather(const Overlay& overlay);
Schedule build_rs_ag_parallel(const Overlay& overlay);
Schedule build_rs_ag_parallel_reduce_scatter(const Overlay& overlay);
Schedule build_rs_ag_parallel_all_gather(const Overlay& overlay);
Schedule build_bruck(const Overlay& overlay);
Schedule build_bruck_parallel(const Overlay& overlay);
Schedule build_halving_doubling(const Overlay& overlay);
Schedule build_ring(const Overlay& overlay);
Schedule build_ring_all_gather(const Overlay& overlay);
Schedule build_ring_reduce_scatter(const Overlay& overlay);
Schedule build_direct_all_to_all(const Overlay& overlay);
Schedule build_direct_all_gather(const Overlay& overlay);
Schedule build_direct_reduce_scatter(const Overlay& overlay);
Schedule build_pairwise(const Overlay& overlay);
Schedule build_direct_broadcast(const Overlay& overlay);
Schedule build_one_shot_broadcast(const Overlay& overlay);
Schedule build_send_recv(const Overlay& overlay);

// The unit generators of the cube that an overlay contains, in the order of its circuits; lowest bit first if every
// rank reaches every other. Throws Error{input}, naming the schedule, if the ranks are no power of two or a unit
// generator has no circuit.
std::vector<Label> cube_generators(const Overlay& overlay, const char* schedule);

}  // namespace simlette
