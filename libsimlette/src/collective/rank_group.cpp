#include <simlette/collective/rank_group.hpp>

#include <utility>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

template <class Combine>
Label by_digits(const std::vector<std::uint32_t>& radices, Label a, Label b, Combine&& combine) {
    Label result = 0;
    std::uint32_t weight = 1;
    for (const std::uint32_t radix : radices) {
        result += weight * combine(a % radix, b % radix, radix);
        a /= radix;
        b /= radix;
        weight *= radix;
    }
    return result;
}

}  // namespace

RankGroup::RankGroup(std::vector<std::uint32_t> radices) : radices_(std::move(radices)) {
    std::uint64_t size = 1;
    for (const std::uint32_t radix : radices_) {
        require(radix >= 2, "a digit has at least two values");
        size *= radix;
        require(size <= UINT32_MAX, "a group of ranks has fewer than 2^32");
        binary_ = binary_ && radix == 2;
    }
    size_ = static_cast<std::uint32_t>(size);
}

RankGroup RankGroup::binary(unsigned bits) {
    return RankGroup(std::vector<std::uint32_t>(bits, 2));
}

RankGroup RankGroup::cyclic(std::uint32_t ranks) {
    return RankGroup(ranks > 1 ? std::vector<std::uint32_t>{ranks} : std::vector<std::uint32_t>{});
}

Label RankGroup::plus(Label a, Label b) const {
    if (binary_) {
        return a ^ b;
    }
    return by_digits(radices_, a, b,
                     [](Label x, Label y, Label radix) { return x < radix - y ? x + y : x - (radix - y); });
}

Label RankGroup::minus(Label a, Label b) const {
    if (binary_) {
        return a ^ b;
    }
    return by_digits(radices_, a, b, [](Label x, Label y, Label radix) { return x >= y ? x - y : x + (radix - y); });
}

}  // namespace simlette
