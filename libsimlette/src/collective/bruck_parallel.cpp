// Bruck all-to-all, parallel: one slice per layer, in phase t slice s uses layer (s + t) mod layers. A slice over the
// narrowest layer is the largest message of every phase.
#include <algorithm>

#include <simlette/collective/bruck.hpp>
#include <simlette/collective/build_schedule.hpp>

namespace simlette {

namespace {

std::uint32_t slices_of(const OverlayShape& shape) {
    return std::max(shape.layers->count(), 1U);
}

std::vector<WalkPhase> walk(const OverlayShape& shape) {
    return walk_rotating(shape.layers->count());
}

LayerShares layer_shares(const OverlayShape& shape) {
    return bruck_shares(shape, walk(shape), slices_of(shape));
}

LayerMessages layer_messages(const OverlayShape& shape, Bytes buffer) {
    return bruck_messages(shape, walk(shape), slices_of(shape), buffer);
}

ScheduleCost cost(const OverlayShape& shape) {
    return {shape.layers->count(), volume_of(layer_shares(shape)), shape.layers->degree()};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    return largest_of(layer_messages(shape, buffer));
}

}  // namespace

const ClosedForm bruck_parallel_form{LayerKind::subgroup, misfit_of_subgroup_layers, cost, messages, layer_shares,
                                     layer_messages};

Schedule build_bruck_parallel(const Overlay& overlay) {
    const OverlayShape shape = layered_shape(overlay, LayerKind::subgroup, "bruck-parallel");
    return bruck_along(shape, walk(shape), slices_of(shape), "bruck-parallel");
}

}  // namespace simlette
