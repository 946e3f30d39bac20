#include <simlette/collective/analytic.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <boost/multiprecision/cpp_int.hpp>

#include <simlette/base/contract.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/message_sizes.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

using Exact = boost::multiprecision::cpp_rational;

// Latency and the number of links side by side; of equal kinds only the one with the most bytes counts.
struct EdgeKind {
    std::int64_t latency_ps;
    std::uint32_t links;

    friend bool operator<(const EdgeKind& a, const EdgeKind& b) {
        return std::pair(a.latency_ps, a.links) < std::pair(b.latency_ps, b.links);
    }
};
using Loads = std::map<EdgeKind, std::int64_t>;  // bytes

Duration path_latency(const HostGraph& graph, LinkId first, std::uint32_t destination) {
    Duration sum = graph.class_of(first).latency.total();
    LinkId link = first;
    while (graph.links[link].to >= graph.accelerators) {
        const std::uint32_t at = graph.links[link].to - graph.accelerators;
        link = graph.only_way(at, destination);
        sum += graph.class_of(link).latency.total();
    }
    return sum;
}

// Whether all paths between accelerators are alike: packet switches of one level.
bool uniform(const HostGraph& graph) {
    return graph.ports_to_all != 0 && graph.classes.size() == 2 &&
           std::all_of(graph.links.begin(), graph.links.end(), [&](const HostLink& link) {
               return (link.from < graph.accelerators) != (link.to < graph.accelerators);
           });
}

// Groups of accelerators on switches of their own, with links between the groups.
bool two_levels(const HostGraph& graph) {
    return graph.groups > 1 && std::any_of(graph.switches.begin(), graph.switches.end(),
                                           [](const SwitchRoutes& routes) { return routes.own_group != no_id; });
}

class Pricing {
public:
    Pricing(const HostGraph& graph, const CollectiveSpec& spec, const Schedule& schedule,
            const std::vector<std::uint32_t>& accelerators)
        : graph_(graph), spec_(spec), schedule_(schedule), accelerators_(accelerators) {
        const bool one_speaks_for_all = uniform(graph) && alike(spec, schedule);
        first_links_ = graph.first_links();
        if (two_levels(graph)) {
            count_uplinks();
        }
        speakers_ = one_speaks_for_all ? std::min(schedule.ranks, 1U) : schedule.ranks;
    }

    Exact phase(const Phase& phase) const {
        const Loads loads = graph_.first_neighbour.empty() ? over_switches(phase) : over_circuits(phase);
        Exact most = 0;
        for (const auto& [kind, bytes] : loads) {
            most = std::max(most, kind.latency_ps + serialization(bytes, kind.links));
        }
        return most;
    }

private:
    Exact serialization(std::int64_t bytes, std::uint32_t links) const {
        const Exact of_a_flit = graph_.classes.front().flit_time.ps;
        return of_a_flit * bytes / (Exact(flit_bytes.count) * links);
    }

    template <class Visit>
    void each_send(const Phase& phase, Visit&& visit) const {
        for (std::uint32_t rank = 0; rank < speakers_; ++rank) {
            for (const Send& send : schedule_.sends_of(phase, rank)) {
                const std::uint32_t peer = schedule_.moved(send.peer, rank);
                const std::int64_t bytes = bytes_of(spec_, schedule_, send, rank).count;
                if (bytes > 0) {
                    visit(rank, peer, bytes);
                }
            }
        }
    }

    Duration latency(std::uint32_t rank, std::uint32_t peer) const {
        const Candidates links(graph_, accelerators_[rank], accelerators_[peer]);
        require(links.size() > 0, "a link leads to every destination");
        return path_latency(graph_, links[0], accelerators_[peer]);
    }

    // There, and for a read the way of its request before.
    std::int64_t trip(std::uint32_t rank, std::uint32_t peer) const {
        const bool read = spec_.operation == Operation::read;
        return latency(rank, peer).ps + (read ? latency(peer, rank).ps : 0);
    }

    Loads over_circuits(const Phase& phase) const {
        Loads loads;
        each_send(phase, [&](std::uint32_t rank, std::uint32_t peer, std::int64_t bytes) {
            const Candidates links(graph_, accelerators_[rank], accelerators_[peer]);
            std::int64_t& most = loads[{trip(rank, peer), links.size()}];
            most = std::max(most, bytes);
        });
        return loads;
    }

    // The deepest pair, and the most bytes over links side by side, of each class of links.
    Loads over_switches(const Phase& phase) const {
        std::vector<std::int64_t> out(schedule_.ranks, 0);
        std::vector<std::int64_t> in(schedule_.ranks, 0);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> between;  // groups
        std::int64_t deepest = 0;
        each_send(phase, [&](std::uint32_t rank, std::uint32_t peer, std::int64_t bytes) {
            out[rank] += bytes;
            in[peer] += bytes;
            const std::uint32_t from = graph_.places[accelerators_[rank]].group;
            const std::uint32_t to = graph_.places[accelerators_[peer]].group;
            if (from != to && !uplinks_.empty()) {
                between[{from, to}] += bytes;
            }
            deepest = std::max(deepest, trip(rank, peer));
        });
        Loads loads;
        const auto add = [&](std::uint32_t links, std::int64_t bytes) {
            std::int64_t& most = loads[{deepest, links}];
            most = std::max(most, bytes);
        };
        for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
            add(ports(rank), std::max(out[rank], in[rank]));
        }
        add_uplinks(between, add);
        return loads;
    }

    std::uint32_t ports(std::uint32_t rank) const {
        const std::uint32_t a = accelerators_[rank];
        return first_links_[a + 1] - first_links_[a];
    }

    // Circuits between two groups carry what goes between these two; links to a level of packet switches all that
    // leaves a group, and all that comes into one.
    template <class Add>
    void add_uplinks(const std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>& between, Add&& add) const {
        std::map<std::uint32_t, std::int64_t> leaving;
        std::map<std::uint32_t, std::int64_t> coming;
        for (const auto& [groups, bytes] : between) {
            if (level2_switches_) {
                leaving[groups.first] += bytes;
                coming[groups.second] += bytes;
            } else {
                add(uplinks(groups.first, groups.second), bytes);
            }
        }
        for (const auto* side : {&leaving, &coming}) {
            for (const auto& [group, bytes] : *side) {
                add(uplinks(group, group == 0 ? 1 : 0), bytes);
            }
        }
    }

    // Of the level-1 switches of a group, those that lead to the other.
    std::uint32_t uplinks(std::uint32_t group, std::uint32_t other) const {
        return uplinks_[std::size_t{group} * graph_.groups + other];
    }

    void count_uplinks() {
        uplinks_.assign(std::size_t{graph_.groups} * graph_.groups, 0);
        for (const SwitchRoutes& routes : graph_.switches) {
            level2_switches_ = level2_switches_ || routes.own_group == no_id;
            for (std::uint32_t other = 0; other < graph_.groups && routes.own_group != no_id; ++other) {
                uplinks_[std::size_t{routes.own_group} * graph_.groups + other] +=
                    graph_.choices[routes.first_choice + other].count;
            }
        }
    }

    const HostGraph& graph_;
    const CollectiveSpec& spec_;
    const Schedule& schedule_;
    const std::vector<std::uint32_t>& accelerators_;
    std::vector<LinkId> first_links_;
    std::vector<std::uint32_t> uplinks_;  // by pair of groups; empty unless there are two levels of devices
    bool level2_switches_ = false;        // packet switches
    std::uint32_t speakers_;              // ranks that are looked at
};

}  // namespace

Duration analytic_time(const HostGraph& graph, const CollectiveSpec& spec, const Schedule& schedule,
                       const std::vector<std::uint32_t>& accelerators) {
    const Pricing pricing(graph, spec, schedule, accelerators);
    Exact sum = 0;
    for (const Phase& phase : schedule.phases) {
        sum += pricing.phase(phase);
    }
    const boost::multiprecision::cpp_int whole = (numerator(sum) + denominator(sum) - 1) / denominator(sum);
    return whole < Time::never().ps ? Duration{static_cast<std::int64_t>(whole)} : Time::never() - Time{0};
}

Schedule cheapest_schedule(const HostGraph& graph, const CollectiveSpec& spec, const Overlay& overlay,
                           const std::vector<std::uint32_t>& accelerators) {
    const std::vector<ScheduleKind> choices = automatic_choices(spec.primitive, overlay);
    Schedule best = build_schedule(spec.primitive, choices.front(), overlay);
    if (choices.size() == 1) {
        return best;
    }
    Duration price = analytic_time(graph, spec, best, accelerators);
    for (std::size_t i = 1; i < choices.size(); ++i) {
        Schedule other = build_schedule(spec.primitive, choices[i], overlay);
        const Duration other_price = analytic_time(graph, spec, other, accelerators);
        if (other_price < price) {
            price = other_price;
            best = std::move(other);
        }
    }
    return best;
}

}  // namespace simlette
