// Input files as trees, each read once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <simlette/study/node.hpp>
#include <simlette/study/problems.hpp>

namespace simlette {

struct InputTree {
    const Source* source = nullptr;  // nullptr: there is no such file
    bool parsed = false;
    Node root;
};

InputTree parse_input(const std::string& path, Problems& problems);

// The path of a file that is named in another one, whose folder it counts from.
std::string path_beside(const Node& file, const std::string& named);

// Files that topologies and workloads name: plans, schedules and tables of sizes.
class NamedFiles {
public:
    // What is wrong with their text goes to `problems`, which keeps their sources.
    explicit NamedFiles(Problems& problems) : problems_(problems) {}

    const InputTree& yaml(const std::string& path);
    const InputTree& text(const std::string& path);  // without a tree; parsed: the text is good
    std::vector<const Source*> sources() const;      // of all that were read

private:
    Problems& problems_;
    std::map<std::string, InputTree> yaml_;
    std::map<std::string, InputTree> texts_;
};

}  // namespace simlette
