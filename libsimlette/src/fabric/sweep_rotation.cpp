// Flits of several inputs that leave to an accelerator in turn, many in one step.
#include <algorithm>

#include <simlette/fabric/sweep_plane.hpp>

namespace simlette {

// Those without credits: nothing goes back to who fed the switch.
std::uint32_t SweepPlane::rotating_channels() const {
    std::uint32_t finite = 0;
    for (const LinkClass& kind : graph_.classes) {
        finite |= kind.finite();
    }
    return rules_.one_by_one() ? 0 : 3U & ~finite;
}

// The first `most` flits in turn, or as many rounds of them as no run ends before. All of the runs at the heads come in
// time, having begun to arrive: of each a flit comes in a flit time, and none leaves sooner than after two.
void SweepPlane::send_in_turn(Pass& pass, std::uint32_t channel, Time start, std::int64_t most) {
    Port& port = pass.port;
    RunQueues& queues = port.outputs[channel];
    const bool undisturbed = due_end_ == due_.data();  // nothing comes in this window, nor perhaps in those that follow
    const bool unseen = one_way_ && undisturbed && !traces() && queues.rotate_unseen(most, port.pool);
    const std::int64_t inputs = queues.inputs();
    const std::int64_t flits = unseen || most <= inputs ? most : std::min(most, inputs * queues.rounds(port.pool));
    if (!unseen) {
        land_in_turn(port, channel, start + port.delay, flits);
    }
    on_way_[port.to] += flits;
    count_sent(pass, channel, start, flits);
    note_longest_queue(port, start, flits);
}

// All runs that end do so in the last round, so what completes a message is the last of it here too.
void SweepPlane::land_in_turn(Port& port, std::uint32_t channel, Time first, std::int64_t flits) {
    port.outputs[channel].rotate(flits, port.pool, [&](const FlitRun& run, std::int64_t last) {
        port.on_wire = last + 1 == flits ? run.flit : port.on_wire;
        if (is_told(run)) {
            come_home({first + port.flit_time * last, run.flit, run.count, port.link});
        }
    });
}

// Of flits that have just been sent, one after the other. As many flits come as leave or more until the last of the
// runs has come, then fewer do: so the queue is at its longest at the next decision. If that is not one of these, the
// one that follows them notes it.
void SweepPlane::note_longest_queue(Port& port, Time start, std::int64_t flits) {
    Time last = start;
    for (const CreditRun& run : arriving_) {
        last = std::max(last, run.time + port.flit_time * (run.count - 1));
    }
    const std::int64_t leave_before = (last - start).ps / port.flit_time.ps + 1;
    if (leave_before < flits) {
        note_queue(port, port.queued[0] + port.queued[1] + flits - leave_before);
        arriving_.clear();
    }
}

}  // namespace simlette
