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
      weights_(axes_.size(), 0) {}

std::uint32_t Host::labels_on(Digits support) const {
    std::uint32_t product = 1;
    for (; support != 0; support &= support - 1) {
        product *= radices_[static_cast<std::size_t>(std::countr_zero(support))] - 1;
    }
    return product;
}

void Host::add_support(Digits support, unsigned axis, std::uint32_t weight) {
    const AxisSet before = axes_[support];
    if (before == 0) {
        supports_.push_back(support);
        weights_[support] = weight;
        generators_ += weight;
        crossing_ += crosses(support) ? weight : 0;
    }
    if ((before >> axis & 1) == 0) {
        axes_[support] |= AxisSet{1} << axis;
        changes_.push_back({support, axis});
    }
}

void Host::add(Digits block, unsigned axis) {
    added_.push_back(changes_.size());
    for (Digits support = block; support != 0; support = (support - 1) & block) {
        add_support(support, axis, labels_on(support));
    }
}

void Host::add_ring(Digits digits, unsigned axis) {
    added_.push_back(changes_.size());
    add_support(digits, axis, 2);
}

void Host::remove_last() {
    require(!added_.empty(), "a block is taken back after it was added");
    for (; changes_.size() > added_.back(); changes_.pop_back()) {
        const Change& change = changes_.back();
        axes_[change.support] &= ~(AxisSet{1} << change.axis);
        if (axes_[change.support] == 0) {
            supports_.pop_back();
            generators_ -= weights_[change.support];
            crossing_ -= crosses(change.support) ? weights_[change.support] : 0;
        }
    }
    added_.pop_back();
}

std::vector<GeneratorClass> Host::classes() const {
    std::vector<GeneratorClass> classes;
    for (const Digits support : supports_) {
        const auto same = std::find_if(classes.begin(), classes.end(), [&](const GeneratorClass& c) {
            return c.axes == axes_[support] && c.crossing == crosses(support);
        });
        if (same == classes.end()) {
            classes.push_back({axes_[support], crosses(support), weights_[support]});
        } else {
            same->generators += weights_[support];
        }
    }
    return classes;
}

}  // namespace simlette
