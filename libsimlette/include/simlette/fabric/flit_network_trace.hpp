// Member functions of FlitNetwork, fifth part: the flits of chosen messages, followed from port to port.
#pragma once

#include <simlette/fabric/flit_network.hpp>

namespace simlette {

template <class Queue>
TracedMessage FlitNetwork<Queue>::trace_key(std::uint32_t message) const {
    const MessageOrigin& origin = origins_[message];
    return {origin.collective,
            origin.phase,
            origin.source_rank,
            origin.destination_rank,
            graph_.links[origin.first_link].from_port,
            origin.half};
}

template <class Queue>
FlitTrace::OnWire FlitNetwork<Queue>::on_wire(std::uint32_t message) const {
    const MessageOrigin& origin = origins_[message];
    return {{origin.collective, origin.half, sender(origin)}, origin.source_rank, origin.destination_rank};
}

template <class Queue>
FlitTrace::Clock FlitNetwork<Queue>::clock(LinkId id, std::uint32_t channel) const {
    const bool may_lack_tags = channel == index(Channel::request) && id < first_switch_link_;
    return {stall(id, channel), may_lack_tags ? stall(id, no_tag) : Duration{0}};
}

template <class Queue>
void FlitNetwork<Queue>::trace_waiting(FlitTrace::Waiting waiting) {
    const LinkId id = waiting.hop.link;
    const LinkState& link = links_[id];
    waiting.hop.channel = waiting.channel;
    waiting.hop.ready = now_;
    waiting.at_ready = clock(id, waiting.channel);
    const bool busy = link.free_at > now_;
    trace_.wait(std::move(waiting), busy ? on_wire(link.on_wire >> 2U) : FlitTrace::OnWire{},
                busy ? link.free_at - now_ : Duration{0});
}

// Of all messages of an injection the wanted ones on this port are ready from now on.
template <class Queue>
void FlitNetwork<Queue>::trace_injection(const Injection& injection, LinkId id) {
    const Half half = injection.read ? Half::read_request : Half::write;
    const FlitTrace::Range range = trace_.find_all(
        {injection.collective, injection.phase, injection.rank, injection.rank, graph_.links[id].from_port, half});
    for (std::uint32_t wanted = range.first; wanted < range.last; ++wanted) {
        FlitTrace::Waiting waiting;
        waiting.wanted = wanted;
        waiting.flits = FlitTrace::all_flits;
        waiting.flow = {injection.collective, half, injection.source};
        waiting.hop.link = id;
        trace_waiting(std::move(waiting));
    }
}

// Flits of an answer are ready. Of data that waited for its request the way begins with that of the request.
template <class Queue>
void FlitNetwork<Queue>::trace_answer(std::uint32_t message, std::uint32_t flits) {
    const std::uint32_t wanted = trace_.wanted_of(message);
    if (wanted == no_id) {
        return;
    }
    const MessageOrigin& origin = origins_[message];
    FlitTrace::Waiting waiting;
    waiting.wanted = wanted;
    waiting.channel = index(Channel::response);
    waiting.flits = flits;
    waiting.flow = on_wire(message).flow;
    waiting.hop.link = origin.answer_link;
    if (origin.released_by_request) {
        TracedMessage request = trace_key(message);
        request.half = Half::read_request;
        const std::uint32_t asked = trace_.find(request);
        const FlitTrace::Flight* flight = asked == no_id ? nullptr : trace_.arrived(asked);
        waiting.before = flight == nullptr ? FlitTrace::Flight{} : *flight;
    }
    trace_waiting(std::move(waiting));
}

template <class Queue>
void FlitNetwork<Queue>::trace_arrival(LinkId from, LinkId out, std::uint32_t message, std::uint32_t channel) {
    const std::uint32_t wanted = trace_.wanted_of(message);
    if (wanted == no_id) {
        return;
    }
    FlitTrace::Waiting waiting;
    waiting.wanted = wanted;
    waiting.input = from;
    waiting.channel = channel;
    waiting.flow = on_wire(message).flow;
    waiting.hop.link = out;
    waiting.before = trace_.arrive(from, wanted, departure(from));
    trace_waiting(std::move(waiting));
}

// When the flit that comes to the end of a link now left for it.
template <class Queue>
Time FlitNetwork<Queue>::departure(LinkId from) const {
    return now_ - (kind(from).flit_time + kind(from).latency.total());
}

template <class Queue>
TimeParts FlitNetwork<Queue>::traced_path(std::uint32_t message) const {
    const std::uint32_t wanted = trace_.wanted_of(message);
    const FlitTrace::Flight* flight = wanted == no_id ? nullptr : trace_.arrived(wanted);
    if (flight != nullptr) {
        require(flight->parts.total() == now_ - tolls_[message].ready, "the parts of a way add up to its time");
        return flight->parts;
    }
    TimeParts unknown;
    unknown.wait = now_ - tolls_[message].ready;
    return unknown;
}

}  // namespace simlette
