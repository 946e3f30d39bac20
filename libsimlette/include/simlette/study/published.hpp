// Numbers that the paper prints: the data file libsimlette/data/published.yaml, carried in the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simlette/collective/exact.hpp>

namespace simlette {

// The text of the file, put into the library by the build.
std::string_view published_text();

// A printed number, and what agrees with it.
struct PrintedNumber {
    enum class Kind {
        rounded,   // with `decimals`: all that rounds to it
        fraction,  // itself alone
        below,     // less than `value`
        between,   // more than `value` and less than `most`
    };
    Kind kind = Kind::rounded;
    Exact value = 0;
    Exact most = 0;
    unsigned decimals = 0;

    bool agrees(const Exact& ours) const;
};

struct PublishedRow {
    std::string name;
    std::string printed;  // as the file has it
    std::vector<PrintedNumber> numbers;
    std::string unit;
    std::string note;
    std::string reason;
};

struct PublishedEntry {
    std::string name;
    std::string what;
    std::string where;
    std::vector<PublishedRow> rows;
};

// `82.1`, `511/256`, `< 6`, `6 .. 32`; several divided by ` | `. Requires: the text is of this form.
std::vector<PrintedNumber> printed_numbers(std::string_view text);

// In the order of the file.
std::vector<PublishedEntry> published_entries();

}  // namespace simlette
