#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
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
        const std::size_t wanted = std::min<std::size_t>(std::max(control_.jobs, 1U), todo_.size());
        std::vector<std::thread> workers;
        workers.reserve(wanted);
        start(workers, wanted);
        keep();
        join(workers);
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

    // If the system has no room for all, no more than there are cores: runs and the store need room too.
    void start(std::vector<std::thread>& workers, std::size_t wanted) {
        std::unique_lock<std::mutex> lock(mutex_);  // they begin when all are counted
        while (workers.size() < wanted && start_one(workers)) {
        }
        const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
        if (workers.size() == wanted || workers.size() <= cores) {
            running_ = workers.size();
            return;
        }
        dismissed_ = true;
        lock.unlock();
        join(workers);
        dismissed_ = false;
        start(workers, cores);
    }

    static void join(std::vector<std::thread>& workers) {
        for (std::thread& worker : workers) {
            worker.join();
        }
        workers.clear();
    }

    bool start_one(std::vector<std::thread>& workers) {
        try {
            workers.emplace_back([this] { work(); });
            return true;
        } catch (const std::exception&) {
            if (workers.empty()) {
                throw Error(ErrorKind::input, "there is no room for a thread that runs a point");
            }
            return false;
        }
    }

    // On a thread of its own.
    void work() {
        try {
            while (const std::optional<std::size_t> i = take_or_leave()) {
                run_point(todo_[*i]);
            }
        } catch (...) {
            give_up();
            take_or_leave();
        }
    }

    void run_point(std::size_t point) {
        FinishedRun finished = finish(study_.points()[point]);
        if (!finished.outcome.empty()) {
            const std::lock_guard<std::mutex> lock(mutex_);
            finished_.push_back(std::move(finished));
            news_.notify_one();
        }
    }

    // None: the thread no longer counts as running.
    std::optional<std::size_t> take_or_leave() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (dismissed_) {
            return std::nullopt;  // before it was counted
        }
        if (!stopped() && next_ < todo_.size()) {
            return next_++;
        }
        --running_;
        news_.notify_one();
        return std::nullopt;
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
            if (report.outcome != Outcome::interrupted && !report.paths_missing) {
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
    std::atomic<bool> quit_{false};
    std::mutex mutex_;  // of all that follows down to failure_
    std::size_t next_ = 0;
    std::condition_variable news_;
    std::deque<FinishedRun> finished_;
    std::size_t running_ = 0;
    bool dismissed_ = false;  // threads, which then end at once
    std::exception_ptr failure_;
    Clock::time_point began_ = Clock::now();
    double told_ = 0;
};

}  // namespace

bool sweep(const Study& study, SweepStore& store, const SweepControl& control) {
    return Sweeping(study, store, control).run();
}

}  // namespace simlette
