// What is due in a window, in order of time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <simlette/base/units.hpp>

namespace simlette {

// Of records with a member `time`. After the last one comes one that never does.
template <class Timed>
class DueList {
public:
    // Moves here what comes before an instant; those of one time stay in order, as does the rest. Returns when the
    // first of the rest comes.
    Time take(std::vector<Timed>& from, Time before) {
        make_room(from.size());
        size_ = 0;
        Time next = Time::never();
        Timed* rest = from.data();
        for (const Timed& each : from) {
            const Timed one = each;
            const bool due = one.time < before;
            taken_[size_] = one;
            *rest = one;
            size_ += due ? 1U : 0U;
            rest += due ? 0 : 1;
            next = due ? next : std::min(next, one.time);
        }
        from.erase(from.begin() + (rest - from.data()), from.end());
        sort();
        close();
        return next;
    }
    bool empty() const { return size_ == 0; }
    Timed* begin() { return sorted_.data(); }
    Timed* end() { return sorted_.data() + size_; }

private:
    static constexpr std::size_t few = 32;

    void make_room(std::size_t size) {
        if (sorted_.size() <= size) {
            sorted_.resize(2 * size + few);
            taken_.resize(2 * size + few);
        }
    }

    void close() {
        sorted_[size_] = {};
        sorted_[size_].time = Time::never();
    }

    // Of few each goes to its place at once: as many come before it. That takes no branches that depend on the order.
    void sort() {
        if (size_ > few) {
            std::copy_n(taken_.begin(), size_, sorted_.begin());
            std::stable_sort(begin(), end(), [](const Timed& a, const Timed& b) { return a.time < b.time; });
            return;
        }
        constexpr std::size_t stride = 4;
        std::array<std::uint64_t, few + stride> keys;
        for (std::size_t i = 0; i < size_; ++i) {
            keys[i] = static_cast<std::uint64_t>((taken_[i].time - taken_[0].time).ps) * few + offset + i;
        }
        for (std::size_t i = 0; i < stride; ++i) {
            keys[size_ + i] = ~std::uint64_t{0};
        }
        for (std::size_t i = 0; i < size_; ++i) {
            std::size_t place = 0;
            for (std::size_t j = 0; j < size_; j += stride) {
                for (std::size_t k = j; k < j + stride; ++k) {
                    place += keys[k] < keys[i] ? 1U : 0U;
                }
            }
            sorted_[place] = taken_[i];
        }
    }
    static constexpr std::uint64_t offset = std::uint64_t{1} << 63U;  // keeps what is before the first one below it

    std::size_t size_ = 0;
    std::vector<Timed> taken_;
    std::vector<Timed> sorted_;
};

}  // namespace simlette
