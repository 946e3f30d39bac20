// Member functions of FlitNetwork, fourth part: which link a switch sends a flit on by.
#pragma once

#include <algorithm>

#include <simlette/base/mix.hpp>
#include <simlette/fabric/flit_network.hpp>

namespace simlette {

template <class Queue>
inline LinkId FlitNetwork<Queue>::way_on(const Arrival& arrival) {
    const std::uint32_t message = arrival.flit >> 2U;
    const std::uint32_t at = ends_[arrival.from].at;
    const std::uint32_t destination = messages_[message].destination;
    if (graph_.hangs_on(at, destination)) {
        return graph_.way_down(at, destination);
    }
    const LinkChoice& choice = graph_.choice(at, destination);
    return graph_.choice_links[choice.first +
                               (choice.count == 1 ? 0 : choose(arrival.from, choice, message, arrival.flit & 1U))];
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::choose(LinkId from, const LinkChoice& choice, std::uint32_t message,
                                         std::uint32_t channel) {
    const std::uint32_t at = ends_[from].at;
    const MessageOrigin& origin = origins_[message];
    const std::uint32_t destination = messages_[message].destination;
    switch (routing_.policy) {
        case RoutingPolicy::fixed:
            return static_cast<std::uint32_t>(destination / graph_.switches[at].static_divisor % choice.count);
        case RoutingPolicy::hashed: {
            std::uint64_t hash = mix(mix(seed_, sender(origin)), destination);
            for (std::uint32_t level = 0; level < graph_.switches[at].level; ++level) {
                hash = mix(hash);
            }
            return static_cast<std::uint32_t>(hash % choice.count);
        }
        case RoutingPolicy::spray:
        case RoutingPolicy::random:
        case RoutingPolicy::adaptive:
            break;
    }
    const bool keeps = routing_.granularity == Granularity::message;
    if (keeps) {
        for (const Kept& kept : kept_[message]) {
            if (kept.at == at) {
                return kept.choice;
            }
        }
    }
    const std::uint32_t chosen = routing_.policy == RoutingPolicy::random
                                     ? draw(from, channel, choice.count)
                                     : next_sprayed(ends_[from], channel, choice.count);
    const std::uint32_t taken = routing_.policy == RoutingPolicy::adaptive ? least_queued(choice, chosen) : chosen;
    if (keeps) {
        kept_[message].push_back({at, taken});
    }
    return taken;
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::next_sprayed(LinkEnd& end, std::uint32_t channel, std::uint32_t candidates) {
    const std::uint32_t cycle = spray_cycles_[end.at];
    const std::uint32_t turn = end.sprayed[channel];
    end.sprayed[channel] = turn + 1 == cycle ? 0 : turn + 1;
    return cycle == candidates ? turn : turn % candidates;
}

template <class Queue>
std::uint32_t FlitNetwork<Queue>::draw(LinkId from, std::uint32_t channel, std::uint32_t candidates) {
    const std::uint64_t count = draws_[std::size_t{from} * channel_count + channel]++;
    return static_cast<std::uint32_t>(mix(mix(mix(seed_, ends_[from].at), graph_.links[from].to_port), count) %
                                      candidates);
}

// Ties go to the first of them from `first` on.
template <class Queue>
std::uint32_t FlitNetwork<Queue>::least_queued(const LinkChoice& choice, std::uint32_t first) const {
    std::uint32_t best = first;
    std::int64_t least = INT64_MAX;
    for (std::uint32_t i = 0; i < choice.count; ++i) {
        const std::uint32_t candidate = (first + i) % choice.count;
        const LinkState& link = links_[graph_.choice_links[choice.first + candidate]];
        if (link.queued[0] + link.queued[1] < least) {
            least = link.queued[0] + link.queued[1];
            best = candidate;
        }
    }
    return best;
}

// Every input starts at the candidate of its own number, so that inputs do not all begin at the same one.
template <class Queue>
void FlitNetwork<Queue>::reset_spray() {
    for (LinkId id = 0; id < ends_.size(); ++id) {
        LinkEnd& end = ends_[id];
        if (end.at != no_id) {
            end.sprayed.fill(graph_.links[id].to_port % spray_cycles_[end.at]);
        }
    }
    draws_.assign(routing_.policy == RoutingPolicy::random ? ends_.size() * channel_count : 0, 0);
}

}  // namespace simlette
