// Two-shot all-reduce: a reduce-scatter and an all-gather, both by direct sends.
#include <simlette/collective/build_schedule.hpp>

namespace simlette {

Schedule build_two_shot(const Overlay& overlay) {
    const std::uint32_t ranks = overlay.ranks;
    Schedule schedule{"two-shot", "direct", Symmetry::cyclic, ranks, ranks};
    Phase scatter{Effect::reduce, true};
    Phase gather{Effect::replace, true};
    const std::uint32_t own = schedule.add_pieces({{}});
    for (std::uint32_t peer = 1; peer < ranks; ++peer) {
        scatter.sends.push_back({peer, schedule.add_pieces({{peer}}), 1});
        gather.sends.push_back({peer, own, 1});
    }
    schedule.phases = {std::move(scatter), std::move(gather)};
    return schedule;
}

}  // namespace simlette
