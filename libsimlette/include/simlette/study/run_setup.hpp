// What a run checks before it simulates anything: the fabric stands, and every collective fits it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <simlette/study/run.hpp>

namespace simlette {

// As build_fabric, with problems that name the topology file.
std::shared_ptr<const Fabric> build_fabric_of(const LoadedRun& loaded, const RunInputs& inputs);

// After so many a run looks whether it should stop.
inline constexpr std::uint64_t events_between_looks = std::uint64_t{1} << 18;

// Every entry of the workload as it will be registered: schedule, form, phases, flits and payload; nothing has started.
// None of synthetic traffic. Throws Error{input} with all that does not fit, naming the workload file.
std::vector<EntryReport> preview(const std::shared_ptr<const Fabric>& fabric, const WorkloadSpec& workload,
                                 const RunInputs& inputs);

}  // namespace simlette
