#include <simlette/sim/planned_racks.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/collective/analytic.hpp>
#include <simlette/collective/schedule_store.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/fabric/rack_circuits.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/planner/schedule_price.hpp>
#include <simlette/planner/space.hpp>
#include <simlette/sim/groups.hpp>

namespace simlette {

namespace {

class RackPlanning {
public:
    RackPlanning(FabricSpec fabric, const PlanRequest& request)
        : request_(request), radices_(radices_of_labels(request.ranks, fabric.group)) {
        std::vector<Problem> problems;
        fabric.ports = request.ports;
        const LevelSizes sizes = level_sizes(fabric, problems);
        if (!problems.empty()) {
            throw Error(problems);
        }
        plan_.racks = sizes.serving_groups;
        fabric.circuits = {};
        fabric.circuits.automatic = plan_.racks == 1;
        fabric.circuits.cables = even_rack_cables(sizes);
        fabric.placement.clear();
        fabric_ = build_fabric(fabric);
    }

    Plan run() {
        plan_.space =
            "racks joined evenly x orders of the axes of each mesh x the schedules of auto, by analytic price";
        plan_.optimal = true;
        plan_.ranks = request_.ranks;
        plan_.ports = request_.ports;
        for (const PlanMesh& mesh : request_.meshes) {
            plan_.meshes.push_back(best_order(mesh));
            plan_.total += weighted(plan_.meshes.back());
        }
        plan_.bound = plan_.total;
        return std::move(plan_);
    }

private:
    // Meshes do not touch each other: the circuits are the same for all.
    PlannedMesh best_order(const PlanMesh& mesh) {
        std::vector<std::size_t> slowest_first(mesh.axes.size());
        std::iota(slowest_first.begin(), slowest_first.end(), std::size_t{0});
        std::optional<PlannedMesh> best;
        do {
            PlannedMesh laid = laid_in_order(mesh, slowest_first);
            price(mesh, laid);
            if (!best || weighted(laid) < weighted(*best)) {
                best = std::move(laid);
            }
        } while (std::next_permutation(slowest_first.begin(), slowest_first.end()));
        return *std::move(best);
    }

    // The fastest axis takes the lowest digits that make up its size, and so on.
    PlannedMesh laid_in_order(const PlanMesh& mesh, const std::vector<std::size_t>& slowest_first) const {
        PlannedMesh laid{mesh.name, {}};
        for (const PlanAxis& axis : mesh.axes) {
            laid.axes.push_back({axis.name, axis.size, {}, {}, {}, "none", 0, 0, {}});
        }
        std::vector<bool> taken(radices_.size(), false);
        for (auto i = slowest_first.rbegin(); i != slowest_first.rend(); ++i) {
            PlannedAxis& axis = laid.axes[*i];
            std::uint32_t rest = axis.size;
            for (unsigned digit = 0; digit < radices_.size(); ++digit) {
                if (!taken[digit] && rest % radices_[digit] == 0) {
                    taken[digit] = true;
                    rest /= radices_[digit];
                    axis.bits.insert(axis.bits.begin(), digit);
                    axis.radices.insert(axis.radices.begin(), radices_[digit]);
                }
            }
            require(rest == 1, "the sizes of the axes multiply to the ranks");
        }
        return laid;
    }

    void price(const PlanMesh& mesh, PlannedMesh& laid) {
        Plan labelled = plan_;
        labelled.ranks = request_.ranks;
        labelled.meshes = {laid};
        for (std::size_t i = 0; i < laid.axes.size(); ++i) {
            for (const PlanCollective& collective : mesh.axes[i].collectives) {
                laid.axes[i].collectives.push_back(
                    priced(collective_of(labelled, laid.axes[i], collective), collective));
            }
        }
    }

    PlannedCollective priced(const CollectiveSpec& spec, PlanCollective collective) {
        GroupLayout layout = lay_groups(*fabric_, spec);
        if (spec.schedule == ScheduleKind::automatic) {
            collective.schedule = cheapest_kind(fabric_->graph, spec, layout.overlays, layout.groups, store_);
        }
        for (std::size_t i = 0; i < layout.groups.size(); ++i) {
            layout.groups[i].schedule = store_.proven(spec.primitive, collective.schedule, layout.overlays[i]);
        }
        const auto phases = static_cast<std::uint32_t>(layout.groups.front().schedule->phases.size());
        return {collective, phases, analytic_time(fabric_->graph, spec, layout.groups)};
    }

    // Of one mesh so little that all meshes together still fit.
    Duration weighted(const PlannedMesh& mesh) const {
        const Duration most{most_cost / static_cast<std::int64_t>(2 * request_.meshes.size())};
        Duration sum{0};
        for (const PlannedAxis& axis : mesh.axes) {
            for (const PlannedCollective& planned : axis.collectives) {
                if (planned.time.ps > (most - sum).ps / planned.collective.calls) {
                    throw Error(ErrorKind::input,
                                "the collectives of mesh `" + mesh.name + "` together take more than " +
                                    std::to_string(most.ps / ps_per_second) + " s; expected fewer calls or bytes");
                }
                sum += planned.time * planned.collective.calls;
            }
        }
        return sum;
    }

    const PlanRequest& request_;
    std::vector<std::uint32_t> radices_;
    Plan plan_;
    std::shared_ptr<const Fabric> fabric_;
    ScheduleStore store_;
};

}  // namespace

bool is_hybrid(const FabricSpec& fabric) {
    return fabric.kind == FabricKind::two_level && fabric.level1.device == DeviceKind::eps &&
           fabric.level2.device == DeviceKind::ocs;
}

Plan plan_for(const FabricSpec& fabric, const PlanRequest& request) {
    return is_hybrid(fabric) ? RackPlanning(fabric, request).run() : plan(request);
}

}  // namespace simlette
