#include <algorithm>

#include <simlette/base/contract.hpp>
#include <simlette/study/document.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/published.hpp>

namespace simlette {

namespace {

// Digits with or without a fraction.
PrintedNumber decimal_number(std::string_view text) {
    PrintedNumber number;
    const std::size_t point = text.find('.');
    std::string digits(text.substr(0, point));
    if (point != std::string_view::npos) {
        number.decimals = static_cast<unsigned>(text.size() - point - 1);
        digits += text.substr(point + 1);
    }
    require(!digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos,
            "a printed number is written in digits");
    const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);  // no octal numbers
    const boost::multiprecision::cpp_int scale =
        boost::multiprecision::pow(boost::multiprecision::cpp_int(10), number.decimals);
    number.value = Exact(boost::multiprecision::cpp_int(digits.substr(first)), scale);
    return number;
}

PrintedNumber printed_number(std::string_view text) {
    using Kind = PrintedNumber::Kind;
    if (text.substr(0, 2) == "< ") {
        PrintedNumber number = decimal_number(text.substr(2));
        number.kind = Kind::below;
        return number;
    }
    const std::size_t dots = text.find(" .. ");
    if (dots != std::string_view::npos) {
        PrintedNumber number = decimal_number(text.substr(0, dots));
        number.kind = Kind::between;
        number.most = decimal_number(text.substr(dots + 4)).value;
        return number;
    }
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
        PrintedNumber number = decimal_number(text.substr(0, slash));
        number.kind = Kind::fraction;
        number.value /= decimal_number(text.substr(slash + 1)).value;
        return number;
    }
    return decimal_number(text);
}

Field<PublishedRow> printed() {
    Field<PublishedRow> field = required("printed", &PublishedRow::printed, text_kind("a number"), "as printed");
    field.read = [](const Value& value, PublishedRow& into) {
        text_kind("a number").read(value, into.printed);
        into.numbers = printed_numbers(into.printed);
    };
    return field;
}

Fields<PublishedRow> row_fields() {
    const Kind<std::string> text = text_kind("a text");
    return {
        printed(),
        optional("unit", &PublishedRow::unit, text, "of the numbers"),
        optional("note", &PublishedRow::note, text, "what ours was computed with"),
        optional("reason", &PublishedRow::reason, text, "why ours differs"),
    };
}

// A map from names to what `read` makes of their values.
template <class Item, class Read>
std::vector<Item> named(const Value& map, Read&& read) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < map.node().keys.size(); ++i) {
        items.emplace_back();
        items.back().name = map.node().keys[i].text;
        read(map.member(i), items.back());
    }
    return items;
}

Fields<PublishedEntry> entry_fields() {
    Field<PublishedEntry> rows;
    rows.info = {"rows", "the numbers", true, true};
    rows.read = [](const Value& value, PublishedEntry& into) {
        into.rows = named<PublishedRow>(
            value, [](const Value& row, PublishedRow& item) { read_fields(row, row_fields(), item); });
    };
    const Kind<std::string> text = text_kind("a text");
    return {
        required("what", &PublishedEntry::what, text, "what the numbers are"),
        required("where", &PublishedEntry::where, text, "in the paper"),
        rows,
    };
}

}  // namespace

bool PrintedNumber::agrees(const Exact& ours) const {
    switch (kind) {
        case Kind::fraction:
            return ours == value;
        case Kind::below:
            return ours < value;
        case Kind::between:
            return ours > value && ours < most;
        case Kind::rounded:
            break;
    }
    const Exact half(1, 2 * boost::multiprecision::pow(boost::multiprecision::cpp_int(10), decimals));
    return abs(ours - value) <= half;
}

std::vector<PrintedNumber> printed_numbers(std::string_view text) {
    std::vector<PrintedNumber> numbers;
    for (std::size_t bar = text.find(" | "); bar != std::string_view::npos; bar = text.find(" | ")) {
        numbers.push_back(printed_number(text.substr(0, bar)));
        text.remove_prefix(bar + 3);
    }
    numbers.push_back(printed_number(text));
    return numbers;
}

std::vector<PublishedEntry> published_entries() {
    Problems problems;
    Source& source = problems.add_source("libsimlette/data/published.yaml", true);
    source.text = published_text();
    Node root;
    parse_document(source, problems, root);
    std::vector<PublishedEntry> entries = named<PublishedEntry>(
        Value(root, "", problems),
        [](const Value& entry, PublishedEntry& item) { read_fields(entry, entry_fields(), item); });
    require(problems.size() == 0, "the published numbers in the library can be read");
    return entries;
}

}  // namespace simlette
