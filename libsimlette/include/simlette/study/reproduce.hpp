// Published numbers beside ours. Ours are computed anew each time; nothing of them is kept.
#pragma once

#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/study/published.hpp>

namespace simlette {

enum class Verdict {
    within_digits,  // ours rounds to what is printed
    explained,      // it does not, and we know why
    open,
};

struct ReproducedRow {
    PublishedRow published;
    std::vector<Exact> ours;  // as many as were published
    Verdict verdict = Verdict::open;
};

struct Reproduced {
    PublishedEntry entry;
    std::vector<ReproducedRow> rows;
};

// What can be reproduced, in the order of the data file.
SIMLETTE_EXPORT std::vector<PublishedEntry> reproducible();

// Throws Error{input} for a name that is not among these.
SIMLETTE_EXPORT Reproduced reproduce(const std::string& name);

SIMLETTE_EXPORT std::string reproducible_text();
SIMLETTE_EXPORT std::string reproduced_text(const std::vector<Reproduced>& all);
SIMLETTE_EXPORT std::string reproduced_json(const std::vector<Reproduced>& all);

}  // namespace simlette
