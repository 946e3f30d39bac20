#include <simlette/planner/multiplicities.hpp>

#include <algorithm>
#include <tuple>

namespace simlette {

namespace {

class Search {
public:
    Search(const std::vector<Widening>& axes, const std::vector<GeneratorClass>& classes, PortBudget budget,
           WideningLimit limit)
        : axes_(axes),
          classes_(classes),
          budget_(budget),
          limit_(limit),
          width_(classes.size(), 1),
          copies_(axes.size(), 1) {
        for (const GeneratorClass& c : classes) {
            ports_ += c.generators;
            crossing_ += c.crossing ? c.generators : 0;
        }
    }

    std::optional<Widened> run() {
        widen(0, 0);
        return std::move(best_);
    }

private:
    bool helps(std::size_t c, std::size_t i) const { return (classes_[c].axes >> axes_[i].axis & 1) != 0; }

    bool fits(std::size_t i, std::uint32_t copies) const {
        std::uint32_t ports = ports_;
        std::uint32_t crossing = crossing_;
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            if (helps(c, i) && copies > width_[c]) {
                const std::uint32_t more = classes_[c].generators * (copies - width_[c]);
                ports += more;
                crossing += classes_[c].crossing ? more : 0;
            }
        }
        return ports + idle(axes_[i].axis, copies) <= budget_.ports && crossing <= budget_.crossing;
    }

    // Ports that stay dark if this axis has so many copies.
    std::uint32_t idle(unsigned axis, std::uint32_t copies) const {
        std::uint32_t odd = 0;
        std::uint32_t involutions = 0;
        for (std::size_t c = 0; c < classes_.size() && budget_.same_port; ++c) {
            const bool wider = (classes_[c].axes >> axis & 1) != 0 && copies > width_[c];
            const std::uint32_t width = wider ? copies : width_[c];
            odd = classes_[c].order == Order::odd ? std::max(odd, width) : odd;
            involutions += classes_[c].order == Order::two ? classes_[c].generators * width : 0;
        }
        return idle_ports(odd, involutions);
    }

    std::uint32_t ports() const { return ports_ + idle(0, 0); }

    // As many as fit if no later axis is widened.
    std::uint32_t most(std::size_t i) const {
        std::uint32_t copies = 1;
        while (copies < axes_[i].cost->size() && fits(i, copies + 1)) {
            ++copies;
        }
        return copies;
    }

    // As many as its generators have by now for other axes: fewer save no port.
    std::uint32_t free(std::size_t i) const {
        auto copies = static_cast<std::uint32_t>(axes_[i].cost->size());
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            copies = helps(c, i) ? std::min(copies, width_[c]) : copies;
        }
        return copies;
    }

    std::int64_t cost(std::size_t i, std::uint32_t copies) const { return (*axes_[i].cost)[copies - 1]; }

    bool within(std::int64_t bound) const {
        const std::uint32_t used = ports();
        return best_ ? std::tie(bound, used) <= std::tie(best_->cost, best_->ports)
                     : std::tie(bound, used) <= std::tie(limit_.cost, limit_.ports);
    }

    void widen(std::size_t i, std::int64_t spent) {
        if (i == axes_.size()) {
            const std::uint32_t used = ports();
            if (within(spent) &&
                (!best_ || std::tie(spent, used, copies_) < std::tie(best_->cost, best_->ports, best_->copies))) {
                best_ = Widened{spent, used, copies_};
            }
            return;
        }
        std::int64_t rest = 0;
        for (std::size_t later = i + 1; later < axes_.size(); ++later) {
            rest += cost(later, most(later));
        }
        const std::int64_t enough = cost(i, free(i));
        for (std::uint32_t copies = most(i); copies >= 1 && cost(i, copies) <= enough; --copies) {
            if (!within(spent + cost(i, copies) + rest)) {
                return;  // fewer copies cost more
            }
            with_copies(i, copies, spent);
        }
    }

    void with_copies(std::size_t i, std::uint32_t copies, std::int64_t spent) {
        const std::uint32_t ports = ports_;
        const std::uint32_t crossing = crossing_;
        const std::vector<std::uint32_t> width = width_;
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            if (helps(c, i) && copies > width_[c]) {
                const std::uint32_t more = classes_[c].generators * (copies - width_[c]);
                ports_ += more;
                crossing_ += classes_[c].crossing ? more : 0;
                width_[c] = copies;
            }
        }
        copies_[i] = copies;
        widen(i + 1, spent + cost(i, copies));
        copies_[i] = 1;
        width_ = width;
        ports_ = ports;
        crossing_ = crossing;
    }

    const std::vector<Widening>& axes_;
    const std::vector<GeneratorClass>& classes_;
    PortBudget budget_;
    WideningLimit limit_;
    std::vector<std::uint32_t> width_;  // of each class
    std::vector<std::uint32_t> copies_;
    std::uint32_t ports_ = 0;
    std::uint32_t crossing_ = 0;
    std::optional<Widened> best_;
};

}  // namespace

std::optional<Widened> best_copies(const std::vector<Widening>& axes, const std::vector<GeneratorClass>& classes,
                                   PortBudget budget, WideningLimit limit) {
    return Search(axes, classes, budget, limit).run();
}

}  // namespace simlette
