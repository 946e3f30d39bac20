// Coset-factored all-reduce: the partial sum of the whole buffer is exchanged along one coset layer after the other.
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/layer_walk.hpp>

namespace simlette {

namespace {

ScheduleCost cost(const OverlayShape& shape) {
    const std::uint32_t layers = shape.layers->count();
    return {layers, layers, layers == 0 ? 0 : shape.layers->radix(0) - 1};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    return std::vector<Bytes>(shape.layers->count(), buffer);
}

LayerShares layer_shares(const OverlayShape& shape) {
    const std::uint32_t layers = shape.layers->count();
    return by_layer<Exact>(walk_in_turn(layers), layers, [](const WalkStep&) { return Exact(1); });
}

LayerMessages layer_messages(const OverlayShape& shape, Bytes buffer) {
    const std::uint32_t layers = shape.layers->count();
    return by_layer<Bytes>(walk_in_turn(layers), layers, [buffer](const WalkStep&) { return buffer; });
}

}  // namespace

const ClosedForm coset_factored_form{LayerKind::any, misfit_of_layers, cost, messages, layer_shares, layer_messages};

Schedule build_coset_factored(const Overlay& overlay) {
    const OverlayShape shape = layered_shape(overlay, LayerKind::any, "coset-factored");
    Schedule schedule = symmetric_schedule("coset-factored", "exchange", shape.graph.group);
    for (const WalkPhase& steps : walk_in_turn(shape.layers->count())) {
        add_walk_phase(schedule, shape, Effect::reduce, steps,
                       [](const WalkStep&, Label) { return std::vector<Piece>{{}}; });
    }
    return schedule;
}

}  // namespace simlette
