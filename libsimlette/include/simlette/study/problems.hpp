// Collects what is wrong with the inputs, so that all of it is reported in one go.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/base/export.hpp>
#include <simlette/study/node.hpp>

namespace simlette {

class Problems {
public:
    // Sources live as long as the collection; problems come out in the order in which their sources were added.
    Source& add_source(std::string name, bool has_lines);

    void add(const Place& place, std::string message);
    void add(const Source& source, std::string message);

    // What `other` has and this one has not: the same message at the same place.
    void add_new(const Problems& other);

    std::size_t size() const { return entries_.size(); }
    bool full() const;  // more are not kept; nobody would read them
    // Those of one source, whatever it is.
    std::size_t count_of(const Source& source) const;

    // Throws Error with the first 20 in order of place, if there are any.
    void raise_any() const;

private:
    struct Entry {
        Place place;
        std::string message;
    };

    std::size_t order_of(const Entry& entry) const;

    std::deque<Source> sources_;
    std::vector<Entry> entries_;
};

// A piece of input as messages show it: in backticks, on one line, long text cut.
std::string quote(std::string_view text);

// `a`, `a or b`, `a, b or c`.
std::string alternatives(const std::vector<std::string>& texts);

// The candidate with the fewest edits (insert, delete, replace, swap neighbours); empty if none is near.
SIMLETTE_EXPORT std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace simlette
