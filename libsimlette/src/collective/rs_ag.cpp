// RS+AG: a reduce-scatter along one coset layer after the other, widest first, and an all-gather back. Of what it still
// has a rank sends each neighbour in the layer its share, so that messages shrink by the radix of every layer passed.
// As a schedule of reduce-scatter or all-gather it is the one half.
#include <simlette/collective/rs_ag.hpp>

#include <algorithm>
#include <utility>

#include <simlette/collective/build_schedule.hpp>

namespace simlette {

namespace {

std::vector<Piece> pieces_of(const std::vector<Label>& blocks, std::uint32_t slice) {
    std::vector<Piece> pieces;
    for (const Label block : blocks) {
        pieces.push_back({block, slice});
    }
    return pieces;
}

void add_scatter(Schedule& schedule, const OverlayShape& shape, const LayerLabels& labels, const WalkPhase& steps) {
    std::vector<std::vector<std::vector<Label>>> blocks;  // by layer and element
    blocks.resize(labels.layers().count());
    for (const WalkStep& step : steps) {
        blocks[step.layer] = labels.untouched(step);
    }
    add_walk_phase(schedule, shape, Effect::reduce, steps, [&](const WalkStep& step, Label generator) {
        const Layer& layer = labels.layers().layers[step.layer];
        const auto place = std::lower_bound(layer.begin(), layer.end(), generator) - layer.begin();
        return pieces_of(blocks[step.layer][static_cast<std::size_t>(place) + 1], step.slice);
    });
}

// The way back: what the scatter would have left at rank 0 and more, it now has whole.
void add_gather(Schedule& schedule, const OverlayShape& shape, const LayerLabels& labels, const WalkPhase& steps) {
    std::vector<std::vector<Piece>> held(labels.layers().count());
    for (const WalkStep& step : steps) {
        held[step.layer] = pieces_of(labels.untouched(step).front(), step.slice);
    }
    add_walk_phase(schedule, shape, Effect::replace, steps,
                   [&](const WalkStep& step, Label) { return held[step.layer]; });
}

std::vector<WalkPhase> walk(const OverlayShape& shape) {
    return walk_in_turn(shape.layers->count());
}

LayerShares layer_shares(const OverlayShape& shape) {
    return scatter_shares(shape, walk(shape), 1);
}

LayerMessages layer_messages(const OverlayShape& shape, Bytes buffer) {
    return scatter_messages(shape, walk(shape), 1, buffer);
}

std::uint32_t ports(const OverlayShape& shape) {
    return shape.layers->count() == 0 ? 0 : shape.layers->radix(0) - 1;
}

using Forms = RsAgForms<layer_shares, layer_messages, ports>;

Schedule build(const Overlay& overlay, Half half) {
    const OverlayShape shape = layered_shape(overlay, LayerKind::subgroup, "rs-ag");
    return rs_ag_along(shape, walk(shape), 1, half, "rs-ag");
}

}  // namespace

Schedule rs_ag_along(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices, Half half,
                     std::string name) {
    Schedule schedule = symmetric_schedule(std::move(name), "exchange", shape.graph.group);
    schedule.blocks = schedule.ranks;
    schedule.slices = slices;
    const LayerLabels labels(*shape.layers);
    if (half != Half::all_gather) {
        for (const WalkPhase& steps : walk) {
            add_scatter(schedule, shape, labels, steps);
        }
    }
    if (half != Half::reduce_scatter) {
        for (auto steps = walk.rbegin(); steps != walk.rend(); ++steps) {
            add_gather(schedule, shape, labels, *steps);
        }
    }
    return schedule;
}

LayerShares scatter_shares(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices) {
    return by_layer<Exact>(walk, shape.layers->count(), [&](const WalkStep& step) {
        std::uint64_t parts = std::uint64_t{slices} * shape.layers->radix(step.layer);
        for (std::uint32_t j = 0; j < shape.layers->count(); ++j) {
            parts *= step.before[j] ? shape.layers->radix(j) : 1;
        }
        return Exact(1) / parts;
    });
}

LayerMessages scatter_messages(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                               Bytes buffer) {
    const LayerLabels labels(*shape.layers);
    return by_layer<Bytes>(walk, shape.layers->count(),
                           [&](const WalkStep& step) { return labels.largest_share(step, buffer, slices); });
}

const ClosedForm rs_ag_form = Forms::both;
const ClosedForm rs_ag_scatter_form = Forms::scatter;
const ClosedForm rs_ag_gather_form = Forms::gather;

Schedule build_rs_ag(const Overlay& overlay) {
    return build(overlay, Half::both);
}

Schedule build_rs_ag_reduce_scatter(const Overlay& overlay) {
    return build(overlay, Half::reduce_scatter);
}

Schedule build_rs_ag_all_gather(const Overlay& overlay) {
    return build(overlay, Half::all_gather);
}

}  // namespace simlette
