#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include <simlette/base/error.hpp>
#include <simlette/study/sweep.hpp>

namespace simlette {

namespace {

using Clock = std::chrono::steady_clock;

// Workers take points from the front of a list; the thread that owns the store takes what they have finished.
class Sweeping {
public:
    Sweeping(const Study& study, SweepStore& store, const SweepControl& control)
        : study_(study), store_(store), control_(control) {
        std::set<std::string> known = store.finished();
        known.insert(control.finished.begin(), control.finished.end());
        std::set<std::string> seen;
        for (std::size_t i = 0; i < study.points().size(); ++i) {
            const std::string& run = study.points()[i].run;
            const std::size_t place = seen.size();
            if (!seen.insert(run).second || place % control.shares != control.share) {
                continue;
            }
            if (known.count(run) > 0) {
                ++before_;
            } else {
                todo_.push_back(i);
            }
        }
    }

    bool run() {
        std::vector<std::thread> workers;
        running_ = static_cast<unsigned>(std::min<std::size_t>(std::max(control_.jobs, 1U), todo_.size()));
        for (unsigned i = running_; i > 0; --i) {
            workers.emplace_back([this] { work(); });
        }
        keep();
        for (std::thread& worker : workers) {
            worker.join();
        }
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        return kept_ == todo_.size();
    }

private:
    bool stopped() const {
        return quit_.load(std::memory_order_relaxed) ||
               (control_.stop != nullptr && control_.stop->load(std::memory_order_relaxed));
    }

    // On a thread of its own.
    void work() {
        try {
            for (std::size_t i = next_++; i < todo_.size() && !stopped(); i = next_++) {
                FinishedRun finished = finish(study_.points()[todo_[i]]);
                if (!finished.outcome.empty()) {
                    const std::lock_guard<std::mutex> lock(mutex_);
                    finished_.push_back(std::move(finished));
                    news_.notify_one();
                }
            }
        } catch (...) {
            give_up();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        --running_;
        news_.notify_one();
    }

    // The outcome stays empty when the run was stopped.
    FinishedRun finish(const StudyPoint& point) const {
        const LoadedRun loaded = study_.load(point);
        FinishedRun finished{point.run, point.configuration_hash, loaded.configuration, point.mode, "", "", {}};
        RunControl control;
        control.mode = point.mode;
        control.stop = &quit_;
        try {
            const RunReport report = simlette::run(loaded, study_.inputs(point), control);
            if (report.outcome != Outcome::interrupted) {
                finished.outcome = outcome_name(report.outcome);
                finished.error = report.outcome == Outcome::stalled ? stall_text(report) : "";
                finished.values = values_of(report);
            }
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            RunReport none;
            none.fabric = loaded.fabric;
            none.configuration = loaded.configuration;
            finished.values.assumptions = values_of(none).assumptions;
            finished.outcome = "refused";
            finished.error = error.what();
        }
        return finished;
    }

    void give_up() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failure_) {
            failure_ = std::current_exception();
        }
        quit_ = true;
    }

    // On the thread that owns the store.
    void keep() {
        try {
            for (bool more = true; more;) {
                more = keep_news();
                tell_progress();
            }
        } catch (...) {
            give_up();
        }
    }

    // False: there will be none.
    bool keep_news() {
        std::unique_lock<std::mutex> lock(mutex_);
        news_.wait_for(lock, std::chrono::milliseconds(50), [this] { return !finished_.empty() || running_ == 0; });
        quit_ = quit_ || stopped();
        std::deque<FinishedRun> news = std::move(finished_);
        finished_.clear();
        const bool more = running_ > 0;
        lock.unlock();
        for (const FinishedRun& finished : news) {
            store_.add(finished);
            ++kept_;
        }
        return more || !news.empty();
    }

    void tell_progress() {
        const double elapsed = std::chrono::duration<double>(Clock::now() - began_).count();
        if (control_.progress && elapsed - told_ >= control_.progress_interval) {
            told_ = elapsed;
            control_.progress({before_ + todo_.size(), before_ + kept_, before_, elapsed});
        }
    }

    const Study& study_;
    SweepStore& store_;
    const SweepControl& control_;
    std::vector<std::size_t> todo_;  // one point of each run that is not finished
    std::size_t before_ = 0;
    std::size_t kept_ = 0;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> quit_{false};
    std::mutex mutex_;  // of the three that follow
    std::condition_variable news_;
    std::deque<FinishedRun> finished_;
    unsigned running_ = 0;
    std::exception_ptr failure_;
    Clock::time_point began_ = Clock::now();
    double told_ = 0;
};

}  // namespace

bool sweep(const Study& study, SweepStore& store, const SweepControl& control) {
    return Sweeping(study, store, control).run();
}

}  // namespace simlette
