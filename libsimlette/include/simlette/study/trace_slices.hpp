// What a trace draws, before it becomes text: slices on threads.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/units.hpp>

namespace simlette {

struct TraceSlice {
    enum class Kind : std::uint8_t { collective, phase, passage, stall };

    Kind kind = Kind::collective;
    bool inner = false;       // may be drawn within another slice of its track
    std::uint32_t index = 0;  // of the record that it shows
    std::uint32_t track = 0;  // within its process: 0 for collectives, the rank, the link
    std::uint32_t lane = 0;   // within its track
    Time start;
    Time end;
    Duration shown{0};  // its length, or up to a nanosecond less; set by assign_lanes
};

// Sorts by process, track and start, and sets lanes: the first one where a slice fits between the others, or, if it
// is an inner one, also within another. See trace.hpp for what fits.
void assign_lanes(std::vector<TraceSlice>& slices);

std::uint32_t process_of(TraceSlice::Kind kind);  // 1 collectives, 2 ranks, 3 ports

}  // namespace simlette
