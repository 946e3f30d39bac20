// Tables of the links of a run: level by level, and the hottest by name.
#pragma once

#include <string>

#include <simlette/study/run.hpp>

namespace simlette {

// The hottest links only where a level is uneven, or where it was asked whose flits they are; so it may be empty.
// Requires: counts_links(report).
std::string links_table(const RunReport& report);

}  // namespace simlette
