#include <simlette/base/label.hpp>

#include <algorithm>

namespace simlette {

std::vector<Label> unit_generators(unsigned bits) {
    std::vector<Label> generators(bits);
    for (unsigned bit = 0; bit < bits; ++bit) {
        generators[bit] = Label{1} << bit;
    }
    return generators;
}

unsigned rank_gf2(std::vector<Label> generators) {
    unsigned rank = 0;
    while (!generators.empty()) {
        const Label pivot = *std::max_element(generators.begin(), generators.end());
        if (pivot == 0) {
            break;
        }
        ++rank;
        const Label leading = std::bit_floor(pivot);
        for (Label& generator : generators) {
            generator = (generator & leading) != 0 ? generator ^ pivot : generator;
        }
    }
    return rank;
}

std::string label_text(Label label, unsigned bits) {
    std::string text(bits, '0');
    for (unsigned bit = 0; bit < bits; ++bit) {
        if ((label >> bit & 1U) != 0) {
            text[bits - 1 - bit] = '1';
        }
    }
    return text;
}

}  // namespace simlette
