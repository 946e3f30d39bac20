// Proof by data flow: a schedule is run on sets of contributors before any flit moves.
#pragma once

#include <optional>
#include <string>

#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

// Nothing if the schedule carries out the primitive; else the first phase, rank and slice that goes wrong.
std::optional<std::string> find_flaw(const Schedule& schedule, Primitive primitive);

}  // namespace simlette
