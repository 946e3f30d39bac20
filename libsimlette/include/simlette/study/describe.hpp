// What files describe, before anything runs: the fabric and the workload in words, in JSON, and with their size.
#pragma once

#include <string>

#include <simlette/base/export.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/run.hpp>

namespace simlette {

// One line each, as they stand on top of a report.
std::string fabric_line(const FabricSpec& fabric);
std::string workload_line(const WorkloadSpec& workload);
std::string entry_name(const WorkloadEntry& entry, std::size_t index);  // its name, or its place in the file
std::string ranks_text(const WorkloadEntry& entry, const CollectiveReport& collective);  // `32`; of an axis `4 x 8`
std::string group_text(const WorkloadEntry& entry, std::size_t group);  // of an axis; its ranks, at most 8

// Checks that the fabric can be built and that every collective fits it, and describes both. `inputs.workload` empty:
// the fabric alone. Throws Error{input}.
SIMLETTE_EXPORT std::string description_text(const LoadedRun& loaded, const RunInputs& inputs);
SIMLETTE_EXPORT std::string description_json(const LoadedRun& loaded, const RunInputs& inputs);

// The resolved configuration and the estimate, as `simlette run --check` prints them.
SIMLETTE_EXPORT std::string check_text(const LoadedRun& loaded, const RunInputs& inputs);
SIMLETTE_EXPORT std::string check_json(const LoadedRun& loaded, const RunInputs& inputs);

// Passes, connectors and their losses against the limit, or that they are not checked.
std::string optical_budget_text(const FabricSpec& fabric);

}  // namespace simlette
