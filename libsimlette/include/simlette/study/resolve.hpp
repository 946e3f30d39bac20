// Trees of a topology and a workload, changed or not, become plain structs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <simlette/study/input_tree.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/overrides.hpp>
#include <simlette/study/problems.hpp>

namespace simlette {

struct InputTrees {
    InputTree topology;
    InputTree workload;
};

// Both files, with the changes that are asked for.
InputTrees read_trees(const RunInputs& inputs, Problems& problems);

// What paths of changes may start with.
std::vector<NamedTree> named_trees(InputTrees& trees);

// `--seed N`
Change seed_change(std::uint64_t seed, Problems& problems);

// What only the finished fabric can tell is asked once of every topology.
struct FabricChecks {
    std::set<std::string> seen;  // shapes
    std::string note;            // goes behind what is said of the fabric
};

// Meaningful if it added no problem. `circuits: auto` takes one of the plans. Without `checks` the fabric is known to
// stand.
LoadedRun resolve(const InputTrees& trees, NamedFiles& files, PlanCache& plans, FabricChecks* checks,
                  Problems& problems);

}  // namespace simlette
