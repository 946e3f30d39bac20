// The scalar results of a run by their dotted names in its JSON, such as `links.max_utilization`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <simlette/study/run.hpp>

namespace simlette {

using ScalarValue = std::variant<std::int64_t, double, std::string>;  // true is 1, false is 0

using NamedValues = std::vector<std::pair<std::string, ScalarValue>>;

struct RunValues {
    NamedValues results;      // the same for the same input
    NamedValues costs;        // wall and CPU time, memory
    std::string assumptions;  // JSON
};

// Without what says which run it was: files, mode, configuration. What is null is left out.
RunValues values_of(const RunReport& report);

// All names that results can have, lists with their first item only; and those of costs.
std::vector<std::string> value_names();
const std::vector<std::string>& cost_names();

}  // namespace simlette
