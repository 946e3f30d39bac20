#include <simlette/fabric/fabric.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

bool is_exact_rate(BitRate rate) {
    return has_exact_flit_time(rate);
}

NearestRates nearest_exact_rates(BitRate rate) {
    // Exact rates divide 5120e12 = 2^22 * 5^13: few enough to try them all.
    NearestRates nearest{{1}, {flit_bits_ps}};
    for (std::int64_t twos = 1; twos <= (std::int64_t{1} << 22); twos *= 2) {
        std::int64_t candidate = twos;
        for (int fives = 0; fives <= 13; ++fives, candidate *= 5) {
            if (candidate <= rate.per_second && candidate > nearest.below.per_second) {
                nearest.below = {candidate};
            }
            if (candidate >= rate.per_second && candidate < nearest.above.per_second) {
                nearest.above = {candidate};
            }
        }
    }
    return nearest;
}

}  // namespace simlette
