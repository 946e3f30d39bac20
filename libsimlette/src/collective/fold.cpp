#include <simlette/collective/fold.hpp>

#include <algorithm>
#include <numeric>

#include <simlette/base/contract.hpp>

namespace simlette {

unsigned bits_of_fold(const BlockFold& fold) {
    return std::accumulate(fold.begin(), fold.end(), 0U);
}

std::uint32_t degree(const BlockFold& fold) {
    std::uint32_t sum = 0;
    for (const unsigned bits : fold) {
        sum += (std::uint32_t{1} << bits) - 1;
    }
    return sum;
}

namespace {

CosetLayers digit_layers(RankGroup group, const std::vector<std::uint32_t>& radices) {
    std::vector<Layer> layers;
    std::uint32_t weight = 1;
    for (const std::uint32_t radix : radices) {
        layers.emplace_back();
        for (std::uint32_t digit = 1; digit < radix; ++digit) {
            layers.back().push_back(digit * weight);
        }
        weight *= radix;
    }
    return in_order(std::move(group), std::move(layers));
}

}  // namespace

CosetLayers layers_of(const BlockFold& fold) {
    std::vector<std::uint32_t> radices;
    for (const unsigned bits : fold) {
        radices.push_back(std::uint32_t{1} << bits);
    }
    return digit_layers(RankGroup::binary(bits_of_fold(fold)), radices);
}

CosetLayers layers_of_radices(const std::vector<std::uint32_t>& radices) {
    return digit_layers(RankGroup(radices), radices);
}

CayleyGraph graph_of(const CosetLayers& layers) {
    CayleyGraph graph{layers.group, {}};
    for (const Layer& layer : layers.layers) {
        graph.generators.insert(graph.generators.end(), layer.begin(), layer.end());
    }
    std::sort(graph.generators.begin(), graph.generators.end());
    return graph;
}

std::string fold_text(const BlockFold& fold) {
    std::string text = "Q" + std::to_string(bits_of_fold(fold));
    for (std::size_t j = 0; j < fold.size(); ++j) {
        text += (j == 0 ? "[" : ",") + std::to_string(fold[j]);
    }
    return text + (fold.empty() ? "[]" : "]");
}

namespace {

// A number without a leading zero and of at most two digits, taken off the front.
std::optional<unsigned> take_number(std::string_view& text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 2 || text[0] == '0') {
        return std::nullopt;
    }
    unsigned value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        value = value * 10 + static_cast<unsigned>(text[i] - '0');
    }
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, char expected) {
    const bool there = !text.empty() && text.front() == expected;
    text.remove_prefix(there ? 1 : 0);
    return there;
}

}  // namespace

std::optional<BlockFold> parse_fold(std::string_view text) {
    if (!take(text, 'Q')) {
        return std::nullopt;
    }
    const std::optional<unsigned> bits = take_number(text);
    if (!bits || *bits > 31 || !take(text, '[')) {
        return std::nullopt;
    }
    BlockFold fold;
    do {
        const std::optional<unsigned> size = take_number(text);
        if (!size) {
            return std::nullopt;
        }
        fold.push_back(*size);
    } while (take(text, ','));
    const bool whole = take(text, ']') && text.empty() && bits_of_fold(fold) == *bits;
    return whole ? std::optional(fold) : std::nullopt;
}

BlockFold balanced_fold(unsigned bits, unsigned blocks) {
    require(blocks >= 1 && blocks <= bits, "a fold has at least a bit for every block");
    BlockFold fold(blocks, bits / blocks);
    for (unsigned j = 0; j < bits % blocks; ++j) {
        ++fold[j];
    }
    return fold;
}

namespace {

// Ways to write a number as a product of factors, widest first.
void products(std::uint32_t rest, std::uint32_t most, std::vector<std::uint32_t>& factors,
              std::vector<std::vector<std::uint32_t>>& all) {
    if (rest == 1) {
        all.push_back(factors);
        return;
    }
    for (std::uint32_t factor = std::min(rest, most); factor >= 2; --factor) {
        if (rest % factor == 0) {
            factors.push_back(factor);
            products(rest / factor, factor, factors, all);
            factors.pop_back();
        }
    }
}

}  // namespace

CosetLayers layers_within(std::uint32_t ranks, std::uint32_t ports) {
    std::vector<std::uint32_t> factors;
    std::vector<std::vector<std::uint32_t>> all;
    products(ranks, ranks, factors, all);
    const auto degree_of = [](const std::vector<std::uint32_t>& radices) {
        return std::accumulate(radices.begin(), radices.end(), 0U) - static_cast<std::uint32_t>(radices.size());
    };
    const auto better = [&](const auto& a, const auto& b) {
        const bool fits_a = degree_of(a) <= ports;
        const bool fits_b = degree_of(b) <= ports;
        if (fits_a != fits_b) {
            return fits_a;
        }
        return fits_a && a.size() != b.size() ? a.size() < b.size() : degree_of(a) < degree_of(b);
    };
    const std::vector<std::uint32_t> best = *std::min_element(all.begin(), all.end(), better);
    return digit_layers(is_power_of_two(ranks) ? RankGroup::binary(bits_of(ranks)) : RankGroup(best), best);
}

}  // namespace simlette
