// From a collective and an overlay to a schedule. One file and one row of the table per algorithm.
#pragma once

#include <simlette/collective/overlay.hpp>
#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

// Throws Error{input} if the schedule does not fit the primitive, the number of ranks or the overlay.
Schedule build_schedule(Primitive primitive, ScheduleKind kind, const Overlay& overlay);

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
Schedule build_send_recv(const Overlay& overlay);

// The unit generators of the cube that an overlay contains, in the order of its circuits; lowest bit first if every
// rank reaches every other. Throws Error{input}, naming the schedule, if the ranks are no power of two or a unit
// generator has no circuit.
std::vector<Label> cube_generators(const Overlay& overlay, const char* schedule);

}  // namespace simlette
