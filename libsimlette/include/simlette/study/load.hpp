// Files in: topology and workload YAML become plain specs. All errors of a file come together, with place and cure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/planner/plan_cache.hpp>
#include <simlette/sim/workload.hpp>

namespace simlette {

// `--set PATH=VALUE`: PATH starts with `topology.` or `workload.`, list items by number; VALUE is a YAML value.
struct Override {
    std::string path;
    std::string value;
};

struct RunInputs {
    std::string topology;  // paths
    std::string workload;  // empty: none (`show TOPOLOGY`)
    std::vector<Override> overrides;
    std::optional<std::uint64_t> seed;  // replaces the topology's
};

struct LoadedRun {
    FabricSpec fabric;
    std::string accelerator;  // the profile that the topology names; empty: none
    WorkloadSpec workload;
    std::string planned;        // what `circuits: auto` came to, in a line; empty: nothing was planned
    std::string configuration;  // JSON object {"topology": …, "workload": …}, defaults included, keys sorted
    std::vector<std::string> named_files;  // that the files name: plans, schedules and tables of sizes
    std::string configuration_hash;        // 16 hexadecimal digits of it
};

// Throws Error{input} with every problem of the files, up to 20. `planner` answers `circuits: auto`.
SIMLETTE_EXPORT LoadedRun load_run(const RunInputs& inputs, const Planner& planner = search_plan);

// JSON Schema, draft 2020-12, of a file kind: topology, workload, schedule, plan or study, made from the table that the
// reader uses.
SIMLETTE_EXPORT std::string schema(const std::string& kind);

}  // namespace simlette
