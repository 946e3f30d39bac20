// Results of a sweep as lines over one of its parameters: a script for gnuplot, which draws them.
#pragma once

#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/study/sweep.hpp>

namespace simlette {

// What is named here are parameters of the study, or `topology`, `workload`, `mode`.
struct PlotRequest {
    std::string x;
    std::string y;                    // a result or a cost
    std::vector<std::string> series;  // what tells lines apart
};

// Reads `x=PATH,y=NAME,series=PATH+PATH`. Without `series` everything that varies besides `x` tells lines apart. Throws
// Error{input} when a name is none, or when a line would have two points at one place.
SIMLETTE_EXPORT PlotRequest plot_request(const std::string& text, const Study& study);

// The SVG comes out on gnuplot's standard output.
SIMLETTE_EXPORT std::string plot_script(const PlotRequest& request, SweepTable table);

}  // namespace simlette
