// Every block fold of some bits.
#pragma once

#include <vector>

#include <simlette/collective/fold.hpp>

namespace simlette {

inline void add_folds(unsigned rest, unsigned most, BlockFold& fold, std::vector<BlockFold>& all) {
    if (rest == 0) {
        all.push_back(fold);
    }
    for (unsigned block = std::min(rest, most); block >= 1; --block) {
        fold.push_back(block);
        add_folds(rest - block, block, fold, all);
        fold.pop_back();
    }
}

// Widest block first.
inline std::vector<BlockFold> all_folds(unsigned bits) {
    std::vector<BlockFold> all;
    BlockFold fold;
    add_folds(bits, bits, fold, all);
    return all;
}

}  // namespace simlette
