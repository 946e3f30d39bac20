// `--set PATH=VALUE`: changes the trees of the files before they are read, so that one reader judges both.
#pragma once

#include <simlette/study/load.hpp>
#include <simlette/study/node.hpp>
#include <simlette/study/problems.hpp>

namespace simlette {

// A file's tree under the name that paths start with. `root` is nullptr when the file could not be parsed.
struct NamedTree {
    std::string name;
    Node* root = nullptr;
    std::vector<std::string> keys;  // that the file may have, for hints
};

void apply_override(const Override& change, const std::vector<NamedTree>& trees, Problems& problems);

}  // namespace simlette
