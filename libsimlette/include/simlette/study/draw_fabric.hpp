// Pictures of a fabric: SVG for people, DOT for Graphviz.
//
// A packet fabric is drawn as accelerators below and switches above, circuits as a circle of accelerators. Large
// fabrics are drawn in groups of neighbouring numbers, each with its count.
#pragma once

#include <string>

#include <simlette/base/export.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/run.hpp>

namespace simlette {

// Throws Error{input} when the fabric cannot be built.
SIMLETTE_EXPORT std::string fabric_svg(const LoadedRun& loaded, const RunInputs& inputs);
SIMLETTE_EXPORT std::string fabric_dot(const LoadedRun& loaded, const RunInputs& inputs);

// The fabric of a run, its links coloured by utilization.
SIMLETTE_EXPORT std::string links_svg(const RunReport& report);

}  // namespace simlette
