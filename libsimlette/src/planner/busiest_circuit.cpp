#include <simlette/planner/busiest_circuit.hpp>

namespace simlette {

BusiestCircuit::BusiestCircuit(const ScheduleCost& cost, Bytes bytes, BitRate rate) {
    const Exact ps = cost.volume * bytes.count * 8 * ps_per_second / rate.per_second;
    moved_ = boost::multiprecision::numerator(ps);
    over_ = boost::multiprecision::denominator(ps);
}

Duration BusiestCircuit::busy(std::uint32_t copies, Duration most) const {
    const boost::multiprecision::cpp_int over = over_ * copies;
    const boost::multiprecision::cpp_int time = (2 * moved_ + over) / (2 * over);
    return time > most.ps ? most : Duration{static_cast<std::int64_t>(time)};
}

}  // namespace simlette
