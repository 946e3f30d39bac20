// Halving-doubling all-reduce: a reduce-scatter that halves what a rank is left with, farthest partner first, and an
// all-gather that goes the same way back.
#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>

namespace simlette {

namespace {

// The partner across `bit` is sent the blocks that rank 0 still has and the partner is nearer to.
Send send_half(Schedule& schedule, std::uint32_t bit) {
    std::vector<Piece> half;
    for (std::uint32_t block = bit; block < 2 * bit; ++block) {
        half.push_back({block});
    }
    return {bit, schedule.add_pieces(half), bit};
}

Send send_all_held(Schedule& schedule, std::uint32_t bit) {
    std::vector<Piece> held;
    for (std::uint32_t block = 0; block < bit; ++block) {
        held.push_back({block});
    }
    return {bit, schedule.add_pieces(held), bit};
}

}  // namespace

// The first blocks are the largest, and some rank sends them in each phase.
std::vector<PacketPhase> halving_doubling_packets(std::uint32_t ranks, Bytes buffer) {
    std::vector<PacketPhase> phases;
    for (std::uint32_t bit = ranks / 2; bit > 0; bit /= 2) {
        Bytes half{0};
        for (std::uint32_t block = 0; block < bit; ++block) {
            half.count += part_of(buffer, ranks, block).count;
        }
        phases.push_back({1, half});
    }
    for (std::size_t k = phases.size(); k-- > 0;) {
        phases.push_back(phases[k]);
    }
    return phases;
}

Schedule build_halving_doubling(const Overlay& overlay) {
    const std::uint32_t ranks = overlay.ranks;
    if (!is_power_of_two(ranks)) {
        throw Error(ErrorKind::input,
                    "schedule `halving-doubling` needs a power of two of ranks, so that every half "
                    "has a partner; there are " +
                        std::to_string(ranks));
    }
    Schedule schedule{"halving-doubling", "exchange", Symmetry::exclusive_or, ranks, ranks};
    for (std::uint32_t bit = ranks / 2; bit > 0; bit /= 2) {
        schedule.phases.push_back({Effect::reduce, false, {send_half(schedule, bit)}});
    }
    for (std::uint32_t bit = 1; bit < ranks; bit *= 2) {
        schedule.phases.push_back({Effect::replace, false, {send_all_held(schedule, bit)}});
    }
    return schedule;
}

}  // namespace simlette
