// A plane of a sweep: its ports, what lands on it, what is told of that.
#include <simlette/fabric/sweep_plane.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

bool one_link_to_each(const HostGraph& graph) {
    std::vector<std::uint32_t> links(graph.accelerators, 0);
    return std::none_of(graph.links.begin(), graph.links.end(),
                        [&](const HostLink& link) { return link.to < graph.accelerators && ++links[link.to] > 1; });
}

}  // namespace

void Told::take_sums(Told& other) {
    records.insert(records.end(), other.records.begin(), other.records.end());
    other.records.clear();
    totals.flits += other.totals.flits;
    totals.response_flits += other.totals.response_flits;
    totals.request_flits += other.totals.request_flits;
    totals.payload_bytes += other.totals.payload_bytes;
    totals.port_messages += other.totals.port_messages;
    totals.last_delivery = std::max(totals.last_delivery, other.totals.last_delivery);
    hash.add_all(other.hash);
    latencies.add_all(other.latencies);
    other.latencies.clear();
    other.totals = {};
    other.hash = {};
}

SweepPlane::SweepPlane(const HostGraph& graph, const Plane& plane, const RoutingSpec& routing,
                       const TransactionRules& rules, std::uint64_t seed, SweepAccount& account)
    : graph_(graph),
      plane_(plane),
      account_(account),
      first_switch_link_(graph.first_switch_link()),
      routing_(routing),
      rules_(rules),
      seed_(seed),
      one_rate_(
          std::all_of(graph.classes.begin(), graph.classes.end(),
                      [&graph](const LinkClass& kind) { return kind.flit_time == graph.classes.front().flit_time; })),
      one_way_(!graph.has_choices() || routing.granularity == Granularity::message ||
               routing.policy == RoutingPolicy::hashed || routing.policy == RoutingPolicy::fixed),
      lands_once_(!one_way_ && rules.fidelity == Fidelity::paper && one_link_to_each(graph)),
      flit_by_flit_(routing.granularity == Granularity::flit &&
                    (routing.policy == RoutingPolicy::spray || routing.policy == RoutingPolicy::random)),
      sources_(graph, routing, rules, seed, plane),
      spray_cycles_(graph.spray_cycles()),
      way_back_(graph.ways_back()) {
    order_ports();
    list_feeders();
    build_ports();
}

void SweepPlane::stand_at(const Plane& plane) {
    plane_ = plane;
    sources_.stand_at(plane);
    for (Landing& landing : landings_) {
        landing.slot = static_cast<std::uint16_t>(plane.slot);
    }
}

void SweepPlane::build_ports() {
    const std::size_t links = graph_.links.size();
    ports_.assign(links, {});
    busy_.assign(links / 64 + 1, 0);
    window_ = Duration{ps_per_second};  // at most, so that a time and a window stay in 64 bits
    const std::uint32_t rotating = rotating_channels();
    for (LinkId id = 0; id < links; ++id) {
        const LinkClass& kind = graph_.class_of(id);
        Port& port = ports_[place_[id]];
        port.link = id;
        port.flit_time = kind.flit_time;
        port.delay = kind.flit_time + kind.latency.total();
        window_ = std::min(window_, port.delay);
        if (graph_.links[id].to >= graph_.accelerators) {
            port.at = graph_.links[id].to - graph_.accelerators;
            switch_credits_ = switch_credits_ || kind.finite() != 0;
        } else {
            port.to = graph_.links[id].to;
            port.credit_loop = port.delay + kind.credit_return;
        }
        if (id >= first_switch_link_) {
            const std::uint32_t from = graph_.links[id].from - graph_.accelerators;
            port.feeders = first_feeder_[from];
            for (RunQueues& queues : port.outputs) {
                queues.reset(first_feeder_[from + 1] - port.feeders);
            }
        }
        port.credits = kind.credits;
        port.rotates = static_cast<std::uint8_t>(id >= first_switch_link_ && port.at == no_id ? rotating : 0);
        port.finite = static_cast<std::uint8_t>(kind.finite());
    }
    for (std::uint32_t at = 0; at < graph_.packet_switches; ++at) {
        for (std::uint32_t i = first_feeder_[at]; i < first_feeder_[at + 1]; ++i) {
            ports_[feeders_[i].place].input = i - first_feeder_[at];
        }
    }
    on_way_.assign(graph_.accelerators, 0);
    tags_.assign(rules_.tags == unlimited ? 0 : first_switch_link_, {});
    build_pace();
    build_long_window();
    reset_spray();
}

void SweepPlane::move_landings(Time before, LargeVector<Landing>& to) {
    if (last_landing_ < before && to.empty()) {
        first_landing_ = Time::never();
        last_landing_ = {};
        to.swap(landings_);
        return;
    }
    take_landings(before, [&to](const Landing& landing) { to.push_back(landing); });
}

void SweepPlane::add_on_way(std::vector<std::int64_t>& flits) const {
    for (std::uint32_t to = 0; to < graph_.accelerators; ++to) {
        flits[to] += plane_.stands_for * on_way_[to];
    }
}

void SweepPlane::inject(const Injection& injection, const Spread& spread) {
    const std::int64_t more = sources_.add(injection, spread, [&](LinkId id, std::int64_t flits) {
        for (std::int64_t left = flits; left > 0; left -= UINT32_MAX) {
            put(place_[id],
                {FlitRun::of(0, 0), static_cast<std::uint32_t>(std::min<std::int64_t>(left, UINT32_MAX)), 0}, no_id,
                account_.now);
        }
        if (traces()) [[unlikely]] {
            note_injection(injection, id);
        }
        return PortMessage::Waiting{account_.now, {}, {}, {}, 0};
    });
    flits_outside_ += more;
    constexpr std::int64_t most = 1 << 22;
    const auto room = static_cast<std::size_t>(std::min(flits_outside_, most));  // a message has one flit at least
    if (messages_.capacity() < room) {
        messages_.reserve(std::max(room, 2 * messages_.capacity()));
    }
}

void SweepPlane::reset_arbiters() {
    for (Port& port : ports_) {
        port.next_channel = 0;
        for (RunQueues& queues : port.outputs) {
            queues.reset_pointer();
        }
    }
    reset_spray();
}

void SweepPlane::deliver(const Landing& landing) {
    ++events_;
    ++lot_.landings;
    lot_.last = std::max(lot_.last, landing.time);
    if (rules_.one_by_one()) {
        deliver_one_by_one(landing);
        return;
    }
    const std::uint32_t id = landing.flit >> 2U;
    Message& message = messages_[id];
    const bool answer = (landing.flit & 1U) != 0;
    const bool followed = traces() && trace_landing(landing);
    if (lands_once_ && !followed) {
        flits_outside_ -= message_flits(message, answer);
        message.undelivered = 0;
    } else {
        const std::uint32_t flits = one_way_ && !followed ? message.undelivered : landing.count;
        flits_outside_ -= flits;
        message.undelivered -= flits;
    }
    if (message.undelivered > 0) {
        return;
    }
    on_way_[graph_.links[landing.link].to] -= message_flits(message, answer);
    if (!answer) {
        reach_completer(id, landing);
        return;
    }
    if (message.read) {
        finish_data(id, landing.time);
    } else {
        told().totals.response_flits += plane_.stands_for;
    }
    free_message(id);
}

void SweepPlane::reach_completer(std::uint32_t id, const Landing& landing) {
    Message& message = messages_[id];
    message.answer_link = way_back_[landing.link];
    if (message.read) {
        told().totals.request_flits +=
            plane_.stands_for * (exchanges_.empty() ? 1 : exchanges_[id].transactions.forward);
        message.released_by_request = false;
        told().deliveries.push_back(delivery(id, landing.time));
        return;
    }
    finish_data(id, landing.time);
    if (rules_.responses == ResponsePolicy::none) {
        free_message(id);
    } else {
        queue_answer(id, 1, landing.time);
    }
}

// The data of a port-message has arrived whole.
void SweepPlane::finish_data(std::uint32_t id, Time at) {
    const Message& message = messages_[id];
    Delivery done = delivery(id, at);
    done.taken = at - message.ready;
    Told& told = this->told();
    told.totals.flits += std::int64_t{plane_.stands_for} * message.flits;
    told.totals.payload_bytes += done.bytes.count;
    told.totals.port_messages += plane_.stands_for;
    told.totals.last_delivery = std::max(told.totals.last_delivery, at);
    const std::uint64_t ends =
        EventHash::begin({message.source_rank, message.destination_rank}, hash_of_phase(message));
    for (std::uint32_t port = done.port; port < done.port + plane_.stands_for; ++port) {
        told.hash.add_after(ends, {port, static_cast<std::uint64_t>(at.ps)});
        if (account_.recording) {
            told.records.push_back({message.collective, message.phase, message.source_rank, message.destination_rank,
                                    port, bytes_of(message).at(port).count, message.flits, message.injected, at});
        }
    }
    if (account_.tallying) {
        told.latencies.add((at - message.injected).ps, plane_.stands_for);
    }
    if (traces()) [[unlikely]] {
        tell_parts(id, done);
    }
    tell(done);
}

// Worked out once for many messages that land one after the other.
std::uint64_t SweepPlane::hash_of_phase(const Message& message) {
    if (hashed_.collective != message.collective || hashed_.phase != message.phase) {
        hashed_ = {message.collective, message.phase, EventHash::begin({message.collective, message.phase})};
    }
    return hashed_.begun;
}

// In a lot those to one rank in a phase, one after the other, are told as the one that counts, with the bytes of all.
void SweepPlane::tell(const Delivery& delivery) {
    std::vector<Delivery>& deliveries = told().deliveries;
    const bool joins = goes_ahead_ && !traces() && !deliveries.empty() &&
                       deliveries.back().destination_rank == delivery.destination_rank &&
                       deliveries.back().phase == delivery.phase && deliveries.back().collective == delivery.collective;
    if (!joins) {
        deliveries.push_back(delivery);
        return;
    }
    const Bytes bytes = deliveries.back().bytes + delivery.bytes;
    if (counts_before(delivery, deliveries.back())) {
        deliveries.back() = delivery;
    }
    deliveries.back().bytes = bytes;
}

Delivery SweepPlane::delivery(std::uint32_t id, Time at) const {
    const Message& message = messages_[id];
    return {id,
            message.read && !message.answered,
            message.collective,
            message.phase,
            message.source_rank,
            message.destination_rank,
            port_number(message),
            message.flits,
            bytes_of(message).over(plane_.index, plane_.stands_for),
            message.injected,
            at,
            {},
            nullptr,
            message.released_by_request,
            plane_.slot,
            plane_.stands_for};
}

void SweepPlane::reply(std::uint32_t id, bool released_by_request) {
    Message& message = messages_[id];
    require(message.read && !message.answered, "a request is answered once");
    message.answered = true;
    message.released_by_request = released_by_request;
    if (!released_by_request && message.undelivered == 0) {
        message.ready = account_.now;
    }
    if (rules_.one_by_one()) {
        let_answers_go(id);
        return;
    }
    queue_answer(id, message.flits, account_.now);
}

// Flits go back to where the request came from.
void SweepPlane::queue_answer(std::uint32_t id, std::uint32_t flits, Time at) {
    Message& message = messages_[id];
    require(message.answer_link != no_id, "an answer leaves by the port on which the request came");
    message.undelivered = to_land_[id] = flits;
    if (traces()) [[unlikely]] {
        account_.trace.end(traced_as(id));
        account_.trace.begin(traced_as(id), trace_key(id, 1));
    }
    put_answer(id, flits, true, at);
}

void SweepPlane::put_answer(std::uint32_t id, std::uint32_t flits, bool last, Time at) {
    const Message& message = messages_[id];
    flits_outside_ += flits;
    if (traces()) [[unlikely]] {
        note_answer(id);
    }
    const std::uint32_t flit = FlitRun::of(id, 1) | (last ? FlitRun::last_bit : 0);
    put(place_[message.answer_link], {flit, flits, graph_.links[message.first_link].from}, no_id, at);
}

std::uint32_t SweepPlane::new_message() {
    if (free_messages_.empty()) {
        free_messages_.push_back(static_cast<std::uint32_t>(messages_.size()));
        messages_.emplace_back();
        to_land_.emplace_back();
        if (rules_.fidelity == Fidelity::ualink) {
            exchanges_.emplace_back();
        }
        if (routing_.granularity == Granularity::message) {
            kept_.emplace_back();
        }
        require(messages_.size() < (1U << 30U), "messages under way fit their index");
    }
    const std::uint32_t id = free_messages_.back();
    free_messages_.pop_back();
    constexpr std::size_t ahead = 4;
    if (free_messages_.size() >= ahead) {
        __builtin_prefetch(messages_.data() + free_messages_[free_messages_.size() - ahead]);
    }
    if (!kept_.empty()) {
        kept_[id].clear();
    }
    return id;
}

void SweepPlane::free_message(std::uint32_t id) {
    if (traces()) [[unlikely]] {
        account_.trace.end(traced_as(id));
        freed_.push_back(id);
        return;
    }
    free_messages_.push_back(id);
}

std::uint32_t SweepPlane::start_message(const PortMessage& next, LinkId link) {
    const std::uint32_t id = new_message();
    const Injection& injection = *next.injection;
    const std::uint32_t peer = next.message.destination_rank;
    Message& message = messages_[id];
    message.ready = next.waiting.ready;
    message.whole_bytes = next.bytes.whole;
    message.last_port = next.bytes.last_port;
    message.missing = next.bytes.missing;
    message.collective = injection.collective;
    message.phase = injection.phase;
    message.source_rank = injection.read ? peer : injection.rank;
    message.destination_rank = injection.read ? injection.rank : peer;
    message.first_link = link;
    message.port = static_cast<std::uint16_t>(graph_.links[link].from_port);
    message.answer_link = no_id;
    message.flits = static_cast<std::uint32_t>(injection.read ? next.transactions.back : next.transactions.forward);
    message.undelivered = to_land_[id] = static_cast<std::uint32_t>(next.transactions.forward);
    message.read = injection.read;
    message.answered = false;
    message.released_by_request = false;
    if (!exchanges_.empty()) {
        exchanges_[id] = {next.transactions};
    }
    if (traces()) [[unlikely]] {
        account_.trace.begin(traced_as(id), trace_key(id, 0));
    }
    return id;
}

Duration SweepPlane::stall_of(const Port& port, std::uint32_t channel) const {
    const bool running = (port.stalled >> channel & 1U) != 0;
    return running ? port.stall[channel] + (account_.now - port.stalled_since[channel]) : port.stall[channel];
}

Duration SweepPlane::stalled_for(LinkId link, std::uint32_t channel) const {
    return stall_of(port_of(link), channel);
}

LinkStatistics SweepPlane::link_statistics(LinkId link) const {
    const Port& port = port_of(link);
    LinkStatistics one;
    one.flits = port.sent;
    one.bytes = one.flits * flit_bytes.count;
    one.busy = one.flits * port.flit_time;
    one.stall = {stall_of(port, 0), stall_of(port, 1)};
    one.queue = port.peak_queue;
    const auto waiting = static_cast<std::uint64_t>(port.queued[0] + port.queued[1]);
    one.waited =
        Duration{static_cast<std::int64_t>(port.waited + waiting * static_cast<std::uint64_t>(account_.now.ps))};
    return one;
}

Duration SweepPlane::wire_time(LinkId link) const {
    const Port& port = port_of(link);
    const Duration to_come = port.free_at > account_.now ? port.free_at - account_.now : Duration{0};
    return port.sent * port.flit_time - to_come;
}

std::vector<WaitingPort> SweepPlane::waiting() const {
    std::vector<std::vector<LinkId>> leaving(graph_.packet_switches);
    for (LinkId out = first_switch_link_; out < ports_.size(); ++out) {
        leaving[graph_.links[out].from - graph_.accelerators].push_back(out);
    }
    std::vector<WaitingPort> waiting;
    for (LinkId id = 0; id < ports_.size(); ++id) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            if (port_of(id).queued[channel] == 0 || port_of(id).credits[channel] > 0) {
                continue;
            }
            WaitingPort port{id, static_cast<Channel>(channel), {}};
            const std::uint32_t at = port_of(id).at;
            for (const LinkId out : at == no_id ? std::vector<LinkId>{} : leaving[at]) {
                if (port_of(out).outputs[channel].holds(port_of(id).input)) {
                    port.waits_for.push_back(out);
                }
            }
            waiting.push_back(std::move(port));
        }
    }
    return waiting;
}

void SweepPlane::clear() {
    decided_ = last_event_ = credits_home_ = {};
    attention_ = Time::never();
    build_ports();
    sources_.clear();
    messages_.clear();
    to_land_.clear();
    free_messages_.clear();
    exchanges_.clear();
    kept_.clear();
    landings_.clear();
    first_landing_ = Time::never();
    last_landing_ = {};
    landed_.clear();
    lot_ = {};
    flits_outside_ = 0;
    events_ = 0;
    first_injection_ = Time::never();
    freed_.clear();
    traced_injections_.clear();
    traced_answers_.clear();
}

}  // namespace simlette
