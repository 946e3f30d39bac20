// The line on stderr that says how far a simulation, a sweep or a search is.
#pragma once

#include <string>

#include <simlette/planner/plan_cache.hpp>
#include <simlette/study/run.hpp>
#include <simlette/study/sweep.hpp>

namespace simlette::program {

enum class ProgressChoice { automatic, always, never };

// Of a value of `--progress`.
ProgressChoice progress_choice(const std::string& word, bool quiet);

// Only on a terminal, unless asked for.
bool shows_progress(ProgressChoice choice);

// `42 %  34.5 us  12.3 M events/s  3 s left`, behind `critical path` in the simulation that follows it
std::string progress_text(const RunProgress& progress);
// `12 of 40 points  8 s left`
std::string progress_text(const SweepProgress& progress);

// `1572864 nodes  best 510.506 us  bound 498.120 us  gap 2.49 %`
std::string progress_text(const SearchProgress& progress);

// Draws the line over the one before; the last one is wiped out on destruction.
class ProgressLine {
public:
    ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine();

    void draw(const std::string& text);

private:
    bool terminal_;
    bool drawn_ = false;
};

// Searches for a plan; shows how far it is once that takes more than a second. An interrupt ends it with the best plan
// that it has.
Planner watched_planner(ProgressChoice choice);
// That nothing was run; the exit status.
int say_interrupted_planning();

}  // namespace simlette::program
