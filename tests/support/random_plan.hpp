// Requests for plans, drawn at random.
#pragma once

#include <string>

#include <simlette/base/random.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

inline PlanCollective random_collective(Random& random) {
    constexpr Primitive primitives[] = {Primitive::all_reduce, Primitive::all_to_all, Primitive::all_gather,
                                        Primitive::reduce_scatter};
    PlanCollective collective;
    collective.primitive = primitives[random.below(4)];
    collective.bytes = {random.between(1, 4) << random.between(0, 20)};
    collective.calls = static_cast<std::uint32_t>(random.between(1, 3));
    return collective;
}

// Two in three axes have one or two collectives.
inline PlanMesh random_mesh(Random& random, unsigned bits, std::size_t axes, const std::string& name) {
    PlanMesh mesh{name, {}};
    for (std::size_t i = 0; i < axes; ++i) {
        const unsigned left = bits - static_cast<unsigned>(axes - 1 - i);  // at least a bit for each
        const auto taken = i + 1 == axes ? bits : static_cast<unsigned>(random.between(1, left));
        bits -= taken;
        PlanAxis axis{"a" + std::to_string(i), std::uint32_t{1} << taken, {}};
        for (std::uint64_t count = random.below(3); count > 0; --count) {
            axis.collectives.push_back(random_collective(random));
        }
        mesh.axes.push_back(std::move(axis));
    }
    return mesh;
}

// One to `meshes` meshes of one to three axes.
inline PlanRequest random_plan_request(Random& random, unsigned bits, std::size_t meshes, std::uint32_t ports) {
    PlanRequest request;
    request.ranks = std::uint32_t{1} << bits;
    request.ports = static_cast<std::uint32_t>(random.between(bits, ports));
    request.latency = {random.between(1, 600) * 1'000};
    request.latency_across = request.latency;
    for (std::uint64_t count = 1 + random.below(meshes); count > 0; --count) {
        const std::size_t axes = 1 + random.below(std::min<std::uint64_t>(3, bits));
        request.meshes.push_back(random_mesh(random, bits, axes, "m" + std::to_string(count)));
    }
    return request;
}

}  // namespace simlette
