// Recursive doubling: in phase k the partial sum of the whole buffer is exchanged along bit k.
#include <algorithm>

#include <simlette/collective/build_schedule.hpp>

namespace simlette {

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
