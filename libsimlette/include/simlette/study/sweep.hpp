// Runs the points of a study on several threads, each with a simulator of its own, and keeps what has finished.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include <simlette/base/export.hpp>
#include <simlette/study/sweep_store.hpp>

namespace simlette {

struct SweepProgress {
    std::size_t runs = 0;    // of this share: points with equal configuration and mode are one run
    std::size_t done = 0;    // finished, now or before
    std::size_t before = 0;  // finished before this sweep began
    double wall_seconds = 0;
};

struct SweepControl {
    unsigned jobs = 1;
    std::size_t share = 0;  // takes every `shares`-th run, beginning with this one
    std::size_t shares = 1;
    std::set<std::string> finished;                      // runs that are kept elsewhere already
    std::function<void(const SweepProgress&)> progress;  // may be empty; on the thread that called sweep()
    double progress_interval = 0.2;                      // seconds of wall time, at least
    const std::atomic<bool>* stop = nullptr;             // set by another thread or a signal handler to end early
};

// Points that are in the store are not run again. False: it was stopped, and points of its share are left.
SIMLETTE_EXPORT bool sweep(const Study& study, SweepStore& store, const SweepControl& control);

SIMLETTE_EXPORT std::string sweep_csv(const SweepTable& table);  // a header and one row a point
SIMLETTE_EXPORT std::string sweep_json(const SweepTable& table);
SIMLETTE_EXPORT std::string sweep_table(SweepTable table);  // for people

// File names without folder and ending, if all files still have names of their own.
void shorten_files(SweepTable& table);

}  // namespace simlette
