// Requests for plans, drawn at random.
#pragma once

#include <iterator>
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

inline std::vector<std::uint32_t> prime_factors(std::uint32_t number) {
    std::vector<std::uint32_t> factors;
    for (std::uint32_t prime = 2; number > 1; ++prime) {
        for (; number % prime == 0; number /= prime) {
            factors.push_back(prime);
        }
    }
    return factors;
}

// Each prime factor of the ranks falls to one of one to three axes.
inline PlanMesh random_mixed_mesh(Random& random, std::uint32_t ranks, const std::string& name) {
    PlanMesh mesh{name, {}};
    for (std::uint64_t axes = 1 + random.below(3); axes > 0; --axes) {
        mesh.axes.push_back({"a" + std::to_string(axes), 1, {}});
    }
    for (const std::uint32_t prime : prime_factors(ranks)) {
        mesh.axes[random.below(mesh.axes.size())].size *= prime;
    }
    for (PlanAxis& axis : mesh.axes) {
        for (std::uint64_t count = random.below(3); count > 0; --count) {
            axis.collectives.push_back(random_collective(random));
        }
    }
    return mesh;
}

// Any number of ranks with small prime factors, with ports for at least one circuit of each.
inline PlanRequest random_mixed_request(Random& random, std::size_t meshes, bool same_port) {
    constexpr std::uint32_t sizes[] = {3, 5, 6, 7, 9, 10, 12, 14, 15, 18, 20, 21, 24, 27, 28, 30, 36, 40, 45, 48};
    PlanRequest request;
    request.ranks = sizes[random.below(std::size(sizes))];
    request.same_port = same_port;
    request.ports = same_port ? 1 : 0;
    for (const std::uint32_t prime : prime_factors(request.ranks)) {
        request.ports += prime - 1;
    }
    request.ports += static_cast<std::uint32_t>(random.below(9));
    request.latency = {random.between(1, 600) * 1'000};
    request.latency_across = request.latency;
    for (std::uint64_t count = 1 + random.below(meshes); count > 0; --count) {
        request.meshes.push_back(random_mixed_mesh(random, request.ranks, "m" + std::to_string(count)));
    }
    return request;
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
