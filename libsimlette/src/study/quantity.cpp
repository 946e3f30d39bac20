#include <algorithm>
#include <limits>
#include <numeric>

#include <simlette/study/quantity.hpp>

namespace simlette {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t most_fraction_digits = 18;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& text) {
    const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

bool take(std::string_view& text, char wanted) {
    const bool present = !text.empty() && text.front() == wanted;
    text.remove_prefix(present ? 1 : 0);
    return present;
}

// A number and its unit as they are written.
struct Written {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::string_view unit;
};

bool is_unit_like(std::string_view text) {
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return is_digit(c) || c == ' ' || c == '.' || c == ','; });
}

bool split(std::string_view text, Written& written) {
    written.negative = take(text, '-');
    written.whole = take_digits(text);
    if (written.whole.empty() || (written.whole.size() > 1 && written.whole.front() == '0')) {
        return false;
    }
    if (take(text, '.')) {
        written.fraction = take_digits(text);
        if (written.fraction.empty()) {
            return false;
        }
    }
    const bool spaced = take(text, ' ');
    written.unit = text;
    return is_unit_like(text) && !(spaced && text.empty());
}

bool add_product(std::int64_t& sum, std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

// The value of `0.fraction` units. False: it is no whole number.
bool fraction_value(std::string_view fraction, std::int64_t factor, std::int64_t& value) {
    while (!fraction.empty() && fraction.back() == '0') {
        fraction.remove_suffix(1);
    }
    if (fraction.size() > most_fraction_digits) {
        return false;
    }
    std::int64_t digits = 0;
    std::int64_t scale = 1;
    for (const char c : fraction) {
        digits = digits * 10 + (c - '0');
        scale *= 10;
    }
    const std::int64_t common = std::gcd(factor, scale);
    value = digits / (scale / common) * (factor / common);
    return digits % (scale / common) == 0;
}

Quantity valued(const Written& written, std::int64_t factor) {
    Quantity quantity;
    std::int64_t whole = 0;
    std::int64_t sum = 0;
    if (!fraction_value(written.fraction, factor, sum)) {
        quantity.form = Quantity::Form::not_whole;
    } else if (!parse_whole(written.whole, whole) || !add_product(sum, whole, factor)) {
        quantity.form = Quantity::Form::too_large;
    } else {
        quantity.form = Quantity::Form::good;
        quantity.value = sum;
    }
    if (written.negative) {
        quantity.form = Quantity::Form::negative;
    }
    return quantity;
}

std::string text_of(std::int64_t value, const UnitTable& table, std::string_view zero_unit) {
    const Unit* best = &table.units.front();
    for (const Unit& unit : table.units) {
        const bool fits = value == 0 ? unit.name == zero_unit : value % unit.factor == 0 && unit.factor > best->factor;
        best = fits ? &unit : best;
    }
    return std::to_string(value / best->factor) + ' ' + std::string(best->name);
}

// The binary units alone: one text for one value.
const UnitTable& binary_size_units() {
    static const UnitTable table{
        "", "", "", {{"B", 1}, {"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}, {"TiB", 1LL << 40}}};
    return table;
}

// Bits alone, for the same reason.
const UnitTable& bit_rate_units() {
    static const UnitTable table{
        "", "", "", {{"b/s", 1}, {"kb/s", 1'000}, {"Mb/s", 1'000'000}, {"Gb/s", 1'000'000'000}}};
    return table;
}

}  // namespace

std::vector<std::string> UnitTable::names() const {
    std::vector<std::string> all;
    for (const Unit& unit : units) {
        all.emplace_back(unit.name);
    }
    return all;
}

std::string UnitTable::pattern() const {
    std::string pattern = "^(0|[1-9][0-9]*)([.][0-9]+)? ?(";
    for (const Unit& unit : units) {
        pattern += &unit == &units.front() ? "" : "|";
        pattern += unit.name;
    }
    return pattern + ")$";
}

const UnitTable& time_units() {
    static const UnitTable table{
        "a time",
        "300 ns",
        "picoseconds",
        {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", ps_per_second}}};
    return table;
}

const UnitTable& rate_units() {
    static const UnitTable table{"a rate",
                                 "400 Gb/s",
                                 "bits per second",
                                 {{"b/s", 1},
                                  {"kb/s", 1'000},
                                  {"Mb/s", 1'000'000},
                                  {"Gb/s", 1'000'000'000},
                                  {"Tb/s", 1'000'000'000'000},
                                  {"B/s", 8},
                                  {"kB/s", 8'000},
                                  {"MB/s", 8'000'000},
                                  {"GB/s", 8'000'000'000},
                                  {"TB/s", 8'000'000'000'000}}};
    return table;
}

const UnitTable& size_units() {
    static const UnitTable table{"a size",
                                 "64 KiB",
                                 "bytes",
                                 {{"B", 1},
                                  {"KiB", 1LL << 10},
                                  {"MiB", 1LL << 20},
                                  {"GiB", 1LL << 30},
                                  {"TiB", 1LL << 40},
                                  {"kB", 1'000},
                                  {"MB", 1'000'000},
                                  {"GB", 1'000'000'000},
                                  {"TB", 1'000'000'000'000}}};
    return table;
}

const UnitTable& flit_units() {
    static const UnitTable table{"a number of flits", "22 flits", "flits", {{"flits", 1}, {"flit", 1}}};
    return table;
}

const UnitTable& compute_units() {
    static const UnitTable table{
        "a compute rate",
        "50 PFLOP/s",
        "FLOP/s",
        {{"GFLOP/s", 1'000'000'000}, {"TFLOP/s", 1'000'000'000'000}, {"PFLOP/s", 1'000'000'000'000'000}}};
    return table;
}

const UnitTable& power_units() {
    static const UnitTable table{"a power", "2631 W", "milliwatts", {{"mW", 1}, {"W", 1'000}, {"kW", 1'000'000}}};
    return table;
}

const UnitTable& loss_units() {
    static const UnitTable table{"a loss of light", "1.5 dB", "thousandths of a decibel", {{"dB", 1'000}}};
    return table;
}

const UnitTable& length_units() {
    static const UnitTable table{
        "a length", "2 m", "picoseconds at 5 ns/m", {{"mm", 5}, {"cm", 50}, {"m", 5'000}, {"km", 5'000'000}}};
    return table;
}

Quantity parse_quantity(std::string_view text, const UnitTable& table) {
    Written written;
    if (!split(text, written)) {
        return {};
    }
    if (written.unit.empty()) {
        return {Quantity::Form::bare, 0, ""};
    }
    const auto unit = std::find_if(table.units.begin(), table.units.end(),
                                   [&](const Unit& candidate) { return candidate.name == written.unit; });
    if (unit == table.units.end()) {
        return {Quantity::Form::unknown_unit, 0, std::string(written.unit)};
    }
    return valued(written, unit->factor);
}

Quantity parse_share(std::string_view text) {
    Written written;
    return split(text, written) && written.unit.empty() ? valued(written, 1'000'000) : Quantity{};
}

bool parse_whole(std::string_view text, std::int64_t& value) {
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
    if (!digits || (text.size() > 1 && text.front() == '0')) {
        return false;
    }
    std::int64_t sum = 0;
    for (const char c : text) {
        if (sum > (largest - (c - '0')) / 10) {
            return false;
        }
        sum = sum * 10 + (c - '0');
    }
    value = sum;
    return true;
}

std::string duration_text(Duration duration) {
    return text_of(duration.ps, time_units(), "ns");
}

std::string rate_text(BitRate rate) {
    return text_of(rate.per_second, bit_rate_units(), "b/s");
}

std::string size_text(Bytes bytes) {
    return text_of(bytes.count, binary_size_units(), "B");
}

std::string flits_text(std::int64_t flits) {
    return std::to_string(flits) + " flits";
}

std::string loss_text(std::int64_t thousandths) {
    std::string text = std::to_string(thousandths / 1'000);
    std::string fraction = std::to_string(1'000 + thousandths % 1'000).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return text + (fraction.empty() ? "" : '.' + fraction) + " dB";
}

}  // namespace simlette
