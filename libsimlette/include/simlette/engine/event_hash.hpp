// A sum over what happened that does not depend on the order in which it was added.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <simlette/base/mix.hpp>

namespace simlette {

class EventHash {
public:
    // Adds one happening, described by numbers whose order counts.
    void add(std::initializer_list<std::uint64_t> numbers) {
        std::uint64_t hash = 0;
        for (const std::uint64_t number : numbers) {
            hash = mix(hash ^ number);
        }
        sum_ += hash;
    }

    std::uint64_t value() const { return sum_; }

private:
    std::uint64_t sum_ = 0;
};

}  // namespace simlette
