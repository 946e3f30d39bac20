// Changes to the trees of files before they are read, so that one reader judges both: `--set PATH=VALUE`, and the
// values of a study.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

// A value for a path, and where the path stands.
struct Change {
    std::string path;
    Place place;
    Node value;
};

// None: the value is none, and a problem was added.
std::optional<Change> change_of(const Override& override, Problems& problems);

void apply_change(const Change& change, const std::vector<NamedTree>& trees, Problems& problems);

}  // namespace simlette
