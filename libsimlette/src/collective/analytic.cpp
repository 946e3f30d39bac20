#include <simlette/collective/analytic.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <simlette/base/contract.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/exact.hpp>
#include <simlette/collective/message_sizes.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

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
    Pricing(const HostGraph& graph, const CollectiveSpec& spec, const std::vector<GroupSchedule>& groups)
        : graph_(graph), spec_(spec), groups_(groups), all_paths_alike_(uniform(graph)) {
        first_links_ = graph.first_links();
        if (two_levels(graph)) {
            count_uplinks();
        }
    }

    std::size_t phases() const {
        std::size_t most = 0;
        for (const GroupSchedule& group : groups_) {
            most = std::max(most, group.schedule->phases.size());
        }
        return most;
    }

    Exact phase(std::size_t phase) const {
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

    // Ranks that are looked at: where all paths are alike, one speaks for all.
    std::uint32_t speakers(const Schedule& schedule) const {
        return all_paths_alike_ && alike(spec_, schedule) ? std::min(schedule.ranks, 1U) : schedule.ranks;
    }

    // visit(from, to, bytes), accelerators, for what all groups send in a phase.
    template <class Visit>
    void each_send(std::size_t phase, Visit&& visit) const {
        for (const GroupSchedule& group : groups_) {
            const Schedule& schedule = *group.schedule;
            const std::uint32_t ranks = phase < schedule.phases.size() ? speakers(schedule) : 0;
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                for (const Send& send : schedule.sends_of(schedule.phases[phase], rank)) {
                    const std::int64_t bytes = bytes_of(spec_, schedule, send, rank).count;
                    if (bytes > 0) {
                        visit(group.accelerators[rank], group.accelerators[schedule.moved(send.peer, rank)], bytes);
                    }
                }
            }
        }
    }

    Duration latency(std::uint32_t from, std::uint32_t to) const {
        const Candidates links(graph_, from, to);
        require(links.size() > 0, "a link leads to every destination");
        return path_latency(graph_, links[0], to);
    }

    // There, and for a read the way of its request before.
    std::int64_t trip(std::uint32_t from, std::uint32_t to) const {
        const bool read = spec_.operation == Operation::read;
        return latency(from, to).ps + (read ? latency(to, from).ps : 0);
    }

    Loads over_circuits(std::size_t phase) const {
        Loads loads;
        each_send(phase, [&](std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
            const Candidates links(graph_, from, to);
            std::int64_t& most = loads[{trip(from, to), links.size()}];
            most = std::max(most, bytes);
        });
        return loads;
    }

    // The deepest pair, and the most bytes over links side by side, of each class of links.
    Loads over_switches(std::size_t phase) const {
        std::vector<std::int64_t> out(graph_.accelerators, 0);
        std::vector<std::int64_t> in(graph_.accelerators, 0);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> between;  // racks
        std::int64_t deepest = 0;
        each_send(phase, [&](std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
            out[from] += bytes;
            in[to] += bytes;
            const std::uint32_t rack = graph_.places[from].group;
            const std::uint32_t other = graph_.places[to].group;
            if (rack != other && !uplinks_.empty()) {
                between[{rack, other}] += bytes;
            }
            deepest = std::max(deepest, trip(from, to));
        });
        Loads loads;
        const auto add = [&](std::uint32_t links, std::int64_t bytes) {
            std::int64_t& most = loads[{deepest, links}];
            most = std::max(most, bytes);
        };
        for (std::uint32_t a = 0; a < graph_.accelerators; ++a) {
            if (const std::int64_t bytes = std::max(out[a], in[a]); bytes > 0) {
                add(first_links_[a + 1] - first_links_[a], bytes);
            }
        }
        add_uplinks(between, add);
        return loads;
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
    const std::vector<GroupSchedule>& groups_;
    bool all_paths_alike_;
    std::vector<LinkId> first_links_;
    std::vector<std::uint32_t> uplinks_;  // by pair of groups; empty unless there are two levels of devices
    bool level2_switches_ = false;        // packet switches
};

}  // namespace

Duration analytic_time(const HostGraph& graph, const CollectiveSpec& spec, const std::vector<GroupSchedule>& groups) {
    const Pricing pricing(graph, spec, groups);
    Exact sum = 0;
    for (std::size_t phase = 0; phase < pricing.phases(); ++phase) {
        sum += pricing.phase(phase);
    }
    const boost::multiprecision::cpp_int whole = (numerator(sum) + denominator(sum) - 1) / denominator(sum);
    return whole < Time::never().ps ? Duration{static_cast<std::int64_t>(whole)} : Time::never() - Time{0};
}

ScheduleKind cheapest_kind(const HostGraph& graph, const CollectiveSpec& spec, const std::vector<Overlay>& overlays,
                           std::vector<GroupSchedule> groups, ScheduleStore& store) {
    const std::vector<ScheduleKind> choices = automatic_choices(spec.primitive, overlays.front());
    ScheduleKind best = choices.front();
    std::optional<Duration> price;
    for (std::size_t i = 0; i < choices.size() && choices.size() > 1; ++i) {
        for (std::size_t group = 0; group < groups.size(); ++group) {
            groups[group].schedule = store.built(spec.primitive, choices[i], overlays[group]);
        }
        const Duration offered = analytic_time(graph, spec, groups);
        if (!price || offered < *price) {
            price = offered;
            best = choices[i];
        }
    }
    return best;
}

}  // namespace simlette
