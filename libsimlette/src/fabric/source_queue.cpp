#include <simlette/fabric/source_queue.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>

namespace simlette {

SourceQueues::SourceQueues(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules,
                           std::uint64_t seed, const Plane& plane)
    : graph_(graph),
      plane_(plane),
      rules_(rules),
      striping_(routing, rules.fidelity == Fidelity::ualink ? max_request : flit_bytes, seed),
      ports_(graph.first_switch_link()),
      first_link_(graph.first_links()) {}

const std::vector<SourceQueues::PortLoad>& SourceQueues::spread(const Injection& injection) {
    const LinkId first = first_link_[injection.source];
    loads_.clear();
    for (LinkId link = first; link < first_link_[injection.source + 1]; ++link) {
        loads_.push_back({link, 0});
    }
    const std::int64_t even = even_units(injection);
    if (even > 0 && rules_.fidelity == Fidelity::paper && !injection.read &&
        !striping_.restarts(even, ports_to_all())) {
        spread_even(injection, even);
    } else {
        spread_each(injection);
    }
    loads_.erase(std::remove_if(loads_.begin(), loads_.end(), [](const PortLoad& load) { return load.flits == 0; }),
                 loads_.end());
    if (!loads_.empty()) {
        at_hand_ = hold(injection, even);
        held_[at_hand_].ports = static_cast<std::uint32_t>(loads_.size());
    }
    return loads_;
}

void SourceQueues::spread_each(const Injection& injection) {
    const LinkId first = first_link_[injection.source];
    OutMessage message;
    std::int64_t before = injection.before;
    for (std::uint32_t i = 0; injection.messages->message(injection.rank, injection.phase, i, message); ++i) {
        if (message.bytes.count == 0) {
            continue;
        }
        const Candidates candidates(graph_, injection.source, message.destination);
        require(candidates.size() > 0, "a link leads to every destination");
        for (std::uint32_t c = 0; c < candidates.size(); c += candidates.places_at(c)) {
            const Bytes bytes = part(message, injection.source, before, candidates, c);
            largest_ = std::max(largest_, bytes);
            loads_[candidates[c] - first].flits +=
                bytes.count > 0 ? forward_flits(rules_, bytes, injection.read, injection.requests_per_control) : 0;
        }
        before += striping_.units(message);
    }
}

// Message after message a unit for each port in turn.
void SourceQueues::spread_even(const Injection& injection, std::int64_t units) {
    const std::int64_t all = units * injection.messages->sizes(injection.rank, injection.phase).messages;
    const std::int64_t ports = ports_to_all();
    const std::int64_t start = injection.before % ports;
    largest_ = std::max(largest_, Bytes{ceil_div(units, ports) * flit_bytes.count});
    for (std::uint32_t i = 0; i < graph_.ports_to_all; ++i) {
        const std::int64_t port = plane_.index + i;
        const std::int64_t first = port >= start ? port - start : port + ports - start;
        loads_[i].flits = first < all ? 1 + (all - 1 - first) / ports : 0;
    }
}

std::int64_t SourceQueues::even_units(const Injection& injection) const {
    const PhaseSizes sizes = injection.messages->sizes(injection.rank, injection.phase);
    const bool known = graph_.ports_to_all != 0 && sizes.messages > 0;
    return known ? striping_.even_units(sizes.least, sizes.most) : 0;
}

bool SourceQueues::alike_on_planes(const Injection& injection) const {
    const PhaseSizes sizes = injection.messages->sizes(injection.rank, injection.phase);
    if (sizes.messages > 0 && sizes.least == sizes.most) {
        return striping_.even(sizes.least, ports_to_all());
    }
    OutMessage message;
    bool even = true;
    for (std::uint32_t i = 0; even && injection.messages->message(injection.rank, injection.phase, i, message); ++i) {
        even = striping_.even(message.bytes, ports_to_all());
    }
    return even;
}

std::uint32_t SourceQueues::hold(const Injection& injection, std::int64_t even) {
    if (free_held_.empty()) {
        held_.push_back({injection, 0, even});
        return static_cast<std::uint32_t>(held_.size() - 1);
    }
    const std::uint32_t id = free_held_.back();
    free_held_.pop_back();
    held_[id] = {injection, 0, even};
    return id;
}

void SourceQueues::append(const PortLoad& load, std::uint32_t collective, PortMessage::Waiting waiting) {
    std::uint32_t id = free_cursor_;
    if (id == no_id) {
        id = static_cast<std::uint32_t>(cursors_.size());
        cursors_.emplace_back();
    } else {
        free_cursor_ = cursors_[id].next;
    }
    Port& port = ports_[load.link];
    if (port.first == no_id && port.current.flits_left == 0) {
        port.begun.clear();
    }
    waiting.flits = left(load.link, collective);
    cursors_[id] = {at_hand_, 0, held_[at_hand_].injection.before, load.flits, waiting, no_id};
    if (port.first == no_id) {
        port.first = id;
    } else {
        cursors_[port.last].next = id;
    }
    port.last = id;
}

void SourceQueues::drop_first(Port& port) {
    const std::uint32_t id = port.first;
    Cursor& cursor = cursors_[id];
    Held& held = held_[cursor.injection];
    if (--held.ports == 0) {
        free_held_.push_back(cursor.injection);
    }
    port.first = cursor.next;
    cursor.next = free_cursor_;
    free_cursor_ = id;
}

PortMessage SourceQueues::next(LinkId link) {
    Port& port = ports_[link];
    require(port.first != no_id, "a port with queued flits has messages");
    Cursor& cursor = cursors_[port.first];
    const Held& held = held_[cursor.injection];
    const Injection& injection = held.injection;
    const PortMessage::Waiting waiting = cursor.waiting;
    OutMessage message;
    Bytes bytes{0};
    if (held.even > 0) {
        bytes = find_even(cursor, held, link, message);
    } else {
        while (bytes.count == 0) {
            bytes = look_at_next(cursor, held, link, message);
        }
    }
    const std::int64_t flits = forward_flits(rules_, bytes, injection.read, injection.requests_per_control);
    begin(port, injection.collective, message.destination, flits);
    cursor.left -= flits;
    if (cursor.left == 0) {
        drop_first(port);
    }
    return {&injection, message, bytes, transactions_of(rules_, bytes, injection.read, injection.requests_per_control),
            waiting};
}

void SourceQueues::read(Cursor& cursor, const Injection& injection, OutMessage& message) {
    const bool more = injection.messages->message(injection.rank, injection.phase, cursor.index, message);
    require(more, "an injection has the flits that it announced");
    ++cursor.index;
}

Bytes SourceQueues::look_at_next(Cursor& cursor, const Held& held, LinkId link, OutMessage& message) const {
    const Injection& injection = held.injection;
    read(cursor, injection, message);
    if (message.bytes.count == 0) {
        return {0};
    }
    const Candidates candidates(graph_, injection.source, message.destination);
    const std::uint32_t position = candidates.position(link);
    const std::int64_t before = cursor.before;
    cursor.before += striping_.units(message);
    return position < candidates.size() ? part(message, injection.source, before, candidates, position) : Bytes{0};
}

// Goes past the messages that have nothing for a port.
Bytes SourceQueues::find_even(Cursor& cursor, const Held& held, LinkId link, OutMessage& message) const {
    const std::uint32_t ports = ports_to_all();
    const auto position = static_cast<std::uint32_t>(link % graph_.ports_to_all + plane_.index);
    const auto start = static_cast<std::uint32_t>(cursor.before % ports);
    std::uint32_t first = position;
    if (!striping_.restarts(held.even, ports)) {
        first = position >= start ? position - start : position + ports - start;
    }
    if (first >= held.even) {
        const auto past = static_cast<std::uint32_t>(first / held.even);
        cursor.index += past;
        cursor.before += past * held.even;
        first -= static_cast<std::uint32_t>(past * held.even);
    }
    read(cursor, held.injection, message);
    cursor.before += held.even;
    return striping_.sprayed(message, held.even, first, ports);
}

void SourceQueues::begin(Port& port, std::uint32_t collective, std::uint32_t destination, std::int64_t flits) {
    port.current.collective = collective;
    port.current.destination = destination;
    port.current.flits_left = static_cast<std::uint32_t>(flits);
    for (Begun& begun : port.begun) {
        if (begun.collective == collective) {
            begun.flits += flits;
            return;
        }
    }
    port.begun.push_back({collective, flits});
}

std::int64_t SourceQueues::left(LinkId link, std::uint32_t collective) const {
    const Port& port = ports_[link];
    for (const Begun& begun : port.begun) {
        if (begun.collective == collective) {
            return begun.flits - (port.current.collective == collective ? port.current.flits_left : 0);
        }
    }
    return 0;
}

void SourceQueues::clear() {
    std::fill(ports_.begin(), ports_.end(), Port{});
    cursors_.clear();
    held_.clear();
    free_held_.clear();
    free_cursor_ = no_id;
    largest_ = {};
}

}  // namespace simlette
