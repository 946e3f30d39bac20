// How each published entry is computed: one function and one row of the table an entry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simlette/base/span.hpp>
#include <simlette/collective/exact.hpp>

namespace simlette {

// By the name of the published row.
struct OurRow {
    std::string name;
    std::vector<Exact> numbers;
};

struct ReproduceEntry {
    std::string_view name;
    std::vector<OurRow> (*compute)();
};

Span<ReproduceEntry> reproduce_table();

// Of tables and figures on overlays and closed forms.
std::vector<OurRow> our_table_2();
std::vector<OurRow> our_table_3();
std::vector<OurRow> our_table_4();
std::vector<OurRow> our_table_5();
std::vector<OurRow> our_figure_9();
std::vector<OurRow> our_figure_10();
std::vector<OurRow> our_figure_11();
std::vector<OurRow> our_figure_17();

// Of plans.
std::vector<OurRow> our_table_6();
std::vector<OurRow> our_table_7();
std::vector<OurRow> our_figure_15();

// Of simulations.
std::vector<OurRow> our_figure_19();
std::vector<OurRow> our_figure_20();

}  // namespace simlette
