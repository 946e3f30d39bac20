// The schedules and the progress of collectives, read from the rules once more, to drive the reference network.
#pragma once

#include <set>

#include <simlette/collective/spec.hpp>

#include <support/reference_network.hpp>

namespace simlette {

struct ReferencePart {
    std::uint32_t destination = 0;  // rank
    std::int64_t bytes = 0;
};

// [phase][rank]: what the rank sends, in order.
using ReferenceSchedule = std::vector<std::vector<std::vector<ReferencePart>>>;

class ReferenceScheduler {
public:
    // accelerators: of each rank of the group.
    ReferenceScheduler(const FabricSpec& fabric, const CollectiveSpec& spec, std::vector<std::uint32_t> accelerators)
        : spec_(spec),
          network_(fabric),
          accelerators_(std::move(accelerators)),
          n_(accelerators_.size()),
          packets_(fabric.kind == FabricKind::two_level ||
                   (fabric.kind == FabricKind::single_level && fabric.device == DeviceKind::eps)) {}

    ReferenceSchedule build() const {
        switch (spec_.primitive) {
            case Primitive::send_recv:
                return {{{{1, spec_.bytes.count}}, {}}};
            case Primitive::broadcast:
                return broadcast();
            case Primitive::all_to_all:
                return sized(spec_.schedule == ScheduleKind::pairwise ? pairwise() : scatter());
            case Primitive::all_gather:
                return spec_.schedule == ScheduleKind::ring ? ring(0) : gather();
            case Primitive::reduce_scatter:
                return spec_.schedule == ScheduleKind::ring ? ring(1) : scatter();
            case Primitive::all_reduce:
                break;
        }
        switch (spec_.schedule) {
            case ScheduleKind::two_shot:
                return joined(scatter(), gather());
            case ScheduleKind::ring:
                return joined(ring(1), ring(0));
            case ScheduleKind::halving_doubling:
                return halving_doubling();
            case ScheduleKind::recursive_doubling:
                return recursive_doubling();
            case ScheduleKind::coset_factored_parallel:
                return coset_parallel();
            default:
                return packets_ ? direct() : flooding();
        }
    }

    // By rank: the others in the order in which it asks them. On circuits that are alike at every rank the order of the
    // generators, on others ascending.
    std::vector<std::vector<std::uint32_t>> asking() const {
        std::vector<std::vector<std::uint32_t>> all;
        bool alike = true;
        for (std::size_t rank = 0; rank < n_; ++rank) {
            const bool exchange = spec_.schedule == ScheduleKind::recursive_doubling ||
                                  spec_.schedule == ScheduleKind::coset_factored_parallel;
            all.push_back(!packets_ ? neighbours(rank) : exchange ? order_by_bit(rank) : order(rank));
            for (std::size_t i = 0; i < all[rank].size(); ++i) {
                alike = alike && all[rank].size() == all[0].size() && (all[rank][i] ^ rank) == all[0][i];
            }
        }
        for (auto& others : all) {
            if (!packets_ && !alike) {
                std::sort(others.begin(), others.end());
            }
        }
        return all;
    }

private:
    std::vector<std::uint32_t> order(std::size_t rank) const {
        std::vector<std::uint32_t> destinations;
        for (std::size_t k = 0; k < n_; ++k) {
            const std::size_t d = spec_.send_order == SendOrder::same ? k : (rank + k) % n_;
            if (d != rank) {
                destinations.push_back(static_cast<std::uint32_t>(d));
            }
        }
        return destinations;
    }

    // Slice s of the buffer cut in l: the first (bytes mod l) get one byte more.
    std::int64_t slice(std::size_t s, std::size_t l) const {
        const auto parts = static_cast<std::int64_t>(l);
        return spec_.bytes.count / parts + (static_cast<std::int64_t>(s) < spec_.bytes.count % parts ? 1 : 0);
    }

    ReferenceSchedule direct() const {
        ReferenceSchedule schedule(1, std::vector<std::vector<ReferencePart>>(n_));
        for (std::size_t rank = 0; rank < n_; ++rank) {
            for (const std::uint32_t d : order(rank)) {
                schedule[0][rank].push_back({d, spec_.bytes.count});
            }
        }
        return schedule;
    }

    static ReferenceSchedule joined(ReferenceSchedule first, const ReferenceSchedule& second) {
        first.insert(first.end(), second.begin(), second.end());
        return first;
    }

    // One phase: to every other rank the part that is meant for it.
    ReferenceSchedule scatter() const {
        ReferenceSchedule schedule(1, std::vector<std::vector<ReferencePart>>(n_));
        for (std::size_t rank = 0; rank < n_; ++rank) {
            for (const std::uint32_t d : order(rank)) {
                schedule[0][rank].push_back({d, slice(d, n_)});
            }
        }
        return schedule;
    }

    // One phase: to every other rank the part that belongs to the sender.
    ReferenceSchedule gather() const {
        ReferenceSchedule schedule(1, std::vector<std::vector<ReferencePart>>(n_));
        for (std::size_t rank = 0; rank < n_; ++rank) {
            for (const std::uint32_t d : order(rank)) {
                schedule[0][rank].push_back({d, slice(rank, n_)});
            }
        }
        return schedule;
    }

    // Where a table says how much each rank has for each other.
    ReferenceSchedule sized(ReferenceSchedule schedule) const {
        for (auto& phase : schedule) {
            for (std::size_t rank = 0; rank < n_ && spec_.sizes; ++rank) {
                for (ReferencePart& part : phase[rank]) {
                    part.bytes = (*spec_.sizes)[rank][part.destination].count;
                }
            }
        }
        return schedule;
    }

    ReferenceSchedule pairwise() const {
        ReferenceSchedule schedule;
        for (std::size_t k = 1; k < n_; ++k) {
            schedule.emplace_back(n_);
            for (std::size_t rank = 0; rank < n_; ++rank) {
                const std::size_t d = (n_ & (n_ - 1)) == 0 ? rank ^ k : (rank + k) % n_;
                schedule.back()[rank] = {{static_cast<std::uint32_t>(d), slice(d, n_)}};
            }
        }
        return schedule;
    }

    // Every part walks from rank to rank; part s sets out `ahead` ranks after rank s.
    ReferenceSchedule ring(std::size_t ahead) const {
        ReferenceSchedule schedule(n_ - 1, std::vector<std::vector<ReferencePart>>(n_));
        for (std::size_t part = 0; part < n_; ++part) {
            for (std::size_t step = 0; step + 1 < n_; ++step) {
                const std::size_t at = (part + ahead + step) % n_;
                schedule[step][at] = {{static_cast<std::uint32_t>((at + 1) % n_), slice(part, n_)}};
            }
        }
        return schedule;
    }

    // Ranks that still care for the same parts share them out among halves; then they tell each other the results.
    ReferenceSchedule halving_doubling() const {
        ReferenceSchedule back;
        ReferenceSchedule schedule;
        for (std::size_t half = n_ / 2; half > 0; half /= 2) {
            schedule.emplace_back(n_);
            back.insert(back.begin(), std::vector<std::vector<ReferencePart>>(n_));
            for (std::size_t rank = 0; rank < n_; ++rank) {
                const bool upper = rank / half % 2 == 1;
                const std::size_t partner = upper ? rank - half : rank + half;
                std::int64_t of_partner = 0;
                std::int64_t own = 0;
                for (std::size_t part = 0; part < half; ++part) {
                    of_partner += slice(partner / half * half + part, n_);
                    own += slice(rank / half * half + part, n_);
                }
                schedule.back()[rank] = {{static_cast<std::uint32_t>(partner), of_partner}};
                back.front()[rank] = {{static_cast<std::uint32_t>(partner), own}};
            }
        }
        return joined(schedule, back);
    }

    // On circuits a rank that has just come to hold the buffer hands it to neighbours that lack it.
    ReferenceSchedule broadcast() const {
        ReferenceSchedule schedule;
        std::vector<std::size_t> fresh{0};
        std::set<std::size_t> have{0};
        while (have.size() < n_) {
            schedule.emplace_back(n_);
            std::vector<std::size_t> next;
            for (const std::size_t rank : fresh) {
                for (const std::uint32_t d : packets_ ? order(rank) : neighbours(rank)) {
                    if (have.insert(d).second) {
                        schedule.back()[rank].push_back({d, spec_.bytes.count});
                        next.push_back(d);
                    }
                }
            }
            fresh = next;
        }
        return schedule;
    }

    ReferenceSchedule recursive_doubling() const {
        ReferenceSchedule schedule;
        for (std::size_t bit = 1; bit < n_; bit *= 2) {
            schedule.emplace_back(n_);
            for (std::size_t rank = 0; rank < n_; ++rank) {
                schedule.back()[rank] = {{static_cast<std::uint32_t>(rank ^ bit), spec_.bytes.count}};
            }
        }
        return schedule;
    }

    // Neighbours of a rank, in the order of its ports.
    std::vector<std::uint32_t> neighbours(std::size_t rank) const {
        std::vector<std::uint32_t> found;
        for (const auto& [port, peer] : network_.cables()) {
            for (std::uint32_t d = 0; d < n_; ++d) {
                const bool joined = port.first == accelerators_[rank] && peer.first == accelerators_[d];
                if (joined && std::count(found.begin(), found.end(), d) == 0) {
                    found.push_back(d);
                }
            }
        }
        return found;
    }

    // Phase t carries slice s along bit (s + t) mod bits; the count runs over the generators in list order.
    ReferenceSchedule coset_parallel() const {
        std::size_t bits = 0;
        while ((std::size_t{1} << bits) < n_) {
            ++bits;
        }
        ReferenceSchedule schedule(bits, std::vector<std::vector<ReferencePart>>(n_));
        for (std::size_t t = 0; t < bits; ++t) {
            for (std::size_t rank = 0; rank < n_; ++rank) {
                for (const std::uint32_t d : packets_ ? order_by_bit(rank) : neighbours(rank)) {
                    for (std::size_t bit = 0; bit < bits; ++bit) {
                        if ((d ^ rank) == std::size_t{1} << bit) {
                            schedule[t][rank].push_back({d, slice((bit + bits - t) % bits, bits)});
                        }
                    }
                }
            }
        }
        return schedule;
    }

    std::vector<std::uint32_t> order_by_bit(std::size_t rank) const {
        std::vector<std::uint32_t> found;
        for (std::size_t bit = 1; bit < n_; bit *= 2) {
            found.push_back(static_cast<std::uint32_t>(rank ^ bit));
        }
        return found;
    }

    // Every rank hands all that it holds to every neighbour until all hold all.
    ReferenceSchedule flooding() const {
        ReferenceSchedule schedule;
        std::vector<std::set<std::size_t>> held(n_);
        for (std::size_t rank = 0; rank < n_; ++rank) {
            held[rank] = {rank};
        }
        const auto complete = [&](const std::set<std::size_t>& one) { return one.size() == n_; };
        while (!std::all_of(held.begin(), held.end(), complete)) {
            schedule.emplace_back(n_);
            auto after = held;
            for (std::size_t rank = 0; rank < n_; ++rank) {
                for (const std::uint32_t d : neighbours(rank)) {
                    schedule.back()[rank].push_back(
                        {d, spec_.bytes.count * static_cast<std::int64_t>(held[rank].size())});
                    after[d].insert(held[rank].begin(), held[rank].end());
                }
            }
            held = after;
        }
        return schedule;
    }

    const CollectiveSpec& spec_;
    const ReferenceNetwork network_;
    std::vector<std::uint32_t> accelerators_;
    std::size_t n_;
    const bool packets_;
};

// What messages are sorted by.
using MessageKey = std::array<std::uint32_t, 5>;

inline MessageKey message_key(const MessageRecord& r) {
    return {r.collective, r.phase, r.source, r.destination, r.port};
}

struct ReferenceResult {
    std::vector<MessageRecord> messages;
    std::vector<Time> ends;  // by collective
};

// Starts phases as the messages of the phase before arrive.
class ReferencePlayer {
public:
    ReferencePlayer(const FabricSpec& fabric, const std::vector<CollectiveSpec>& collectives) {
        for (const CollectiveSpec& spec : collectives) {
            Run run{spec, {}, {}, {}, {}, false, {}};
            for (std::uint32_t i = 0; i < (spec.group.empty() ? fabric.accelerators : spec.group.size()); ++i) {
                const std::uint32_t rank = spec.group.empty() ? i : spec.group[i];
                run.accelerators.push_back(fabric.placement.empty() ? rank : fabric.placement[rank]);
            }
            const ReferenceScheduler scheduler(fabric, spec, run.accelerators);
            run.schedule = scheduler.build();
            run.asking = scheduler.asking();
            run.missing.assign(run.schedule.size(), std::vector<std::int64_t>(run.accelerators.size(), 0));
            for (std::size_t phase = 0; phase < run.schedule.size(); ++phase) {
                for (const auto& parts : run.schedule[phase]) {
                    for (const ReferencePart& part : parts) {
                        run.missing[phase][part.destination] += part.bytes;
                    }
                }
            }
            run.phase.assign(run.accelerators.size(), 0);
            runs_.push_back(run);
        }
    }

    std::int64_t next_start() const {
        std::int64_t next = Time::never().ps;
        for (const Run& run : runs_) {
            next = run.started ? next : std::min(next, run.spec.earliest_start.ps);
        }
        return next;
    }

    std::vector<ReferenceMessage> start(std::int64_t t, const std::vector<ReferenceMessage>& landed) {
        sends_.clear();
        for (const ReferenceMessage& message : landed) {
            take(message);
        }
        for (std::size_t id = 0; id < runs_.size(); ++id) {
            Run& run = runs_[id];
            if (!run.started && run.spec.earliest_start.ps == t) {
                run.started = true;
                for (std::size_t rank = 0; rank < run.accelerators.size(); ++rank) {
                    send_phase(id, rank);
                }
            }
            while (run.started && go_on(id)) {
            }
        }
        std::stable_sort(sends_.begin(), sends_.end(), [](const ReferenceMessage& a, const ReferenceMessage& b) {
            return std::tie(a.record.collective, a.record.phase) < std::tie(b.record.collective, b.record.phase);
        });
        answer();
        return sends_;
    }

    const std::vector<MessageRecord>& records() const { return records_; }

private:
    struct Run {
        CollectiveSpec spec;
        std::vector<std::uint32_t> accelerators;
        ReferenceSchedule schedule;
        std::vector<std::vector<std::int64_t>> missing;  // bytes, by phase and rank
        std::vector<std::size_t> phase;                  // by rank
        bool started;
        std::vector<std::vector<std::uint32_t>> asking;  // by rank: whom it asks, in order
    };

    void take(const ReferenceMessage& message) {
        const MessageRecord& record = message.record;
        if (message.data()) {
            runs_[record.collective].missing[record.phase][record.destination] -= record.bytes;
            records_.push_back(record);
        } else if (message.read) {
            asked_[message_key(record)] = message;
        }
    }

    // Data goes back as soon as its holder has come to the phase in which it is asked for, in the order of messages.
    void answer() {
        for (auto it = asked_.begin(); it != asked_.end();) {
            const MessageRecord& record = it->second.record;
            const bool ready = runs_[record.collective].phase[record.source] >= record.phase;
            if (ready) {
                it->second.channel = 1;
                sends_.push_back(it->second);
            }
            it = ready ? asked_.erase(it) : std::next(it);
        }
    }

    void send_phase(std::size_t id, std::size_t rank) {
        const Run& run = runs_[id];
        if (run.phase[rank] == run.schedule.size()) {
            return;
        }
        if (run.spec.operation == Operation::read) {
            ask_for_phase(id, static_cast<std::uint32_t>(rank));
            return;
        }
        for (const ReferencePart& part : run.schedule[run.phase[rank]][rank]) {
            send(id, static_cast<std::uint32_t>(rank), part, false);
        }
    }

    // By the rank that has the data, or by the one that asks for it.
    void send(std::size_t id, std::uint32_t rank, const ReferencePart& part, bool read) {
        const Run& run = runs_[id];
        const std::uint32_t source = read ? part.destination : rank;
        const std::uint32_t destination = read ? rank : part.destination;
        const auto phase = static_cast<std::uint32_t>(run.phase[source]);
        const MessageRecord record{
            static_cast<std::uint32_t>(id), phase, rank, part.destination, 0, part.bytes, 0, Time::never(), Time{}};
        sends_.push_back({record, run.accelerators[source], run.accelerators[destination], read});
    }

    // A rank asks for all that comes to it, in the order in which it would send.
    void ask_for_phase(std::size_t id, std::uint32_t rank) {
        const Run& run = runs_[id];
        for (const std::uint32_t holder : run.asking[rank]) {
            for (const ReferencePart& part : run.schedule[run.phase[rank]][holder]) {
                if (part.destination == rank) {
                    send(id, holder, part, true);
                }
            }
        }
    }

    bool has_all(const Run& run, std::size_t rank) const {
        return run.phase[rank] < run.schedule.size() && run.missing[run.phase[rank]][rank] == 0;
    }

    // One step of every rank that may take one; false when none may.
    bool go_on(std::size_t id) {
        Run& run = runs_[id];
        std::vector<std::size_t> ready;
        for (std::size_t rank = 0; rank < run.accelerators.size(); ++rank) {
            if (has_all(run, rank)) {
                ready.push_back(rank);
            }
        }
        if (run.spec.phase_barrier && ready.size() < run.accelerators.size()) {
            return false;
        }
        for (const std::size_t rank : ready) {
            ++run.phase[rank];
            send_phase(id, rank);
        }
        return !ready.empty();
    }

    std::vector<Run> runs_;
    std::vector<ReferenceMessage> sends_;
    std::map<MessageKey, ReferenceMessage> asked_;  // what waits for its holder
    std::vector<MessageRecord> records_;            // of data that has landed
};

inline ReferenceResult run_reference(const FabricSpec& fabric, const std::vector<CollectiveSpec>& collectives) {
    ReferenceNetwork network(fabric);
    ReferencePlayer player(fabric, collectives);
    network.run(player);
    ReferenceResult result{player.records(), {}};
    for (MessageRecord& message : result.messages) {
        const std::vector<std::uint32_t>& group = collectives[message.collective].group;
        message.source = group.empty() ? message.source : group[message.source];
        message.destination = group.empty() ? message.destination : group[message.destination];
    }
    std::sort(result.messages.begin(), result.messages.end(),
              [](const MessageRecord& a, const MessageRecord& b) { return message_key(a) < message_key(b); });
    for (const CollectiveSpec& spec : collectives) {
        result.ends.push_back(spec.earliest_start);
    }
    for (const MessageRecord& message : result.messages) {
        result.ends[message.collective] = std::max(result.ends[message.collective], message.delivered);
    }
    return result;
}

}  // namespace simlette
