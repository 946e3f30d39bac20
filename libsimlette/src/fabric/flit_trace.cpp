#include <simlette/fabric/flit_trace.hpp>

#include <algorithm>
#include <tuple>

#include <simlette/base/contract.hpp>
#include <simlette/base/mix.hpp>

namespace simlette {

namespace {

bool answers(TransactionHalf half) {
    return half == TransactionHalf::response || half == TransactionHalf::read_data;
}

// Who sends first, and who is at the other end.
std::uint32_t near_rank(const TracedMessage& m) {
    return m.half == TransactionHalf::read_request ? m.destination : m.source;
}
std::uint32_t far_rank(const TracedMessage& m) {
    return m.half == TransactionHalf::read_request ? m.source : m.destination;
}

auto near_key(const TracedMessage& m) {
    return std::make_tuple(m.collective, m.phase, m.half, m.port, near_rank(m));
}

}  // namespace

void FlitTrace::want(const std::vector<TracedMessage>& messages) {
    wanted_ = messages;
    std::sort(wanted_.begin(), wanted_.end(), [](const TracedMessage& a, const TracedMessage& b) {
        return std::make_pair(near_key(a), far_rank(a)) < std::make_pair(near_key(b), far_rank(b));
    });
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
}

std::uint32_t FlitTrace::find(const TracedMessage& message) const {
    const Range range = find_all(message);
    for (std::uint32_t wanted = range.first; wanted < range.last; ++wanted) {
        if (wanted_[wanted] == message) {
            return wanted;
        }
    }
    return no_id;
}

FlitTrace::Range FlitTrace::find_all(const TracedMessage& like) const {
    const auto less = [](const TracedMessage& a, const TracedMessage& b) { return near_key(a) < near_key(b); };
    const auto [first, last] = std::equal_range(wanted_.begin(), wanted_.end(), like, less);
    return {static_cast<std::uint32_t>(first - wanted_.begin()), static_cast<std::uint32_t>(last - wanted_.begin())};
}

void FlitTrace::begin(MessageKey message, const TracedMessage& key) {
    const std::uint32_t wanted = find(key);
    if (wanted != no_id) {
        under_way_[message] = wanted;
    }
}

std::uint32_t FlitTrace::wanted_of(MessageKey message) const {
    const auto found = under_way_.find(message);
    return found == under_way_.end() ? no_id : found->second;
}

std::size_t FlitTrace::WireHash::operator()(const OnWire& wire) const {
    const std::uint64_t ranks = std::uint64_t{wire.source_rank} << 32U | wire.destination_rank;
    const std::uint64_t sender = std::uint64_t{wire.flow.sender} << 2U | static_cast<std::uint64_t>(wire.flow.half);
    return mix(mix(ranks, sender), wire.flow.collective);
}

// Flits of one message often follow each other.
std::size_t FlitTrace::Port::place_of(const OnWire& wire) {
    if (last < passed.size() && passed[last].wire == wire) {
        return last;
    }
    const auto [known, is_new] = places.try_emplace(wire, passed.size());
    if (is_new) {
        passed.push_back({wire});
    }
    return known->second;
}

void FlitTrace::wait(Waiting waiting, const OnWire& wire, Duration busy) {
    Port& port = ports_[waiting.hop.link];
    const bool held_up = busy > Duration{0} && !(wire.flow == waiting.flow);
    const std::size_t on_wire = held_up ? port.place_of(wire) : 0;
    waiting.passed.reserve(port.passed.size());
    for (const Passed& one : port.passed) {
        waiting.passed.push_back(one.flits);
    }
    if (held_up) {
        --waiting.passed[on_wire];  // the flit on the wire is in its way
    } else {
        waiting.hop.own = busy;
    }
    port.waiting.push_back(std::move(waiting));
}

void FlitTrace::depart(LinkId link, std::uint32_t wanted, LinkId input, bool last, Time now, const LinkClass& kind,
                       const Clock& clock, const OnWire& wire) {
    Port& port = ports_.at(link);
    if (wanted != no_id) {
        const auto own = std::find_if(port.waiting.begin(), port.waiting.end(), [&](const Waiting& waiting) {
            return waiting.wanted == wanted && waiting.input == input;
        });
        if (own != port.waiting.end()) {
            leave(port, *own, now, kind, clock);
            if (own->flits == 0 || (own->flits == all_flits && last)) {
                port.waiting.erase(own);
            }
        }
    }
    if (port.waiting.empty()) {
        ports_.erase(link);
        return;
    }
    port.last = port.place_of(wire);
    ++port.passed[port.last].flits;
}

// Its hop up to now, without what the clock of the port says.
HopRecord FlitTrace::hop_of(const Port& port, const Waiting& waiting, Duration flit_time) {
    HopRecord hop = waiting.hop;
    for (std::size_t i = 0; i < port.passed.size(); ++i) {
        const OnWire& wire = port.passed[i].wire;
        const std::int64_t flits = port.passed[i].flits - (i < waiting.passed.size() ? waiting.passed[i] : 0);
        if (wire.flow == waiting.flow) {
            hop.own += flit_time * flits;
        } else if (flits > 0) {
            hop.rivals.push_back(
                {wire.flow.collective, wire.source_rank, wire.destination_rank, answers(wire.flow.half), flits});
        }
    }
    return hop;
}

void FlitTrace::leave(const Port& port, Waiting& waiting, Time now, const LinkClass& kind, const Clock& clock) {
    if (waiting.flits != all_flits) {
        --waiting.flits;
    }
    Flight flight = waiting.before;
    HopRecord hop = hop_of(port, waiting, kind.flit_time);
    hop.left = now;
    const Duration credit_stall = clock.credit_stall - waiting.at_ready.credit_stall;
    const Duration tag_wait = clock.tag_wait - waiting.at_ready.tag_wait;
    hop.stall = credit_stall + tag_wait;
    flight.parts.serialization += hop.own + kind.flit_time;
    flight.parts.credit_stall += credit_stall;
    flight.parts.wait += tag_wait;
    flight.parts.contention += (now - hop.ready) - hop.own - hop.stall;
    flight.parts.endpoint += kind.latency.endpoint;
    flight.parts.protocol += kind.latency.protocol;
    flight.parts.propagation += kind.latency.propagation;
    flight.parts.switching += kind.latency.switching;
    flight.hops.push_back(std::move(hop));
    flying_[{waiting.hop.link, waiting.wanted}].push_back(std::move(flight));
}

FlitTrace::Flight FlitTrace::arrive(LinkId link, std::uint32_t wanted, Time left) {
    std::deque<Flight>& flying = flying_.at({link, wanted});
    const auto found = std::find_if(flying.begin(), flying.end(),
                                    [left](const Flight& flight) { return flight.hops.back().left == left; });
    require(found != flying.end(), "what arrives has left");
    Flight flight = std::move(*found);
    flying.erase(found);
    return flight;
}

const FlitTrace::Flight* FlitTrace::arrived(std::uint32_t wanted) const {
    const auto found = arrived_.find(wanted);
    return found == arrived_.end() ? nullptr : &found->second;
}

void FlitTrace::clear() {
    under_way_.clear();
    ports_.clear();
    flying_.clear();
    arrived_.clear();
}

}  // namespace simlette
