// The flits of chosen messages, followed from port to port.
#include <algorithm>
#include <utility>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/sweep_plane.hpp>

namespace simlette {

namespace {

using Half = TransactionHalf;

Half half_of(bool read, std::uint32_t channel) {
    if (channel == 0) {
        return read ? Half::read_request : Half::write;
    }
    return read ? Half::read_data : Half::response;
}

}  // namespace

TracedMessage SweepPlane::trace_key(std::uint32_t id, std::uint32_t channel) const {
    const Message& message = messages_[id];
    return {message.collective,       message.phase,        message.source_rank,
            message.destination_rank, port_number(message), half_of(message.read, channel)};
}

FlitTrace::OnWire SweepPlane::on_wire(std::uint32_t id, std::uint32_t channel) const {
    const Message& message = messages_[id];
    const LinkId sent_by = channel == 0 ? message.first_link : message.answer_link;
    return {{message.collective, half_of(message.read, channel), graph_.links[sent_by].from},
            message.source_rank,
            message.destination_rank};
}

FlitTrace::Clock SweepPlane::clock(const Port& port, std::uint32_t channel, Time at) const {
    const bool running = (port.stalled >> channel & 1U) != 0;
    const bool may_lack_tags = channel == 0 && port.link < first_switch_link_ && !tags_.empty();
    return {running ? port.stall[channel] + (at - port.stalled_since[channel]) : port.stall[channel],
            may_lack_tags ? tag_stall(port, at) : Duration{0}};
}

// Something wanted is ready at a port that has not gone beyond `at`.
void SweepPlane::trace_waiting(const Port& port, FlitTrace::Waiting waiting, Time at) {
    waiting.hop.link = in_whole(port.link);
    waiting.hop.channel = waiting.channel;
    waiting.hop.ready = at;
    waiting.at_ready = clock(port, waiting.channel, at);
    const bool busy = port.free_at > at;
    account_.trace.wait(std::move(waiting), busy ? on_wire(port.on_wire >> 2U, port.on_wire & 1U) : FlitTrace::OnWire{},
                        busy ? port.free_at - at : Duration{0});
}

void SweepPlane::trace_arrival(const Port& port, const Inbound& arrival, bool at_switch) {
    const std::uint32_t channel = arrival.run.channel();
    if (!at_switch && channel == 0) {
        trace_injections(port, arrival.time);
        return;
    }
    const std::uint32_t id = arrival.run.message();
    FlitTrace::Waiting waiting;
    waiting.wanted = wanted_of(id);
    if (waiting.wanted == no_id) {
        return;
    }
    waiting.input = at_switch ? feeders_[port.feeders + arrival.input].link : no_id;
    waiting.channel = channel;
    waiting.flits = arrival.run.count;
    waiting.flow = on_wire(id, channel).flow;
    if (at_switch) {
        waiting.before =
            account_.trace.arrive(in_whole(waiting.input), waiting.wanted, arrival.time - port_of(waiting.input).delay);
    } else {
        waiting.before = take_answer(id, arrival.time);
    }
    trace_waiting(port, std::move(waiting), arrival.time);
}

// Of data that waited for its request the way begins with that of the request, of which more may land until the port
// sees the answer.
void SweepPlane::note_answer(std::uint32_t id) {
    if (wanted_of(id) == no_id) {
        return;
    }
    const bool asked_for = messages_[id].read && messages_[id].released_by_request;
    const std::uint32_t asked = asked_for ? account_.trace.find(trace_key(id, 0)) : no_id;
    const FlitTrace::Flight* flight = asked == no_id ? nullptr : account_.trace.arrived(asked);
    traced_answers_.push_back({id, account_.now, flight == nullptr ? FlitTrace::Flight{} : *flight});
}

FlitTrace::Flight SweepPlane::take_answer(std::uint32_t id, Time at) {
    const auto noted = std::find_if(traced_answers_.begin(), traced_answers_.end(), [&](const TracedAnswer& answer) {
        return answer.message == id && answer.time == at;
    });
    require(noted != traced_answers_.end(), "an answer at a port has been noted");
    FlitTrace::Flight before = std::move(noted->before);
    traced_answers_.erase(noted);
    return before;
}

// Of all messages of an injection the wanted ones on a port are ready from then on.
void SweepPlane::trace_injections(const Port& port, Time at) {
    for (std::size_t i = 0; i < traced_injections_.size();) {
        const TracedInjection one = traced_injections_[i];
        if (one.link != port.link || one.time != at) {
            ++i;
            continue;
        }
        traced_injections_.erase(traced_injections_.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::uint32_t wanted = one.wanted.first; wanted < one.wanted.last; ++wanted) {
            FlitTrace::Waiting waiting;
            waiting.wanted = wanted;
            waiting.flits = FlitTrace::all_flits;
            waiting.flow = one.flow;
            trace_waiting(port, std::move(waiting), at);
        }
    }
}

void SweepPlane::note_injection(const Injection& injection, LinkId link) {
    const Half half = half_of(injection.read, 0);
    const FlitTrace::Range wanted =
        account_.trace.find_all({injection.collective, injection.phase, injection.rank, injection.rank,
                                 graph_.links[link].from_port + plane_.index, half});
    if (wanted.first < wanted.last) {
        traced_injections_.push_back({link, account_.now, wanted, {injection.collective, half, injection.source}});
    }
}

void SweepPlane::trace_departure(const Port& port, const FlitRun& run, LinkId input, Time start) {
    if (!account_.trace.waits_at(in_whole(port.link))) {
        return;
    }
    const FlitTrace::OnWire wire = on_wire(run.message(), run.channel());
    const std::uint32_t wanted = wanted_of(run.message());
    for (std::uint32_t i = 0; i < run.count && account_.trace.waits_at(in_whole(port.link)); ++i) {
        const Time now = start + port.flit_time * i;
        account_.trace.depart(in_whole(port.link), wanted, input, run.has_last() && i + 1 == run.count, now,
                              graph_.class_of(port.link), clock(port, run.channel(), now), wire);
    }
}

// Returns whether these flits, of which each lands by itself, are of a wanted message.
bool SweepPlane::trace_landing(const Landing& landing) {
    const std::uint32_t wanted = wanted_of(landing.flit >> 2U);
    if (wanted == no_id) {
        return false;
    }
    account_.trace.reach_core(
        wanted, account_.trace.arrive(in_whole(landing.link), wanted, landing.time - port_of(landing.link).delay));
    return true;
}

void SweepPlane::tell_parts(std::uint32_t message, Delivery& delivery) {
    const std::uint32_t wanted = wanted_of(message);
    const FlitTrace::Flight* flight = wanted == no_id ? nullptr : account_.trace.arrived(wanted);
    if (flight != nullptr) {
        require(flight->parts.total() == delivery.taken, "the parts of a way add up to its time");
        delivery.parts = &account_.parts.emplace_back(flight->parts);
    }
}

}  // namespace simlette
