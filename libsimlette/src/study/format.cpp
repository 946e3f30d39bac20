#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/quantity.hpp>

namespace simlette {

namespace {

// `value` / 10^decimals, without trailing zeros.
std::string decimal(std::int64_t value, int decimals) {
    const bool negative = value < 0;
    const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    std::string digits = fmt::format("{:0{}}", magnitude, decimals + 1);
    digits.insert(digits.size() - static_cast<std::size_t>(decimals), ".");
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') {
        digits.pop_back();
    }
    return negative ? "-" + digits : digits;
}

struct Scale {
    std::int64_t size;
    const char* name;
};

}  // namespace

std::string microseconds(std::int64_t ps) {
    return decimal(ps, 6);
}

std::string time_text(std::int64_t ps) {
    constexpr std::array<Scale, 3> units{{{ps_per_second, " s"}, {1'000'000'000, " ms"}, {1'000'000, " us"}}};
    int decimals = 12;
    for (const Scale& unit : units) {
        if (ps >= unit.size || ps <= -unit.size) {
            return decimal(ps, decimals) + unit.name;
        }
        decimals -= 3;
    }
    return decimal(ps, decimals) + " ns";
}

std::string rounded_rate_text(std::int64_t bits_per_second) {
    constexpr std::array<Scale, 4> units{
        {{1'000'000'000'000'000, "Pb/s"}, {1'000'000'000'000, "Tb/s"}, {1'000'000'000, "Gb/s"}, {1'000'000, "Mb/s"}}};
    for (const Scale& unit : units) {
        // 1600 Gb/s stays in the unit that ports are bought in.
        if (bits_per_second >= 10 * unit.size) {
            return fmt::format("{} {}", decimal(bits_per_second / (unit.size / 1000), 3), unit.name);
        }
    }
    return fmt::format("{} b/s", bits_per_second);
}

std::string count_text(std::uint64_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t i = digits.size(); i > 3; i -= 3) {
        digits.insert(i - 3, ",");
    }
    return digits;
}

std::string bytes_text(Bytes bytes) {
    constexpr std::array<Scale, 4> units{
        {{1LL << 40, " TiB"}, {1LL << 30, " GiB"}, {1LL << 20, " MiB"}, {1LL << 10, " KiB"}}};
    for (const Scale& unit : units) {
        const std::int64_t rest = bytes.count % unit.size * 1'000;
        if (bytes.count >= unit.size && rest % unit.size == 0) {
            return decimal(bytes.count / unit.size * 1'000 + rest / unit.size, 3) + unit.name;
        }
    }
    return count_text(static_cast<std::uint64_t>(bytes.count)) + " B";
}

std::string buffer_text(std::int64_t flits) {
    return flits == unlimited ? "unlimited" : flits_text(flits);
}

std::string percent_text(std::int64_t billionths) {
    return fmt::format("{}.{:02} %", billionths / 10'000'000, billionths / 100'000 % 100);
}

std::string signed_percent_text(Duration part, Duration whole) {
    __extension__ using Wide = __int128;
    require(whole > Duration{0}, "a share is of something");
    const Wide size = part < Duration{0} ? -Wide{part.ps} : Wide{part.ps};
    const auto digits = static_cast<std::int64_t>((size * 2'000'000 + whole.ps) / (Wide{2} * whole.ps));
    const char* sign = part == Duration{0} ? "" : part < Duration{0} ? "-" : "+";
    return fmt::format("{}{}.{:04}", sign, digits / 10'000, digits % 10'000);
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + '"';
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left, const std::string& indent) {
    std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size(), 0);
    for (const auto& row : rows) {
        require(row.size() == widths.size(), "rows of a table have equal length");
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = indent;
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += column == 0 ? "" : "  ";
            line += column < left ? fmt::format("{:<{}}", row[column], widths[column])
                                  : fmt::format("{:>{}}", row[column], widths[column]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

}  // namespace simlette
