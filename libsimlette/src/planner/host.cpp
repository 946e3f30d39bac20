#include <simlette/planner/host.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <simlette/base/contract.hpp>

namespace simlette {

Host::Host(std::vector<std::uint32_t> radices, Digits outside)
    : radices_(std::move(radices)),
      outside_(outside),
      axes_(std::size_t{1} << radices_.size(), 0),
      weights_(axes_.size(), 0),
      orders_(axes_.size(), Order::two) {}

std::uint32_t Host::labels_on(Digits support) const {
    std::uint32_t product = 1;
    for (; support != 0; support &= support - 1) {
        product *= radices_[static_cast<std::size_t>(std::countr_zero(support))] - 1;
    }
    return product;
}

Order Host::order_on(Digits support) const {
    bool odd = true;
    bool two = true;
    for (; support != 0; support &= support - 1) {
        const bool bit = radices_[static_cast<std::size_t>(std::countr_zero(support))] == 2;
        odd = odd && !bit;
        two = two && bit;
    }
    return two ? Order::two : odd ? Order::odd : Order::even;
}

void Host::count(Digits support, bool come) {
    const std::uint32_t change = come ? weights_[support] : 0 - weights_[support];
    generators_ += change;
    crossing_ += crosses(support) ? change : 0;
    odd_ += orders_[support] == Order::odd ? change : 0;
    involutions_ += orders_[support] == Order::two ? change : 0;
}

void Host::add_support(Digits support, unsigned axis, std::uint32_t weight, Order order) {
    const AxisSet before = axes_[support];
    if (before == 0) {
        supports_.push_back(support);
        weights_[support] = weight;
        orders_[support] = order;
        count(support, true);
    }
    if ((before >> axis & 1) == 0) {
        axes_[support] |= AxisSet{1} << axis;
        changes_.push_back({support, axis});
    }
}

void Host::add(Digits block, unsigned axis) {
    added_.push_back(changes_.size());
    for (Digits support = block; support != 0; support = (support - 1) & block) {
        add_support(support, axis, labels_on(support), order_on(support));
    }
}

void Host::add_ring(Digits digits, unsigned axis) {
    added_.push_back(changes_.size());
    add_support(digits, axis, 2, Order::even);
}

void Host::remove_last() {
    require(!added_.empty(), "a block is taken back after it was added");
    for (; changes_.size() > added_.back(); changes_.pop_back()) {
        const Change& change = changes_.back();
        axes_[change.support] &= ~(AxisSet{1} << change.axis);
        if (axes_[change.support] == 0) {
            supports_.pop_back();
            count(change.support, false);
        }
    }
    added_.pop_back();
}

std::vector<GeneratorClass> Host::classes() const {
    std::vector<GeneratorClass> classes;
    for (const Digits support : supports_) {
        const auto same = std::find_if(classes.begin(), classes.end(), [&](const GeneratorClass& c) {
            return c.axes == axes_[support] && c.crossing == crosses(support) && c.order == orders_[support];
        });
        if (same == classes.end()) {
            classes.push_back({axes_[support], crosses(support), orders_[support], weights_[support]});
        } else {
            same->generators += weights_[support];
        }
    }
    return classes;
}

}  // namespace simlette
