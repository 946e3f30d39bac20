// Recursive doubling: in phase k the partial sum of the whole buffer is exchanged along bit k.
#include <algorithm>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>

namespace simlette {

namespace {

std::uint32_t bits_of_group(const OverlayShape& shape) {
    return static_cast<std::uint32_t>(shape.graph.group.radices().size());
}

std::optional<std::string> misfit(const OverlayShape& shape) {
    const std::vector<Label>& generators = shape.graph.generators;
    const std::vector<Label> units = unit_generators(shape.graph.group.is_binary() ? bits_of_group(shape) : 0);
    const bool cube = shape.graph.group.is_binary() && std::all_of(units.begin(), units.end(), [&](Label unit) {
                          return std::find(generators.begin(), generators.end(), unit) != generators.end();
                      });
    return cube ? std::nullopt : std::optional<std::string>("needs the circuits of the cube");
}

// Folds do not help: a partial sum that came by one would count some ranks twice.
ScheduleCost cost(const OverlayShape& shape) {
    return {bits_of_group(shape), bits_of_group(shape), std::min(bits_of_group(shape), 1U)};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    return std::vector<Bytes>(bits_of_group(shape), buffer);
}

}  // namespace

const ClosedForm recursive_doubling_form{LayerKind::any, misfit, cost, messages};

Schedule build_recursive_doubling(const Overlay& overlay) {
    std::vector<Label> units = cube_generators(overlay, "recursive-doubling");
    Schedule schedule{"recursive-doubling", "exchange", Symmetry::exclusive_or, overlay.ranks};
    const std::uint32_t whole = schedule.add_pieces({{}});
    std::sort(units.begin(), units.end());
    for (const Label unit : units) {
        schedule.phases.push_back({Effect::reduce, false, {{unit, whole, 1}}});
    }
    return schedule;
}

}  // namespace simlette
