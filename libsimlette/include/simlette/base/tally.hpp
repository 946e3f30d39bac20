// Exact percentiles of very many values of which few differ, without keeping each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/base/mix.hpp>

namespace simlette {

// Counts equal values in a hash table with open addressing. The order of its slots never shows.
class Tally {
public:
    void add(std::int64_t value, std::uint64_t times = 1) {
        if (used_ * 2 >= slots_.size()) {
            grow();
        }
        std::size_t at = mix(static_cast<std::uint64_t>(value)) & (slots_.size() - 1);
        while (slots_[at].times > 0 && slots_[at].value != value) {
            at = (at + 1) & (slots_.size() - 1);
        }
        used_ += slots_[at].times == 0 ? 1U : 0U;
        slots_[at].value = value;
        slots_[at].times += times;
        size_ += times;
    }

    void add_all(const Tally& other) {
        for (const Slot& slot : other.slots_) {
            if (slot.times > 0) {
                add(slot.value, slot.times);
            }
        }
    }

    std::uint64_t size() const { return size_; }

    void clear() {
        slots_.clear();
        used_ = 0;
        size_ = 0;
    }

    // The smallest value that at least `percent` of all values do not exceed. Requires: size() > 0, 1 <= percent <=
    // 100.
    std::int64_t percentile(std::uint64_t percent) const {
        require(size_ > 0 && percent >= 1 && percent <= 100, "a percentile is taken of at least one value");
        std::vector<Slot> ascending;
        std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(ascending),
                     [](const Slot& slot) { return slot.times > 0; });
        std::sort(ascending.begin(), ascending.end(), [](const Slot& a, const Slot& b) { return a.value < b.value; });
        std::uint64_t reached = 0;
        for (const Slot& slot : ascending) {
            reached += slot.times;
            if (reached * 100 >= size_ * percent) {
                return slot.value;
            }
        }
        broken_promise("the last value is the hundredth percentile");
    }

private:
    struct Slot {
        std::int64_t value = 0;
        std::uint64_t times = 0;  // 0: free
    };

    void grow() {
        std::vector<Slot> before(std::max<std::size_t>(64, slots_.size() * 2));
        before.swap(slots_);
        used_ = 0;
        size_ = 0;
        for (const Slot& slot : before) {
            if (slot.times > 0) {
                add(slot.value, slot.times);
            }
        }
    }

    std::vector<Slot> slots_;  // a power of two, at most half of them used
    std::size_t used_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace simlette
