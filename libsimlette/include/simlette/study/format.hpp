// Results as people read them. Times and sizes are exact: no picosecond and no byte is lost. Units that files use:
// study/quantity.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/units.hpp>

namespace simlette {

std::string microseconds(std::int64_t ps);                    // 82.1284
std::string time_text(std::int64_t ps);                       // 13.76 s, 1.5 ms, 82.1284 us, 12.8 ns, 0 ns
std::string rounded_rate_text(std::int64_t bits_per_second);  // 400 Gb/s, 396.8 Gb/s: three decimals, rounded down
std::string count_text(std::uint64_t count);                  // 4,177,920
std::string bytes_text(Bytes bytes);                          // 64 KiB, 5121.875 KiB, 60,001 B: at most three decimals
std::string buffer_text(std::int64_t flits);                  // 22 flits, unlimited
std::string percent_text(std::int64_t billionths);            // 98.76 %
// part / whole in percent, four decimals, rounded: +0.8211, -12.5000, 0.0000 only for nothing. Requires: 0 < whole.
std::string signed_percent_text(Duration part, Duration whole);

// RFC 4180: a text with a comma, a quote or a line break stands in quotes.
std::string csv_field(const std::string& text);

// Columns padded to their widest cell and joined by two spaces; the first `left` columns are aligned left, the others
// right. Every row starts with `indent` and ends with a line break. Requires: rows of equal length.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left, const std::string& indent);

}  // namespace simlette
