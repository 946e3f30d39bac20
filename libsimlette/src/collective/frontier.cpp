#include <simlette/collective/frontier.hpp>

#include <initializer_list>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

struct Witness {
    unsigned bits;
    unsigned radius;
    std::initializer_list<Label> beyond_units;
};

// Beside the unit generators, which each set contains. 26 and 39 generators at 8 and 9 bits and radius 2 and 18 at 9
// bits and radius 3 may not be the fewest; of the others we know none smaller.
const Witness witnesses[] = {
    {3, 2, {7}},
    {4, 2, {15}},
    {4, 3, {12}},
    {5, 2, {15, 25, 30, 23}},
    {5, 3, {31}},
    {5, 4, {3}},
    {6, 2, {46, 23, 58, 25, 55, 53, 28}},
    {6, 3, {63}},
    {7, 2, {31, 74, 88, 18, 122, 102, 15, 99, 61, 77, 53, 55}},
    {7, 3, {125, 115, 79, 43}},
    {7, 4, {127}},
    {8, 2, {26, 41, 52, 56, 63, 84, 100, 119, 120, 137, 161, 175, 184, 192, 231, 234, 242, 248}},
    {8, 3, {15, 153, 234, 87, 244, 54}},
    {8, 4, {255}},
    {9, 2, {3,  5,  6,   10,  11,  12,  13,  15,  26,  31,  48,  58,  63,  80,  90,
            95, 96, 112, 122, 127, 174, 201, 231, 297, 327, 366, 405, 434, 475, 508}},
    {9, 3, {69, 126, 277, 424, 457, 484, 39, 91, 149}},
    {9, 4, {187, 467, 423, 110}},
    {9, 5, {511}},
};

void check(unsigned bits, unsigned phases) {
    require(bits >= 1 && bits < 32 && phases >= 1 && phases <= bits, "an axis has from one phase to one for each bit");
}

}  // namespace

std::uint32_t schedulable_degree(unsigned bits, unsigned phases) {
    check(bits, phases);
    return degree(balanced_fold(bits, phases));
}

std::vector<Label> diameter_set(unsigned bits, unsigned phases) {
    check(bits, phases);
    std::vector<Label> best = graph_of(layers_of(balanced_fold(bits, phases))).generators;
    for (const Witness& witness : witnesses) {
        if (witness.bits == bits && witness.radius <= phases && bits + witness.beyond_units.size() < best.size()) {
            best = unit_generators(bits);
            best.insert(best.end(), witness.beyond_units.begin(), witness.beyond_units.end());
        }
    }
    return best;
}

std::uint32_t diameter_degree(unsigned bits, unsigned phases) {
    return static_cast<std::uint32_t>(diameter_set(bits, phases).size());
}

std::uint32_t sphere_bound(unsigned bits, unsigned phases) {
    check(bits, phases);
    const std::uint64_t labels = std::uint64_t{1} << bits;
    std::uint64_t degree = 0;
    for (std::uint64_t reached = 1; reached < labels; ++degree) {
        reached = 1;
        std::uint64_t sphere = 1;
        for (std::uint64_t k = 1; k <= phases && k <= degree + 1 && reached < labels; ++k) {
            sphere = sphere * (degree + 2 - k) / k;
            reached += sphere;
        }
    }
    return static_cast<std::uint32_t>(degree);
}

}  // namespace simlette
