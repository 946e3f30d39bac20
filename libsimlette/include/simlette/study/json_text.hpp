// Trees of values as JSON text.
#pragma once

#include <string>

#include <simlette/study/node.hpp>

namespace simlette {

// One line, keys sorted: equal trees give equal texts.
std::string canonical_json(const Node& node);

// For people: indented, keys in the order of the tree.
std::string readable_json(const Node& node);

}  // namespace simlette
