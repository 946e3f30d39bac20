// A run as a Chrome trace: JSON in the Trace Event Format, which Perfetto and chrome://tracing open.
//
// Three processes: `collectives`, `ranks` (what phase each was in), `ports` (what passed, and when a port stood still).
// Times are microseconds with six decimals, so that every picosecond is there. Slices of one thread nest or are
// disjoint, also for a viewer that rounds starts and lengths to nanoseconds: what would overlap goes to a further
// thread, the next lane of the same name; where a slice follows another too closely for such a viewer, the first is
// drawn shorter by less than a nanosecond and carries its true end.
#pragma once

#include <functional>
#include <string_view>

#include <simlette/study/run.hpp>

namespace simlette {

using TextSink = std::function<void(std::string_view)>;

// In pieces, so that a large trace is never in memory as text. Requires: report.trace.
SIMLETTE_EXPORT void write_trace(const RunReport& report, const TextSink& out);

}  // namespace simlette
