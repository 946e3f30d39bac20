#include <algorithm>

#include <fmt/format.h>

#include <simlette/fabric/built_fabric.hpp>

namespace simlette {

namespace {

// One circuit of every accelerator: `offset` further along a dimension, cyclic.
struct Direction {
    std::uint32_t extent;  // of the dimension
    std::uint32_t stride;  // between its neighbours
    std::uint32_t offset;

    std::uint32_t moved(std::uint32_t accelerator) const {
        const std::uint32_t at = accelerator / stride % extent;
        return accelerator + (at + offset) % extent * stride - at * stride;
    }
    bool is_reverse_of(const Direction& other) const {
        return stride == other.stride && extent == other.extent && offset + other.offset == extent;
    }
};

// Forwards before backwards; both are one circuit where the extent is 2, and there is none where it is 1.
void add_cycle(std::uint32_t extent, std::uint32_t stride, std::vector<Direction>& directions) {
    if (extent >= 2) {
        directions.push_back({extent, stride, 1});
    }
    if (extent >= 3) {
        directions.push_back({extent, stride, extent - 1});
    }
}

std::vector<Direction> directions_of(const FabricSpec& spec) {
    std::vector<Direction> directions;
    switch (spec.circuits.shape) {
        case CircuitShape::none:
            break;
        case CircuitShape::ring:
            add_cycle(spec.accelerators, 1, directions);
            break;
        case CircuitShape::full_mesh:
            for (std::uint32_t offset = 1; offset < spec.accelerators; ++offset) {
                directions.push_back({spec.accelerators, 1, offset});
            }
            break;
        case CircuitShape::torus:
            std::uint32_t stride = spec.accelerators;
            for (const std::uint32_t extent : spec.circuits.torus) {
                stride /= extent;
                add_cycle(extent, stride, directions);
            }
            break;
    }
    return directions;
}

std::string shape_text(const FabricSpec& spec) {
    switch (spec.circuits.shape) {
        case CircuitShape::ring:
            return fmt::format("a ring of {} accelerators", spec.accelerators);
        case CircuitShape::full_mesh:
            return fmt::format("a full mesh of {} accelerators", spec.accelerators);
        case CircuitShape::torus:
            return fmt::format("a torus of {}", fmt::join(spec.circuits.torus, " x "));
        case CircuitShape::none:
            break;
    }
    return "";
}

// How many ports each accelerator needs, as a sum over what they are for.
std::string needed_text(const FabricSpec& spec, std::size_t needed) {
    if (spec.circuits.shape == CircuitShape::full_mesh) {
        return fmt::format("{} - 1 = {}", spec.accelerators, needed);
    }
    if (spec.circuits.shape == CircuitShape::ring) {
        return std::to_string(needed);
    }
    std::vector<std::uint32_t> each;
    for (const std::uint32_t extent : spec.circuits.torus) {
        each.push_back(std::min(extent - 1, 2U));
    }
    return fmt::format("{} = {}", fmt::join(each, " + "), needed);
}

std::string extents_problem(const FabricSpec& spec) {
    constexpr std::uint64_t enough = 1U << 31U;
    if (spec.circuits.torus.empty()) {
        return "a torus has no extents; expected one per dimension, such as [4, 4]";
    }
    std::uint64_t product = 1;
    for (const std::uint32_t extent : spec.circuits.torus) {
        product = std::min(product * extent, enough);
    }
    return product == spec.accelerators
               ? ""
               : fmt::format("{} has {}{} accelerators, but `accelerators` is {}", shape_text(spec),
                             product == enough ? "over " : "", product, spec.accelerators);
}

std::string form_problem(const FabricSpec& spec) {
    if (spec.kind != FabricKind::direct) {
        return shape_text(spec) +
               " needs `fabric: direct`: an optical switch joins the same port of both ends, and these circuits leave "
               "by one port and arrive at another";
    }
    if (!spec.circuits.multiplicity.empty()) {
        return "`multiplicity` goes with generators; " + shape_text(spec) +
               " takes every circuit as often as the ports allow";
    }
    return spec.circuits.shape == CircuitShape::torus ? extents_problem(spec) : "";
}

std::vector<CircuitEnd> lay(const std::vector<Direction>& directions, const FabricSpec& spec) {
    std::vector<CircuitEnd> ends(std::size_t{spec.accelerators} * spec.ports);
    const auto copies = directions.empty() ? 0 : spec.ports / static_cast<std::uint32_t>(directions.size());
    for (std::uint32_t there = 0; there < directions.size(); ++there) {
        std::uint32_t back = 0;
        while (!directions[back].is_reverse_of(directions[there])) {
            ++back;
        }
        for (std::uint32_t a = 0; a < spec.accelerators; ++a) {
            for (std::uint32_t copy = 0; copy < copies; ++copy) {
                const std::uint32_t port = there * copies + copy;
                ends[std::size_t{a} * spec.ports + port] = {directions[there].moved(a), back * copies + copy};
            }
        }
    }
    return ends;
}

}  // namespace

std::vector<CircuitEnd> shape_ends(const FabricSpec& spec, std::vector<Problem>& problems) {
    std::string problem = form_problem(spec);
    std::vector<Direction> directions;
    if (problem.empty()) {
        directions = directions_of(spec);
    }
    if (directions.size() > spec.ports) {
        problem = fmt::format("{} needs {} ports per accelerator, but there are {}", shape_text(spec),
                              needed_text(spec, directions.size()), spec.ports);
    }
    if (!problem.empty()) {
        problems.push_back({"", 0, 0, std::move(problem)});
        return {};
    }
    return lay(directions, spec);
}

}  // namespace simlette
