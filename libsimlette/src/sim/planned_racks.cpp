#include <simlette/sim/planned_racks.hpp>

#include <algorithm>
#include <bit>
#include <map>

#include <simlette/base/contract.hpp>
#include <simlette/collective/analytic.hpp>
#include <simlette/collective/schedule_store.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/fabric/rack_circuits.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/schedule_price.hpp>
#include <simlette/planner/space.hpp>
#include <simlette/sim/groups.hpp>

namespace simlette {

namespace {

class RackPlanning {
public:
    RackPlanning(FabricSpec fabric, const PlanRequest& request)
        : request_(request), radices_(radices_of_labels(request.ranks, fabric.group)) {
        check_request(request);
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
        labelled_.ranks = request.ranks;
        labelled_.meshes = {{"", {bare("", request.ranks, digits_above(0, request.ranks))}}};
    }

    Plan run() {
        plan_.space =
            "racks joined evenly x orders of the axes of each mesh x the schedules of auto, by analytic price";
        plan_.optimal = true;
        plan_.ranks = request_.ranks;
        plan_.ports = request_.ports;
        std::int64_t total = 0;
        for (const PlanMesh& mesh : request_.meshes) {
            plan_.meshes.push_back(best_order(mesh));
            for (const PlannedAxis& axis : plan_.meshes.back().axes) {
                total = std::min(most_cost, total + cost_of(axis));
            }
        }
        check_total(total);
        plan_.total = plan_.bound = {total};
        return std::move(plan_);
    }

private:
    // Meshes do not touch each other: the circuits are the same for all. What an axis costs depends on which axes are
    // laid below it, not on their order, so sets of axes stand for all orders. Of orders that cost the same the first
    // counts, slowest axis first.
    PlannedMesh best_order(const PlanMesh& mesh) {
        std::vector<Laying> axes;  // those of one rank take no digits
        PlannedMesh laid{mesh.name, {}};
        for (const PlanAxis& axis : mesh.axes) {
            laid.axes.push_back(laid_on(axis, 0));
            if (axis.size > 1) {
                axes.push_back({&axis, laid.axes.size() - 1, {}});
            }
        }
        std::vector<Digits> taken{0};  // by set of axes
        std::vector<std::int64_t> least{0};
        for (std::size_t set = 1; set >> axes.size() == 0; ++set) {
            const std::size_t lowest = set & (0 - set);
            const Digits below = taken[set ^ lowest];
            const std::uint32_t size = axes[static_cast<std::size_t>(std::countr_zero(set))].axis->size;
            taken.push_back(below | digits_above(below, size));
            least.push_back(INT64_MAX);
            for (std::size_t i = 0; i < axes.size(); ++i) {
                if ((set >> i & 1) != 0) {
                    least[set] = std::min(least[set], cost_on_top(axes, i, set, taken, least));
                }
            }
        }
        for (std::size_t set = least.size() - 1; set != 0;) {
            std::size_t i = 0;
            while ((set >> i & 1) == 0 || least[set] != cost_on_top(axes, i, set, taken, least)) {
                ++i;
            }
            set ^= std::size_t{1} << i;
            laid.axes[axes[i].place] = axes[i].known.at(digits_above(taken[set], axes[i].axis->size));
        }
        return laid;
    }

    // An axis that is not yet laid.
    struct Laying {
        const PlanAxis* axis;
        std::size_t place;                    // in the mesh
        std::map<Digits, PlannedAxis> known;  // by the digits that it was tried on
    };

    // What a set of axes costs at least, if this one of them is the slowest.
    std::int64_t cost_on_top(std::vector<Laying>& axes, std::size_t i, std::size_t set,
                             const std::vector<Digits>& taken, const std::vector<std::int64_t>& least) {
        const std::size_t rest = set ^ std::size_t{1} << i;
        const Digits digits = digits_above(taken[rest], axes[i].axis->size);
        if (axes[i].known.count(digits) == 0) {
            axes[i].known.emplace(digits, laid_on(*axes[i].axis, digits));
        }
        return least[rest] + cost_of(axes[i].known.at(digits));
    }

    // The lowest digits that are free and make up the size.
    Digits digits_above(Digits taken, std::uint32_t size) const {
        Digits digits = 0;
        for (std::size_t digit = 0; digit < radices_.size(); ++digit) {
            if ((taken >> digit & 1U) == 0 && size % radices_[digit] == 0) {
                digits |= Digits{1} << digit;
                size /= radices_[digit];
            }
        }
        require(size == 1, "the sizes of the axes multiply to the ranks");
        return digits;
    }

    PlannedAxis bare(const std::string& name, std::uint32_t size, Digits digits) const {
        PlannedAxis axis{name, size, {}, {}, {}, "none", 0, 0, {}};
        for (unsigned digit = static_cast<unsigned>(radices_.size()); digit-- > 0;) {
            if ((digits >> digit & 1U) != 0) {
                axis.bits.push_back(digit);
                axis.radices.push_back(radices_[digit]);
            }
        }
        return axis;
    }

    PlannedAxis laid_on(const PlanAxis& axis, Digits digits) {
        PlannedAxis laid = bare(axis.name, axis.size, digits);
        for (const PlanCollective& collective : axis.collectives) {
            laid.collectives.push_back(priced(collective_of(labelled_, laid, collective), collective));
        }
        return laid;
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

    static std::int64_t cost_of(const PlannedAxis& axis) {
        std::int64_t sum = 0;
        for (const PlannedCollective& planned : axis.collectives) {
            sum = std::min(most_cost, sum + weighted(planned.time, planned.collective.calls));
        }
        return sum;
    }

    const PlanRequest& request_;
    std::vector<std::uint32_t> radices_;
    Plan plan_;
    Plan labelled_;  // how digits make up a label
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
