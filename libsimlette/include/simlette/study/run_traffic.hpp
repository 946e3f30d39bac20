// A run of synthetic traffic.
#pragma once

#include <simlette/study/run.hpp>

namespace simlette {

// Fills in what the simulation tells. Throws as run() does. Requires: the workload is traffic.
void run_traffic(const LoadedRun& loaded, const RunInputs& inputs, const RunControl& control, RunReport& report);

}  // namespace simlette
