// A schedule file: its keys, and the proof that it carries out what a workload asks of it.
#pragma once

#include <simlette/collective/schedule_spec.hpp>
#include <simlette/study/kinds.hpp>

namespace simlette {

const Fields<ScheduleSpec>& schedule_fields();

// Reads a tree. False: problems were added.
bool read_schedule(const Value& file, ScheduleSpec& into);

// False: a problem was added, at the send that goes wrong. Requires: read_schedule() was true.
bool prove_schedule(const Value& file, const ScheduleSpec& schedule, Primitive primitive);

}  // namespace simlette
