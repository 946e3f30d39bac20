// How busy links were over time, by looking at them between slices of a run: the run itself does nothing more.
//
// Spans are equally wide. Where there would be too many, each two become one, and those to come are twice as wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <simlette/study/run.hpp>

namespace simlette {

class LinkHistory {
public:
    static constexpr std::size_t most_spans = 128;

    // Requires: `width` is positive; of the first spans.
    explicit LinkHistory(Duration width) : width_(width) {}

    // When to look for the next time.
    Time next() const { return Time{0} + width_ * static_cast<std::int64_t>(looks_.size() + 1); }
    // Requires: it is next(). `wire_time`: of each link since the start.
    void look(std::vector<Duration> wire_time);
    // The last span is as short as it must be. Requires: end <= next().
    std::vector<UseSpan> spans(const LinkLevels& levels, Time end, const std::vector<Duration>& wire_time) const;

private:
    Duration width_;
    std::vector<std::vector<Duration>> looks_;  // at the end of each span
};

}  // namespace simlette
