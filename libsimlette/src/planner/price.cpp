#include <simlette/planner/price.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/planner/matchings.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/space.hpp>

namespace simlette {

namespace {

bool same_mesh(const PlannedMesh& mesh, const PlanMesh& asked) {
    return mesh.name == asked.name &&
           std::equal(mesh.axes.begin(), mesh.axes.end(), asked.axes.begin(), asked.axes.end(),
                      [](const PlannedAxis& a, const PlanAxis& b) { return a.name == b.name && a.size == b.size; });
}

void check_meshes(const Plan& plan, const PlanRequest& request) {
    if (plan.ranks != request.ranks ||
        !std::equal(plan.meshes.begin(), plan.meshes.end(), request.meshes.begin(), request.meshes.end(), same_mesh)) {
        throw Error(ErrorKind::input,
                    "the plan is for other meshes than the workload; the names and sizes of all axes, and their order, "
                    "must be equal");
    }
}

class Repricing {
public:
    Repricing(const Plan& plan, const PlanRequest& request)
        : plan_(plan), request_(request), space_(space_of(request)) {
        std::size_t next = 0;
        for (std::size_t m = 0; m < plan.meshes.size(); ++m) {
            for (std::size_t a = 0; a < plan.meshes[m].axes.size(); ++a) {
                const PlanAxis& asked = request.meshes[m].axes[a];
                PlannedAxis& axis = plan_.meshes[m].axes[a];
                axis.collectives.clear();
                if (has_circuits(asked)) {
                    priced_.push_back({&axis, &asked, rung_of(axis, space_.rungs[next++]),
                                       crossing_of(digits_of(axis), space_.outside)});
                } else {
                    add_idle(axis, asked);
                }
            }
        }
    }

    // Gives each axis the multiplicity that is best for all of them together. False: one of each generator does not fit
    // the ports, or leaves a group too often.
    bool narrow() {
        std::vector<Widening> axes;
        Host host(space_.radices, space_.outside);
        for (std::size_t i = 0; i < priced_.size(); ++i) {
            const auto number = static_cast<unsigned>(i);
            axes.push_back({number, &priced_[i].prices().cost});
            for (const Digits block : digits_of(*priced_[i].axis)) {
                priced_[i].axis->ring ? host.add_ring(block, number) : host.add(block, number);
            }
        }
        const std::uint32_t idle = request_.same_port ? host.idle() : 0;
        if (host.crossing() > space_.budget.crossing || host.generators() + idle > request_.ports) {
            return false;
        }
        const auto best = best_copies(axes, host.classes(), space_.budget, {});
        require(best.has_value(), "one circuit of each generator fits");
        for (std::size_t i = 0; i < priced_.size(); ++i) {
            priced_[i].axis->multiplicity = best->copies[i];
        }
        count_circuits();
        return true;
    }

    Plan price() {
        plan_.total = {};
        for (const Priced& priced : priced_) {
            fill(priced);
        }
        plan_.bound = plan_.total;
        plan_.optimal = plan_.truncated = false;
        plan_.space = "the circuits of a plan, as they are";
        return std::move(plan_);
    }

private:
    struct Priced {
        PlannedAxis* axis;
        const PlanAxis* asked;
        const Rung* rung;
        LayerSet crossing;

        const RungPrices& prices() const { return rung->prices(crossing); }
    };

    static void add_idle(PlannedAxis& axis, const PlanAxis& asked) {
        for (const PlanCollective& collective : asked.collectives) {
            axis.collectives.push_back({collective, 0, {0}});  // of one rank
        }
    }

    // Of all ways to fold the axis, the one that the plan took.
    const Rung* rung_of(const PlannedAxis& axis, const std::vector<Rung>& rungs) const {
        if (axis.blocks.empty() && !axis.ring) {
            throw Error(ErrorKind::input,
                        fmt::format("the plan has no circuits for axis `{}`, but the workload has collectives on it",
                                    axis.name));
        }
        std::vector<std::uint32_t> radices;
        for (const std::vector<unsigned>& block : axis.blocks) {
            radices.push_back(1);
            for (const unsigned digit : block) {
                radices.back() *= space_.radices[digit];
            }
        }
        std::sort(radices.rbegin(), radices.rend());
        for (const Rung& rung : rungs) {
            const bool same_kind = rung.blocks.front().ring == axis.ring;
            if (same_kind && (axis.ring || std::equal(rung.blocks.begin(), rung.blocks.end(), radices.begin(),
                                                      radices.end(), [](const RungBlock& block, std::uint32_t radix) {
                                                          return block.radix == radix;
                                                      }))) {
                return &rung;
            }
        }
        throw Error(
            ErrorKind::input,
            fmt::format("a schedule that the workload names cannot run on the circuits of axis `{}`", axis.name));
    }

    // Block by block; those of a ring together.
    static std::vector<Digits> digits_of(const PlannedAxis& axis) {
        std::vector<Digits> digits;
        for (const std::vector<unsigned>& block : axis.blocks) {
            digits.push_back(mask_of(block));
        }
        return axis.ring ? std::vector<Digits>{mask_of(axis.bits)} : digits;
    }

    // As many of a generator as the axis that wants the most.
    void count_circuits() {
        plan_.ports = request_.ports;
        for (std::size_t g = 0; g < plan_.generators.size(); ++g) {
            plan_.copies[g] = 1;
            for (const Priced& priced : priced_) {
                if (uses(*priced.axis, simlette::digits_of(plan_, plan_.generators[g]))) {
                    plan_.copies[g] = std::max(plan_.copies[g], priced.axis->multiplicity);
                }
            }
        }
        plan_.ports_used = ports_taken(plan_, request_.same_port);
        for (const Priced& priced : priced_) {
            plan_.ports_used += priced.axis->ring ? 2 * priced.axis->multiplicity : 0;
        }
    }

    void fill(const Priced& priced) {
        const std::vector<ScheduleChoice>& choices = priced.prices().choices[priced.axis->multiplicity - 1];
        for (std::size_t i = 0; i < choices.size(); ++i) {
            PlanCollective collective = priced.asked->collectives[i];
            collective.schedule = choices[i].kind;
            priced.axis->collectives.push_back({collective, choices[i].phases, choices[i].time});
            plan_.total += choices[i].time * collective.calls;
        }
    }

    Plan plan_;
    const PlanRequest& request_;
    Space space_;
    std::vector<Priced> priced_;
};

}  // namespace

Plan price(const Plan& plan, const PlanRequest& request) {
    check_meshes(plan, request);
    if (plan.ports_used > request.ports) {
        throw Error(ErrorKind::input, fmt::format("the plan takes {} ports of each accelerator; there are {}",
                                                  plan.ports_used, request.ports));
    }
    return Repricing(plan, request).price();
}

std::optional<Plan> narrowed(const Plan& plan, const PlanRequest& request) {
    check_meshes(plan, request);
    if (plan.degree > request.ports) {
        return std::nullopt;
    }
    Repricing repricing(plan, request);
    return repricing.narrow() ? std::optional(repricing.price()) : std::nullopt;
}

ScheduleKind best_schedule(const Plan& plan, const PlannedAxis& axis, const PlanCollective& collective,
                           const PlanRequest& request) {
    const OverlayShape shape = shape_of(layers_of_axis(axis));
    std::vector<SchedulePrice> schedules;
    for (const ScheduleKind kind : kinds_for(collective.primitive, axis.blocks.size())) {
        schedules.emplace_back(request, collective.bytes, kind, *closed_form(collective.primitive, kind), shape);
    }
    if (schedules.empty()) {
        return ScheduleKind::automatic;
    }
    LayerSet crossing = 0;
    const std::vector<bool> leaving = layers_leaving(plan, axis, request.group);
    for (std::size_t layer = 0; layer < leaving.size(); ++layer) {
        crossing |= leaving[layer] ? LayerSet{1} << layer : 0U;
    }
    return best_of(schedules, crossing, std::max(axis.multiplicity, 1U)).kind;
}

}  // namespace simlette
