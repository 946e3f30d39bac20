#include <simlette/sim/path_replay.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

// Of data: one port-message of a collective and phase.
bool comes_before(const TracedMessage& a, const TracedMessage& b) {
    return std::tie(a.collective, a.phase, a.source, a.destination, a.port) <
           std::tie(b.collective, b.phase, b.source, b.destination, b.port);
}

std::vector<std::uint32_t> ports_of(const std::vector<TracedMessage>& messages) {
    std::vector<std::uint32_t> ports(messages.size());
    std::transform(messages.begin(), messages.end(), ports.begin(),
                   [](const TracedMessage& message) { return message.port; });
    return ports;
}

}  // namespace

PastInjections::PastInjections(const Player& player) {
    for (const CollectiveGroups& collective : player.collectives()) {
        for (const auto& group : collective.groups) {
            for (std::uint32_t rank = 0; rank < group->schedule().ranks; ++rank) {
                await(*group, group->first_place() + rank, 0);
            }
        }
    }
}

bool PastInjections::later(const Coming& a, const Coming& b) {
    return a.at != b.at ? a.at > b.at : leaves_before(b.injection, a.injection);
}

// The rank injects nothing when it enters some phases.
void PastInjections::await(const CollectiveRun& run, std::uint32_t place, std::uint32_t phase) {
    for (Coming one{run.entry(place, phase), &run, {}}; one.at != Time::never(); one.at = run.entry(place, ++phase)) {
        if (run.injection(place, phase, one.injection)) {
            coming_.push_back(one);
            std::push_heap(coming_.begin(), coming_.end(), later);
            return;
        }
    }
}

Injection PastInjections::take() {
    require(!coming_.empty(), "an injection that is taken was made");
    std::pop_heap(coming_.begin(), coming_.end(), later);
    const Coming one = coming_.back();
    coming_.pop_back();
    await(*one.run, one.injection.rank, one.injection.phase + 1);
    return one.injection;
}

PathReplay::PathReplay(const Fabric& fabric, const Player& player, const std::vector<TracedMessage>& messages,
                       bool sweep)
    : player_(player), network_(network_for(fabric, Mode::flit, sweep)), injections_(player) {
    for (const TracedMessage& message : messages) {
        if (message.half != TransactionHalf::read_request) {
            wanted_.push_back(message);
        }
    }
    std::sort(wanted_.begin(), wanted_.end(), comes_before);
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
    missing_ = wanted_.size();
    for (const CollectiveGroups& collective : player.collectives()) {
        end_ = collective.finished() ? std::max(end_, collective.end()) : end_;
    }
    if (auto* swept = std::get_if<SweepNetwork>(&network_)) {
        swept->carry_only(ports_of(messages));
        swept->trace(messages);
        swept->look_out(deaf_);
    } else {
        std::get<FlitNetwork<LaneQueue>>(network_).trace(messages);
    }
}

const FlitTrace& PathReplay::traced() const {
    const auto* swept = std::get_if<SweepNetwork>(&network_);
    return swept != nullptr ? swept->traced() : std::get<FlitNetwork<LaneQueue>>(network_).traced();
}

bool PathReplay::run(const std::function<bool(const PathProgress&)>& go_on) {
    auto* swept = std::get_if<SweepNetwork>(&network_);
    return swept != nullptr ? run_on(*swept, go_on) : run_on(std::get<FlitNetwork<LaneQueue>>(network_), go_on);
}

template <class Carrier>
bool PathReplay::run_on(Carrier& carrier, const std::function<bool(const PathProgress&)>& go_on) {
    constexpr std::uint64_t between_looks = std::uint64_t{1} << 18;
    std::uint64_t next_look = 0;
    while (missing_ > 0) {
        if (carrier.events() >= next_look) {
            next_look = carrier.events() + between_looks;
            if (!go_on({carrier.now(), end_, carrier.events()})) {
                return false;
            }
        }
        feed(carrier);
        const Time next = next_instant_of(carrier, Time::never());
        require(next != Time::never(), "what was delivered once is delivered again");
        carrier.open(next);
        take(carrier);
    }
    return true;
}

// Ends the open instant as the player did.
template <class Carrier>
void PathReplay::feed(Carrier& carrier) {
    const Time now = carrier.now();
    const std::vector<Time>& resets = player_.resets();
    for (; resets_ < resets.size() && resets[resets_] == now; ++resets_) {
        carrier.reset_arbiters();
    }
    while (injections_.next() == now) {
        carrier.inject(injections_.take());
    }
    const auto due = replies_.find(now);
    if (due != replies_.end()) {
        std::sort(due->second.begin(), due->second.end(),
                  [](const Delivery& a, const Delivery& b) { return leaves_before(a, b); });
        for (const Delivery& request : due->second) {
            carrier.reply(request, request.released_by_request);
        }
        replies_.erase(due);
    }
    const Time reset = resets_ < resets.size() ? resets[resets_] : Time::never();
    const Time next = std::min(injections_.next(), reset);
    if (next != Time::never() && next > called_) {
        carrier.wake_at(next, 0);
        called_ = next;
    }
    carrier.close();
}

template <class Carrier>
void PathReplay::take(Carrier& carrier) {
    for (const Delivery& delivery : carrier.deliveries()) {
        if (!delivery.asked) {
            missing_ -= is_wanted(delivery) ? 1U : 0U;
            continue;
        }
        const Time when = note_request(delivery, carrier.now());
        if (when != carrier.now() && when != Time::never()) {
            carrier.wake_at(when, 0);
        }
    }
}

// Returns when the data may go: at once, or when its holder entered the phase; Time::never(): it had not.
Time PathReplay::note_request(const Delivery& request, Time now) {
    const Time entered = run_of(request).entry(request.source_rank, request.phase);
    const Time when = std::max(entered, now);
    if (when != Time::never()) {
        std::vector<Delivery>& there = replies_[when];
        there.push_back(request);
        there.back().released_by_request = entered < now;
    }
    return when;
}

// Beyond one switch only the parts of what is traced are told.
bool PathReplay::is_wanted(const Delivery& d) const {
    const TracedMessage message{d.collective, d.phase, d.source_rank, d.destination_rank, d.port};
    return d.parts != nullptr && std::binary_search(wanted_.begin(), wanted_.end(), message, comes_before);
}

const CollectiveRun& PathReplay::run_of(const Delivery& delivery) const {
    const CollectiveGroups* collective = player_.find(delivery.collective);
    require(collective != nullptr, "what is delivered was injected");
    return collective->of_place(delivery.destination_rank);
}

}  // namespace simlette
