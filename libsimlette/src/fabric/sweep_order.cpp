// In which order ports go through a window, and where their flits go on to.
#include <algorithm>
#include <tuple>

#include <simlette/base/contract.hpp>
#include <simlette/base/mix.hpp>
#include <simlette/fabric/planes.hpp>
#include <simlette/fabric/sweep_plane.hpp>

namespace simlette {

std::vector<std::uint32_t> channel_stages(const HostGraph& graph) {
    std::vector<std::uint32_t> stage(graph.links.size(), 0);
    const auto end_of = [&graph](LinkId id) { return graph.links[id].to - graph.accelerators; };
    // What a switch needs of links that bring it flits for a group.
    const auto after = [&](std::uint32_t at, std::uint32_t group) {
        if (graph.switches[at].own_group == group) {
            return 1U;
        }
        const LinkChoice& choice = graph.choices[graph.switches[at].first_choice + group];
        std::uint32_t most = 0;
        for (std::uint32_t i = choice.first; i < choice.first + choice.count; ++i) {
            most = std::max(most, stage[graph.choice_links[i]] + 1);
        }
        return most;
    };
    const bool routed = !graph.choices.empty();
    bool changed = routed;
    for (std::size_t round = 0; changed; ++round) {
        if (round > graph.links.size()) {
            return {};
        }
        changed = false;
        for (std::uint32_t at = 0; at < graph.packet_switches; ++at) {
            for (std::uint32_t group = 0; group < graph.groups; ++group) {
                const LinkChoice& choice = graph.choices[graph.switches[at].first_choice + group];
                for (std::uint32_t i = choice.first; i < choice.first + choice.count; ++i) {
                    const LinkId link = graph.choice_links[i];
                    if (graph.links[link].to < graph.accelerators) {
                        continue;
                    }
                    const std::uint32_t needed = after(end_of(link), group);
                    changed = changed || needed > stage[link];
                    stage[link] = std::max(stage[link], needed);
                }
            }
        }
    }
    std::vector<std::uint32_t> from_below(graph.packet_switches, 0);
    const LinkId accelerator_links = graph.first_switch_link();
    for (LinkId id = 0; id < accelerator_links; ++id) {
        if (graph.links[id].to < graph.accelerators) {
            continue;
        }
        std::uint32_t& needed = from_below[end_of(id)];
        if (needed == 0) {
            needed = 1;
            for (std::uint32_t group = 0; routed && group < graph.groups; ++group) {
                needed = std::max(needed, after(end_of(id), group));
            }
        }
        stage[id] = needed;
    }
    return stage;
}

namespace {

// Of each link one of those that it depends on, however far: links that never meet have different ones.
std::vector<LinkId> parts_of(const HostGraph& graph) {
    const std::vector<std::uint32_t> joined = joined_switches(graph);
    std::vector<LinkId> first(graph.packet_switches, no_id);
    std::vector<LinkId> parts(graph.links.size());
    for (LinkId id = 0; id < parts.size(); ++id) {
        const HostLink& link = graph.links[id];
        const NodeId node = std::max(link.from, link.to);
        if (node < graph.accelerators) {
            parts[id] = id;
            continue;
        }
        LinkId& part = first[joined[node - graph.accelerators]];
        part = std::min(part, id);
        parts[id] = part;
    }
    return parts;
}

}  // namespace

// Links that depend on each other stand together, and among them those that feed one switch: what they write to is
// near, and still in the cache when its turn comes.
void SweepPlane::order_ports() {
    const std::vector<std::uint32_t> stage = channel_stages(graph_);
    const std::vector<LinkId> part = parts_of(graph_);
    order_.resize(graph_.links.size());
    for (LinkId id = 0; id < order_.size(); ++id) {
        order_[id] = id;
    }
    const auto key = [&](LinkId id) {
        return std::make_tuple(part[id], stage[id], stage[id] == 0 ? 0 : graph_.links[id].to, id);
    };
    std::sort(order_.begin(), order_.end(), [&](LinkId a, LinkId b) { return key(a) < key(b); });
    place_.resize(order_.size());
    for (Place place = 0; place < order_.size(); ++place) {
        place_[order_[place]] = place;
    }
    for (const SwitchRoutes& routes : graph_.switches) {
        onward_.push_back(
            {routes.own_group, routes.first_down == no_id ? no_id : place_[routes.first_down], routes.first_choice});
    }
    for (const LinkId link : graph_.choice_links) {
        choices_.push_back(place_[link]);
    }
}

void SweepPlane::list_feeders() {
    std::vector<std::vector<LinkId>> of(graph_.packet_switches);
    for (LinkId id = 0; id < graph_.links.size(); ++id) {
        if (graph_.links[id].to >= graph_.accelerators) {
            of[graph_.links[id].to - graph_.accelerators].push_back(id);
        }
    }
    for (const std::vector<LinkId>& links : of) {
        first_feeder_.push_back(static_cast<std::uint32_t>(feeders_.size()));
        for (const LinkId id : links) {
            const LinkClass& kind = graph_.class_of(id);
            feeders_.push_back({id, place_[id], kind.credit_return, kind.finite()});
        }
    }
    first_feeder_.push_back(static_cast<std::uint32_t>(feeders_.size()));
}

// Flits that take one way each.
void SweepPlane::spread(Port& port, const FlitRun& run, const Place* choices, std::uint32_t count, Time arrives) {
    FlitRun one = run;
    one.count = 1;
    for (std::uint32_t i = 0; i < run.count; ++i) {
        one.flit = i + 1 == run.count ? run.flit : run.flit & ~FlitRun::last_bit;
        put(choices[turn(port, run.channel(), count)], one, port.input, arrives + port.flit_time * i);
    }
}

// Links of another rate take flits one by one; so are those that are followed.
void SweepPlane::put_each(Place out, const FlitRun& run, const Port& input, Time arrives) {
    if (one_rate_ && !follows(run)) {
        put(out, run, input.input, arrives);
        return;
    }
    FlitRun one = run;
    one.count = 1;
    for (std::uint32_t i = 0; i < run.count; ++i) {
        one.flit = i + 1 == run.count ? run.flit : run.flit & ~FlitRun::last_bit;
        put(out, one, input.input, arrives + input.flit_time * i);
    }
}

std::uint32_t SweepPlane::choose_once(Port& port, const FlitRun& run, std::uint32_t candidates) {
    if (routing_.policy == RoutingPolicy::fixed) {
        return static_cast<std::uint32_t>(run.destination / graph_.switches[port.at].static_divisor % candidates);
    }
    if (routing_.policy == RoutingPolicy::hashed) {
        const Message& message = messages_[run.message()];
        const LinkId first = run.channel() == 0 ? message.first_link : message.answer_link;
        std::uint64_t hash = mix(mix(seed_, graph_.links[first].from), run.destination);
        for (std::uint32_t level = 0; level < graph_.switches[port.at].level; ++level) {
            hash = mix(hash);
        }
        return static_cast<std::uint32_t>(hash % candidates);
    }
    auto& kept = kept_[run.message()];
    const Kept now{port.at, run.channel(), 0};
    for (const Kept& before : kept) {
        if (before.at == now.at && before.channel == now.channel) {
            return before.choice;
        }
    }
    kept.push_back({port.at, run.channel(), turn(port, run.channel(), candidates)});
    return kept.back().choice;
}

// One of many, by what has been drawn there before.
std::uint32_t SweepPlane::draw(Port& port, std::uint32_t channel, std::uint32_t candidates) const {
    const std::uint64_t count = port.draws[channel]++;
    return static_cast<std::uint32_t>(mix(mix(mix(seed_, port.at), graph_.links[port.link].to_port), count) %
                                      candidates);
}

void SweepPlane::reset_spray() {
    for (Port& port : ports_) {
        if (port.at != no_id) {
            port.sprayed.fill(graph_.links[port.link].to_port % spray_cycles_[port.at]);
        }
        port.draws.fill(0);
    }
}

void SweepPlane::tell_landing(const Port& port, const FlitRun& run, Time first) {
    if (rules_.one_by_one()) {
        land_one_by_one(port, run, first);
        return;
    }
    if (follows(run)) {
        for (std::uint32_t i = 0; i < run.count; ++i) {
            const std::uint32_t flit = i + 1 == run.count ? run.flit : run.flit & ~FlitRun::last_bit;
            add_landing({first + port.flit_time * i, flit, 1, port.link});
        }
        return;
    }
    if (is_told(run)) {
        come_home({first + port.flit_time * (run.count - 1), run.flit, run.count, port.link});
    }
}

// Of flits that land next: whether the core is to know.
bool SweepPlane::is_told(const FlitRun& run) {
    return (!one_way_ || run.has_last()) && (!counts_landings() || completes(run));
}

}  // namespace simlette
