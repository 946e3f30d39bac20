#include <simlette/fabric/message_network.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

MessageNetwork::MessageNetwork(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules,
                               std::uint64_t seed)
    : graph_(graph),
      first_switch_link_(graph.first_switch_link()),
      responses_(rules.responses == ResponsePolicy::per_message),
      flit_time_(graph.classes.empty() ? Duration{1} : graph.classes.front().flit_time),
      sources_(graph, routing, rules, seed),
      way_back_(graph.ways_back()) {
    require(rules.fidelity == Fidelity::paper, "message mode carries whole flits of payload");
    require(!graph.has_choices(), "message mode follows one way between two accelerators");
    graph.check();
    build_ports();
}

void MessageNetwork::build_ports() {
    ports_.assign(graph_.links.size(), {});
    clocks_.assign(graph_.links.size(), {});
    windows_.assign(graph_.links.size() * channel_count, {});
    debts_.assign(graph_.links.size() * channel_count, {});
    inputs_.resize((graph_.links.size() - first_switch_link_) * channel_count);
    answers_.assign(first_switch_link_, {});
    for (LinkId id = 0; id < ports_.size(); ++id) {
        const LinkClass& kind = graph_.class_of(id);
        require(kind.flit_time == flit_time_, "all links have one flit time");
        Port& port = ports_[id];
        const NodeId to = graph_.links[id].to;
        const Duration latency = kind.latency.total();
        port.to_accelerator = to < graph_.accelerators;
        port.at = port.to_accelerator ? no_id : to - graph_.accelerators;
        port.arrive_lane = static_cast<std::uint16_t>(queue_.lane(Turn::deliver, flit_time_ + latency));
        if (latency > Duration{0}) {
            port.core_lane = static_cast<std::uint16_t>(queue_.lane(Turn::deliver, latency));
        }
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            const std::int64_t credits = kind.credits[channel];
            if (credits != unlimited && idle_loop(id) > credits * flit_time_) {
                port.limited = static_cast<std::uint8_t>(port.limited | 1U << channel);
                window(id, channel).set(credits, idle_loop(id));
            }
        }
    }
}

void MessageNetwork::open(Time t) {
    require(t >= now_, "time does not run backwards");
    now_ = t;
    events_ += queue_.drain(t, *this);
    std::sort(wakes_.begin(), wakes_.end());
}

void MessageNetwork::close() {
    add_wake_lanes();
    for (std::size_t i = 0; i < due_.size(); ++i) {
        decide(due_[i]);
    }
    due_.clear();
    deliveries_.clear();
    wakes_.clear();
}

void MessageNetwork::inject(const Injection& injection) {
    flits_outside_ += sources_.add(injection, [&](LinkId id, std::int64_t flits) {
        add_waiting(id, index(Channel::request), flits);
        return PortMessage::Waiting{};
    });
}

void MessageNetwork::reset_arbiters() {
    require(quiet(), "arbiters are reset on a quiet network");
    for (Port& port : ports_) {
        port.next_channel = 0;
        port.next_input = {};
    }
}

void MessageNetwork::deliver(const Event& event) {
    const Port& port = ports_[event.entity];
    if (port.to_accelerator) {
        reach_core(event.entity, event.detail);
        return;
    }
    const Arrival arrival = arrivals_[event.detail];  // a copy: arriving may announce others
    free_arrivals_.push_back(event.detail);
    arrive(event.entity, port, arrival);
}

void MessageNetwork::arrive(LinkId from, const Port& port, const Arrival& arrival) {
    const LinkId out = graph_.only_way(port.at, table_.way(arrival.message).destination);
    Inputs& feeds = inputs(out, arrival.channel);
    const auto find = [&] {
        return std::find_if(feeds.begin(), feeds.end(), [from](const Trains::Feed& f) { return f.input >= from; });
    };
    auto feed = find();
    const bool joins = feed == feeds.end() || feed->input != from;
    if (joins || arrival.recall) {
        interrupt(out);
        feed = find();
    }
    if (arrival.recall) {
        ports_[out].queued[arrival.channel] -= arrival.flits;
        trains_.recall(*feed, arrival.flits);
        if (feed->first == no_id) {
            feeds.erase(feed);
        }
        mark(out);
        return;
    }
    if (feed == feeds.end() || feed->input != from) {
        feed = feeds.insert(feed, Trains::Feed{from, no_id, no_id, 0});
        mark(out);
    }
    trains_.append(*feed, {arrival.message, arrival.flits, no_id, arrival.place, now_}, flit_time_);
    ports_[out].queued[arrival.channel] += arrival.flits;
    clocks_[out].peak_queue = std::max(clocks_[out].peak_queue, ports_[out].queued[0] + ports_[out].queued[1]);
}

void MessageNetwork::reach_core(LinkId from, std::uint32_t message) {
    using Half = TransactionHalf;
    MessageTable::Message& m = table_[message];
    const bool data = m.half == Half::write || m.half == Half::read_data;
    const std::uint32_t channel = m.half == Half::write || m.half == Half::read_request ? 0 : 1;
    flits_outside_ -= data ? m.flits : 1;
    if (finite(from, channel)) {
        credit_leaves(from, now_);
    }
    if (data) {
        table_.finish(message, now_);
        deliveries_.push_back(table_.delivery(message, false, now_));
    }
    if (m.half == Half::write && responses_) {
        m.answer_link = way_back_[from];
        m.half = Half::response;
        answer(message);
    } else if (m.half == Half::read_request) {
        m.answer_link = way_back_[from];
        table_.count_request();
        deliveries_.push_back(table_.delivery(message, true, now_));
    } else {
        if (m.half == Half::response) {
            table_.count_response();
        }
        table_.drop(message);
    }
}

void MessageNetwork::reply(const Delivery& request, bool) {
    const std::uint32_t message = request.message;
    require(table_[message].half == TransactionHalf::read_request, "a request is answered once");
    table_[message].half = TransactionHalf::read_data;
    answer(message);
}

void MessageNetwork::answer(std::uint32_t message) {
    const MessageTable::Message& m = table_[message];
    const std::uint32_t flits = m.half == TransactionHalf::response ? 1 : m.flits;
    const LinkId id = m.answer_link;
    require(id != no_id, "an answer leaves by the port on which the request came");
    table_.way(message) = {graph_.links[m.first_link].from, flits};
    const std::uint32_t run = answer_runs_.take(message);
    answer_runs_[run].count = flits;
    Answers& queue = answers_[id];
    if (queue.first == no_id) {
        queue.first = run;
    } else {
        answer_runs_[queue.last].next = run;
    }
    queue.last = run;
    flits_outside_ += flits;
    add_waiting(id, index(Channel::response), flits);
}

void MessageNetwork::add_waiting(LinkId id, std::uint32_t channel, std::int64_t flits) {
    Port& port = ports_[id];
    if (port.queued[channel] == 0) {
        interrupt(id);
        mark(id);
    }
    port.queued[channel] += flits;
    const std::int64_t waiting = port.queued[0] + port.queued[1] - (port.free_at > now_ ? 0 : 1);
    clocks_[id].peak_queue = std::max(clocks_[id].peak_queue, waiting);
}

NetworkStatistics MessageNetwork::statistics() const {
    NetworkStatistics statistics = table_.totals();
    statistics.events = events_;
    statistics.first_injection = first_injection_;
    for (LinkId id = 0; id < ports_.size(); ++id) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            statistics.stall_total += stall(id, channel);
            statistics.stall_max_port = std::max(statistics.stall_max_port, stall(id, channel));
        }
    }
    return statistics;
}

std::vector<LinkStatistics> MessageNetwork::link_statistics() const {
    std::vector<LinkStatistics> all(ports_.size());
    for (LinkId id = 0; id < ports_.size(); ++id) {
        LinkStatistics& one = all[id];
        one.name = graph_.link_name(id);
        one.flits = ports_[id].sent + begun(ports_[id]);
        one.bytes = one.flits * flit_bytes.count;
        one.busy = one.flits * flit_time_;
        one.stall = {stall(id, 0), stall(id, 1)};
        one.queue = clocks_[id].peak_queue;
    }
    return all;
}

// The slots of a run follow each other without a gap.
std::vector<Duration> MessageNetwork::wire_times() const {
    std::vector<Duration> all(ports_.size());
    for (LinkId id = 0; id < ports_.size(); ++id) {
        const Port& port = ports_[id];
        all[id] = port.sent * flit_time_;
        if (port.slots > 0) {
            all[id] += std::min(now_ - port.start, port.slots * flit_time_);
        } else if (port.free_at > now_) {
            all[id] = all[id] - (port.free_at - now_);
        }
    }
    return all;
}

StallReport MessageNetwork::explain() const {
    return explain_stall(graph_, now_, {});
}

void MessageNetwork::clear() {
    queue_.clear();
    now_ = {};
    for (Inputs& feeds : inputs_) {
        feeds.clear();
    }
    build_ports();
    trains_.clear();
    arrivals_.clear();
    free_arrivals_.clear();
    due_.clear();
    sources_.clear();
    answer_runs_.clear();
    table_.clear();
    deliveries_.clear();
    wakes_.clear();
    flits_outside_ = 0;
    credits_home_ = {};
    events_ = 0;
    first_injection_ = Time::never();
}

}  // namespace simlette
