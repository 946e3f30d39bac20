#include <fmt/format.h>

#include <algorithm>

#include <simlette/base/error.hpp>
#include <simlette/sim/traffic_source.hpp>
#include <simlette/study/problems.hpp>
#include <simlette/study/quantity.hpp>
#include <simlette/study/run_setup.hpp>

namespace simlette {

namespace {

// The problems of `error`, placed in `file` where they have no place of their own.
void add_problems(const Error& error, const std::string& file, const std::string& prefix,
                  std::vector<Problem>& problems) {
    for (Problem problem : error.problems()) {
        if (problem.file.empty()) {
            problem.file = file;
            problem.message = prefix + problem.message;
        }
        problems.push_back(problem);
    }
}

// Simulated time ends at 2^63 ps; what starts by then must also have time to end.
constexpr Time latest_start{8'000'000 * ps_per_second};

std::string entry_text(const WorkloadSpec& workload, std::size_t entry) {
    const std::string& name = workload.collectives[entry].name;
    return name.empty() ? fmt::format("collectives.{}: ", entry) : fmt::format("collectives.{} (`{}`): ", entry, name);
}

// Refuses entries that would start too late even if those that they wait for took no time.
void check_starts(const WorkloadSpec& workload, const std::string& file, std::vector<Problem>& problems) {
    std::vector<Time> starts;
    for (std::size_t i = 0; i < workload.collectives.size(); ++i) {
        const WorkloadEntry& entry = workload.collectives[i];
        Time start{0};
        for (const std::size_t earlier : entry.after) {
            start = std::max(start, starts[earlier]);
        }
        start = std::min(start, latest_start) + (entry.collective.earliest_start - Time{0});
        if (start > latest_start) {
            problems.push_back({file, 0, 0,
                                entry_text(workload, i) + "starts after " + duration_text(latest_start - Time{0}) +
                                    ", too close to the end of simulated time"});
        }
        starts.push_back(start);
    }
}

}  // namespace

Time time_of(const std::string& what, const std::string& text) {
    const UnitTable& units = time_units();
    const Quantity quantity = parse_quantity(text, units);
    if (quantity.form != Quantity::Form::good) {
        throw Error(ErrorKind::input, fmt::format("{} is {}; expected a time with its unit, such as `{}`; units are {}",
                                                  what, quote(text), units.example, alternatives(units.names())));
    }
    return Time{quantity.value};
}

std::shared_ptr<const Fabric> build_fabric_of(const LoadedRun& loaded, const RunInputs& inputs) {
    try {
        return build_fabric(loaded.fabric);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) {
            throw;
        }
        std::vector<Problem> problems;
        add_problems(error, inputs.topology, "", problems);
        throw Error(problems);
    }
}

namespace {

void check_traffic(const Fabric& fabric, const TrafficSpec& traffic, const RunInputs& inputs) {
    try {
        const TrafficSource fits(fabric, traffic);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) {
            throw;
        }
        std::vector<Problem> problems;
        add_problems(error, inputs.workload, "traffic: ", problems);
        throw Error(problems);
    }
}

}  // namespace

std::vector<EntryReport> preview(const std::shared_ptr<const Fabric>& fabric, const WorkloadSpec& workload,
                                 const RunInputs& inputs) {
    constexpr std::size_t most_problems = 20;
    if (workload.traffic) {
        check_traffic(*fabric, *workload.traffic, inputs);
    }
    Simulator simulator(fabric);
    std::vector<EntryReport> entries(workload.collectives.size());
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < entries.size() && problems.size() < most_problems; ++i) {
        try {
            CollectiveSpec collective = workload.collectives[i].collective;
            if (collective.schedule == ScheduleKind::automatic_simulated) {
                collective.schedule = ScheduleKind::automatic;  // nothing is simulated ahead
            }
            const CollectiveId id = simulator.register_collective(collective);
            entries[i].collective = simulator.collective(id);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            add_problems(error, inputs.workload, entry_text(workload, i), problems);
        }
    }
    check_starts(workload, inputs.workload, problems);
    if (!problems.empty()) {
        throw Error(problems);
    }
    return entries;
}

}  // namespace simlette
