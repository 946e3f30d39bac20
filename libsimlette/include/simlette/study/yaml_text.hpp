// Trees of values as YAML text.
#pragma once

#include <string>

#include <simlette/study/node.hpp>

namespace simlette {

// For people: maps and lists of maps indented, lists of numbers and words on one line. Equal trees give equal texts.
std::string yaml_text(const Node& node);

}  // namespace simlette
