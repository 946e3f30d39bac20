// One-shot all-reduce with least data: whole contributions flood, but each reaches each rank once, over one last hop of
// a shortest way, chosen such that no circuit of a phase carries more than it must.
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/delivery_plan.hpp>

namespace simlette {

namespace {

std::optional<std::string> misfit(const OverlayShape& shape) {
    return connected(shape.graph) ? std::nullopt : std::optional<std::string>("needs circuits that reach every rank");
}

ScheduleCost cost(const OverlayShape& shape) {
    return {diameter(shape.graph), delivery_volume(shape.graph),
            static_cast<std::uint32_t>(shape.graph.generators.size())};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    std::vector<Bytes> loads;
    for (const DeliveryPhase& phase : plan_deliveries(shape.graph)) {
        loads.push_back(buffer * phase.load);
    }
    return loads;
}

}  // namespace

const ClosedForm one_shot_dvo_form{LayerKind::any, misfit, cost, messages};

Schedule build_one_shot_dvo(const Overlay& overlay) {
    const CayleyGraph graph = connected_shape(overlay, "one-shot-dvo").graph;
    Schedule schedule = symmetric_schedule("one-shot-dvo", "flooding", graph.group);
    for (const DeliveryPhase& planned : plan_deliveries(graph)) {
        Phase phase{Effect::collect};
        for (std::size_t g = 0; g < graph.generators.size(); ++g) {
            std::vector<Piece> pieces;
            // The contributor that reaches `label` by this hop is so far behind rank 0, but for the hop.
            for (const Label label : planned.arrivals[g]) {
                pieces.push_back({0, 0, graph.group.minus(graph.generators[g], label)});
            }
            if (!pieces.empty()) {
                phase.sends.push_back(
                    {graph.generators[g], schedule.add_pieces(pieces), static_cast<std::uint32_t>(pieces.size())});
            }
        }
        schedule.phases.push_back(std::move(phase));
    }
    return schedule;
}

}  // namespace simlette
