// Member functions of FlitNetwork, third part: what waited for what, and what comes out as statistics.
#pragma once

#include <algorithm>

#include <simlette/fabric/flit_network.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

template <class Queue>
Delivery FlitNetwork<Queue>::delivery(std::uint32_t message) const {
    const MessageOrigin& origin = origins_[message];
    return {message,
            origin.half == Half::read_request,
            origin.collective,
            origin.phase,
            origin.source_rank,
            origin.destination_rank,
            graph_.links[origin.first_link].from_port,
            origin.data_flits(),
            origin.bytes,
            origin.injected,
            now_,
            {},
            nullptr,
            origin.released_by_request};
}

// What the last flit went through: latencies by their names along its way, then what it waited for; contention is the
// rest. The way of data that was read includes the request if its departure waited for it.
template <class Queue>
TimeParts FlitNetwork<Queue>::path(std::uint32_t message) const {
    const MessageOrigin& origin = origins_[message];
    const Toll& toll = tolls_[message];
    if (!one_switch_) {
        return traced_path(message);
    }
    TimeParts parts;
    if (origin.half == Half::write) {
        add_latencies(origin.first_link, messages_[message].destination, parts);
    } else {
        add_latencies(origin.answer_link, messages_[message].destination, parts);
        if (origin.released_by_request) {
            add_latencies(origin.first_link, graph_.links[origin.answer_link].from, parts);
        }
    }
    parts.serialization = toll.serialization;
    parts.credit_stall = toll.credit_stall;
    parts.wait = toll.tag_wait;
    parts.contention = (now_ - toll.ready) - parts.total();
    return parts;
}

template <class Queue>
void FlitNetwork<Queue>::add_latencies(LinkId first, std::uint32_t destination, TimeParts& parts) const {
    for (LinkId link = first;; link = graph_.only_way(ends_[link].at, destination)) {
        const LatencyParts& latency = kind(link).latency;
        parts.endpoint += latency.endpoint;
        parts.protocol += latency.protocol;
        parts.propagation += latency.propagation;
        parts.switching += latency.switching;
        if (ends_[link].at == no_id) {
            return;
        }
    }
}

template <class Queue>
void FlitNetwork<Queue>::note_departure(LinkId id, std::uint32_t channel, const NextFlit& next, LinkId input) {
    const MessageOrigin& origin = origins_[next.message];
    if (shares_.on()) {
        shares_.depart(id, origin.collective);
    }
    if (port_log_.on()) {
        port_log_.depart(next.message, next.last && one_switch_,
                         {id, origin.half, false, origin.collective, origin.phase, origin.source_rank,
                          origin.destination_rank, origin.bytes.count, 0, now_, now_ + kind(id).flit_time});
    }
    if (trace_.on() && trace_.waits_at(id)) {
        trace_.depart(id, trace_.wanted_of(next.message), input, next.last, now_, kind(id), clock(id, channel),
                      on_wire(next.message));
    }
}

template <class Queue>
void FlitNetwork<Queue>::log_ports(std::uint64_t limit) {
    port_log_.turn_on(limit);
    watch_all();
}

template <class Queue>
void FlitNetwork<Queue>::count_shares() {
    shares_.turn_on(links_.size());
    watch_all();
}

template <class Queue>
void FlitNetwork<Queue>::trace(const std::vector<TracedMessage>& messages) {
    require(explains_, "what is traced is explained");
    trace_.want(messages);
    watch_all();
}

template <class Queue>
void FlitNetwork<Queue>::watch_all() {
    for (LinkState& link : links_) {
        link.watched = true;
    }
}

template <class Queue>
StallRecord FlitNetwork<Queue>::stall_record(LinkId id, std::uint32_t cause) const {
    return {id, static_cast<StallRecord::Wants>(cause), clocks_[id].since[cause], now_};
}

template <class Queue>
std::vector<StallRecord> FlitNetwork<Queue>::stalls() const {
    std::vector<StallRecord> all = port_log_.stalls();
    for (LinkId id = 0; id < links_.size(); ++id) {
        for (std::uint32_t cause = 0; cause <= no_tag; ++cause) {
            if ((links_[id].stalled >> cause & 1U) != 0) {
                all.push_back(stall_record(id, cause));
            }
        }
    }
    return all;
}

// Whether a flit of `other` counts as own serialization of `message`: same sender, same collective, same kind.
template <class Queue>
bool FlitNetwork<Queue>::same_flow(std::uint32_t message, std::uint32_t other) const {
    const MessageOrigin& a = origins_[message];
    const MessageOrigin& b = origins_[other];
    return a.collective == b.collective && a.half == b.half && sender(a) == sender(b);
}

// Messages of a collective are ready at their source's port.
template <class Queue>
PortMessage::Waiting FlitNetwork<Queue>::waiting_from_now(LinkId id, std::uint32_t collective) const {
    const LinkState& link = links_[id];
    const bool own = link.free_at > now_ && (link.on_wire & 1U) == index(Channel::request) &&
                     origins_[link.on_wire >> 2U].collective == collective;
    return {now_, stall(id, index(Channel::request)), stall(id, no_tag), own ? link.free_at - now_ : Duration{0}, 0};
}

// The last flit of a message is ready at a port, behind so many flits of its own flow.
template <class Queue>
void FlitNetwork<Queue>::start_waiting(LinkId id, std::uint32_t channel, std::uint32_t message,
                                       std::int64_t flits_ahead) {
    const LinkState& link = links_[id];
    Toll& toll = tolls_[message];
    if (flits_ahead > 0) {
        toll.serialization += flits_ahead * kind(id).flit_time;
    }
    if (link.free_at > now_ && (link.on_wire & 1U) == channel && same_flow(message, link.on_wire >> 2U)) {
        toll.serialization += link.free_at - now_;
    }
    if (link.finite != 0) {
        toll.credit_stall += Duration{0} - stall(id, channel);
    }
}

// It has taken the wire.
template <class Queue>
void FlitNetwork<Queue>::stop_waiting(LinkId id, const LinkState& link, std::uint32_t channel, std::uint32_t message) {
    Toll& toll = tolls_[message];
    toll.serialization += link.free_at - now_;
    if (link.finite != 0) {
        toll.credit_stall += stall(id, channel);
    }
    if (!open_.empty() && id < first_switch_link_ && channel == index(Channel::request)) {
        toll.tag_wait += stall(id, no_tag);
    }
}

// The largest queue is that left waiting at the end of an instant, so a flit that goes on at once does not count.
template <class Queue>
inline void FlitNetwork<Queue>::note_waiting(LinkId id, const LinkState& link) {
    const std::int64_t waiting = link.queued[0] + link.queued[1] - (link.free_at > now_ ? 0 : 1);
    if (waiting > 0) {
        clocks_[id].peak_queue = std::max(clocks_[id].peak_queue, waiting);
    }
}

template <class Queue>
void FlitNetwork<Queue>::start_stalls(LinkId id, LinkState& link, std::uint32_t ready) {
    StallClock& clock = clocks_[id];
    if (link.stalled != ready) {
        end_stalls(id, link, link.stalled & ~ready);  // a tag came, but no credit, or the other way round
    }
    for (std::uint32_t cause = 0; cause <= no_tag; ++cause) {
        if ((ready & ~std::uint32_t{link.stalled}) >> cause & 1U) {
            clock.since[cause] = now_;
        }
    }
    link.stalled = static_cast<std::uint8_t>(ready);
    clock.peak_queue = std::max(clock.peak_queue, link.queued[0] + link.queued[1]);
}

template <class Queue>
void FlitNetwork<Queue>::end_stalls(LinkId id, LinkState& link, std::uint32_t causes) {
    StallClock& clock = clocks_[id];
    for (std::uint32_t cause = 0; cause <= no_tag; ++cause) {
        if ((causes >> cause & 1U) != 0) {
            clock.total[cause] += now_ - clock.since[cause];
            if (port_log_.on()) {
                port_log_.stall(stall_record(id, cause));
            }
        }
    }
    link.stalled = static_cast<std::uint8_t>(link.stalled & ~causes);
}

template <class Queue>
Duration FlitNetwork<Queue>::stall(LinkId id, std::uint32_t cause) const {
    const StallClock& clock = clocks_[id];
    const bool running = (links_[id].stalled >> cause & 1U) != 0;
    return running ? clock.total[cause] + (now_ - clock.since[cause]) : clock.total[cause];
}

template <class Queue>
NetworkStatistics FlitNetwork<Queue>::statistics() const {
    NetworkStatistics statistics = totals_;
    statistics.events = events_;
    for (LinkId id = 0; id < links_.size(); ++id) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            statistics.stall_total += stall(id, channel);
            statistics.stall_max_port = std::max(statistics.stall_max_port, stall(id, channel));
        }
    }
    return statistics;
}

// Of all flits, those that still wait included.
template <class Queue>
Duration FlitNetwork<Queue>::waited(const LinkState& link) const {
    const auto waiting = static_cast<std::uint64_t>(link.queued[0] + link.queued[1]);
    return Duration{static_cast<std::int64_t>(link.waited + waiting * static_cast<std::uint64_t>(now_.ps))};
}

template <class Queue>
std::vector<LinkStatistics> FlitNetwork<Queue>::link_statistics() const {
    std::vector<LinkStatistics> all(links_.size());
    for (LinkId id = 0; id < links_.size(); ++id) {
        LinkStatistics& one = all[id];
        one.name = graph_.link_name(id);
        one.flits = links_[id].sent;
        one.bytes = one.flits * flit_bytes.count;
        one.busy = one.flits * kind(id).flit_time;
        one.stall = {stall(id, 0), stall(id, 1)};
        one.queue = clocks_[id].peak_queue;
        one.waited = waited(links_[id]);
        if (shares_.on()) {
            one.shares = shares_.of(id);
        }
    }
    return all;
}

template <class Queue>
std::vector<Duration> FlitNetwork<Queue>::wire_times() const {
    std::vector<Duration> all(links_.size());
    for (LinkId id = 0; id < links_.size(); ++id) {
        const LinkState& link = links_[id];
        const Duration to_come = link.free_at > now_ ? link.free_at - now_ : Duration{0};
        all[id] = link.sent * kind(id).flit_time - to_come;
    }
    return all;
}

template <class Queue>
StallReport FlitNetwork<Queue>::explain() const {
    std::vector<std::vector<LinkId>> leaving(graph_.packet_switches);
    for (LinkId out = first_switch_link_; out < links_.size(); ++out) {
        leaving[graph_.links[out].from - graph_.accelerators].push_back(out);
    }
    std::vector<WaitingPort> waiting;
    for (LinkId id = 0; id < links_.size(); ++id) {
        for (std::uint32_t channel = 0; channel < channel_count; ++channel) {
            if (links_[id].queued[channel] == 0 || links_[id].credits[channel] > 0) {
                continue;
            }
            WaitingPort port{id, static_cast<Channel>(channel), {}};
            const std::uint32_t at = ends_[id].at;
            for (const LinkId out : at == no_id ? std::vector<LinkId>{} : leaving[at]) {
                if (output(out, channel).holds(id)) {
                    port.waits_for.push_back(out);
                }
            }
            waiting.push_back(std::move(port));
        }
    }
    return explain_stall(graph_, now_, waiting);
}

}  // namespace simlette
