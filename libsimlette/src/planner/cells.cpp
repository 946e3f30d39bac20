#include <simlette/planner/cells.hpp>

#include <algorithm>
#include <bit>

namespace simlette {

namespace {

std::uint32_t count(Digits digits) {
    return static_cast<std::uint32_t>(std::popcount(digits));
}

Digits lowest(Digits digits, std::uint32_t wanted) {
    Digits taken = 0;
    for (; wanted > 0; --wanted) {
        taken |= digits & -digits;
        digits &= digits - 1;
    }
    return taken;
}

// An exchange of two such cells leaves all blocks as they are, but for the names of those that are one of them.
bool alike(const Cell& a, const Cell& b) {
    return a.prime == b.prime && a.outside == b.outside && count(a.digits) == count(b.digits) &&
           std::equal(a.marks.begin(), a.marks.end(), b.marks.begin(), b.marks.end(),
                      [](const Cell::Mark& x, const Cell::Mark& y) {
                          return x.block == y.block || (x.whole && y.whole && x.axis == y.axis);
                      });
}

// Takes from one cell after the other; of cells that are alike an earlier one gives no less than a later one.
class Taking {
public:
    Taking(const std::vector<std::vector<const Cell*>>& kinds, const RungBlock& block) : wanted_(block.digits) {
        for (const auto& kind : kinds) {
            for (const Cell* cell : kind) {
                cells_.push_back({cell, cell == kind.front()});
            }
        }
    }

    std::vector<Digits> run() {
        take(0, 0, 0);
        return std::move(ways_);
    }

private:
    struct Source {
        const Cell* cell;
        bool first;  // of its kind
    };

    void take(std::size_t i, Digits taken, std::uint32_t before) {
        if (i == cells_.size()) {
            if (std::all_of(wanted_.begin(), wanted_.end(), [](std::uint32_t left) { return left == 0; })) {
                ways_.push_back(taken);
            }
            return;
        }
        const Cell& cell = *cells_[i].cell;
        std::uint32_t most = std::min(count(cell.digits), wanted_[cell.prime]);
        most = cells_[i].first ? most : std::min(most, before);
        for (std::uint32_t here = most + 1; here-- > 0;) {
            wanted_[cell.prime] -= here;
            take(i + 1, taken | lowest(cell.digits, here), here);
            wanted_[cell.prime] += here;
        }
    }

    std::vector<std::uint32_t> wanted_;
    std::vector<Source> cells_;
    std::vector<Digits> ways_;
};

}  // namespace

Cells::Cells(const Space& space) {
    for (std::size_t digit = 0; digit < space.radices.size(); ++digit) {
        const auto prime = static_cast<std::size_t>(
            std::find(space.primes.radices.begin(), space.primes.radices.end(), space.radices[digit]) -
            space.primes.radices.begin());
        const Digits mask = Digits{1} << digit;
        const bool outside = (space.outside & mask) != 0;
        const auto same = std::find_if(cells_.begin(), cells_.end(),
                                       [&](const Cell& c) { return c.prime == prime && c.outside == outside; });
        if (same == cells_.end()) {
            cells_.push_back({mask, prime, outside, true, {}});
        } else {
            same->digits |= mask;
        }
    }
}

std::vector<std::vector<const Cell*>> Cells::free_by_kind() const {
    std::vector<std::vector<const Cell*>> kinds;
    for (const Cell& cell : cells_) {
        if (cell.free) {
            const auto same =
                std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return alike(*kind.front(), cell); });
            same == kinds.end() ? kinds.push_back({&cell}) : same->push_back(&cell);
        }
    }
    return kinds;
}

std::vector<Digits> Cells::ways(const RungBlock& block) const {
    return Taking(free_by_kind(), block).run();
}

Cells Cells::with(Digits block, unsigned axis) const {
    Cells result;
    result.blocks_ = blocks_ + 1;
    for (const Cell& cell : cells_) {
        for (const bool inside : {true, false}) {
            Cell part = cell;
            part.digits &= inside ? block : ~block;
            if (part.digits == 0) {
                continue;
            }
            for (Cell::Mark& mark : part.marks) {
                mark.whole = mark.whole && part.digits == cell.digits;
            }
            if (inside) {
                part.free = false;
                part.marks.push_back({blocks_, axis, part.digits == block});
            }
            result.cells_.push_back(std::move(part));
        }
    }
    return result;
}

Cells Cells::freed() const {
    Cells result = *this;
    for (Cell& cell : result.cells_) {
        cell.free = true;
    }
    return result;
}

DigitKinds Cells::kinds() const {
    DigitKinds kinds{};
    std::uint8_t number = 0;
    for (const auto& kind : free_by_kind()) {
        ++number;
        for (const Cell* cell : kind) {
            for (Digits digits = cell->digits; digits != 0; digits &= digits - 1) {
                kinds[static_cast<std::size_t>(std::countr_zero(digits))] = number;
            }
        }
    }
    return kinds;
}

}  // namespace simlette
