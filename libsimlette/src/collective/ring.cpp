// Ring: every rank sends to the next one only, one block a phase.
#include <simlette/collective/build_schedule.hpp>

namespace simlette {

namespace {

// In phase k rank 0 passes on block `first` - k; it has just received it, or starts with it.
Schedule pass_on(const Overlay& overlay, Effect effect, std::uint32_t first) {
    const std::uint32_t ranks = overlay.ranks;
    Schedule schedule{"ring", "one direction", Symmetry::cyclic, ranks, ranks};
    for (std::uint32_t k = 0; k + 1 < ranks; ++k) {
        const std::uint32_t block = (first + ranks - k) % ranks;
        schedule.phases.push_back({effect, false, {{1, schedule.add_pieces({{block}}), 1}}});
    }
    return schedule;
}

}  // namespace

// Block b sets out at rank b + 1 and comes home after a round.
Schedule build_ring_reduce_scatter(const Overlay& overlay) {
    return pass_on(overlay, Effect::reduce, overlay.ranks - 1);
}

Schedule build_ring_all_gather(const Overlay& overlay) {
    return pass_on(overlay, Effect::replace, 0);
}

Schedule build_ring(const Overlay& overlay) {
    Schedule schedule = build_ring_reduce_scatter(overlay);
    schedule.append(build_ring_all_gather(overlay));
    return schedule;
}

}  // namespace simlette
