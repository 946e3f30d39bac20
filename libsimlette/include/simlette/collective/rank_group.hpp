// Ranks as an abelian group: labels are added digit by digit. Z_2^n of the cubes, Z_N of rings and circulants, and
// Z_r x Z_s x ... of products of complete graphs are the cases that matter.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/base/label.hpp>

namespace simlette {

class RankGroup {
public:
    // Lowest digit first. Requires: every radix is at least 2; their product fits in 32 bits.
    SIMLETTE_EXPORT explicit RankGroup(std::vector<std::uint32_t> radices);
    SIMLETTE_EXPORT static RankGroup binary(unsigned bits);
    SIMLETTE_EXPORT static RankGroup cyclic(std::uint32_t ranks);

    std::uint32_t size() const { return size_; }
    const std::vector<std::uint32_t>& radices() const { return radices_; }
    bool is_binary() const { return binary_; }  // Z_2^n: the sum is XOR
    bool is_cyclic() const { return radices_.size() == 1; }
    SIMLETTE_EXPORT Label plus(Label a, Label b) const;
    SIMLETTE_EXPORT Label minus(Label a, Label b) const;

private:
    std::vector<std::uint32_t> radices_;
    std::uint32_t size_ = 1;
    bool binary_ = true;
};

}  // namespace simlette
