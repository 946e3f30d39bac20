// From a schedule as plain data to one that can be played, and what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/schedule.hpp>
#include <simlette/collective/schedule_spec.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

struct ScheduleFault {
    std::string path;  // `phases.2.sends.0.to`
    std::string text;  // what is wrong there
};

// Numbers out of range and what does not go together; in the order of the schedule, up to 20.
SIMLETTE_EXPORT std::vector<ScheduleFault> faults_of(const ScheduleSpec& spec);

// Throws Error{input} with the first of its faults.
Schedule schedule_of(const ScheduleSpec& spec);

// The first send whose data goes wrong, by its path; `phases` if it shows only at the end.
// Requires: faults_of(spec) is empty.
SIMLETTE_EXPORT std::optional<ScheduleFault> data_fault(const ScheduleSpec& spec, Primitive primitive);

}  // namespace simlette
