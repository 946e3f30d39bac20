#include <simlette/sim/groups.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/proof.hpp>

namespace simlette {

namespace {

using Ranks = std::vector<std::uint32_t>;

void check_sizes(const std::vector<Ranks>& groups) {
    for (const Ranks& group : groups) {
        if (group.empty() || group.size() != groups.front().size()) {
            throw Error(ErrorKind::input, "groups of a collective have equal sizes; there are some of " +
                                              std::to_string(groups.front().size()) + " and of " +
                                              std::to_string(group.size()) + " ranks");
        }
    }
}

void check_ranks(const std::vector<Ranks>& groups, std::uint32_t ranks) {
    std::vector<bool> seen(ranks, false);
    for (const Ranks& group : groups) {
        for (const std::uint32_t rank : group) {
            if (rank >= ranks) {
                throw Error(ErrorKind::input, "rank " + std::to_string(rank) +
                                                  " is outside the fabric; ranks run from 0 to " +
                                                  std::to_string(ranks - 1));
            }
            if (seen[rank]) {
                throw Error(ErrorKind::input,
                            "rank " + std::to_string(rank) +
                                (groups.size() == 1 ? " is in the group twice" : " is in two places"));
            }
            seen[rank] = true;
        }
    }
}

std::vector<Ranks> ranks_of_groups(const Fabric& fabric, const CollectiveSpec& spec) {
    if (spec.groups.empty() && spec.group.empty()) {
        Ranks world(fabric.graph.accelerators);
        std::iota(world.begin(), world.end(), 0);
        return {world};
    }
    if (!spec.groups.empty() && !spec.group.empty()) {
        throw Error(ErrorKind::input, "a collective has a group or groups, not both");
    }
    const std::vector<Ranks> groups = spec.groups.empty() ? std::vector<Ranks>{spec.group} : spec.groups;
    check_sizes(groups);
    check_ranks(groups, fabric.graph.accelerators);
    return groups;
}

std::vector<Ranks> accelerators_of(const Fabric& fabric, std::vector<Ranks> groups) {
    for (Ranks& group : groups) {
        for (std::uint32_t& rank : group) {
            rank = fabric.accelerator_of(rank);
        }
    }
    return groups;
}

// What circuits join the members, by place in the group: a circuit that leads out of it does not count, and several
// side by side count as one.
void add_circuits(const HostGraph& graph, const std::vector<LinkId>& first_links, const Ranks& accelerators,
                  Ranks& place, Overlay& overlay) {
    for (std::uint32_t i = 0; i < accelerators.size(); ++i) {
        place[accelerators[i]] = i;
    }
    overlay.neighbours.resize(accelerators.size());
    for (std::uint32_t i = 0; i < accelerators.size(); ++i) {
        Ranks& peers = overlay.neighbours[i];
        for (LinkId link = first_links[accelerators[i]]; link < first_links[accelerators[i] + 1]; ++link) {
            const std::uint32_t peer = place[graph.links[link].to];
            if (peer != no_id && std::find(peers.begin(), peers.end(), peer) == peers.end()) {
                peers.push_back(peer);
            }
        }
    }
    for (const std::uint32_t accelerator : accelerators) {
        place[accelerator] = no_id;
    }
}

std::vector<Overlay> overlays_of(const Fabric& fabric, const std::vector<Ranks>& accelerators,
                                 const LayerChoice& layers) {
    const HostGraph& graph = fabric.graph;
    const std::vector<LinkId> first_links = graph.first_links();
    Ranks place(graph.accelerators, no_id);
    std::vector<Overlay> overlays;
    for (const Ranks& group : accelerators) {
        Overlay& overlay = overlays.emplace_back();
        overlay.ranks = static_cast<std::uint32_t>(group.size());
        overlay.layers = layers;
        if (fabric.circuits()) {
            add_circuits(graph, first_links, group, place, overlay);
        } else {
            overlay.ports = fabric.spec.ports;
        }
    }
    return overlays;
}

std::string list_of(const Overlay& overlay, const std::vector<bool>& chosen, bool which) {
    constexpr unsigned most = 8;
    std::string text;
    unsigned count = 0;
    for (std::uint32_t rank = 0; rank < overlay.ranks; ++rank) {
        if (chosen[rank] == which && ++count <= most) {
            text += (text.empty() ? "" : ", ") + std::to_string(overlay.name(rank));
        }
    }
    return text + (count > most ? " and " + std::to_string(count - most) + " more" : "");
}

// Throws unless circuits within the group lead from its first member to every other.
void check_joined(const Overlay& overlay) {
    std::vector<bool> reached(overlay.ranks, false);
    Ranks found{0};
    reached[0] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const std::uint32_t peer : overlay.neighbours[found[i]]) {
            if (!reached[peer]) {
                reached[peer] = true;
                found.push_back(peer);
            }
        }
    }
    if (found.size() < overlay.ranks) {
        throw Error(ErrorKind::input, "the circuits do not join the group: within it none leads from " +
                                          list_of(overlay, reached, true) + " to " + list_of(overlay, reached, false) +
                                          "; a group may use only circuits with both ends in it");
    }
}

}  // namespace

std::uint32_t members_of(const Fabric& fabric, const CollectiveSpec& spec) {
    const Ranks& first = spec.groups.empty() ? spec.group : spec.groups.front();
    return first.empty() ? fabric.graph.accelerators : static_cast<std::uint32_t>(first.size());
}

GroupLayout lay_groups(const Fabric& fabric, const CollectiveSpec& spec) {
    const std::vector<Ranks> ranks = ranks_of_groups(fabric, spec);
    const std::vector<Ranks> accelerators = accelerators_of(fabric, ranks);
    GroupLayout layout{overlays_of(fabric, accelerators, spec.layers), {}};
    for (std::size_t i = 0; i < layout.overlays.size(); ++i) {
        layout.overlays[i].names = ranks[i];
        if (fabric.circuits() && spec.primitive != Primitive::send_recv) {
            check_joined(layout.overlays[i]);
        }
        layout.groups.push_back({nullptr, accelerators[i]});
    }
    return layout;
}

namespace {

// The same for all groups, whose circuits may differ.
void give_own_schedule(const CollectiveSpec& spec, GroupLayout& layout) {
    const ScheduleSpec& own = *spec.own_schedule;
    if (spec.schedule != ScheduleKind::automatic || spec.layers.given()) {
        throw Error(ErrorKind::input, "schedule `" + own.name + "` is given beside a built-in one");
    }
    std::shared_ptr<const Schedule> schedule;
    for (std::size_t i = 0; i < layout.groups.size(); ++i) {
        Schedule built = build_own_schedule(own, layout.overlays[i]);
        schedule = schedule ? schedule : std::make_shared<const Schedule>(std::move(built));
        layout.groups[i].schedule = schedule;
    }
    if (const auto flaw = find_flaw(*schedule, spec.primitive)) {
        throw Error(ErrorKind::input, "schedule `" + own.name + "` is wrong: " + *flaw);
    }
}

}  // namespace

std::vector<GroupSchedule> schedule_groups(const Fabric& fabric, const CollectiveSpec& spec, ScheduleStore& store) {
    GroupLayout layout = lay_groups(fabric, spec);
    if (spec.own_schedule) {
        give_own_schedule(spec, layout);
        return std::move(layout.groups);
    }
    ScheduleKind kind = spec.schedule;
    if (kind == ScheduleKind::automatic || kind == ScheduleKind::automatic_simulated) {
        kind = cheapest_kind(fabric.graph, spec, layout.overlays, layout.groups, store);
    }
    for (std::size_t i = 0; i < layout.groups.size(); ++i) {
        layout.groups[i].schedule = store.proven(spec.primitive, kind, layout.overlays[i]);
    }
    return std::move(layout.groups);
}

}  // namespace simlette
