// Digits that no block tells apart, and the ways to make a block out of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <simlette/planner/host.hpp>
#include <simlette/planner/space.hpp>

namespace simlette {

// Any order of the digits of a cell is as good as any other: a block takes the lowest.
struct Cell {
    struct Mark {
        std::uint32_t block;
        unsigned axis;
        bool whole;  // the block is this cell and nothing else
    };

    Digits digits = 0;
    std::size_t prime = 0;
    bool outside = false;
    bool free = true;         // no block of the mesh that is being placed has it
    std::vector<Mark> marks;  // the blocks that have it
};

// By digit: cells of free digits with one number could be exchanged; 0 if it is not free.
using DigitKinds = std::array<std::uint8_t, 32>;

class Cells {
public:
    explicit Cells(const Space& space);

    // All ways, up to symmetry, to take the digits of a block; those that take most from one cell first.
    std::vector<Digits> ways(const RungBlock& block) const;
    // The cells once this block of an axis is there.
    Cells with(Digits block, unsigned axis) const;
    // All digits are free again, for the next mesh.
    Cells freed() const;
    DigitKinds kinds() const;

private:
    Cells() = default;
    std::vector<std::vector<const Cell*>> free_by_kind() const;

    std::vector<Cell> cells_;
    std::uint32_t blocks_ = 0;
};

}  // namespace simlette
