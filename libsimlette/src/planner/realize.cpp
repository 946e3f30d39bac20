#include <simlette/planner/realize.hpp>

#include <map>
#include <utility>

#include <fmt/format.h>

#include <simlette/base/error.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/fabric/rack_circuits.hpp>
#include <simlette/planner/matchings.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/rail_sharing.hpp>

namespace simlette {

namespace {

void check_fit(const Plan& plan, const FabricSpec& fabric) {
    if (plan.ranks != fabric.accelerators) {
        throw Error(ErrorKind::input,
                    fmt::format("the plan is for {} accelerators; the fabric has {}", plan.ranks, fabric.accelerators));
    }
    const bool hybrid = fabric.kind == FabricKind::two_level && fabric.level1.device == DeviceKind::eps;
    if (hybrid != (plan.racks > 0)) {
        throw Error(ErrorKind::input, hybrid
                                          ? "the plan has circuits between accelerators; those of the fabric join racks"
                                          : "the plan has circuits between racks of electronic switches; those of "
                                            "the fabric join accelerators");
    }
    if (plan.racks == 0 && plan.generators.empty() && !has_rings(plan)) {
        throw Error(ErrorKind::input, "the plan has no circuits: no axis of more than one rank has a collective");
    }
    const std::uint32_t needed = ports_taken(plan, fabric.kind != FabricKind::direct);
    if (needed > fabric.ports) {
        const std::uint32_t circuits = ports_taken(plan, false);
        throw Error(ErrorKind::input,
                    fmt::format("the plan needs {} ports of each accelerator{}; there are {} (`ports`)", needed,
                                needed == circuits ? std::string()
                                                   : fmt::format(", {} of them dark since circuit switches join the "
                                                                 "same port of both ends",
                                                                 needed - circuits),
                                fabric.ports));
    }
    if (has_rings(plan)) {
        throw Error(ErrorKind::input, "an axis of the plan is a ring; rings are priced, their circuits are not laid");
    }
}

// Generator by generator, the copies of each side by side; the other end is on the port of the generator that leads
// back.
std::vector<CircuitSpec::Cable> cables_of(const Plan& plan) {
    const RankGroup labels = labels_of(plan);
    std::map<Label, std::uint32_t> first_port;
    std::uint32_t port = 0;
    for (std::size_t i = 0; i < plan.generators.size(); ++i) {
        first_port[plan.generators[i]] = port;
        port += plan.copies[i];
    }
    std::vector<CircuitSpec::Cable> cables;
    for (std::size_t i = 0; i < plan.generators.size(); ++i) {
        const Label there = plan.generators[i];
        const Label back = labels.minus(0, there);
        for (std::uint32_t copy = 0; copy < plan.copies[i] && there <= back; ++copy) {
            for (Label a = 0; a < plan.ranks; ++a) {
                const Label peer = labels.plus(a, there);
                if (there != back || a < peer) {
                    cables.push_back({a, first_port[there] + copy, peer, first_port[back] + copy});
                }
            }
        }
    }
    return cables;
}

std::vector<CircuitSpec::Cable> cables_between_racks(const Plan& plan, const FabricSpec& fabric) {
    std::vector<Problem> problems;
    const LevelSizes sizes = level_sizes(fabric, problems);
    if (!problems.empty()) {
        throw Error(problems);
    }
    if (sizes.serving_groups != plan.racks) {
        throw Error(ErrorKind::input, fmt::format("the plan is for {} racks; {} racks of the fabric serve", plan.racks,
                                                  sizes.serving_groups));
    }
    return even_rack_cables(sizes);
}

}  // namespace

CircuitSpec circuits_of(const Plan& plan, const FabricSpec& fabric) {
    check_fit(plan, fabric);
    CircuitSpec circuits;
    const bool bits = is_power_of_two(plan.ranks);
    if (plan.racks > 0) {
        circuits.automatic = plan.racks == 1;
        circuits.cables = cables_between_racks(plan, fabric);
        return circuits;
    }
    circuits.parted = true;
    if (fabric.kind == FabricKind::direct && !bits) {
        circuits.cables = cables_of(plan);
        return circuits;
    }
    std::vector<Matching> matchings = fabric.kind == FabricKind::direct ? std::vector<Matching>() : matchings_of(plan);
    if (fabric.kind == FabricKind::two_level && !rails_suffice(matchings, fabric)) {
        circuits.port_pairs = share_rails(matchings, fabric);
    } else if (bits) {
        circuits.generators = plan.generators;
        circuits.multiplicity = plan.copies;
    } else {
        circuits.port_pairs = std::move(matchings);
    }
    return circuits;
}

}  // namespace simlette
