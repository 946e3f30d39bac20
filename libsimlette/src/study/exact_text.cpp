#include <simlette/study/exact_text.hpp>

namespace simlette {

std::string fraction_text(const Exact& value) {
    return value.str();
}

std::string decimal_text(const Exact& value, unsigned decimals) {
    using boost::multiprecision::cpp_int;
    const cpp_int scale = boost::multiprecision::pow(cpp_int(10), decimals);
    const bool negative = value < 0;
    const Exact size = negative ? Exact(-value) : value;
    const cpp_int top = boost::multiprecision::numerator(size) * scale;
    const cpp_int bottom = boost::multiprecision::denominator(size);
    const cpp_int rounded = (2 * top + bottom) / (2 * bottom);
    std::string digits = rounded.str();
    if (digits.size() <= decimals) {
        digits.insert(0, decimals + 1 - digits.size(), '0');
    }
    if (decimals > 0) {
        digits.insert(digits.size() - decimals, ".");
    }
    return (negative && rounded != 0 ? "-" : "") + digits;
}

}  // namespace simlette
