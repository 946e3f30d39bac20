// Pairwise all-to-all: one partner a phase. Ranks that are a power of two exchange with rank XOR k; others send to
// rank + k and receive from rank - k.
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>

namespace simlette {

std::vector<PacketPhase> pairwise_packets(std::uint32_t ranks, Bytes buffer) {
    return std::vector<PacketPhase>(ranks - 1, {1, part_of(buffer, ranks, 0)});
}

Schedule build_pairwise(const Overlay& overlay) {
    const bool exchange = is_power_of_two(overlay.ranks);
    Schedule schedule{"pairwise", exchange ? "exchange" : "shift", exchange ? Symmetry::exclusive_or : Symmetry::cyclic,
                      overlay.ranks, overlay.ranks};
    for (std::uint32_t partner = 1; partner < overlay.ranks; ++partner) {
        schedule.phases.push_back({Effect::collect, false, {{partner, schedule.add_pieces({{partner}}), 1}}});
    }
    return schedule;
}

}  // namespace simlette
