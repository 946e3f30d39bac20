// Where the time of a run went, as text: the parts of each collective's time, its phases, its critical path.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <simlette/study/run.hpp>

namespace simlette {

// At most so many entries of those that have ended, the last ones, in the order of the workload.
std::vector<std::size_t> last_to_end(const RunReport& report, std::size_t most);

// Per collective that ended, the last ones if there are many: each part in us and as a share. Empty if none has ended,
// or if the mode does not explain.
std::string parts_table(const RunReport& report);

// Per collective and phase, when its first flit left and its last one landed. Empty unless messages were recorded.
std::string phases_table(const RunReport& report);

}  // namespace simlette
