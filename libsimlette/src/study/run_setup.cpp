#include <fmt/format.h>

#include <simlette/base/error.hpp>
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

std::string entry_text(const WorkloadSpec& workload, std::size_t entry) {
    const std::string& name = workload.collectives[entry].name;
    return name.empty() ? fmt::format("collectives.{}: ", entry) : fmt::format("collectives.{} (`{}`): ", entry, name);
}

}  // namespace

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

std::vector<EntryReport> preview(const std::shared_ptr<const Fabric>& fabric, const WorkloadSpec& workload,
                                 const RunInputs& inputs) {
    constexpr std::size_t most_problems = 20;
    Simulator simulator(fabric);
    std::vector<EntryReport> entries(workload.collectives.size());
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < entries.size() && problems.size() < most_problems; ++i) {
        try {
            const CollectiveId id = simulator.register_collective(workload.collectives[i].collective);
            entries[i].collective = simulator.collective(id);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            add_problems(error, inputs.workload, entry_text(workload, i), problems);
        }
    }
    if (!problems.empty()) {
        throw Error(problems);
    }
    return entries;
}

}  // namespace simlette
