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

ScheduleCost cost(const OverlayShape& shape) {
    const std::uint32_t layers = shape.layers->count();
    return {layers, layers == 0 ? Exact(0) : Exact(1) / shape.layers->radix(layers - 1), shape.layers->degree()};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    return bruck_messages(shape, walk_rotating(shape.layers->count()), slices_of(shape), buffer);
}

}  // namespace

const ClosedForm bruck_parallel_form{LayerKind::subgroup, misfit_of_subgroup_layers, cost, messages};

Schedule build_bruck_parallel(const Overlay& overlay) {
    const OverlayShape shape = layered_shape(overlay, LayerKind::subgroup, "bruck-parallel");
    return bruck_along(shape, walk_rotating(shape.layers->count()), slices_of(shape), "bruck-parallel");
}

}  // namespace simlette
