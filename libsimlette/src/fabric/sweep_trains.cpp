// Trains: flits of one message to an accelerator that the same credits pay for again and again.
//
// A credit comes back a loop after the flit that it paid for has started. With W credits and flits that are always at
// hand, flit k + W starts a loop after flit k, or right after flit k + W - 1 if that is later.
#include <algorithm>

#include <simlette/fabric/sweep_plane.hpp>

namespace simlette {

// How often all credits are spent before anything else happens, by so many flits at most. Requires: none is in hand,
// and the wire is free. So all flits that took one have left, and what follows repeats what they did: each leaves a
// loop later.
std::int64_t SweepPlane::rounds_ahead(const Pass& pass, std::uint32_t channel, std::int64_t flits) const {
    const Port& port = pass.port;
    const Duration loop = port.credit_loop;
    const std::int64_t credits = graph_.class_of(port.link).credits[channel];
    const CreditRun& last = *(port.credit_inbox[channel].end() - 2);
    const Time end_of_round = last.time + port.flit_time * (last.count - 1);
    const Time end = std::min(pass.before, pass.arrival->time);
    if (flits < 2 * credits || end_of_round + loop >= end) {
        return 0;
    }
    return std::min(flits / credits, ceil_div((end - end_of_round).ps, loop.ps));
}

// Of what waits and what has left: as if the flits of each round had left by themselves. Returns how many there are.
std::int64_t SweepPlane::spend_rounds(Pass& pass, std::uint32_t channel, std::int64_t rounds, Time now) {
    Port& port = pass.port;
    const Duration loop = port.credit_loop;
    note_queue(port, port.queued[channel]);
    std::int64_t flits = 0;
    for (CreditRun* run = pass.credit[channel]; run->time != Time::never(); ++run) {
        port.waited += static_cast<std::uint64_t>(run->count) * sum_of_times(run->time, rounds, loop) +
                       static_cast<std::uint64_t>(rounds) * sum_of_times(Time{}, run->count, port.flit_time);
        run->time = run->time + loop * rounds;
        flits += rounds * run->count;
        port.free_at = run->time - loop + port.flit_time * run->count;
    }
    credits_home_ = std::max(credits_home_, port.free_at + loop - port.flit_time);
    port.stall[channel] += port.free_at - now - port.flit_time * flits;
    port.queued[channel] -= flits;
    port.sent += flits;
    pass.sent = true;
    port.next_channel = static_cast<std::uint8_t>(1U - channel);
    return flits;
}

}  // namespace simlette
