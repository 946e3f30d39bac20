#include <simlette/collective/delivery_plan.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

// Labels of one distance over generators, by augmenting paths: a generator has `capacity_` places, and one more for all
// when no label can be made room for.
class Assignment {
public:
    explicit Assignment(std::vector<std::vector<std::size_t>> choices, std::size_t generators)
        : choices_(std::move(choices)), assigned_(generators) {}

    DeliveryPhase run(const std::vector<Label>& labels) {
        capacity_ = (labels.size() + assigned_.size() - 1) / assigned_.size();
        for (std::size_t item = 0; item < labels.size(); ++item) {
            while (!place(item)) {
                ++capacity_;
            }
        }
        DeliveryPhase phase{std::vector<std::vector<Label>>(assigned_.size()), 0};
        for (std::size_t g = 0; g < assigned_.size(); ++g) {
            for (const std::size_t item : assigned_[g]) {
                phase.arrivals[g].push_back(labels[item]);
            }
            std::sort(phase.arrivals[g].begin(), phase.arrivals[g].end());
            phase.load = std::max(phase.load, static_cast<std::uint32_t>(assigned_[g].size()));
        }
        return phase;
    }

private:
    static constexpr std::size_t nowhere = SIZE_MAX;
    // How the search came to a generator: `item` would move there, from generator `from` or for the first time.
    struct Step {
        std::size_t item = nowhere;
        std::size_t from = nowhere;
    };

    bool place(std::size_t item) {
        std::vector<Step> came(assigned_.size());
        std::vector<std::size_t> found;
        const auto visit = [&](std::size_t moving, std::size_t from) {
            for (const std::size_t g : choices_[moving]) {
                if (came[g].item == nowhere) {
                    came[g] = {moving, from};
                    found.push_back(g);
                }
            }
        };
        visit(item, nowhere);
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (assigned_[found[i]].size() < capacity_) {
                shift(came, found[i]);
                return true;
            }
            for (const std::size_t resident : assigned_[found[i]]) {
                visit(resident, found[i]);
            }
        }
        return false;
    }

    void shift(const std::vector<Step>& came, std::size_t into) {
        while (into != nowhere) {
            const Step step = came[into];
            assigned_[into].push_back(step.item);
            if (step.from != nowhere) {
                std::vector<std::size_t>& old = assigned_[step.from];
                old.erase(std::find(old.begin(), old.end(), step.item));
            }
            into = step.from;
        }
    }

    std::vector<std::vector<std::size_t>> choices_;   // by item: generators
    std::vector<std::vector<std::size_t>> assigned_;  // by generator: items
    std::size_t capacity_ = 0;
};

}  // namespace

std::vector<DeliveryPhase> plan_deliveries(const CayleyGraph& graph) {
    const std::vector<std::uint32_t> distance = distances(graph);
    std::vector<std::vector<Label>> spheres;
    for (Label label = 0; label < distance.size(); ++label) {
        require(distance[label] != unreached, "contributions are delivered in a connected graph");
        spheres.resize(std::max<std::size_t>(spheres.size(), distance[label] + 1));
        spheres[distance[label]].push_back(label);
    }
    std::vector<DeliveryPhase> phases;
    for (std::uint32_t k = 1; k < spheres.size(); ++k) {
        std::vector<std::vector<std::size_t>> choices(spheres[k].size());
        for (std::size_t item = 0; item < choices.size(); ++item) {
            for (std::size_t g = 0; g < graph.generators.size(); ++g) {
                if (distance[graph.group.minus(spheres[k][item], graph.generators[g])] == k - 1) {
                    choices[item].push_back(g);
                }
            }
        }
        phases.push_back(Assignment(std::move(choices), graph.generators.size()).run(spheres[k]));
    }
    return phases;
}

std::uint32_t delivery_volume(const CayleyGraph& graph) {
    std::uint32_t volume = 0;
    for (const DeliveryPhase& phase : plan_deliveries(graph)) {
        volume += phase.load;
    }
    return volume;
}

}  // namespace simlette
