#include <algorithm>
#include <limits>

#include <simlette/study/kinds.hpp>

namespace simlette {

namespace {

constexpr BitRate fastest{1'000'000'000'000'000};

std::string units_hint(const UnitTable& table) {
    return std::string(table.what) + " in " + alternatives(table.names()) + ", such as `" + std::string(table.example) +
           "`";
}

// What is wrong with a quantity, for the end of the sentence "`key` is `text`; ...".
std::string complaint(const Quantity& quantity, const UnitTable& table, const std::string& range) {
    switch (quantity.form) {
        case Quantity::Form::bare:
            return "the unit is missing; expected " + units_hint(table);
        case Quantity::Form::unknown_unit:
            return "unknown unit " + quote(quantity.unit) + "; expected " + units_hint(table);
        case Quantity::Form::not_whole:
            return "this is no whole number of " + std::string(table.base_unit);
        case Quantity::Form::negative:
        case Quantity::Form::too_large:
        case Quantity::Form::good:
            return "expected " + range;
        case Quantity::Form::malformed:
            break;
    }
    return "expected " + units_hint(table);
}

std::string range_text(const std::string& low, const std::string& high) {
    return quote(low) + " to " + quote(high);
}

std::vector<Node> text_nodes(const std::vector<std::string>& texts) {
    std::vector<Node> nodes;
    for (const std::string& text : texts) {
        nodes.push_back(text_node(text));
    }
    return nodes;
}

}  // namespace

std::string whole_range(std::int64_t low, std::int64_t high) {
    return "a whole number, " + std::to_string(low) + " to " + std::to_string(high);
}

bool read_whole(const Value& value, std::int64_t low, std::int64_t high, std::int64_t& into) {
    const Node& node = value.node();
    if (value.is_scalar() && !node.plain) {
        return value.fail(value.name() + " is the text " + quote(node.text) + " in quotes; expected " +
                          whole_range(low, high));
    }
    std::int64_t number = 0;
    if (!value.is_scalar() || !parse_whole(node.text, number) || number < low || number > high) {
        return value.expect(whole_range(low, high));
    }
    into = number;
    return true;
}

Node whole_schema(std::int64_t low, std::int64_t high) {
    return map_node({{"type", text_node("integer")}, {"minimum", number_node(low)}, {"maximum", number_node(high)}});
}

Kind<std::vector<std::uint32_t>> whole_list(std::int64_t low, std::int64_t high, std::string expected) {
    Kind<std::vector<std::uint32_t>> kind;
    kind.read = [low, high, expected = std::move(expected)](const Value& value, std::vector<std::uint32_t>& into) {
        if (!value.is_list() || value.node().items.empty()) {
            return value.is_list() ? value.fail(value.name() + " is empty; expected " + expected)
                                   : value.expect(expected);
        }
        std::vector<std::uint32_t> numbers;
        for (std::size_t i = 0; i < value.node().items.size(); ++i) {
            std::int64_t number = 0;
            if (read_whole(value.item(i), low, high, number)) {
                numbers.push_back(static_cast<std::uint32_t>(number));
            }
        }
        into = numbers;
        return numbers.size() == value.node().items.size();
    };
    kind.write = [](const std::vector<std::uint32_t>& numbers) {
        std::vector<Node> items;
        for (const std::uint32_t number : numbers) {
            items.push_back(number_node(std::uint64_t{number}));
        }
        return list_node(std::move(items));
    };
    kind.schema = list_schema(whole_schema(low, high));
    return kind;
}

bool read_quantity(const Value& value, const UnitTable& table, std::int64_t low, std::int64_t high,
                   const std::string& range, std::int64_t& into) {
    if (!value.is_scalar()) {
        return value.expect(units_hint(table));
    }
    const std::string& text = value.node().text;
    const Quantity quantity = parse_quantity(text, table);
    if (quantity.form != Quantity::Form::good || quantity.value < low || quantity.value > high) {
        return value.fail(value.name() + " is " + quote(text) + "; " + complaint(quantity, table, range));
    }
    into = quantity.value;
    return true;
}

Node quantity_schema(const UnitTable& table) {
    return map_node({{"type", text_node("string")},
                     {"pattern", text_node(table.pattern())},
                     {"examples", list_node({text_node(table.example)})}});
}

Kind<Duration> time_kind(Duration low, Duration high) {
    Kind<Duration> kind;
    const std::string range = range_text(duration_text(low), duration_text(high));
    kind.read = [low, high, range](const Value& value, Duration& into) {
        return read_quantity(value, time_units(), low.ps, high.ps, range, into.ps);
    };
    kind.write = [](const Duration& duration) { return text_node(duration_text(duration)); };
    kind.schema = quantity_schema(time_units());
    return kind;
}

Kind<Time> instant_kind(Time high) {
    Kind<Time> kind;
    const std::string range = range_text("0 ns", duration_text({high.ps}));
    kind.read = [high, range](const Value& value, Time& into) {
        return read_quantity(value, time_units(), 0, high.ps, range, into.ps);
    };
    kind.write = [](const Time& time) { return text_node(duration_text({time.ps})); };
    kind.schema = quantity_schema(time_units());
    return kind;
}

Kind<BitRate> rate_kind() {
    Kind<BitRate> kind;
    const std::string range = range_text("1 b/s", "1000 Tb/s");
    kind.read = [range](const Value& value, BitRate& into) {
        return read_quantity(value, rate_units(), 1, fastest.per_second, range, into.per_second);
    };
    kind.write = [](const BitRate& rate) { return text_node(rate_text(rate)); };
    kind.schema = quantity_schema(rate_units());
    return kind;
}

Kind<Bytes> size_kind(Bytes low, Bytes high) {
    Kind<Bytes> kind;
    const std::string range = range_text(size_text(low), size_text(high));
    kind.read = [low, high, range](const Value& value, Bytes& into) {
        return read_quantity(value, size_units(), low.count, high.count, range, into.count);
    };
    kind.write = [](const Bytes& bytes) { return text_node(size_text(bytes)); };
    kind.schema = quantity_schema(size_units());
    return kind;
}

Kind<std::int64_t> share_kind() {
    constexpr std::int64_t one = 1'000'000;
    const char* const expected = "a number above 0, at most 1, with up to six decimals, such as 0.3";
    Kind<std::int64_t> kind;
    kind.read = [expected](const Value& value, std::int64_t& into) {
        if (value.is_scalar() && !value.node().plain) {
            return value.fail(value.name() + " is the text " + quote(value.node().text) + " in quotes; expected " +
                              expected);
        }
        const Quantity share = value.is_scalar() ? parse_share(value.node().text) : Quantity{};
        if (share.form != Quantity::Form::good || share.value < 1 || share.value > one) {
            return value.expect(expected);
        }
        into = share.value;
        return true;
    };
    kind.write = [](const std::int64_t& share) { return share_node(share); };
    kind.schema = map_node({{"type", text_node("number")},
                            {"exclusiveMinimum", number_node(std::int64_t{0})},
                            {"maximum", number_node(std::int64_t{1})}});
    return kind;
}

Kind<bool> boolean_kind() {
    Kind<bool> kind;
    kind.read = [](const Value& value, bool& into) {
        const Node& node = value.node();
        if (!value.is_scalar() || !node.plain || (node.text != "true" && node.text != "false")) {
            return value.expect("true or false");
        }
        into = node.text == "true";
        return true;
    };
    kind.write = [](const bool& value) { return boolean_node(value); };
    kind.schema = map_node({{"type", text_node("boolean")}});
    return kind;
}

Kind<std::string> text_kind(std::string expected) {
    Kind<std::string> kind;
    kind.read = [expected = std::move(expected)](const Value& value, std::string& into) {
        if (!value.is_scalar() || value.node().text.empty()) {
            return value.expect(expected);
        }
        into = value.node().text;
        return true;
    };
    kind.write = [](const std::string& text) { return text.empty() ? Node{} : text_node(text); };
    kind.schema = map_node({{"type", text_node("string")}, {"minLength", number_node(std::int64_t{1})}});
    return kind;
}

bool names_file(const std::string& text) {
    return text.find_first_of("./") != std::string::npos;
}

bool contains(const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool read_choice(const Value& value, const std::vector<std::string>& built, const std::vector<std::string>& not_built,
                 std::size_t& index) {
    if (!value.is_scalar()) {
        return value.expect(alternatives(built));
    }
    const std::string& text = value.node().text;
    if (contains(not_built, text)) {
        return value.not_built(text);
    }
    const auto found = std::find(built.begin(), built.end(), text);
    if (found == built.end()) {
        const std::string hint = nearest(text, built);
        return value.expect(alternatives(built) + (hint.empty() ? "" : "; did you mean " + quote(hint) + "?"));
    }
    index = static_cast<std::size_t>(found - built.begin());
    return true;
}

Node choice_schema(const std::vector<std::string>& built) {
    return map_node({{"enum", list_node(text_nodes(built))}});
}

Node one_of(std::vector<Node> forms) {
    return map_node({{"oneOf", list_node(std::move(forms))}});
}

Node file_schema() {
    return map_node({{"type", text_node("string")}, {"pattern", text_node("^.*[./].*$")}});
}

Node list_schema(Node item) {
    return map_node(
        {{"type", text_node("array")}, {"items", std::move(item)}, {"minItems", number_node(std::int64_t{1})}});
}

}  // namespace simlette
