#include <simlette/collective/player.hpp>

#include <algorithm>
#include <tuple>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/collective/message_sizes.hpp>
#include <simlette/link/packing.hpp>

namespace simlette {

CollectiveRun::CollectiveRun(std::uint32_t id, std::shared_ptr<const CollectiveSpec> spec,
                             std::shared_ptr<const Schedule> schedule, std::vector<std::uint32_t> accelerators,
                             std::uint32_t first_place)
    : id_(id),
      held_spec_(std::move(spec)),
      held_schedule_(std::move(schedule)),
      spec_(*held_spec_),
      schedule_(*held_schedule_),
      accelerators_(std::move(accelerators)),
      first_place_(first_place),
      alike_(alike(spec_, schedule_)),
      arrived_(schedule_.phases.size() * schedule_.ranks, 0),
      phase_(schedule_.ranks, 0),
      at_barrier_(schedule_.phases.size(), 0),
      way_to_(schedule_.phases.size() * schedule_.ranks),
      last_of_(schedule_.phases.size() * (spec_.phase_barrier ? 1 : schedule_.ranks)) {
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
    throw Error(ErrorKind::input, "`bytes` of " + std::to_string(spec.bytes.count) + " makes a message of more than " +
                                      std::to_string(most_message_bytes.count) +
                                      " bytes, or traffic beyond 64 bits; use fewer bytes");
}

void note_size(PhaseSizes& sizes, Bytes bytes) {
    sizes.least = sizes.messages == 0 ? bytes : std::min(sizes.least, bytes);
    sizes.most = std::max(sizes.most, bytes);
    ++sizes.messages;
}

}  // namespace

void CollectiveRun::count_traffic() {
    if (most_message_bytes < spec_.bytes) {
        too_long(spec_);
    }
    needed_.assign(schedule_.phases.size() * (alike_ ? 1 : schedule_.ranks), 0);
    const std::uint32_t ranks = alike_ ? 1 : schedule_.ranks;
    sizes_.resize(schedule_.phases.size());
    for (std::size_t k = 0; k < schedule_.phases.size(); ++k) {
        const Phase& phase = schedule_.phases[k];
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            for (const Send& send : schedule_.sends_of(phase, rank)) {
                const Bytes bytes = bytes_of(spec_, schedule_, send, rank);
                needed_[alike_ ? k : k * schedule_.ranks + schedule_.moved(send.peer, rank)] += bytes.count;
                add_traffic(bytes, alike_ ? schedule_.ranks : 1);
                note_size(sizes_[k], bytes);
            }
        }
    }
}

void CollectiveRun::add_traffic(Bytes bytes, std::uint32_t times) {
    std::int64_t payload = 0;
    if (most_message_bytes < bytes || __builtin_mul_overflow(bytes.count, std::int64_t{times}, &payload) ||
        __builtin_add_overflow(payload_.count, payload, &payload_.count)) {
        too_long(spec_);
    }
    flits_ += flits_for(bytes) * times;
    messages_ += bytes.count > 0 ? times : 0;
}

// Where all ranks send alike they read alike.
PhaseSizes CollectiveRun::sizes(std::uint32_t, std::uint32_t phase) const {
    return alike_ ? sizes_[phase] : PhaseSizes{};
}

// A rank names the messages it writes, or those it reads.
bool CollectiveRun::message(std::uint32_t place, std::uint32_t phase, std::uint32_t index, OutMessage& out) const {
    const std::uint32_t rank = place - first_place_;
    const bool read = spec_.operation == Operation::read;
    Leg leg;
    if (read ? !leg_in(phase, rank, index, leg) : !leg_out(schedule_.phases[phase], rank, index, leg)) {
        return false;
    }
    const std::uint32_t peer = read ? leg.sender : leg.receiver;
    out.destination_rank = first_place_ + peer;
    out.destination = accelerators_[peer];
    const PhaseSizes known = sizes(place, phase);
    out.bytes = known.messages > 0 && known.least == known.most ? known.most
                                                                : bytes_of(spec_, schedule_, *leg.send, leg.sender);
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
    require(now == spec_.earliest_start, "a collective starts at its start");
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

bool CollectiveRun::deliver(const Delivery& delivery, Orders& orders) {
    const std::uint32_t rank = delivery.destination_rank - first_place_;
    std::int64_t& bytes = arrived_[at(delivery.phase, rank)];
    bytes += delivery.bytes.count;
    const std::int64_t lacking = needed(delivery.phase, rank) - bytes;
    require(lacking >= 0, "no byte is delivered twice");
    note_arrival(delivery);
    if (lacking > 0 || delivery.phase != phase_[rank]) {
        return false;
    }
    go_on(rank, last_of(delivery.phase, rank).at, orders);
    return finished();
}

void CollectiveRun::note_arrival(const Delivery& delivery) {
    const std::uint32_t destination = delivery.destination_rank - first_place_;
    Arrival arrival{delivery.at,    delivery.source_rank - first_place_, destination, delivery.port,
                    delivery.phase, delivery.released_by_request,        {}};
    Arrival& last = last_of_[spec_.phase_barrier ? arrival.phase : at(arrival.phase, destination)];
    if (!counts_before(arrival, last)) {
        return;
    }
    arrival.parts.wait = delivery.taken;
    last = arrival;
    if (delivery.parts != nullptr) {
        last.parts = *delivery.parts;
    }
}

const CollectiveRun::Arrival* CollectiveRun::last() const {
    const auto last = std::max_element(last_of_.begin(), last_of_.end(),
                                       [](const Arrival& a, const Arrival& b) { return counts_before(b, a); });
    return last == last_of_.end() ? nullptr : &*last;
}

TimeParts CollectiveRun::critical_path() const {
    const Arrival* arrival = last();
    return arrival == nullptr ? TimeParts{} : way_of(*arrival);
}

TimeParts CollectiveRun::way_of(const Arrival& arrival) const {
    TimeParts way = way_to_[at(arrival.phase, arrival.released_by())];
    way += arrival.parts;
    return way;
}

// Enters `phase`, and those after it for as long as everything they need is there.
void CollectiveRun::enter(std::uint32_t rank, std::uint32_t phase, Time now, Orders& orders) {
    phase_[rank] = phase;
    if (phase == schedule_.phases.size()) {
        first_finish_ = finished_ranks_ == 0 ? now : std::min(first_finish_, now);
        last_finish_ = std::max(last_finish_, now);
        ++finished_ranks_;
        return;
    }
    Injection made;
    if (injection(first_place_ + rank, phase, made)) {
        orders.injections.push_back(made);
    }
    if (!early_.empty()) {
        release_early(rank, orders);
    }
    if (arrived_[at(phase, rank)] == needed(phase, rank)) {
        go_on(rank, now, orders);
    }
}

bool CollectiveRun::injection(std::uint32_t place, std::uint32_t phase, Injection& out) const {
    const std::uint32_t rank = place - first_place_;
    const bool read = spec_.operation == Operation::read;
    Leg first;
    if (read ? !leg_in(phase, rank, 0, first) : !leg_out(schedule_.phases[phase], rank, 0, first)) {
        return false;
    }
    out = {this,
           accelerators_[rank],
           place,
           id_,
           phase,
           read,
           static_cast<std::uint8_t>(spec_.primitive == Primitive::send_recv ? compressed_requests_per_control
                                                                             : plain_requests_per_control)};
    return true;
}

Time CollectiveRun::entry(std::uint32_t place, std::uint32_t phase) const {
    const std::uint32_t rank = place - first_place_;
    const bool has_entered = started_ && phase < schedule_.phases.size() && phase <= phase_[rank];
    return has_entered ? entered(phase, rank) : Time::never();
}

void CollectiveRun::go_on(std::uint32_t rank, Time now, Orders& orders) {
    const std::uint32_t phase = phase_[rank];
    if (!spec_.phase_barrier) {
        go_on_by(rank, last_of(phase, rank), now, orders);
        return;
    }
    if (++at_barrier_[phase] == schedule_.ranks) {
        for (std::uint32_t member = 0; member < schedule_.ranks; ++member) {
            go_on_by(member, last_of(phase, member), now, orders);
        }
    }
}

// A phase that ends as soon as it was entered was not held up by its own deliveries.
void CollectiveRun::go_on_by(std::uint32_t rank, const Arrival& last, Time now, Orders& orders) {
    const std::uint32_t phase = phase_[rank];
    if (phase + 1 < schedule_.phases.size()) {
        way_to_[at(phase + 1, rank)] = last.at == now ? way_of(last) : way_to_[at(phase, rank)];
    }
    enter(rank, phase + 1, now, orders);
}

void CollectiveRun::ask(Time now, const Delivery& request, Orders& orders) {
    const std::uint32_t holder = request.source_rank - first_place_;
    if (started_ && phase_[holder] >= request.phase) {
        orders.replies.push_back(request);
        orders.replies.back().released_by_request = entered(request.phase, holder) < now;
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

std::vector<CollectiveRun::Step> CollectiveRun::critical_steps() const {
    std::vector<Step> steps;
    const Arrival* arrival = last();
    while (arrival != nullptr && arrival->at >= spec_.earliest_start) {
        std::uint32_t phase = arrival->phase;
        const std::uint32_t rank = arrival->released_by();
        const Time ready = entered(phase, rank);
        steps.push_back({phase, first_place_ + arrival->source_rank, first_place_ + arrival->destination_rank,
                         arrival->port, arrival->from_request, ready, arrival->at});
        arrival = nullptr;
        while (phase > 0 && arrival == nullptr) {  // phases that were complete already do not count
            --phase;
            arrival = last_of(phase, rank).at == ready ? &last_of(phase, rank) : nullptr;
        }
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::uint64_t CollectiveRun::append_phases(Time now, std::uint64_t limit, std::vector<PhaseRecord>& records) const {
    const auto phases = static_cast<std::uint32_t>(schedule_.phases.size());
    std::uint64_t left_out = 0;
    for (std::uint32_t rank = 0; started_ && rank < schedule_.ranks; ++rank) {
        const std::uint32_t last = std::min(phase_[rank] + 1, phases);
        for (std::uint32_t phase = 0; phase < last; ++phase) {
            if (records.size() >= limit) {
                ++left_out;
                continue;
            }
            const bool ended = phase < phase_[rank];
            const Time start = entered(phase, rank);
            const Time end = !ended               ? now
                             : phase + 1 < phases ? entered(phase + 1, rank)
                                                  : std::max(start, last_of(phase, rank).at);
            records.push_back({id_, first_place_ + rank, phase, ended, start, end});
        }
    }
    return left_out;
}

// Each rank reacts once all it needs in its phase is there; in the last phase only all of them together do, by their
// end. A message that has yet to be injected comes later than what sets it off, so the sizes of those that were
// injected suffice.
Time CollectiveRun::first_reaction(const Outlook::Pace& pace) const {
    if (spec_.operation == Operation::read || pace.largest.count == 0) {
        return pace.from;
    }
    std::int64_t first = INT64_MAX;  // of those that have a phase to enter
    std::int64_t last = 0;           // of the others
    for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
        const std::int64_t flits = least_flits_lacking(rank, pace);
        if (flits > 0 && phase_[rank] + 1 < schedule_.phases.size()) {
            first = std::min(first, flits);
        }
        last = std::max(last, flits);
    }
    if (last == 0) {
        return Time::never();
    }
    const std::int64_t spans = ceil_div(std::min(first, last), std::int64_t{pace.ports}) - 1;
    const std::int64_t rounds = spans / pace.per_round;
    const bool in_time = rounds < (Time::never() - pace.from).ps / pace.round.ps;
    return in_time ? pace.from + pace.round * rounds + pace.apart * (spans % pace.per_round) : Time::never();
}

// With none it waits for others at a barrier, or has finished.
std::int64_t CollectiveRun::least_flits_lacking(std::uint32_t rank, const Outlook::Pace& pace) const {
    const std::uint32_t phase = phase_[rank];
    if (phase == schedule_.phases.size()) {
        return 0;
    }
    const std::int64_t bytes = needed(phase, rank) - arrived_[at(phase, rank)];
    const std::int64_t on_way = pace.on_way.empty() ? 0 : pace.on_way[accelerators_[rank]];
    return std::max(ceil_div(bytes, pace.largest.count), ceil_div(bytes, flit_bytes.count) - on_way);
}

CollectiveRun::Waiting CollectiveRun::lowest_waiting() const {
    const auto last = static_cast<std::uint32_t>(schedule_.phases.size());
    const auto waiting = std::find_if(phase_.begin(), phase_.end(), [&](std::uint32_t phase) { return phase < last; });
    require(waiting != phase_.end(), "a rank of an unfinished group waits");
    return {first_place_ + static_cast<std::uint32_t>(waiting - phase_.begin()), *waiting};
}

std::size_t CollectiveGroups::slowest() const {
    const auto last = std::max_element(groups.begin(), groups.end(),
                                       [](const auto& a, const auto& b) { return a->end() < b->end(); });
    return static_cast<std::size_t>(last - groups.begin());
}

void Player::add(std::unique_ptr<CollectiveRun> group) {
    if (collectives_.empty() || collectives_.back().id != group->id()) {
        require(find(group->id()) == nullptr, "an id names one collective");
        by_id_.emplace(group->id(), collectives_.size());
        collectives_.push_back({group->id()});
    }
    CollectiveGroups& collective = collectives_.back();
    require(collective.unfinished == collective.groups.size(), "groups are added before any has ended");
    require(collective.groups.size() * std::size_t{group->schedule().ranks} == group->first_place(),
            "places count through groups of equal size");
    collective.groups.push_back(std::move(group));
    ++collective.unfinished;
}

std::size_t Player::index_of(std::uint32_t id) const {
    if (id < collectives_.size() && collectives_[id].id == id) {
        return id;
    }
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nowhere : found->second;
}

const CollectiveGroups* Player::find(std::uint32_t id) const {
    const std::size_t index = index_of(id);
    return index == nowhere ? nullptr : &collectives_[index];
}

void Player::start(std::uint32_t id, Time now) {
    const std::size_t index = index_of(id);
    under_way_.push_back(index);
    for (const auto& group : collectives_[index].groups) {
        group->start(now, orders_);
        if (group->finished()) {
            note_finished(index);
        }
    }
}

void Player::conclude(std::uint32_t id, Time end) {
    const std::size_t index = index_of(id);
    for (const auto& group : collectives_[index].groups) {
        group->conclude(end);
        note_finished(index);
    }
}

void Player::deliver(Span<Delivery> deliveries) {
    for (const Delivery& delivery : deliveries) {
        const std::size_t index = index_of(delivery.collective);
        CollectiveRun& group = collectives_[index].of_place(delivery.destination_rank);
        if (delivery.asked) {
            group.ask(delivery.at, delivery, orders_);
            continue;
        }
        if (group.deliver(delivery, orders_)) {
            note_finished(index);
        }
    }
}

// Another group has finished.
void Player::note_finished(std::size_t index) {
    if (--collectives_[index].unfinished == 0) {
        finished_.push_back(index);
        ++finished_count_;
        under_way_.erase(std::remove(under_way_.begin(), under_way_.end(), index), under_way_.end());
    }
}

Time Player::first_reaction(const Pace& pace) const {
    if (unfinished() == 0) {
        return pace.from;
    }
    Time first = Time::never();
    for (const std::size_t index : under_way_) {
        for (const auto& group : collectives_[index].groups) {
            if (!group->finished()) {
                first = std::min(first, group->first_reaction(pace));
            }
        }
    }
    return first;
}

bool leaves_before(const Injection& a, const Injection& b) {
    return std::tie(a.source, a.collective, a.phase) < std::tie(b.source, b.collective, b.phase);
}

bool leaves_before(const Delivery& a, const Delivery& b) {
    const auto key = [](const Delivery& d) {
        return std::tie(d.collective, d.phase, d.source_rank, d.destination_rank, d.port);
    };
    return key(a) < key(b);
}

void Player::sort_orders() {
    const auto first = [](const auto& a, const auto& b) { return leaves_before(a, b); };
    std::sort(orders_.injections.begin(), orders_.injections.end(), first);
    std::sort(orders_.replies.begin(), orders_.replies.end(), first);
}

const CollectiveGroups* Player::take_finished() {
    if (finished_.empty()) {
        return nullptr;
    }
    const auto least = std::min_element(finished_.begin(), finished_.end(), [&](std::size_t a, std::size_t b) {
        return collectives_[a].id < collectives_[b].id;
    });
    const CollectiveGroups& collective = collectives_[*least];
    finished_.erase(least);
    return &collective;
}

void Player::clear() {
    collectives_.clear();
    by_id_.clear();
    orders_ = {};
    finished_.clear();
    finished_count_ = 0;
    under_way_.clear();
    resets_.clear();
}

}  // namespace simlette
