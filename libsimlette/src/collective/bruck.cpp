// Bruck all-to-all: along one coset layer after the other every block moves to the rank that agrees with its
// destination in this layer. A message carries one r-th of what a rank holds, on a layer that joins r ranks.
#include <simlette/collective/bruck.hpp>

#include <algorithm>
#include <utility>

#include <simlette/collective/build_schedule.hpp>

namespace simlette {

namespace {

// What rank 0 holds before a step: from every rank that the layers used before lead to, blocks for those that only the
// other layers lead to. The neighbour across `generator` gets those for its side.
std::vector<Piece> pieces_of(const std::vector<Label>& sources, const std::vector<Label>& destinations,
                             std::uint32_t slice) {
    std::vector<Piece> pieces;
    for (const Label destination : destinations) {
        for (const Label source : sources) {
            pieces.push_back({destination, slice, source});
        }
    }
    return pieces;
}

void add_bruck_phase(Schedule& schedule, const OverlayShape& shape, const LayerLabels& labels, const WalkPhase& steps) {
    std::vector<std::vector<std::vector<Label>>> destinations(labels.layers().count());  // by layer and element
    std::vector<std::vector<Label>> sources(labels.layers().count());
    for (const WalkStep& step : steps) {
        destinations[step.layer] = labels.untouched(step);
        sources[step.layer] = labels.spanned(step);
    }
    add_walk_phase(schedule, shape, Effect::collect, steps, [&](const WalkStep& step, Label generator) {
        const Layer& layer = labels.layers().layers[step.layer];
        const auto place = std::lower_bound(layer.begin(), layer.end(), generator) - layer.begin();
        return pieces_of(sources[step.layer], destinations[step.layer][static_cast<std::size_t>(place) + 1],
                         step.slice);
    });
}

ScheduleCost cost(const OverlayShape& shape) {
    Exact volume = 0;
    for (const std::uint32_t radix : shape.layers->radices()) {
        volume += Exact(1) / radix;
    }
    return {shape.layers->count(), volume, shape.layers->count() == 0 ? 0 : shape.layers->radix(0) - 1};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    return bruck_messages(shape, walk_in_turn(shape.layers->count()), 1, buffer);
}

}  // namespace

Schedule bruck_along(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                     std::string name) {
    Schedule schedule = symmetric_schedule(std::move(name), "exchange", shape.graph.group);
    schedule.blocks = schedule.ranks;
    schedule.slices = slices;
    const LayerLabels labels(*shape.layers);
    for (const WalkPhase& steps : walk) {
        add_bruck_phase(schedule, shape, labels, steps);
    }
    return schedule;
}

std::vector<Bytes> bruck_messages(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                                  Bytes buffer) {
    const LayerLabels labels(*shape.layers);
    std::vector<Bytes> messages;
    for (const WalkPhase& steps : walk) {
        messages.push_back({0});
        for (const WalkStep& step : steps) {
            std::int64_t sources = 1;
            for (std::uint32_t j = 0; j < shape.layers->count(); ++j) {
                sources *= step.before[j] ? shape.layers->radix(j) : 1;
            }
            messages.back() = std::max(messages.back(), labels.largest_share(step, buffer, slices) * sources);
        }
    }
    return messages;
}

const ClosedForm bruck_form{LayerKind::subgroup, misfit_of_subgroup_layers, cost, messages};

Schedule build_bruck(const Overlay& overlay) {
    const OverlayShape shape = layered_shape(overlay, LayerKind::subgroup, "bruck");
    return bruck_along(shape, walk_in_turn(shape.layers->count()), 1, "bruck");
}

}  // namespace simlette
