// The four layers by YAML alone: every topology with every placement, schedule and routing policy that its links carry.
// Runs in the root of the tree.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/run.hpp>

namespace simlette {
namespace {

// A shipped fabric of 16 accelerators, and the schedules that it carries whatever sits where.
struct Topology {
    std::string file;
    std::vector<std::string> schedules;
};

const std::vector<std::string> as_packets{"one-shot", "two-shot", "recursive-doubling", "coset-factored-parallel"};
const std::vector<std::string> along_the_cube{"one-shot", "recursive-doubling", "coset-factored-parallel"};

const std::vector<Topology> topologies{
    {"two-level-eps-16", as_packets}, {"two-level-hybrid-16", as_packets}, {"two-level-ocs-16", along_the_cube},
    {"torus-4x4", {"one-shot"}},      {"explicit-tree-16", as_packets},
};

const std::vector<std::string> placements{
    "identity", "[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]",
    "[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]",  // each rack has every fourth rank
};

const std::vector<std::string> policies{"spray", "hashed", "static", "random", "adaptive"};

RunReport run_layers(const std::string& topology, const std::string& placement, const std::string& schedule,
                     const std::string& policy) {
    const RunInputs inputs{"topologies/" + topology + ".yaml",
                           "workloads/one-shot.yaml",
                           {{"topology.placement", placement},
                            {"topology.routing.policy", policy},
                            {"workload.collectives.0.schedule", schedule},
                            {"workload.collectives.0.bytes", "10 KiB"}},
                           {}};
    return run(load_run(inputs), inputs);
}

}  // namespace

TEST_CASE("any topology runs with any placement, schedule and routing policy, and moves the flits of the schedule") {
    for (const Topology& topology : topologies) {
        for (const std::string& schedule : topology.schedules) {
            std::set<std::int64_t> flits;
            std::set<std::int64_t> payloads;
            std::set<std::uint64_t> histories;
            for (const std::string& placement : placements) {
                for (const std::string& policy : policies) {
                    INFO(topology.file << ", " << placement << ", " << schedule << ", " << policy);
                    const RunReport report = run_layers(topology.file, placement, schedule, policy);
                    CHECK(report.outcome == Outcome::finished);
                    CHECK(report.validity.reasons.empty());
                    CHECK(report.statistics.payload_bytes == report.collectives[0].collective.payload.count);
                    flits.insert(report.statistics.flits);
                    payloads.insert(report.statistics.payload_bytes);
                    histories.insert(report.event_hash);
                }
            }
            INFO(topology.file << ", " << schedule);
            CHECK(flits.size() == 1);
            CHECK(payloads.size() == 1);
            // Layers that move nothing would make one history of all.
            CHECK(histories.size() > 1);
        }
    }
}

TEST_CASE("a schedule that the circuits do not carry is refused by its name, on every placement") {
    for (const std::string& placement : placements) {
        CHECK_THROWS_WITH(run_layers("torus-4x4", placement, "two-shot", "spray"),
                          Catch::Matchers::Contains("schedule `two-shot` sends from rank 0 to rank"));
        CHECK_THROWS_WITH(run_layers("two-level-ocs-16", placement, "two-shot", "spray"),
                          Catch::Matchers::Contains("but no circuit joins them"));
    }
}

}  // namespace simlette
