#include <simlette/fabric/optics.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace simlette {

namespace {

std::uint32_t most_passes(const FabricSpec& fabric) {
    switch (fabric.kind) {
        case FabricKind::single_level:
            return fabric.device == DeviceKind::ocs ? 1 : 0;
        case FabricKind::two_level:
            return fabric.level1.device == DeviceKind::ocs ? 3 : fabric.level2.device == DeviceKind::ocs ? 1 : 0;
        case FabricKind::explicit_graph: {
            std::uint32_t most = 0;
            for (const GraphSpec::Link& link : fabric.graph.links) {
                most = std::max(most, link.optical_passes);
            }
            return most;
        }
        case FabricKind::direct:
            break;
    }
    return 0;
}

OpticalBudget budget_of(const OpticsSpec& optics, std::uint32_t passes) {
    const std::uint32_t connectors = 2 * (passes + 1);
    return {passes, connectors, passes * optics.pass_loss + connectors * optics.connector_loss};
}

double decibels(std::int64_t thousandths) {
    return static_cast<double>(thousandths) / 1e3;
}

}  // namespace

std::optional<OpticalBudget> optical_budget(const FabricSpec& fabric) {
    const std::uint32_t passes = most_passes(fabric);
    return passes > 0 && fabric.optics ? std::optional(budget_of(*fabric.optics, passes)) : std::nullopt;
}

void check_optics(const FabricSpec& fabric, std::vector<Problem>& problems) {
    const std::optional<OpticalBudget> budget = optical_budget(fabric);
    if (!budget || budget->loss <= fabric.optics->limit) {
        return;
    }
    std::uint32_t fits = budget->passes;
    while (fits > 0 && budget_of(*fabric.optics, fits).loss > fabric.optics->limit) {
        --fits;
    }
    problems.push_back(
        {"", 0, 0,
         fmt::format("light loses {} dB on {} passes and {} connectors, but `optics.limit` is {} dB; {} "
                     "would fit",
                     decibels(budget->loss), budget->passes, budget->connectors, decibels(fabric.optics->limit),
                     fits == 0   ? std::string("no pass")
                     : fits == 1 ? std::string("1 pass")
                                 : fmt::format("{} passes", fits))});
}

}  // namespace simlette
