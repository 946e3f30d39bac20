// One collective of all ranks on an idle network, on whichever event queue is asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/player.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/flit_network.hpp>
#include <simlette/sim/simulator.hpp>

#include "priority_event_queue.hpp"

namespace simlette {

extern template class FlitNetwork<PriorityEventQueue>;

// What a measurement runs.
struct Setting {
    FabricSpec fabric;
    CollectiveSpec collective;
};

inline Setting packet_setting(std::uint32_t accelerators, std::uint32_t ports, Bytes bytes) {
    Setting setting;
    setting.fabric.accelerators = accelerators;
    setting.fabric.ports = ports;
    setting.fabric.responses = ResponsePolicy::none;
    setting.collective.bytes = bytes;
    setting.collective.schedule = ScheduleKind::one_shot;
    return setting;
}

// Racks of 32 behind rails, 4:1 towards electronic switches above; with 36 ports the all-EPS fabric of the paper.
inline Setting rack_setting(std::uint32_t accelerators, std::uint32_t ports, Bytes bytes) {
    Setting setting = packet_setting(accelerators, ports, bytes);
    setting.fabric.kind = FabricKind::two_level;
    setting.fabric.group = 32;
    setting.fabric.level1 = {DeviceKind::eps, 72, 32, 8};
    setting.fabric.level2 = {DeviceKind::eps, 72, 0, 0};
    return setting;
}

// Circuits of the cube, one port a generator. Requires: accelerators is a power of two.
inline Setting circuit_setting(std::uint32_t accelerators, Bytes bytes) {
    std::uint32_t bits = 0;
    while (1U << bits < accelerators) {
        ++bits;
    }
    Setting setting = packet_setting(accelerators, bits, bytes);
    setting.fabric.device = DeviceKind::ocs;
    setting.fabric.circuits.cube = true;
    return setting;
}

// Who reaches whom, by rank. Requires: ranks are placed in order.
inline Overlay world_overlay(const Fabric& fabric) {
    Overlay overlay{fabric.graph.accelerators};
    if (!fabric.circuits()) {
        overlay.ports = fabric.graph.ports_to_all;
        return overlay;
    }
    overlay.neighbours.resize(fabric.graph.accelerators);
    for (const HostLink& link : fabric.graph.links) {
        std::vector<std::uint32_t>& peers = overlay.neighbours[link.from];
        if (std::find(peers.begin(), peers.end(), link.to) == peers.end()) {
            peers.push_back(link.to);
        }
    }
    return overlay;
}

inline TransactionRules rules_of(const FabricSpec& spec) {
    return {spec.fidelity, spec.responses, spec.tags};
}

template <class Queue>
class WorldRun {
public:
    WorldRun(std::shared_ptr<const Fabric> fabric, const CollectiveSpec& spec, SimulatorOptions options = {})
        : fabric_(std::move(fabric)),
          network_(fabric_->graph, fabric_->spec.routing, rules_of(fabric_->spec), fabric_->spec.seed) {
        network_.record_messages(options.record_messages);
        std::vector<std::uint32_t> accelerators;
        for (std::uint32_t rank = 0; rank < fabric_->graph.accelerators; ++rank) {
            accelerators.push_back(rank);
        }
        player_.add(std::make_unique<CollectiveRun>(
            0, std::make_shared<const CollectiveSpec>(spec),
            std::make_shared<const Schedule>(build_schedule(spec.primitive, spec.schedule, world_overlay(*fabric_))),
            accelerators));
        player_.start(0, network_.now());
    }

    // False if it stalled.
    bool finish() {
        while (player_.unfinished() > 0) {
            player_.close(network_);
            const Time next = network_.next_instant();
            if (next == Time::never()) {
                return false;
            }
            player_.open(network_, next);
        }
        return true;
    }

    const FlitNetwork<Queue>& network() const { return network_; }
    const CollectiveRun& collective() const { return *player_.collectives().front().groups.front(); }

private:
    std::shared_ptr<const Fabric> fabric_;
    FlitNetwork<Queue> network_;
    Player player_;
};

inline std::int64_t flit_hops(const std::vector<LinkStatistics>& links) {
    std::int64_t hops = 0;
    for (const LinkStatistics& link : links) {
        hops += link.flits;
    }
    return hops;
}

}  // namespace simlette
