// Broadcast of the whole buffer of rank 0: straight to every other rank, or along circuits from rank to rank, so that
// each receives it once and as early as any.
#include <simlette/collective/build_schedule.hpp>

namespace simlette {

namespace {

// Phase k: the ranks at distance k from rank 0 send to those that have no copy yet. Of several the one that was reached
// first sends.
Schedule along_tree(const Overlay& overlay) {
    Schedule schedule{"one-shot", "tree", Symmetry::none, overlay.ranks};
    const std::uint32_t whole = schedule.add_pieces({{}});
    std::vector<bool> reached(overlay.ranks, false);
    reached[0] = true;
    std::vector<std::uint32_t> senders{0};
    while (true) {
        std::vector<std::vector<Send>> sends(overlay.ranks);
        std::vector<std::uint32_t> receivers;
        for (const std::uint32_t sender : senders) {
            for (const std::uint32_t peer : overlay.neighbours[sender]) {
                if (!reached[peer]) {
                    reached[peer] = true;
                    receivers.push_back(peer);
                    sends[sender].push_back({peer, whole, 1});
                }
            }
        }
        if (receivers.empty()) {
            return schedule;
        }
        schedule.add_phase(Effect::replace, sends);
        senders = receivers;
    }
}

}  // namespace

Schedule build_direct_broadcast(const Overlay& overlay) {
    Schedule schedule{"direct", "direct", Symmetry::none, overlay.ranks};
    const std::uint32_t whole = schedule.add_pieces({{}});
    std::vector<std::vector<Send>> sends(overlay.ranks);
    for (std::uint32_t peer = 1; peer < overlay.ranks; ++peer) {
        sends[0].push_back({peer, whole, 1});
    }
    schedule.add_phase(Effect::replace, sends);
    return schedule;
}

Schedule build_one_shot_broadcast(const Overlay& overlay) {
    if (!overlay.complete()) {
        return along_tree(overlay);
    }
    Schedule schedule = build_direct_broadcast(overlay);
    schedule.name = "one-shot";
    return schedule;
}

}  // namespace simlette
