// Credits of one link and channel that come back a fixed time after they were spent, kept as runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/base/units.hpp>

namespace simlette {

// Invariant: credits in hand and on their way back add up to the window; the runs are in order of time.
class CreditWindow {
public:
    // `credits` at hand; one that is spent at s is back at s + loop.
    void set(std::int64_t credits, Duration loop) {
        in_hand_ = credits;
        loop_ = loop;
        runs_.clear();
        first_ = 0;
    }

    bool any(Time now) const { return in_hand_ > 0 || (first_ < runs_.size() && runs_[first_].at <= now); }
    // When the next one is back. Requires: none is in hand, and the window is not empty.
    Time next() const {
        require(first_ < runs_.size(), "a spent credit comes back");
        return runs_[first_].at;
    }

    // Of flits that start at `from` and every `stride` later, how many have a credit in time; at most `most`, and
    // perhaps fewer where credits come back less often than flits leave.
    std::int64_t paid(Time from, Duration stride, std::int64_t most) const {
        std::int64_t credits = in_hand_;
        for (std::size_t i = first_; i < runs_.size() && credits < most; ++i) {
            if (runs_[i].at > from + stride * credits) {
                break;
            }
            if (runs_[i].stride > stride) {
                ++credits;
                break;
            }
            credits += runs_[i].count;
        }
        return std::min(credits, most);
    }

    // Requires: `count` flits are paid from `from` on.
    void spend(std::int64_t count, Time from, Duration stride) {
        take(count);
        const Time back = from + loop_;
        if (first_ < runs_.size()) {
            Run& last = runs_.back();
            if (last.stride == stride && last.at + stride * last.count == back) {
                last.count += count;
                return;
            }
        }
        runs_.push_back({back, stride, count});
    }

private:
    struct Run {
        Time at;
        Duration stride;
        std::int64_t count;
    };

    void take(std::int64_t count) {
        const std::int64_t from_hand = std::min(count, in_hand_);
        in_hand_ -= from_hand;
        count -= from_hand;
        while (count > 0) {
            require(first_ < runs_.size(), "a flit is sent with a credit");
            Run& run = runs_[first_];
            const std::int64_t taken = std::min(count, run.count);
            count -= taken;
            run.count -= taken;
            run.at = run.at + run.stride * taken;
            first_ += run.count == 0 ? 1 : 0;
        }
        if (first_ > 64 && first_ * 2 > runs_.size()) {
            runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
    }

    std::int64_t in_hand_ = 0;
    Duration loop_{0};
    std::vector<Run> runs_;  // on their way back
    std::size_t first_ = 0;
};

}  // namespace simlette
