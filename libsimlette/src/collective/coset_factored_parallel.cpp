// Coset-factored parallel all-reduce: one slice per layer, in phase t slice s is exchanged along layer (s + t) mod
// layers, so that every layer is busy in every phase. A rank sends in the order in which the circuits list their
// generators.
#include <algorithm>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/layer_walk.hpp>

namespace simlette {

namespace {

ScheduleCost cost(const OverlayShape& shape) {
    const std::uint32_t layers = shape.layers->count();
    return {layers, std::min(layers, 1U), shape.layers->degree()};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    const std::uint32_t layers = shape.layers->count();
    return std::vector<Bytes>(layers, layers == 0 ? buffer : part_of(buffer, layers, 0));
}

LayerShares layer_shares(const OverlayShape& shape) {
    const std::uint32_t layers = shape.layers->count();
    return by_layer<Exact>(walk_rotating(layers), layers, [layers](const WalkStep&) { return Exact(1) / layers; });
}

LayerMessages layer_messages(const OverlayShape& shape, Bytes buffer) {
    const std::uint32_t layers = shape.layers->count();
    return by_layer<Bytes>(walk_rotating(layers), layers,
                           [&](const WalkStep& step) { return part_of(buffer, layers, step.slice); });
}

}  // namespace

const ClosedForm coset_factored_parallel_form{LayerKind::any, misfit_of_layers, cost,
                                              messages,       layer_shares,     layer_messages};

Schedule build_coset_factored_parallel(const Overlay& overlay) {
    const OverlayShape shape = layered_shape(overlay, LayerKind::any, "coset-factored-parallel");
    Schedule schedule = symmetric_schedule("coset-factored-parallel", "exchange", shape.graph.group);
    schedule.slices = std::max(shape.layers->count(), 1U);
    for (const WalkPhase& steps : walk_rotating(shape.layers->count())) {
        add_walk_phase(schedule, shape, Effect::reduce, steps, [](const WalkStep& step, Label) {
            return std::vector<Piece>{{0, step.slice}};
        });
    }
    return schedule;
}

}  // namespace simlette
