// What a plan is searched among: the digits of the labels, the axes that carry collectives with their rungs, and what
// each mesh costs at least.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/planner/host.hpp>
#include <simlette/planner/multiplicities.hpp>
#include <simlette/planner/rungs.hpp>

namespace simlette {

// One rung for each axis of a mesh.
struct Combination {
    std::vector<std::size_t> rungs;
    std::uint32_t degree = 0;  // of all axes together: they share no generator
    // By the generators that there are, from 0 to the ports: what these axes cost at least.
    std::vector<std::int64_t> least;
};

struct MeshSpace {
    std::vector<unsigned> axes;  // those with circuits
    std::vector<Combination> combinations;
    // By the generators that there are: the least of all combinations, and these in ascending order of it.
    std::vector<std::int64_t> least;
    std::vector<std::vector<std::size_t>> order;
    std::uint32_t least_degree = 0;
};

// Of two meshes, by their combinations: the generators that both need together at least, wherever their blocks are.
struct JointGenerators {
    std::size_t columns = 0;
    std::vector<std::uint32_t> least;

    std::uint32_t of(std::size_t first, std::size_t second) const { return least[first * columns + second]; }
};

struct Space {
    Primes primes;
    std::vector<std::uint32_t> radices;  // of each digit of a label, lowest first
    Digits outside = 0;                  // the digits that choose a group: those above the others
    PortBudget budget;
    std::vector<std::vector<Rung>> rungs;             // by axis, of those with circuits, in the order of the request
    std::vector<MeshSpace> meshes;                    // without those that ask for no circuits; the widest first
    std::vector<std::size_t> mesh_of;                 // by place in `meshes`: in the request
    std::vector<std::vector<JointGenerators>> joint;  // by place of the first mesh, then of a later one less its own
    // By place in `meshes`, one more than there are: what this and all later ones cost at least, by the generators that
    // there are.
    std::vector<std::vector<std::int64_t>> least_from;
};

// Where the circuits of an axis are: the digits of each block of its rung.
struct PlacedAxis {
    std::size_t rung = 0;
    std::uint32_t copies = 1;
    std::vector<Digits> blocks;  // in the order of their layers
};

// Of blocks in the order of their layers those that have a digit outside.
LayerSet crossing_of(const std::vector<Digits>& blocks, Digits outside);

// Whether an axis gets circuits.
bool has_circuits(const PlanAxis& axis);
// Whether axes may be rings: they share no generators with other meshes, so there must be none.
SIMLETTE_EXPORT bool has_rings(const PlanRequest& request);

// Of the digits of a label, lowest first: the prime factors of what is inside a group, ascending, then of the rest.
std::vector<std::uint32_t> radices_of_labels(std::uint32_t ranks, std::uint32_t group);
// Labels that agree in all but their low digits, up to this product of them, are in one group (rack) of accelerators.
SIMLETTE_EXPORT std::uint32_t ranks_inside(std::uint32_t ranks, std::uint32_t group);

// Throws Error{input} if an axis or a mesh needs more ports than there are, with the least that would do.
Space space_of(const PlanRequest& request);

}  // namespace simlette
