#include <simlette/fabric/source_queue.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

std::int64_t nearest_power(std::int64_t flits) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(flits + flits / 2))) - 1;
}

}  // namespace

SourceQueues::SourceQueues(const HostGraph& graph, const RoutingSpec& routing, const TransactionRules& rules,
                           std::uint64_t seed, const Plane& plane)
    : graph_(graph),
      plane_(plane),
      rules_(rules),
      striping_(routing, rules.fidelity == Fidelity::ualink ? max_request : flit_bytes, seed),
      sprays_to_all_(graph.ports_to_all != 0 && !striping_.one_port()),
      ports_(graph.first_switch_link()),
      first_link_(graph.first_links()) {}

void SourceQueues::spread_anew(const Injection& injection) {
    const LinkId links = first_link_[injection.source + 1] - first_link_[injection.source];
    spread_.stretches = Stretches(injection, striping_);
    spread_.flits.assign(std::size_t{links} * plane_.count, 0);
    spread_.largest = {0};
    spread_.messages = spread_.powers = 0;
    spread_.differs.assign(spread_.flits.size(), !sprays_to_all_);
    std::int64_t before = injection.before;
    std::uint32_t begin = 0;
    for (std::uint32_t i = 0; i < spread_.stretches.size(); ++i) {
        const Stretch& stretch = spread_.stretches[i];
        const std::uint32_t messages = stretch.end - begin;
        if (stretch.units > 0) {
            if (sprays_to_all_) {
                spread_sprayed(injection, stretch, messages, before);
            } else {
                spread_each(injection, begin, stretch.end, before);
            }
        }
        before += messages * stretch.units;
        begin = stretch.end;
    }
}

// Where a message begins comes round, and with it what each port gets.
void SourceQueues::spread_sprayed(const Injection& injection, const Stretch& stretch, std::int64_t messages,
                                  std::int64_t before) {
    const std::uint32_t ports = ports_to_all();
    const std::int64_t units = stretch.units;
    const std::int64_t round = striping_.restarts(units, ports) ? 1 : ports / std::gcd(std::int64_t{ports}, units);
    for (std::int64_t i = 0; i < std::min(messages, round); ++i) {
        const std::int64_t times = 1 + (messages - 1 - i) / round;
        std::int64_t last = 0;
        for (std::uint32_t port = 0; port < ports; ++port) {
            const std::uint32_t place = striping_.place(port, before + i * units, units, ports);
            const Bytes bytes = striping_.sprayed(stretch.bytes, units, place, ports);
            give(injection, port, bytes, times);
            const std::int64_t carried = rules_.fidelity == Fidelity::ualink ? bytes.count : flits_for(bytes);
            spread_.differs[port] = spread_.differs[port] || (port > 0 && carried != last);
            last = carried;
        }
    }
}

void SourceQueues::spread_each(const Injection& injection, std::uint32_t begin, std::uint32_t end,
                               std::int64_t before) {
    const LinkId first = first_link_[injection.source];
    OutMessage message;
    for (std::uint32_t i = begin; i < end; ++i) {
        injection.messages->message(injection.rank, injection.phase, i, message);
        const Candidates candidates(graph_, injection.source, message.destination);
        require(candidates.size() > 0, "a link leads to every destination");
        if (striping_.one_port()) {
            const std::uint32_t chosen = striping_.choose(message, injection.source, candidates.size() * plane_.count);
            give(injection, candidates[chosen] - first, message.bytes);
            continue;
        }
        for (std::uint32_t c = 0; c < candidates.size(); c += candidates.places_at(c)) {
            give(injection, candidates[c] - first, part(message, injection.source, before, candidates, c));
        }
        before += striping_.units(message.bytes);
    }
}

void SourceQueues::give(const Injection& injection, std::size_t port, Bytes bytes, std::int64_t times) {
    if (bytes.count > 0) {
        const std::int64_t flits = forward_flits(rules_, bytes, injection.read, injection.requests_per_control);
        spread_.largest = std::max(spread_.largest, bytes);
        spread_.messages += times;
        spread_.powers += times * nearest_power(flits);
        spread_.flits[port] += times * flits;
    }
}

std::uint32_t SourceQueues::hold(const Injection& injection, const Stretches& stretches) {
    if (free_held_.empty()) {
        free_held_.push_back(static_cast<std::uint32_t>(held_.size()));
        held_.emplace_back();
    }
    const std::uint32_t id = free_held_.back();
    free_held_.pop_back();
    held_[id].injection = injection;
    held_[id].stretches = stretches;
    return id;
}

void SourceQueues::append(LinkId link, std::int64_t flits, std::uint32_t held, PortMessage::Waiting waiting) {
    std::uint32_t id = free_cursor_;
    if (id == no_id) {
        id = static_cast<std::uint32_t>(cursors_.size());
        cursors_.emplace_back();
    } else {
        free_cursor_ = cursors_[id].next;
    }
    Port& port = ports_[link];
    if (port.first == no_id && port.current.flits_left == 0) {
        port.begun.clear();
    }
    const Injection& injection = held_[held].injection;
    ++held_[held].ports;
    waiting.flits = left(link, injection.collective);
    cursors_[id] = {held, 0, 0, injection.before, flits, waiting, no_id};
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
        held.stretches = {};
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
    const PortBytes on_alike =
        sprays_to_all_ ? find_sprayed(cursor, held, link, message) : PortBytes{find_each(cursor, held, link, message)};
    const Bytes bytes = sprays_to_all_ ? on_alike.at(sprayed_port(link)) : on_alike.whole;
    const std::int64_t flits = forward_flits(rules_, bytes, injection.read, injection.requests_per_control);
    begin(port, injection.collective, message.destination, flits);
    cursor.left -= flits;
    if (cursor.left == 0) {
        drop_first(port);
    }
    return {&injection, message, on_alike,
            transactions_of(rules_, bytes, injection.read, injection.requests_per_control), waiting};
}

void SourceQueues::read(Cursor& cursor, const Injection& injection, OutMessage& message) {
    const bool more = injection.messages->message(injection.rank, injection.phase, cursor.index, message);
    require(more, "an injection has the flits that it announced");
    ++cursor.index;
}

void SourceQueues::go_on(Cursor& cursor, const Held& held) {
    ++cursor.stretch;
    require(cursor.stretch < held.stretches.size(), "an injection has the flits that it announced");
}

// Goes past the messages that have nothing for the port.
PortBytes SourceQueues::find_sprayed(Cursor& cursor, const Held& held, LinkId link, OutMessage& message) const {
    const std::uint32_t ports = ports_to_all();
    const std::uint32_t position = sprayed_port(link);
    std::int64_t turn = Striping::turn(position, cursor.before, ports);
    for (;; go_on(cursor, held)) {
        const Stretch& stretch = held.stretches[cursor.stretch];
        const std::int64_t units = stretch.units;
        const std::int64_t left = (stretch.end - cursor.index) * units;
        const std::int64_t place = striping_.restarts(units, ports) ? position : turn;
        if (place < left) {
            const std::int64_t past = place / units;
            cursor.index += static_cast<std::uint32_t>(past);
            read(cursor, held.injection, message);
            cursor.before += (past + 1) * units;
            return plane_.stands_for > 1
                       ? striping_.sprayed_alike(message.bytes, units, place - past * units, ports, position)
                       : PortBytes{striping_.sprayed(message.bytes, units, place - past * units, ports)};
        }
        cursor.index = stretch.end;
        cursor.before += left;
        turn -= left;
    }
}

Bytes SourceQueues::find_each(Cursor& cursor, const Held& held, LinkId link, OutMessage& message) const {
    const Injection& injection = held.injection;
    while (true) {
        const Stretch& stretch = held.stretches[cursor.stretch];
        if (stretch.units == 0 || cursor.index == stretch.end) {
            cursor.index = stretch.end;
            go_on(cursor, held);
            continue;
        }
        read(cursor, injection, message);
        const Candidates candidates(graph_, injection.source, message.destination);
        const std::uint32_t position = candidates.position(link);
        const bool leads = position < candidates.size();
        const Bytes bytes = leads ? part(message, injection.source, cursor.before, candidates, position) : Bytes{0};
        cursor.before += striping_.units(message.bytes);
        if (bytes.count > 0) {
            return bytes;
        }
    }
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
