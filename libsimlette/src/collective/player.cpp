#include <simlette/collective/player.hpp>

#include <algorithm>
#include <tuple>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

CollectiveRun::CollectiveRun(std::uint32_t id, const CollectiveSpec& spec, Schedule schedule,
                             std::vector<std::uint32_t> accelerators)
    : id_(id),
      spec_(spec),
      schedule_(std::move(schedule)),
      accelerators_(std::move(accelerators)),
      alike_(schedule_.alike(spec.bytes)),
      arrived_(schedule_.phases.size() * schedule_.ranks, 0),
      phase_(schedule_.ranks, 0),
      at_barrier_(schedule_.phases.size(), 0) {
    count_traffic();
}

namespace {

[[noreturn]] void too_long(const CollectiveSpec& spec) {
    throw Error(ErrorKind::input, "`bytes` of " + std::to_string(spec.bytes.count) +
                                      " makes a message of more than 4294967295 flits, or traffic beyond 64 bits; use "
                                      "fewer bytes");
}

}  // namespace

void CollectiveRun::count_traffic() {
    if (flits_for(spec_.bytes) > most_message_flits) {
        too_long(spec_);
    }
    needed_.assign(schedule_.phases.size() * (alike_ ? 1 : schedule_.ranks), 0);
    const std::uint32_t ranks = alike_ ? 1 : schedule_.ranks;
    for (std::size_t k = 0; k < schedule_.phases.size(); ++k) {
        const Phase& phase = schedule_.phases[k];
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            for (const Send& send : schedule_.sends_of(phase, rank)) {
                const Bytes bytes = schedule_.send_bytes(phase, send, rank, spec_.bytes);
                const std::int64_t flits = flits_for(bytes);
                needed_[alike_ ? k : k * schedule_.ranks + schedule_.moved(send.peer, rank)] += flits;
                add_traffic(flits, bytes, alike_ ? schedule_.ranks : 1);
            }
        }
    }
}

void CollectiveRun::add_traffic(std::int64_t flits, Bytes bytes, std::uint32_t times) {
    std::int64_t payload = 0;
    if (flits > most_message_flits || __builtin_mul_overflow(bytes.count, std::int64_t{times}, &payload) ||
        __builtin_add_overflow(payload_.count, payload, &payload_.count)) {
        too_long(spec_);
    }
    flits_ += flits * times;
}

bool CollectiveRun::message(std::uint32_t rank, std::uint32_t phase, std::uint32_t index, OutMessage& out) const {
    const Phase& current = schedule_.phases[phase];
    const Span<Send> sends = schedule_.sends_of(current, rank);
    if (index >= sends.size()) {
        return false;
    }
    std::uint32_t chosen = index;
    if (current.to_all && spec_.send_order == SendOrder::same) {
        const std::uint32_t destination = index < rank ? index : index + 1;
        chosen = schedule_.moved_back(destination, rank) - 1;
    }
    const Send& send = sends[chosen];
    out.destination_rank = schedule_.moved(send.peer, rank);
    out.destination = accelerators_[out.destination_rank];
    out.bytes = schedule_.send_bytes(current, send, rank, spec_.bytes);
    out.flits = flits_for(out.bytes);
    return true;
}

void CollectiveRun::start(Time now, std::vector<Injection>& out) {
    require(!started_, "a collective starts once");
    started_ = true;
    for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
        enter(rank, 0, now, out);
    }
}

void CollectiveRun::deliver(Time now, const Delivery& delivery, std::vector<Injection>& out) {
    const std::uint32_t rank = delivery.destination_rank;
    std::int64_t& flits = arrived(delivery.phase, rank);
    flits += delivery.flits;
    require(flits <= needed(delivery.phase, rank), "no flit is delivered twice");
    if (delivery.phase == phase_[rank] && flits == needed(delivery.phase, rank)) {
        go_on(rank, now, out);
    }
}

// Enters `phase`, and those after it for as long as everything they need is there.
void CollectiveRun::enter(std::uint32_t rank, std::uint32_t phase, Time now, std::vector<Injection>& out) {
    phase_[rank] = phase;
    if (phase == schedule_.phases.size()) {
        first_finish_ = finished_ranks_ == 0 ? now : first_finish_;
        last_finish_ = now;
        ++finished_ranks_;
        return;
    }
    if (!schedule_.sends_of(schedule_.phases[phase], rank).empty()) {
        out.push_back({this, accelerators_[rank], rank, id_, phase, Channel::request});
    }
    if (arrived(phase, rank) == needed(phase, rank)) {
        go_on(rank, now, out);
    }
}

void CollectiveRun::go_on(std::uint32_t rank, Time now, std::vector<Injection>& out) {
    const std::uint32_t phase = phase_[rank];
    if (!spec_.phase_barrier) {
        enter(rank, phase + 1, now, out);
        return;
    }
    if (++at_barrier_[phase] == schedule_.ranks) {
        for (std::uint32_t member = 0; member < schedule_.ranks; ++member) {
            enter(member, phase + 1, now, out);
        }
    }
}

std::string CollectiveRun::waiting_rank() const {
    for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
        const std::uint32_t phase = phase_[rank];
        if (phase < schedule_.phases.size()) {
            return "rank " + std::to_string(rank) + " of collective " + std::to_string(id_) +
                   " waits for messages of phase " + std::to_string(phase);
        }
    }
    return "no rank waits";
}

std::uint32_t Player::add(const CollectiveSpec& spec, Schedule schedule, std::vector<std::uint32_t> accelerators) {
    const auto id = static_cast<std::uint32_t>(runs_.size());
    runs_.push_back(std::make_unique<CollectiveRun>(id, spec, std::move(schedule), std::move(accelerators)));
    return id;
}

void Player::start(std::uint32_t id, Time now) {
    runs_[id]->start(now, injections_);
    note_if_finished(id, false);
}

void Player::deliver(Time now, Span<Delivery> deliveries) {
    for (const Delivery& delivery : deliveries) {
        CollectiveRun& run = *runs_[delivery.collective];
        const bool before = run.finished();
        run.deliver(now, delivery, injections_);
        note_if_finished(delivery.collective, before);
    }
}

void Player::note_if_finished(std::uint32_t id, bool before) {
    if (!before && runs_[id]->finished()) {
        finished_.push_back(id);
        ++finished_count_;
    }
}

// The order in which a source sends what starts at one instant: by collective, then phase.
void Player::order_injections() {
    std::sort(injections_.begin(), injections_.end(), [](const Injection& a, const Injection& b) {
        return std::tie(a.source, a.collective, a.phase) < std::tie(b.source, b.collective, b.phase);
    });
}

std::uint32_t Player::take_finished() {
    if (finished_.empty()) {
        return static_cast<std::uint32_t>(runs_.size());
    }
    const auto least = std::min_element(finished_.begin(), finished_.end());
    const std::uint32_t id = *least;
    finished_.erase(least);
    return id;
}

void Player::clear() {
    runs_.clear();
    injections_.clear();
    finished_.clear();
    finished_count_ = 0;
}

}  // namespace simlette
