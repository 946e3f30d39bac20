#include <simlette/collective/circulant.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include <simlette/base/contract.hpp>
#include <simlette/base/random.hpp>
#include <simlette/base/units.hpp>
#include <simlette/collective/delivery_plan.hpp>

namespace simlette {

namespace {

constexpr std::uint64_t most_sets = 20'000;
constexpr std::uint64_t sample_seed = 1;

using Steps = std::vector<Label>;  // ascending, each below ranks / 2

CayleyGraph circulant(std::uint32_t ranks, const Steps& steps, bool half) {
    CayleyGraph graph{RankGroup::cyclic(ranks), steps};
    if (half) {
        graph.generators.push_back(ranks / 2);
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        graph.generators.push_back(ranks - *step);
    }
    return graph;
}

// How many ways to choose, or most_sets + 1 if there are more.
std::uint64_t ways(std::uint64_t of, std::uint64_t chosen) {
    std::uint64_t count = 1;
    for (std::uint64_t i = 1; i <= std::min(chosen, of - chosen); ++i) {
        count = count * (of - i + 1) / i;
        if (count > most_sets) {
            return most_sets + 1;
        }
    }
    return count;
}

// The next set in lexicographic order; false after the last.
bool advance(Steps& steps, Label most) {
    for (std::size_t i = steps.size(); i-- > 0;) {
        if (steps[i] < most - (steps.size() - 1 - i)) {
            std::iota(steps.begin() + static_cast<std::ptrdiff_t>(i), steps.end(), steps[i] + 1);
            return true;
        }
    }
    return false;
}

Steps draw(Random& random, std::size_t count, Label most) {
    Steps all(most);
    std::iota(all.begin(), all.end(), 1);
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(all[i], all[i + random.below(all.size() - i)]);
    }
    all.resize(count);
    std::sort(all.begin(), all.end());
    return all;
}

// What the busiest generator delivers at least: each sphere in equal parts.
std::uint32_t least_volume(const std::vector<std::uint32_t>& within, std::size_t degree) {
    std::int64_t volume = 0;
    for (std::size_t k = 1; k < within.size(); ++k) {
        volume += ceil_div(within[k] - within[k - 1], static_cast<std::int64_t>(degree));
    }
    return static_cast<std::uint32_t>(volume);
}

// Keeps the best of what it is shown. The volume is asked for only where it could decide.
class Best {
public:
    void offer(CayleyGraph graph) {
        const std::vector<std::uint32_t> within = balls(graph);
        if (within.back() != graph.group.size() ||
            (best_ && std::tuple(within.size(), least_volume(within, graph.generators.size()), graph.generators) >=
                          std::tie(phases_, volume_, best_->generators))) {
            return;
        }
        const std::uint32_t volume = delivery_volume(graph);
        if (!best_ ||
            std::tie(phases_, volume_, best_->generators) > std::tuple(within.size(), volume, graph.generators)) {
            phases_ = within.size();
            volume_ = volume;
            best_ = std::move(graph);
        }
    }

    const std::optional<CayleyGraph>& best() const { return best_; }

private:
    std::optional<CayleyGraph> best_;
    std::size_t phases_ = 0;
    std::uint32_t volume_ = 0;
};

}  // namespace

CayleyGraph best_circulant(std::uint32_t ranks, std::uint32_t degree) {
    require(ranks >= 3 && degree >= 2 && degree < ranks, "a circulant has a degree from 2 to one below its ranks");
    const bool half = degree % 2 == 1 && ranks % 2 == 0;
    const std::size_t count = degree / 2;
    const Label most = (ranks - 1) / 2;
    Steps steps(count);
    std::iota(steps.begin(), steps.end(), 1);
    Best best;
    best.offer(circulant(ranks, steps, half));
    if (ways(most, count) <= most_sets) {
        while (advance(steps, most)) {
            best.offer(circulant(ranks, steps, half));
        }
    } else {
        Random random(sample_seed);
        for (std::uint64_t i = 0; i < most_sets; ++i) {
            best.offer(circulant(ranks, draw(random, count, most), half));
        }
    }
    return *best.best();
}

}  // namespace simlette
