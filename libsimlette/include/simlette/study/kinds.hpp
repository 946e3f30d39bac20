// The kinds of values that several files use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <simlette/base/units.hpp>
#include <simlette/study/fields.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/quantity.hpp>

namespace simlette {

// A whole number in [low, high].
bool read_whole(const Value& value, std::int64_t low, std::int64_t high, std::int64_t& into);
std::string whole_range(std::int64_t low, std::int64_t high);
Node whole_schema(std::int64_t low, std::int64_t high);

template <class T>
Kind<T> whole(std::int64_t low, std::int64_t high) {
    Kind<T> kind;
    kind.read = [low, high](const Value& value, T& into) {
        std::int64_t number = 0;
        const bool good = read_whole(value, low, high, number);
        into = good ? static_cast<T>(number) : into;
        return good;
    };
    kind.write = [](const T& number) { return number_node(static_cast<std::int64_t>(number)); };
    kind.schema = whole_schema(low, high);
    return kind;
}

// A list of whole numbers, with at least one item.
Kind<std::vector<std::uint32_t>> whole_list(std::int64_t low, std::int64_t high, std::string expected);

// A quantity in [low, high] of the base unit; `range` says so in the units of people.
bool read_quantity(const Value& value, const UnitTable& table, std::int64_t low, std::int64_t high,
                   const std::string& range, std::int64_t& into);
Node quantity_schema(const UnitTable& table);

Kind<Duration> time_kind(Duration low, Duration high);
Kind<Time> instant_kind(Time high);
Kind<BitRate> rate_kind();
Kind<Bytes> size_kind(Bytes low, Bytes high);

Kind<std::int64_t> share_kind();  // above 0, at most 1; in millionths
Kind<bool> boolean_kind();
Kind<std::string> text_kind(std::string expected);

// The index in `built` of the value. Texts in `not_built` are known, not in this version.
bool read_choice(const Value& value, const std::vector<std::string>& built, const std::vector<std::string>& not_built,
                 std::size_t& index);
Node choice_schema(const std::vector<std::string>& built);
bool names_file(const std::string& text);  // it has a dot or a slash; no name of ours has
bool contains(const std::vector<std::string>& texts, const std::string& text);

template <class Enum, std::size_t count>
Kind<Enum> choice(const Names<Enum, count>& names, std::vector<std::string> not_built) {
    std::vector<std::string> built;
    for (const Name<Enum>& name : names) {
        built.emplace_back(name.text);
    }
    Kind<Enum> kind;
    kind.read = [names, built, not_built = std::move(not_built)](const Value& value, Enum& into) {
        std::size_t index = 0;
        const bool good = read_choice(value, built, not_built, index);
        into = good ? names[index].value : into;
        return good;
    };
    kind.write = [names](const Enum& value) { return text_node(name_in(names, value)); };
    kind.schema = choice_schema(built);
    return kind;
}

// One of several forms of a value, for the schema.
Node one_of(std::vector<Node> forms);
Node list_schema(Node item);
Node file_schema();  // the path of a file, as names_file() knows it

// A value that may be left out.
template <class T>
Kind<std::optional<T>> if_given(Kind<T> given) {
    Kind<std::optional<T>> kind;
    kind.schema = given.schema;
    kind.read = [read = given.read](const Value& value, std::optional<T>& into) { return read(value, into.emplace()); };
    kind.write = [write = given.write](const std::optional<T>& value) { return value ? write(*value) : Node{}; };
    return kind;
}

// A list of maps, with at least one item.
template <class T>
Kind<std::vector<T>> list_of(Fields<T> fields, std::string expected) {
    Kind<std::vector<T>> kind;
    kind.read = [fields, expected = std::move(expected)](const Value& value, std::vector<T>& into) {
        if (!value.is_list()) {
            return value.expect(expected);
        }
        if (value.node().items.empty()) {
            return value.fail(value.name() + " is empty; expected " + expected);
        }
        bool good = true;
        for (std::size_t i = 0; i < value.node().items.size() && !value.hopeless(); ++i) {
            good = read_fields(value.item(i), fields, into.emplace_back()) && good;
        }
        return good;
    };
    kind.write = [fields](const std::vector<T>& list) {
        std::vector<Node> items;
        for (const T& item : list) {
            items.push_back(write_fields(fields, item));
        }
        return list_node(std::move(items));
    };
    kind.schema = list_schema(schema_of(fields));
    return kind;
}

}  // namespace simlette
