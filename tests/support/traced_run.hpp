// Critical paths as the reference tells them if it simulates everything a second time, collectives included, and
// follows their messages meanwhile: what a replay must agree with.
#pragma once

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <simlette/collective/message_sizes.hpp>
#include <simlette/collective/player.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/sim/explain.hpp>
#include <simlette/sim/groups.hpp>
#include <simlette/sim/network.hpp>

namespace simlette {

class TracedRun {
public:
    // Simulates all of them to their ends. The fabric must outlive it.
    TracedRun(const Fabric& fabric, const std::vector<CollectiveSpec>& collectives,
              const std::vector<TracedMessage>& messages = {})
        : fabric_(fabric), network_(network_for(fabric, Mode::flit)) {
        FlitNetwork<LaneQueue>& network = std::get<FlitNetwork<LaneQueue>>(network_);
        network.trace(messages);
        for (std::uint32_t id = 0; id < collectives.size(); ++id) {
            add(id, with_sizes(collectives[id], members_of(fabric, collectives[id])), network);
        }
        while (player_.unfinished() > 0) {
            player_.close(network);
            player_.open(network, network.next_instant());
        }
    }

    std::vector<TracedMessage> critical() const {
        std::vector<TracedMessage> all;
        for (std::uint32_t id = 0; id < player_.collectives().size(); ++id) {
            const std::vector<TracedMessage> more = critical_messages(run_of(id));
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }

    // Requires: critical() of an equal run were traced.
    CriticalPath path(std::uint32_t id) const {
        const CollectiveRun& run = run_of(id);
        CriticalPath path = explain_path(fabric_.graph, run, std::get<FlitNetwork<LaneQueue>>(network_).traced());
        path.parts = run.critical_path();  // added up from delivery to delivery while it ran
        for (PathStep& step : path.steps) {
            step.source = rank_of(id, step.source);
            step.destination = rank_of(id, step.destination);
            for (PathHop& hop : step.hops) {
                for (PathHop::Rival& rival : hop.rivals) {
                    rival.source = rank_of(rival.collective, rival.source);
                    rival.destination = rank_of(rival.collective, rival.destination);
                }
            }
        }
        return path;
    }

private:
    void add(std::uint32_t id, const CollectiveSpec& spec, FlitNetwork<LaneQueue>& network) {
        const auto shared = std::make_shared<const CollectiveSpec>(spec);
        for (GroupSchedule& group : schedule_groups(fabric_, spec, schedules_)) {
            player_.add(
                std::make_unique<CollectiveRun>(id, shared, std::move(group.schedule), std::move(group.accelerators)));
        }
        if (spec.earliest_start == network.now()) {
            player_.start(id, network.now());
        } else {
            network.wake_at(spec.earliest_start, id);
        }
    }
    const CollectiveRun& run_of(std::uint32_t id) const { return *player_.find(id)->groups.front(); }
    std::uint32_t rank_of(std::uint32_t id, std::uint32_t place) const {
        const std::vector<std::uint32_t>& group = run_of(id).spec().group;
        return group.empty() ? place : group[place];
    }

    const Fabric& fabric_;
    Network network_;
    ScheduleStore schedules_;
    Player player_;
};

}  // namespace simlette
