// A picture of how busy the links of each level were over time.
#pragma once

#include <string>

#include <simlette/base/export.hpp>
#include <simlette/study/run.hpp>

namespace simlette {

// Of a run that recorded it; without lines if its time did not move.
SIMLETTE_EXPORT std::string utilization_svg(const RunReport& report);

}  // namespace simlette
