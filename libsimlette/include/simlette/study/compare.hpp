// What differs between two results of `simlette run --json`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/study/run_values.hpp>

namespace simlette {

// One value by its name in both; none where one has no such value.
struct ComparedValue {
    std::string name;
    std::optional<ScalarValue> a;
    std::optional<ScalarValue> b;

    bool differs() const { return a != b; }
};

// The same mode of both, or the only one of each.
struct ComparedRun {
    std::vector<ComparedValue> identity;       // version, mode, files, outcome
    std::vector<ComparedValue> results;        // everything scalar but costs, also what is the same
    std::vector<std::string> collectives;      // what A calls them, else B
    std::vector<ComparedValue> assumptions;    // by id, those that differ
    std::vector<ComparedValue> configuration;  // by path, those that differ
    bool explained = false;                    // both tell the ports of critical paths
    std::vector<std::string> ports_only_a;     // on a critical path of A alone
    std::vector<std::string> ports_only_b;
};

struct Comparison {
    std::string a;  // paths
    std::string b;
    std::vector<ComparedRun> runs;
    std::vector<std::string> unmatched;  // modes that only one of them has: `message, only in B`
};

// Throws Error{input} with what is wrong with the files.
SIMLETTE_EXPORT Comparison compare(const std::string& a, const std::string& b);

SIMLETTE_EXPORT std::string comparison_json(const Comparison& comparison);
SIMLETTE_EXPORT std::string comparison_table(const Comparison& comparison);

}  // namespace simlette
