// The database of a sweep: its points, what they varied, and the results of those that are finished.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/study/database.hpp>
#include <simlette/study/run_values.hpp>
#include <simlette/study/study.hpp>

namespace simlette {

// A point that has ended. What points with equal configuration and mode share.
struct FinishedRun {
    std::string run;
    std::string configuration_hash;
    std::string configuration;  // JSON
    Mode mode = Mode::flit;
    std::string outcome;  // of the run, or `refused`
    std::string error;    // why it stalled or was refused
    RunValues values;
};

struct SweepRow {
    std::size_t point = 0;
    std::string topology;
    std::string workload;
    std::string mode;
    std::vector<ParameterValue> values;  // of each parameter
    std::string configuration_hash;
    std::string outcome;  // empty: not finished
    std::string error;
    std::vector<std::optional<ScalarValue>> results;  // of each name
};

struct SweepTable {
    std::vector<std::string> parameters;
    std::vector<std::string> names;  // of results
    std::vector<SweepRow> rows;      // in the order of the points
};

// Of a file that nobody writes to; empty if there is none.
SIMLETTE_EXPORT std::set<std::string> finished_in(const std::string& file);

class SIMLETTE_EXPORT SweepStore {
public:
    // Empty file: in memory. Throws Error{input} when the file is something else, or of another version of Simlette.
    SweepStore(const std::string& file, const Study& study, Database::Access access);
    ~SweepStore();
    SweepStore(const SweepStore&) = delete;
    SweepStore& operator=(const SweepStore&) = delete;

    std::set<std::string> finished();                         // runs
    void add(const FinishedRun& finished);                    // in one transaction
    void take(const std::string& file);                       // what another store has finished; it may then go
    SweepTable table(const std::vector<std::string>& names);  // of these results; none: of all but costs

private:
    void write_points();
    void write_view();
    std::vector<std::string> all_names();
    SweepRow row(const StudyPoint& point, std::size_t number, const std::vector<std::string>& names);

    Database database_;
    const Study& study_;
};

}  // namespace simlette
