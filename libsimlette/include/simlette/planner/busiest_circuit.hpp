// How long the busiest circuit of a schedule is busy, in whole picoseconds.
#pragma once

#include <cstdint>

#include <simlette/collective/closed_form.hpp>

namespace simlette {

class BusiestCircuit {
public:
    BusiestCircuit(const ScheduleCost& cost, Bytes bytes, BitRate rate);

    // Beside so many parallel circuits less one; rounded half up, and at most `most`.
    Duration busy(std::uint32_t copies, Duration most) const;

private:
    boost::multiprecision::cpp_int moved_;  // picoseconds, a fraction
    boost::multiprecision::cpp_int over_;
};

}  // namespace simlette
