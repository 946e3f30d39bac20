// What a run checks before it simulates anything: the fabric stands, and every collective fits it.
#pragma once

#include <memory>
#include <vector>

#include <simlette/study/run.hpp>

namespace simlette {

// As build_fabric, with problems that name the topology file.
std::shared_ptr<const Fabric> build_fabric_of(const LoadedRun& loaded, const RunInputs& inputs);

// Every entry of the workload as it will be registered: schedule, form, phases, flits and payload; nothing has started.
// Throws Error{input} with all entries that do not fit, naming the workload file.
std::vector<EntryReport> preview(const std::shared_ptr<const Fabric>& fabric, const WorkloadSpec& workload,
                                 const RunInputs& inputs);

}  // namespace simlette
