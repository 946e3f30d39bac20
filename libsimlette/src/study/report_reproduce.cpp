#include <fmt/format.h>

#include <algorithm>

#include <simlette/study/exact_text.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/reproduce.hpp>

namespace simlette {

namespace {

using Rows = std::vector<std::vector<std::string>>;

const char* verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::within_digits:
            return "within digits";
        case Verdict::explained:
            return "explained";
        case Verdict::open:
            break;
    }
    return "open";
}

// Whole numbers and printed fractions as they are, others with three decimals more than printed.
std::string our_text(const PrintedNumber& printed, const Exact& ours) {
    const bool whole = boost::multiprecision::denominator(ours) == 1;
    const bool as_it_is = printed.kind == PrintedNumber::Kind::fraction || (whole && printed.decimals == 0);
    return as_it_is ? fraction_text(ours) : decimal_text(ours, printed.decimals + 3);
}

std::string ours_text(const ReproducedRow& row) {
    std::string text;
    for (std::size_t i = 0; i < row.ours.size(); ++i) {
        text += (i == 0 ? "" : " | ") + our_text(row.published.numbers[i], row.ours[i]);
    }
    return text;
}

// In percent, the largest; empty where a range or 0 was printed.
std::string deviation_text(const ReproducedRow& row) {
    Exact most = 0;
    for (std::size_t i = 0; i < row.ours.size(); ++i) {
        const PrintedNumber& printed = row.published.numbers[i];
        const bool range = printed.kind == PrintedNumber::Kind::below || printed.kind == PrintedNumber::Kind::between;
        if (range || printed.value == 0) {
            return "";
        }
        const Exact deviation = (row.ours[i] - printed.value) * 100 / printed.value;
        most = abs(deviation) > abs(most) ? deviation : most;
    }
    return most == 0 ? "0" : (most > 0 ? "+" : "") + decimal_text(most, 2);
}

std::size_t count(const std::vector<Reproduced>& all, Verdict verdict) {
    std::size_t sum = 0;
    for (const Reproduced& one : all) {
        sum += static_cast<std::size_t>(std::count_if(
            one.rows.begin(), one.rows.end(), [&](const ReproducedRow& row) { return row.verdict == verdict; }));
    }
    return sum;
}

// Texts under the table, by the number that the row has in its last column.
class Remarks {
public:
    std::string mark(const std::string& text) {
        if (text.empty()) {
            return "";
        }
        auto found = std::find(texts_.begin(), texts_.end(), text);
        found = found == texts_.end() ? texts_.insert(found, text) : found;
        return fmt::format("({})", found - texts_.begin() + 1);
    }

    std::string list() const {
        std::string all;
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            all += fmt::format("  ({}) {}\n", i + 1, texts_[i]);
        }
        return all;
    }

private:
    std::vector<std::string> texts_;
};

std::string entry_text(const Reproduced& one) {
    Rows table{{"", "published", "ours", "deviation %", "verdict", ""}};
    Remarks remarks;
    for (const ReproducedRow& row : one.rows) {
        const std::string unit = row.published.unit.empty() ? "" : ' ' + row.published.unit;
        const std::string note = remarks.mark(row.published.note);
        const std::string reason = row.verdict == Verdict::explained ? remarks.mark(row.published.reason) : "";
        table.push_back({row.published.name, row.published.printed + unit, ours_text(row) + unit, deviation_text(row),
                         verdict_name(row.verdict), note + (note.empty() || reason.empty() ? "" : " ") + reason});
    }
    return fmt::format("{}  {}\n{}, {}\n{}{}", one.entry.name, one.entry.what, "the paper", one.entry.where,
                       aligned(table, 1, "  "), remarks.list());
}

Node exact_nodes(const std::vector<Exact>& numbers) {
    std::vector<Node> nodes;
    for (const Exact& number : numbers) {
        nodes.push_back(text_node(fraction_text(number)));
    }
    return list_node(std::move(nodes));
}

Node row_node(const ReproducedRow& row) {
    return map_node({{"row", text_node(row.published.name)},
                     {"published", text_node(row.published.printed)},
                     {"ours", text_node(ours_text(row))},
                     {"ours_exact", exact_nodes(row.ours)},
                     {"unit", text_node(row.published.unit)},
                     {"deviation_percent", text_node(deviation_text(row))},
                     {"verdict", text_node(verdict_name(row.verdict))},
                     {"note", text_node(row.published.note)},
                     {"reason", text_node(row.verdict == Verdict::explained ? row.published.reason : "")}});
}

}  // namespace

std::string reproducible_text() {
    Rows rows;
    for (const PublishedEntry& entry : reproducible()) {
        rows.push_back({entry.name, entry.what});
    }
    return aligned(rows, 2, "");
}

std::string reproduced_text(const std::vector<Reproduced>& all) {
    std::string text;
    for (const Reproduced& one : all) {
        text += entry_text(one) + '\n';
    }
    return text + fmt::format("{} within digits, {} explained, {} open\n", count(all, Verdict::within_digits),
                              count(all, Verdict::explained), count(all, Verdict::open));
}

std::string reproduced_json(const std::vector<Reproduced>& all) {
    std::vector<Node> entries;
    for (const Reproduced& one : all) {
        std::vector<Node> rows;
        for (const ReproducedRow& row : one.rows) {
            rows.push_back(row_node(row));
        }
        entries.push_back(map_node({{"name", text_node(one.entry.name)},
                                    {"what", text_node(one.entry.what)},
                                    {"where", text_node(one.entry.where)},
                                    {"rows", list_node(std::move(rows))}}));
    }
    return readable_json(map_node({{"entries", list_node(std::move(entries))},
                                   {"within_digits", number_node(std::uint64_t{count(all, Verdict::within_digits)})},
                                   {"explained", number_node(std::uint64_t{count(all, Verdict::explained)})},
                                   {"open", number_node(std::uint64_t{count(all, Verdict::open)})}}));
}

}  // namespace simlette
