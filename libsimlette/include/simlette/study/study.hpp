// A study: topologies, workloads, modes and parameters crossed to points, every one of them checked before any runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/problems.hpp>
#include <simlette/study/resolve.hpp>
#include <simlette/study/run.hpp>
#include <simlette/study/study_file.hpp>

namespace simlette {

struct StudyInputs {
    std::string study;                // a path
    std::vector<Override> overrides;  // of every topology and workload, or of the study itself: `study.mode`
    std::optional<std::uint64_t> seed;
};

// A value that a point gives to a path of the study.
struct ParameterValue {
    std::string text;                         // `64 KiB`
    std::optional<std::int64_t> base_number;  // 65536: a number, or a quantity in its base unit
};

struct StudyPoint {
    std::size_t topology = 0;  // index of Study::topologies()
    std::size_t workload = 0;
    Mode mode = Mode::flit;
    std::vector<std::size_t> choices;  // of each axis, the index of its value
    std::string configuration_hash;
    std::string run;  // a hash of configuration and mode: points with equal ones have one result
};

class SIMLETTE_EXPORT Study {
public:
    // Throws Error{input} with every problem of the study, its files and its points, up to 20.
    // Each request of `circuits: auto` is put to `planner` once, whatever the number of its points.
    explicit Study(const StudyInputs& inputs, const Planner& planner = search_plan);
    Study(const Study&) = delete;
    Study& operator=(const Study&) = delete;

    const std::string& text() const { return text_; }                           // as canonical JSON
    const std::vector<std::string>& topologies() const { return topologies_; }  // as the study names them
    const std::vector<std::string>& workloads() const { return workloads_; }
    const std::vector<std::string>& files() const { return files_; }            // paths of all that was read
    const std::vector<std::string>& parameters() const { return parameters_; }  // paths that vary
    const std::vector<std::string>& record() const { return record_; }          // empty: everything scalar
    const std::vector<StudyPoint>& points() const { return points_; }

    std::vector<ParameterValue> values(const StudyPoint& point) const;  // of each parameter
    RunInputs inputs(const StudyPoint& point) const;
    LoadedRun load(const StudyPoint& point) const;  // may be called by several threads

private:
    void read_file(const StudyInputs& inputs, Problems& problems);
    void check_record(const StudyFile& file, Problems& problems) const;
    void read_inputs(const StudyInputs& inputs, Problems& problems);
    void cross(const StudyFile& file);
    void fix(const std::optional<Change>& change, Problems& problems);
    void check_points(Problems& problems);
    InputTrees changed(const StudyPoint& point, Problems& problems) const;
    std::string note(const StudyPoint& point) const;

    Problems sources_;                          // what places in the trees point to
    mutable NamedFiles named_files_{sources_};  // all read by the constructor, then only looked up
    mutable PlanCache plans_;                   // the same
    std::string text_;
    std::vector<std::string> topologies_;
    std::vector<std::string> workloads_;
    std::vector<std::string> files_;
    std::vector<std::string> parameters_;
    std::vector<std::string> record_;
    std::vector<Mode> modes_;
    std::vector<StudyAxes> groups_;  // of each group, axes that move in step
    std::vector<InputTree> topology_trees_;
    std::vector<InputTree> workload_trees_;
    std::vector<Change> fixed_;  // of all points: `--set` and `--seed`
    std::vector<StudyPoint> points_;
};

}  // namespace simlette
