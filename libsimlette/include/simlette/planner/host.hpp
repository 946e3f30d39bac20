// The generators that blocks of several axes ask for, each counted once: a block needs all labels on its digits, and
// two blocks share those on the digits that they have in common.
#pragma once

#include <cstdint>
#include <vector>

namespace simlette {

using Digits = std::uint32_t;  // a set of digits of the label, by bit
using AxisSet = std::uint64_t;

// How often a generator leads back to where it began: twice, an odd number of times, or a larger even one.
enum class Order : std::uint8_t { two, odd, even };

// Generators that help the same axes.
struct GeneratorClass {
    AxisSet axes = 0;
    bool crossing = false;  // they leave a group
    Order order = Order::two;
    std::uint32_t generators = 0;
};

// Ports that stay dark at every accelerator, each for another one, where both ends of a circuit are on the same port.
// Copies of odd order: the most of any generator; their circuits form odd cycles, so that each such copy leaves one
// accelerator in turn without a circuit. A generator of order two joins those that are left.
constexpr std::uint32_t idle_ports(std::uint32_t copies_of_odd_order, std::uint32_t circuits_of_order_two) {
    return copies_of_odd_order > circuits_of_order_two ? copies_of_odd_order - circuits_of_order_two : 0;
}

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
    // With one copy of each generator.
    std::uint32_t idle() const { return idle_ports(odd_ > 0 ? 1 : 0, involutions_); }
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
    std::vector<Order> orders_;           // of these; of a ring `even`, since its ports are priced, not laid
    std::vector<Digits> supports_;
    std::vector<Change> changes_;
    std::vector<std::size_t> added_;  // changes before each block
    std::uint32_t generators_ = 0;
    std::uint32_t crossing_ = 0;
    std::uint32_t odd_ = 0;          // generators of odd order
    std::uint32_t involutions_ = 0;  // of order two

    void add_support(Digits support, unsigned axis, std::uint32_t weight, Order order);
    void count(Digits support, bool come);
    Order order_on(Digits support) const;
    std::uint32_t labels_on(Digits support) const;
};

}  // namespace simlette
