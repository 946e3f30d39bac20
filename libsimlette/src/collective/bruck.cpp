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

std::vector<WalkPhase> walk(const OverlayShape& shape) {
    return walk_in_turn(shape.layers->count());
}

LayerShares layer_shares(const OverlayShape& shape) {
    return bruck_shares(shape, walk(shape), 1);
}

LayerMessages layer_messages(const OverlayShape& shape, Bytes buffer) {
    return bruck_messages(shape, walk(shape), 1, buffer);
}

ScheduleCost cost(const OverlayShape& shape) {
    const std::uint32_t layers = shape.layers->count();
    return {layers, volume_of(layer_shares(shape)), layers == 0 ? 0 : shape.layers->radix(0) - 1};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    return largest_of(layer_messages(shape, buffer));
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

LayerShares bruck_shares(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices) {
    return by_layer<Exact>(walk, shape.layers->count(), [&](const WalkStep& step) {
        return Exact(1) / (std::uint64_t{slices} * shape.layers->radix(step.layer));
    });
}

LayerMessages bruck_messages(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                             Bytes buffer) {
    const LayerLabels labels(*shape.layers);
    return by_layer<Bytes>(walk, shape.layers->count(), [&](const WalkStep& step) {
        std::int64_t sources = 1;
        for (std::uint32_t j = 0; j < shape.layers->count(); ++j) {
            sources *= step.before[j] ? shape.layers->radix(j) : 1;
        }
        return labels.largest_share(step, buffer, slices) * sources;
    });
}

const ClosedForm bruck_form{LayerKind::subgroup, misfit_of_subgroup_layers, cost, messages, layer_shares,
                            layer_messages};

Schedule build_bruck(const Overlay& overlay) {
    const OverlayShape shape = layered_shape(overlay, LayerKind::subgroup, "bruck");
    return bruck_along(shape, walk(shape), 1, "bruck");
}

}  // namespace simlette
