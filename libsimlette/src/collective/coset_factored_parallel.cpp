// Coset-factored parallel all-reduce on the plain cube: one slice per layer, in phase t slice s is exchanged along
// layer (s + t) mod layers, so that every layer is busy in every phase. Layer k is bit k; a rank sends in the order in
// which the circuits list their generators.
#include <algorithm>
#include <bit>

#include <simlette/collective/build_schedule.hpp>

namespace simlette {

Schedule build_coset_factored_parallel(const Overlay& overlay) {
    const std::vector<Label> units = cube_generators(overlay, "coset-factored-parallel");
    const auto layers = static_cast<std::uint32_t>(units.size());
    const std::uint32_t slices = std::max(layers, 1U);
    Schedule schedule{"coset-factored-parallel", "exchange", Symmetry::exclusive_or, overlay.ranks, 1, slices};
    for (std::uint32_t t = 0; t < layers; ++t) {
        Phase phase{Effect::reduce};
        for (const Label unit : units) {
            const auto layer = static_cast<std::uint32_t>(std::countr_zero(unit));
            const std::uint32_t slice = (layer + layers - t) % layers;
            phase.sends.push_back({unit, schedule.add_pieces({{0, slice}}), 1});
        }
        schedule.phases.push_back(std::move(phase));
    }
    return schedule;
}

}  // namespace simlette
