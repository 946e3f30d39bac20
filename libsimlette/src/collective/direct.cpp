// Direct sends: in one phase every rank sends to every other what that one needs.
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>

namespace simlette {

namespace {

// One phase in which rank 0 sends block `block_for(peer)` to each peer.
template <class BlockFor>
Schedule send_to_all(const Overlay& overlay, Effect effect, BlockFor&& block_for) {
    Schedule schedule{"direct", "direct", Symmetry::cyclic, overlay.ranks, overlay.ranks};
    Phase phase{effect, true};
    for (std::uint32_t peer = 1; peer < overlay.ranks; ++peer) {
        phase.sends.push_back({peer, schedule.add_pieces({{block_for(peer)}}), 1});
    }
    schedule.phases.push_back(std::move(phase));
    return schedule;
}

}  // namespace

std::vector<PacketPhase> direct_packets(std::uint32_t ranks, Bytes buffer) {
    return {{ranks - 1, part_of(buffer, ranks, 0)}};
}

Schedule build_direct_all_to_all(const Overlay& overlay) {
    return send_to_all(overlay, Effect::collect, [](std::uint32_t peer) { return peer; });
}

Schedule build_direct_reduce_scatter(const Overlay& overlay) {
    return send_to_all(overlay, Effect::reduce, [](std::uint32_t peer) { return peer; });
}

Schedule build_direct_all_gather(const Overlay& overlay) {
    return send_to_all(overlay, Effect::replace, [](std::uint32_t) { return 0U; });
}

}  // namespace simlette
