// What light loses on the longest way between two electronic ports.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

struct OpticalBudget {
    std::uint32_t passes = 0;      // through circuit switches
    std::uint32_t connectors = 0;  // two for each fibre
    std::int64_t loss = 0;         // of all of them, in thousandths of a decibel
};

// Nothing without circuit switches, and without FabricSpec::optics.
SIMLETTE_EXPORT std::optional<OpticalBudget> optical_budget(const FabricSpec& fabric);

// Appends a problem if the loss is above the limit, with what would fit.
void check_optics(const FabricSpec& fabric, std::vector<Problem>& problems);

}  // namespace simlette
