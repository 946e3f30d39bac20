// RS+AG parallel: one slice per layer, in phase t slice s uses layer (s + t) mod layers, and goes back the same way.
// Where the layers are not equally wide, the slice that has passed the narrowest ones is the largest of its phase. An
// older reading charges every phase as if all layers were as narrow as the narrowest; it can be asked for by name.
#include <algorithm>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/rs_ag.hpp>

namespace simlette {

namespace {

std::uint32_t slices_of(const OverlayShape& shape) {
    return std::max(shape.layers->count(), 1U);
}

std::vector<WalkPhase> walk(const OverlayShape& shape) {
    return walk_rotating(shape.layers->count());
}

LayerShares layer_shares(const OverlayShape& shape) {
    return scatter_shares(shape, walk(shape), slices_of(shape));
}

LayerMessages layer_messages(const OverlayShape& shape, Bytes buffer) {
    return scatter_messages(shape, walk(shape), slices_of(shape), buffer);
}

std::uint32_t ports(const OverlayShape& shape) {
    return shape.layers->degree();
}

using Forms = RsAgForms<layer_shares, layer_messages, ports>;

ScheduleCost narrow_cost(const OverlayShape& shape) {
    const std::uint32_t layers = shape.layers->count();
    Exact volume = 0;
    Exact share = Exact(2) / slices_of(shape);
    for (std::uint32_t t = 0; t < layers; ++t) {
        share /= shape.layers->radix(layers - 1);
        volume += share;
    }
    return {2 * layers, volume, shape.layers->degree()};
}

std::vector<Bytes> narrow_messages(const OverlayShape& shape, Bytes buffer) {
    const std::uint32_t layers = shape.layers->count();
    std::vector<Bytes> messages;
    Bytes share = part_of(buffer, slices_of(shape), 0);
    for (std::uint32_t t = 0; t < layers; ++t) {
        share = part_of(share, shape.layers->radix(layers - 1), 0);
        messages.push_back(share);
    }
    return there_and_back(messages);
}

Schedule build(const Overlay& overlay, Half half) {
    const OverlayShape shape = layered_shape(overlay, LayerKind::subgroup, "rs-ag-parallel");
    return rs_ag_along(shape, walk(shape), slices_of(shape), half, "rs-ag-parallel");
}

}  // namespace

const ClosedForm rs_ag_parallel_form = Forms::both;
const ClosedForm rs_ag_parallel_scatter_form = Forms::scatter;
const ClosedForm rs_ag_parallel_gather_form = Forms::gather;
const ClosedForm rs_ag_parallel_r_min_form{LayerKind::subgroup, misfit_of_subgroup_layers, narrow_cost,
                                           narrow_messages};

Schedule build_rs_ag_parallel(const Overlay& overlay) {
    return build(overlay, Half::both);
}

Schedule build_rs_ag_parallel_reduce_scatter(const Overlay& overlay) {
    return build(overlay, Half::reduce_scatter);
}

Schedule build_rs_ag_parallel_all_gather(const Overlay& overlay) {
    return build(overlay, Half::all_gather);
}

}  // namespace simlette
