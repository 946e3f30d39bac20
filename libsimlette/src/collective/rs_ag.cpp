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

ScheduleCost cost(const OverlayShape& shape) {
    Exact volume = 0;
    Exact share = 1;
    for (const std::uint32_t radix : shape.layers->radices()) {
        share /= radix;
        volume += 2 * share;
    }
    return {2 * shape.layers->count(), volume, shape.layers->count() == 0 ? 0 : shape.layers->radix(0) - 1};
}

ScheduleCost half_cost(const OverlayShape& shape) {
    return half_of(cost(shape));
}

std::vector<Bytes> scatter(const OverlayShape& shape, Bytes buffer) {
    return scatter_messages(shape, walk(shape), 1, buffer);
}

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

std::vector<Bytes> scatter_messages(const OverlayShape& shape, const std::vector<WalkPhase>& walk, std::uint32_t slices,
                                    Bytes buffer) {
    const LayerLabels labels(*shape.layers);
    std::vector<Bytes> messages;
    for (const WalkPhase& steps : walk) {
        messages.push_back({0});
        for (const WalkStep& step : steps) {
            messages.back() = std::max(messages.back(), labels.largest_share(step, buffer, slices));
        }
    }
    return messages;
}

std::vector<Bytes> backwards(std::vector<Bytes> messages) {
    std::reverse(messages.begin(), messages.end());
    return messages;
}

std::vector<Bytes> there_and_back(const std::vector<Bytes>& messages) {
    std::vector<Bytes> all = messages;
    all.insert(all.end(), messages.rbegin(), messages.rend());
    return all;
}

const ClosedForm rs_ag_form{
    LayerKind::subgroup, misfit_of_subgroup_layers, cost,
    [](const OverlayShape& shape, Bytes buffer) { return there_and_back(scatter(shape, buffer)); }};
const ClosedForm rs_ag_scatter_form{LayerKind::subgroup, misfit_of_subgroup_layers, half_cost, scatter};
const ClosedForm rs_ag_gather_form{
    LayerKind::subgroup, misfit_of_subgroup_layers, half_cost,
    [](const OverlayShape& shape, Bytes buffer) { return backwards(scatter(shape, buffer)); }};

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
