// Credits of a MessageNetwork: when a port has to wait for them, and when it counted on one that was late.
#include <simlette/fabric/message_network.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

constexpr std::uint32_t bit(std::uint32_t channel) {
    return 1U << channel;
}

}  // namespace

// From the start of a flit to the use of its credit for another, when nothing else is on the way.
Duration MessageNetwork::idle_loop(LinkId id) const {
    const LinkClass& kind = graph_.class_of(id);
    const Duration out = ports_[id].to_accelerator ? Duration{0} : flit_time_;
    return flit_time_ + kind.latency.total() + out + kind.credit_return;
}

// Flits of a source have waited for this output, so their credits go back later than on an idle path. That counts if
// the source sends on the strength of such a credit before it is back.
void MessageNetwork::note_late(LinkId output, std::uint32_t channel, const Trains::Served& served, Time first,
                               Duration stride) {
    const Duration before = first - served.arrival;
    const Duration more = stride - flit_time_;  // each flit waits as much longer than the last
    const std::int64_t on_time =
        before > Duration{0} ? 0 : (more > Duration{0} ? 1 + (Duration{0} - before).ps / more.ps : served.flits);
    if (on_time >= served.flits) {
        return;
    }
    const LinkClass& kind = graph_.class_of(served.input);
    LateCredits late{served.place + on_time + kind.credits[channel],
                     served.flits - on_time,
                     first + stride * on_time + flit_time_ + kind.credit_return,
                     stride,
                     before + more * (std::int64_t{served.flits} - 1),
                     output,
                     served.input,
                     channel};
    Debt& owed = debt(served.input, channel);
    if (late.place < owed.sent) {
        owe(owed, late);
    }
    if (late.place + late.count > owed.sent) {
        owed.late_credits.push_back(late);
    }
}

// A source sends flits that count on credits which may be late.
void MessageNetwork::check_late(Debt& owed, std::uint32_t flits, Time first, Duration stride) {
    const std::int64_t last = owed.sent + flits - 1;
    const auto settled = [&](const LateCredits& late) {
        const std::int64_t from = std::max(late.place, owed.sent);
        const std::int64_t to = std::min(late.place + late.count - 1, last);
        for (const std::int64_t place : {from, to}) {
            if (from <= to && first + stride * (place - owed.sent) < late.back + late.stride * (place - late.place)) {
                owe(owed, late);
                return true;
            }
        }
        return to == late.place + late.count - 1;
    };
    std::vector<LateCredits>& all = owed.late_credits;
    all.erase(std::remove_if(all.begin(), all.end(), settled), all.end());
}

// Each window of credits passes on the longest delay in it.
void MessageNetwork::owe(Debt& owed, const LateCredits& late) {
    const std::int64_t window_id = late.place / graph_.class_of(late.link).credits[late.channel];
    if (window_id != owed.window) {
        owed.late += owed.worst_in_window;
        owed.worst_in_window = {};
        owed.window = window_id;
    }
    owed.worst_in_window = std::max(owed.worst_in_window, late.waited);
    if (late.waited > owed.longest) {
        owed.longest = late.waited;
        owed.behind = late.output;
    }
}

MessageNetwork::Lateness MessageNetwork::worst_lateness() const {
    Lateness worst;
    for (std::size_t i = 0; i < debts_.size(); ++i) {
        const Duration late = debts_[i].late + debts_[i].worst_in_window;
        if (late > worst.late) {
            worst = {static_cast<LinkId>(i / channel_count), debts_[i].behind, late};
        }
    }
    return worst;
}

void MessageNetwork::start_stalls(LinkId id, Port& port, std::uint32_t ready) {
    StallClock& clock = clocks_[id];
    Time back = Time::never();
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        if ((ready & bit(channel)) == 0) {
            continue;
        }
        back = std::min(back, window(id, channel).next());
        if ((port.stalled & bit(channel)) == 0) {
            clock.since[channel] = now_;
        }
    }
    port.stalled = static_cast<std::uint8_t>(port.stalled | ready);
    wake_port_at(id, back);
}

void MessageNetwork::end_stalls(LinkId id, Port& port) {
    StallClock& clock = clocks_[id];
    for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
        if ((port.stalled & bit(channel)) != 0) {
            clock.total[channel] += now_ - clock.since[channel];
        }
    }
    port.stalled = 0;
}

Duration MessageNetwork::stall(LinkId id, std::uint32_t channel) const {
    const StallClock& clock = clocks_[id];
    const bool running = (ports_[id].stalled & bit(channel)) != 0;
    return running ? clock.total[channel] + (now_ - clock.since[channel]) : clock.total[channel];
}

}  // namespace simlette
