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
    if (spec_.operation == Operation::read) {
        early_.resize(schedule_.ranks);
        if (schedule_.symmetry == Symmetry::none) {
            index_receivers();
        }
    }
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

// A rank names the messages it writes, or those it reads.
bool CollectiveRun::message(std::uint32_t rank, std::uint32_t phase, std::uint32_t index, OutMessage& out) const {
    const bool read = spec_.operation == Operation::read;
    Leg leg;
    if (read ? !leg_in(phase, rank, index, leg) : !leg_out(schedule_.phases[phase], rank, index, leg)) {
        return false;
    }
    out.destination_rank = read ? leg.sender : leg.receiver;
    out.destination = accelerators_[out.destination_rank];
    out.bytes = schedule_.send_bytes(schedule_.phases[phase], *leg.send, leg.sender, spec_.bytes);
    out.flits = flits_for(out.bytes);
    return true;
}

// Of a phase in which every rank turns to all others.
std::uint32_t CollectiveRun::peer_in_order(std::uint32_t rank, std::uint32_t index) const {
    if (spec_.send_order == SendOrder::same) {
        return index < rank ? index : index + 1;
    }
    return schedule_.moved(index + 1, rank);
}

bool CollectiveRun::leg_out(const Phase& phase, std::uint32_t rank, std::uint32_t index, Leg& leg) const {
    const Span<Send> sends = schedule_.sends_of(phase, rank);
    if (index >= sends.size()) {
        return false;
    }
    if (phase.to_all) {
        const std::uint32_t peer = peer_in_order(rank, index);
        leg = {rank, peer, &sends[schedule_.moved_back(peer, rank) - 1]};
    } else {
        leg = {rank, schedule_.moved(sends[index].peer, rank), &sends[index]};
    }
    return true;
}

bool CollectiveRun::leg_in(std::uint32_t phase, std::uint32_t rank, std::uint32_t index, Leg& leg) const {
    if (schedule_.symmetry == Symmetry::none) {
        const std::vector<Leg>& legs = into_[phase][rank];
        leg = index < legs.size() ? legs[index] : Leg{};
        return index < legs.size();
    }
    const std::vector<Send>& sends = schedule_.phases[phase].sends;
    if (index >= sends.size()) {
        return false;
    }
    if (schedule_.phases[phase].to_all) {
        const std::uint32_t peer = peer_in_order(rank, index);
        leg = {peer, rank, &sends[schedule_.moved_back(rank, peer) - 1]};
    } else {
        leg = {schedule_.moved_back(rank, sends[index].peer), rank, &sends[index]};
    }
    return true;
}

void CollectiveRun::index_receivers() {
    into_.assign(schedule_.phases.size(), std::vector<std::vector<Leg>>(schedule_.ranks));
    for (std::size_t k = 0; k < schedule_.phases.size(); ++k) {
        for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
            for (const Send& send : schedule_.sends_of(schedule_.phases[k], rank)) {
                into_[k][send.peer].push_back({rank, send.peer, &send});
            }
        }
    }
}

void CollectiveRun::start(Time now, Orders& orders) {
    require(!started_, "a collective starts once");
    started_ = true;
    for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
        enter(rank, 0, now, orders);
    }
}

void CollectiveRun::conclude(Time end) {
    require(!started_, "a collective starts once");
    started_ = true;
    std::fill(phase_.begin(), phase_.end(), static_cast<std::uint32_t>(schedule_.phases.size()));
    first_finish_ = last_finish_ = end;
    finished_ranks_ = schedule_.ranks;
}

void CollectiveRun::deliver(Time now, const Delivery& delivery, Orders& orders) {
    const std::uint32_t rank = delivery.destination_rank;
    std::int64_t& flits = arrived(delivery.phase, rank);
    flits += delivery.flits;
    require(flits <= needed(delivery.phase, rank), "no flit is delivered twice");
    if (delivery.phase == phase_[rank] && flits == needed(delivery.phase, rank)) {
        go_on(rank, now, orders);
    }
}

// Enters `phase`, and those after it for as long as everything they need is there.
void CollectiveRun::enter(std::uint32_t rank, std::uint32_t phase, Time now, Orders& orders) {
    phase_[rank] = phase;
    if (phase == schedule_.phases.size()) {
        first_finish_ = finished_ranks_ == 0 ? now : first_finish_;
        last_finish_ = now;
        ++finished_ranks_;
        return;
    }
    Leg first;
    const bool read = spec_.operation == Operation::read;
    if (read ? leg_in(phase, rank, 0, first) : leg_out(schedule_.phases[phase], rank, 0, first)) {
        orders.injections.push_back({this, accelerators_[rank], rank, id_, phase, read});
    }
    if (!early_.empty()) {
        release_early(rank, orders);
    }
    if (arrived(phase, rank) == needed(phase, rank)) {
        go_on(rank, now, orders);
    }
}

void CollectiveRun::go_on(std::uint32_t rank, Time now, Orders& orders) {
    const std::uint32_t phase = phase_[rank];
    if (!spec_.phase_barrier) {
        enter(rank, phase + 1, now, orders);
        return;
    }
    if (++at_barrier_[phase] == schedule_.ranks) {
        for (std::uint32_t member = 0; member < schedule_.ranks; ++member) {
            enter(member, phase + 1, now, orders);
        }
    }
}

void CollectiveRun::ask(const Delivery& request, Orders& orders) {
    const std::uint32_t holder = request.source_rank;
    if (started_ && phase_[holder] >= request.phase) {
        orders.replies.push_back(request);
    } else {
        early_[holder].push_back(request);
    }
}

void CollectiveRun::release_early(std::uint32_t rank, Orders& orders) {
    const auto still_early = [&](const Delivery& request) { return request.phase > phase_[rank]; };
    std::vector<Delivery>& early = early_[rank];
    const auto ready = std::stable_partition(early.begin(), early.end(), still_early);
    orders.replies.insert(orders.replies.end(), ready, early.end());
    early.erase(ready, early.end());
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
    runs_[id]->start(now, orders_);
    note_if_finished(id, false);
}

void Player::conclude(std::uint32_t id, Time end) {
    runs_[id]->conclude(end);
    note_if_finished(id, false);
}

void Player::deliver(Time now, Span<Delivery> deliveries) {
    for (const Delivery& delivery : deliveries) {
        CollectiveRun& run = *runs_[delivery.collective];
        if (delivery.asked) {
            run.ask(delivery, orders_);
            continue;
        }
        const bool before = run.finished();
        run.deliver(now, delivery, orders_);
        note_if_finished(delivery.collective, before);
    }
}

void Player::note_if_finished(std::uint32_t id, bool before) {
    if (!before && runs_[id]->finished()) {
        finished_.push_back(id);
        ++finished_count_;
    }
}

// What leaves a source at one instant is ordered by collective, then phase; replies by the ends of their message too.
void Player::sort_orders() {
    std::sort(orders_.injections.begin(), orders_.injections.end(), [](const Injection& a, const Injection& b) {
        return std::tie(a.source, a.collective, a.phase) < std::tie(b.source, b.collective, b.phase);
    });
    const auto key = [](const Delivery& d) {
        return std::tie(d.collective, d.phase, d.source_rank, d.destination_rank, d.port);
    };
    std::sort(orders_.replies.begin(), orders_.replies.end(),
              [&](const Delivery& a, const Delivery& b) { return key(a) < key(b); });
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
    orders_ = {};
    finished_.clear();
    finished_count_ = 0;
}

}  // namespace simlette
