#include <algorithm>
#include <array>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/study/problems.hpp>
#include <simlette/study/reproduce.hpp>
#include <simlette/study/reproduce_table.hpp>

namespace simlette {

namespace {

constexpr std::array entries{
    ReproduceEntry{"table-2", our_table_2},     ReproduceEntry{"table-3", our_table_3},
    ReproduceEntry{"figure-9", our_figure_9},   ReproduceEntry{"figure-10", our_figure_10},
    ReproduceEntry{"figure-11", our_figure_11}, ReproduceEntry{"table-4", our_table_4},
    ReproduceEntry{"table-5", our_table_5},     ReproduceEntry{"table-6", our_table_6},
    ReproduceEntry{"table-7", our_table_7},     ReproduceEntry{"figure-15", our_figure_15},
    ReproduceEntry{"figure-17", our_figure_17}, ReproduceEntry{"figure-19", our_figure_19},
    ReproduceEntry{"figure-20", our_figure_20},
};

Verdict verdict_of(const PublishedRow& published, const std::vector<Exact>& ours) {
    require(published.numbers.size() == ours.size(), "a published row has as many numbers as ours");
    bool agree = true;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        agree = agree && published.numbers[i].agrees(ours[i]);
    }
    return agree ? Verdict::within_digits : published.reason.empty() ? Verdict::open : Verdict::explained;
}

ReproducedRow row_of(const PublishedRow& published, const std::vector<OurRow>& ours) {
    const auto found =
        std::find_if(ours.begin(), ours.end(), [&](const OurRow& row) { return row.name == published.name; });
    require(found != ours.end(), "every published row is computed");
    return {published, found->numbers, verdict_of(published, found->numbers)};
}

}  // namespace

Span<ReproduceEntry> reproduce_table() {
    return {entries.data(), entries.size()};
}

std::vector<PublishedEntry> reproducible() {
    std::vector<PublishedEntry> known;
    for (PublishedEntry& entry : published_entries()) {
        if (std::any_of(entries.begin(), entries.end(), [&](const auto& row) { return row.name == entry.name; })) {
            known.push_back(std::move(entry));
        }
    }
    return known;
}

Reproduced reproduce(const std::string& name) {
    std::vector<std::string> names;
    for (PublishedEntry& entry : reproducible()) {
        if (entry.name != name) {
            names.push_back(entry.name);
            continue;
        }
        const auto* row = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name == name; });
        const std::vector<OurRow> ours = row->compute();
        Reproduced reproduced{std::move(entry), {}};
        for (const PublishedRow& published : reproduced.entry.rows) {
            reproduced.rows.push_back(row_of(published, ours));
        }
        return reproduced;
    }
    const std::string near = nearest(name, names);
    throw Error(ErrorKind::input, "there is no " + quote(name) + " to reproduce" +
                                      (near.empty() ? "" : "; did you mean " + quote(near) + "?") + "; expected " +
                                      alternatives(names));
}

}  // namespace simlette
