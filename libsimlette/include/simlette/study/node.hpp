// A file as a tree of values, each with its place. Values that are written out have the same form, without places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simlette {

// Where values come from: a file, or the value of one `--set`.
struct Source {
    std::string name;       // as problems name it
    std::string text;       // what was parsed: UTF-8, lines end in `\n`
    bool has_lines = true;  // false: problems name no line
};

// A place in a source. Without a source it belongs to nothing that a user wrote.
struct Place {
    const Source* source = nullptr;
    int line = 0;    // from 1
    int column = 0;  // from 1, in bytes
    int offset = 0;  // of the byte in Source::text
};

struct Key {
    std::string text;
    Place place;
};

struct Node {
    enum class Kind { null, scalar, list, map };

    Kind kind = Kind::null;
    bool plain = false;   // of a scalar: written without quotes
    bool broken = false;  // refused already; reading it would only repeat the problem
    std::string text;     // of a scalar
    Place place;
    std::vector<Key> keys;    // of a map, in the order of the file
    std::vector<Node> items;  // of a list; of a map: the value of each key
};

Node text_node(std::string_view text);  // a scalar in quotes
Node number_node(std::int64_t number);
Node number_node(std::uint64_t number);
Node boolean_node(bool value);
Node share_node(std::int64_t millionths);  // a decimal fraction: 0.3, 1
Node list_node(std::vector<Node> items);
Node map_node(std::vector<std::pair<std::string, Node>> members);

// Of the first key with this text; the number of keys if there is none. Requires nothing of the kind of `node`.
std::size_t index_of(const Node& node, std::string_view key);

// The value of a key, or nullptr. Requires nothing of the kind of `node`.
const Node* find(const Node& node, std::string_view key);
Node* find(Node& node, std::string_view key);

// The value at a path such as `circuits.generators.2`, or the deepest one on the way there.
const Node& find_deepest(const Node& node, std::string_view path);

// Adds a key, or replaces its value.
void set_member(Node& map, Key key, Node value);

}  // namespace simlette
