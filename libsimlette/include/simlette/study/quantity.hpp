// Numbers with a unit: read exactly, without floating point, and written in one canonical form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <simlette/base/units.hpp>

namespace simlette {

struct Unit {
    std::string_view name;
    std::int64_t factor;  // in the base unit
};

// One kind of quantity.
struct UnitTable {
    std::string_view what;       // `a time`
    std::string_view example;    // `300 ns`
    std::string_view base_unit;  // `picoseconds`
    std::vector<Unit> units;

    std::vector<std::string> names() const;
    // A regular expression of all texts that are read.
    std::string pattern() const;
};

const UnitTable& time_units();     // in picoseconds
const UnitTable& rate_units();     // in bits per second
const UnitTable& size_units();     // in bytes
const UnitTable& flit_units();     // in flits
const UnitTable& compute_units();  // in FLOP/s
const UnitTable& power_units();    // in milliwatts
const UnitTable& loss_units();     // of light, in thousandths of a decibel
const UnitTable& length_units();   // of a fibre or cable, in picoseconds of propagation: 5 ns/m

struct Quantity {
    enum class Form {
        good,
        malformed,     // no number in decimal digits, or not one space or none before the unit
        bare,          // no unit
        unknown_unit,  // `unit` names it
        negative,
        too_large,  // 2^63 and more
        not_whole,  // no whole number of the base unit
    };
    Form form = Form::malformed;
    std::int64_t value = 0;
    std::string unit;
};

// The grammar: decimal digits without leading zeros, a fraction or none, one space or none, the unit.
Quantity parse_quantity(std::string_view text, const UnitTable& table);

// A number without unit, such as `0.3`, in millionths.
Quantity parse_share(std::string_view text);

// Decimal digits without sign, leading zeros, exponent or separators, below 2^63. False: `text` is none.
bool parse_whole(std::string_view text, std::int64_t& value);

// In the largest unit that gives a whole number: `125 ns`, `400 Gb/s`, `64 KiB`.
std::string duration_text(Duration duration);
std::string rate_text(BitRate rate);
std::string size_text(Bytes bytes);
std::string flits_text(std::int64_t flits);
std::string loss_text(std::int64_t thousandths);  // always in dB

}  // namespace simlette
