#include <algorithm>
#include <cstddef>
#include <tuple>

#include <simlette/study/trace_slices.hpp>

namespace simlette {

namespace {

constexpr std::int64_t ps_per_ns = 1'000;

std::int64_t rounded(std::int64_t ps) {
    return (ps + ps_per_ns / 2) / ps_per_ns;
}

// Slices that are open, the innermost last.
using Lane = std::vector<TraceSlice*>;

// A slice within another ends so long before it that no rounding moves its end behind the other's.
constexpr Duration inner_margin{2 * ps_per_ns};

bool fits(const Lane& lane, const TraceSlice& slice) {
    for (auto open = lane.rbegin(); open != lane.rend(); ++open) {
        if ((*open)->end > slice.start) {
            return slice.inner && slice.end + inner_margin <= (*open)->end;
        }
    }
    return true;
}

// Ends of slices that are behind: what a viewer that rounds to nanoseconds draws must not reach into `next`.
void close_behind(Lane& lane, Time next) {
    while (!lane.empty() && lane.back()->end <= next) {
        TraceSlice& slice = *lane.back();
        const std::int64_t room = rounded(next.ps) - rounded(slice.start.ps);
        if (rounded(slice.shown.ps) > room) {
            slice.shown = Duration{room * ps_per_ns + ps_per_ns / 2 - 1};
        }
        lane.pop_back();
    }
}

std::tuple<std::uint32_t, std::uint32_t> track_of(const TraceSlice& slice) {
    return {process_of(slice.kind), slice.track};
}

}  // namespace

std::uint32_t process_of(TraceSlice::Kind kind) {
    switch (kind) {
        case TraceSlice::Kind::collective:
            return 1;
        case TraceSlice::Kind::phase:
            return 2;
        case TraceSlice::Kind::passage:
        case TraceSlice::Kind::stall:
            break;
    }
    return 3;
}

void assign_lanes(std::vector<TraceSlice>& slices) {
    std::sort(slices.begin(), slices.end(), [](const TraceSlice& a, const TraceSlice& b) {
        return std::make_tuple(track_of(a), a.start, b.end, a.kind, a.index) <
               std::make_tuple(track_of(b), b.start, a.end, b.kind, b.index);
    });
    std::vector<Lane> lanes;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        TraceSlice& slice = slices[i];
        if (i > 0 && track_of(slices[i - 1]) != track_of(slice)) {
            lanes.clear();
        }
        slice.shown = slice.end - slice.start;
        const auto free = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& lane) { return fits(lane, slice); });
        slice.lane = static_cast<std::uint32_t>(free - lanes.begin());
        if (free == lanes.end()) {
            lanes.emplace_back();
        }
        close_behind(lanes[slice.lane], slice.start);
        lanes[slice.lane].push_back(&slice);
    }
}

}  // namespace simlette
