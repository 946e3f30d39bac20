// Colours and type of all pictures, for light and dark surroundings.
#pragma once

#include <cstdint>
#include <string>

namespace simlette {

// For a <style>: classes paper, ink, soft, device, rim and so on, colours c0 ... c11, utilization u0 ... u9.
std::string picture_style();

inline constexpr std::uint32_t colour_count = 12;
std::string colour_class(std::uint32_t colour);  // from the 13th on dashed, then from the start

inline constexpr std::int64_t use_steps = 10;
// Of a utilization in billionths: in steps of a tenth, or `idle` for 0.
std::string use_class(std::int64_t billionths);

}  // namespace simlette
