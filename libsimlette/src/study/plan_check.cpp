#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <variant>

#include <simlette/base/contract.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/sim/simulator.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/plan_check.hpp>
#include <simlette/study/plan_report.hpp>
#include <simlette/study/planning.hpp>
#include <simlette/study/run_setup.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

// What a plan counts on: nothing waits for a credit or behind an answer.
FabricSpec undisturbed(FabricSpec fabric) {
    fabric.fidelity = Fidelity::paper;
    fabric.responses = ResponsePolicy::none;
    fabric.buffers = {unlimited, unlimited};
    fabric.tags = unlimited;
    return fabric;
}

// Generators of the axis that have more circuits than its schedules count on.
std::size_t wider_generators(const Plan& plan, const PlannedAxis& axis) {
    std::size_t wider = 0;
    for (std::size_t i = 0; i < plan.generators.size(); ++i) {
        if (uses(axis, digits_of(plan, plan.generators[i])) && plan.copies[i] > axis.multiplicity) {
            ++wider;
        }
    }
    return wider;
}

// An axis of one rank has nothing to send.
std::vector<PlannedCollective> with_circuits(const PlannedAxis& axis) {
    return axis.blocks.empty() ? std::vector<PlannedCollective>() : axis.collectives;
}

std::size_t planned_collectives(const Plan& plan) {
    std::size_t count = 0;
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            count += with_circuits(axis).size();
        }
    }
    return count;
}

std::string signed_text(Duration difference) {
    return (difference.ps < 0 ? "-" : "+") + time_text(std::abs(difference.ps));
}

std::string differences_of(const CheckedCollective& checked, std::size_t wider, std::uint32_t counted) {
    const Duration rounding = checked.whole_flits - checked.planned.time;
    const Duration rest = checked.simulated - checked.whole_flits;
    std::string text = rounding == Duration{0} ? "" : signed_text(rounding) + " whole flits";
    if (rest == Duration{0}) {
        return text;
    }
    text += (text.empty() ? "" : "; ") + signed_text(rest);
    if (rest.ps > 0) {
        return text + " over what the plan promises";
    }
    return text + (wider > 0 ? fmt::format(" {} generators have more circuits than the {} counted", wider, counted)
                             : std::string(" not every phase waits for its largest message over its longest circuit"));
}

class PlanChecker {
public:
    PlanChecker(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric, const std::atomic<bool>* stop)
        : plan_(plan),
          request_(request),
          fabric_(build_fabric(undisturbed(planned_fabric(plan, fabric)))),
          stop_(stop) {}

    // Nothing if it was interrupted.
    std::optional<CheckedCollective> check(const PlannedMesh& mesh, const PlannedAxis& axis,
                                           const PlannedCollective& planned) const {
        CheckedCollective checked{axis_text(mesh, axis), planned, whole_flits(axis, planned), Duration{0}, ""};
        const std::optional<Duration> simulated = simulate(collective_of(plan_, axis, planned.collective));
        if (!simulated) {
            return std::nullopt;
        }
        checked.simulated = *simulated;
        checked.differences = differences_of(checked, wider_generators(plan_, axis), axis.multiplicity);
        return checked;
    }

private:
    Duration whole_flits(const PlannedAxis& axis, const PlannedCollective& planned) const {
        const ClosedForm* form = closed_form(planned.collective.primitive, planned.collective.schedule);
        require(form != nullptr, "a planned schedule has a closed form");
        const OverlayShape shape = shape_of(layers_of_axis(axis));
        const std::vector<bool> leaving = layers_leaving(plan_, axis, request_.group);
        const Duration flit_time = fabric_->graph.classes.front().flit_time;
        std::vector<Duration> latencies;
        for (const bool leaves : leaving) {
            latencies.push_back(leaves ? std::max(request_.latency, request_.latency_across) : request_.latency);
        }
        const Bytes bytes = planned.collective.bytes;
        if (form->layer_messages != nullptr) {
            return flit_time_of(form->layer_messages(shape, bytes), latencies, flit_time, axis.multiplicity);
        }
        const Duration deepest = *std::max_element(latencies.begin(), latencies.end());
        return flit_time_of(form->messages(shape, bytes), deepest, flit_time, axis.multiplicity);
    }

    std::optional<Duration> simulate(const CollectiveSpec& collective) const {
        Simulator simulator(fabric_);
        simulator.register_collective(collective);
        while (stop_ == nullptr || !stop_->load(std::memory_order_relaxed)) {
            const Advance next = simulator.advance({Time::never(), events_between_looks});
            if (const auto* completed = std::get_if<Completed>(&next)) {
                return completed->end - completed->start;
            }
            require(std::holds_alternative<LimitReached>(next), "without credits nothing stalls");
        }
        return std::nullopt;
    }

    const Plan& plan_;
    const PlanRequest& request_;
    std::shared_ptr<const Fabric> fabric_;
    const std::atomic<bool>* stop_;
};

}  // namespace

PlanCheck check_plan(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric,
                     const std::function<void(std::size_t, std::size_t)>& told, const std::atomic<bool>* stop) {
    const PlanChecker checker(plan, request, fabric, stop);
    PlanCheck check;
    const std::size_t due = planned_collectives(plan);
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            for (const PlannedCollective& planned : with_circuits(axis)) {
                if (told) {
                    told(check.collectives.size(), due);
                }
                std::optional<CheckedCollective> checked = checker.check(mesh, axis, planned);
                if (!checked) {
                    check.interrupted = true;
                    return check;
                }
                check.collectives.push_back(*std::move(checked));
            }
        }
    }
    return check;
}

std::string plan_check_text(const PlanCheck& check) {
    Rows rows{{"axis", "primitive", "schedule", "differences", "planned us", "whole flits us", "simulated us"}};
    for (const CheckedCollective& checked : check.collectives) {
        rows.push_back({checked.axis, std::string(name_of(checked.planned.collective.primitive)),
                        std::string(name_of(checked.planned.collective.schedule)),
                        checked.differences.empty() ? "-" : checked.differences, microseconds(checked.planned.time.ps),
                        microseconds(checked.whole_flits.ps), microseconds(checked.simulated.ps)});
    }
    std::string text =
        "planned against simulated in flit mode: each collective by itself, on all groups of its axis, with unlimited\n"
        "buffers and without responses\n" +
        aligned(rows, 4, "  ");
    if (check.interrupted) {
        return text + "  interrupted: the others were not simulated\n";
    }
    return text + (check.holds() ? "the plan holds: no collective takes longer than planned with whole flits\n"
                                 : "THE PLAN DOES NOT HOLD: a collective takes longer than planned with whole flits\n");
}

std::string plan_check_json(const PlanCheck& check) {
    Json collectives = Json::array();
    for (const CheckedCollective& checked : check.collectives) {
        collectives.push_back({{"axis", checked.axis},
                               {"primitive", name_of(checked.planned.collective.primitive)},
                               {"schedule", name_of(checked.planned.collective.schedule)},
                               {"bytes", checked.planned.collective.bytes.count},
                               {"planned_ps", checked.planned.time.ps},
                               {"whole_flits_ps", checked.whole_flits.ps},
                               {"simulated_ps", checked.simulated.ps},
                               {"holds", checked.holds()},
                               {"differences", checked.differences}});
    }
    const Json json{{"holds", check.holds()}, {"interrupted", check.interrupted}, {"collectives", collectives}};
    return Json{{"check", json}}.dump(2) + '\n';
}

bool PlanCheck::holds() const {
    return std::all_of(collectives.begin(), collectives.end(), [](const auto& checked) { return checked.holds(); });
}

}  // namespace simlette
