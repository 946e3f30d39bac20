// Two-shot all-reduce: a reduce-scatter and an all-gather, both by direct sends.
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>

namespace simlette {

std::vector<PacketPhase> two_shot_packets(std::uint32_t ranks, Bytes buffer) {
    return std::vector<PacketPhase>(2, direct_packets(ranks, buffer).front());
}

Schedule build_two_shot(const Overlay& overlay) {
    Schedule schedule = build_direct_reduce_scatter(overlay);
    schedule.name = "two-shot";
    schedule.append(build_direct_all_gather(overlay));
    return schedule;
}

}  // namespace simlette
