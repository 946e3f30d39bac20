// The generators that blocks of several axes ask for, each counted once: a block needs all labels on its digits, and
// two blocks share those on the digits that they have in common.
#pragma once

#include <cstdint>
#include <vector>

namespace simlette {

using Digits = std::uint32_t;  // a set of digits of the label, by bit
using AxisSet = std::uint64_t;

// Generators that help the same axes.
struct GeneratorClass {
    AxisSet axes = 0;
    bool crossing = false;  // they leave a group
    std::uint32_t generators = 0;
};

class Host {
public:
    // `radices`: of each digit. `outside`: the digits that choose a group.
    Host(std::vector<std::uint32_t> radices, Digits outside);

    void add(Digits block, unsigned axis);
    // Circuits to two neighbours on a ring over all coordinates of an axis, whose digits no other axis has.
    void add_ring(Digits digits, unsigned axis);
    // Requires: it was the last one that was added and is still there.
    void remove_last();

    std::uint32_t generators() const { return generators_; }
    std::uint32_t crossing() const { return crossing_; }
    // Those of at least one axis, in the order in which they came.
    std::vector<GeneratorClass> classes() const;
    bool crosses(Digits block) const { return (block & outside_) != 0; }

private:
    // The labels that are zero outside of a set of digits and nowhere inside it come and go together.
    struct Change {
        Digits support;
        unsigned axis;
    };

    std::vector<std::uint32_t> radices_;
    Digits outside_;
    std::vector<AxisSet> axes_;           // by support
    std::vector<std::uint32_t> weights_;  // of supports that are there: their generators
    std::vector<Digits> supports_;
    std::vector<Change> changes_;
    std::vector<std::size_t> added_;  // changes before each block
    std::uint32_t generators_ = 0;
    std::uint32_t crossing_ = 0;

    void add_support(Digits support, unsigned axis, std::uint32_t weight);
    std::uint32_t labels_on(Digits support) const;
};

}  // namespace simlette
