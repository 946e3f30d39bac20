// A sum over what happened that does not depend on the order in which it was added.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <simlette/base/mix.hpp>

namespace simlette {

class EventHash {
public:
    // Adds one happening, described by numbers whose order counts.
    void add(std::initializer_list<std::uint64_t> numbers) { add_after(0, numbers); }
    // The same, where `begun` stands for the first of the numbers.
    void add_after(std::uint64_t begun, std::initializer_list<std::uint64_t> numbers) { sum_ += begin(numbers, begun); }
    // Those of another sum.
    void add_all(const EventHash& other) { sum_ += other.sum_; }
    static std::uint64_t begin(std::initializer_list<std::uint64_t> numbers, std::uint64_t begun = 0) {
        for (const std::uint64_t number : numbers) {
            begun = mix(begun ^ number);
        }
        return begun;
    }

    std::uint64_t value() const { return sum_; }

private:
    std::uint64_t sum_ = 0;
};

}  // namespace simlette
