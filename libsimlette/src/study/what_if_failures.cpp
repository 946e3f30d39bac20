#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/planner/price.hpp>
#include <simlette/planner/space.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/plan_report.hpp>
#include <simlette/study/what_if.hpp>

namespace simlette {

namespace {

const char* name_of(FailedPart part) {
    switch (part) {
        case FailedPart::accelerators:
            return "accelerators";
        case FailedPart::ports:
            return "ports";
        case FailedPart::devices:
            return "devices";
    }
    broken_promise("a part that fails is of one of three kinds");
}

class Failures {
public:
    Failures(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric, std::uint32_t failures,
             const Planner& planner)
        : plan_(plan), request_(request), fabric_(fabric), failures_(failures), planner_(planner) {}

    std::vector<Survival> all() const {
        std::vector<Survival> survivals{of_accelerators(), of_ports(FailedPart::ports)};
        if (fabric_.kind != FabricKind::direct) {
            survivals.push_back(of_ports(FailedPart::devices));
        }
        return survivals;
    }

private:
    // A spare takes the place and the circuits of one that failed; on two levels it may stand in another rack.
    Survival of_accelerators() const {
        Survival survival{
            FailedPart::accelerators, "any of those that serve; a spare takes its number", "", {}, {}, ""};
        const std::uint32_t spares = fabric_.domain > fabric_.accelerators ? fabric_.domain - fabric_.accelerators : 0;
        if (fabric_.kind == FabricKind::direct || spares < failures_) {
            survival.patch = fmt::format("none: {}", fabric_.kind == FabricKind::direct
                                                         ? "circuits without devices cannot be led to a spare"
                                                         : fmt::format("{} spares", spares));
            survival.refused = fmt::format("the meshes need {} accelerators, {} are left{}", plan_.ranks,
                                           plan_.ranks - std::min(failures_, plan_.ranks) + spares,
                                           fabric_.kind == FabricKind::direct
                                               ? std::string()
                                               : fmt::format("; a `domain` of {} would do", plan_.ranks + failures_));
            return survival;
        }
        PlanRequest moved = request_;
        if (request_.group != 0) {
            survival.worst = "any of those that serve; a spare of another rack takes its number, so its circuits cross";
            moved.latency = std::max(request_.latency, request_.latency_across);
        }
        survival.patch = "its circuits are led to a spare";
        survival.patched = price(plan_, moved);
        survival.replanned = survival.patched;
        return survival;
    }

    // Collectives wait for the slowest, so one accelerator with fewer ports is as bad as all of them.
    Survival of_ports(FailedPart part) const {
        const bool ports = part == FailedPart::ports;
        Survival survival{
            part, ports ? "all of one accelerator" : "all in use; each serves one port of every accelerator",
            "",   {},
            {},   ""};
        const bool movable = fabric_.kind != FabricKind::direct;
        const std::uint32_t had = movable ? plan_.ports : plan_.ports_used;
        PlanRequest less = request_;
        less.ports = had > failures_ ? had - failures_ : 0;
        if (holds_all_circuits(less)) {
            survival.patch = "idle ports take over";
            survival.patched = price(plan_, request_);
            survival.replanned = survival.patched;
            return survival;
        }
        if (less.ports > 0) {
            survival.patched = narrowed(plan_, less);
        }
        survival.patch = survival.patched ? "fewer parallel circuits" : "none: too few ports for every generator";
        replan(less, survival);
        return survival;
    }

    bool holds_all_circuits(const PlanRequest& less) const {
        std::uint64_t leaving = 0;
        for (std::size_t i = 0; i < plan_.generators.size(); ++i) {
            leaving += plan_.generators[i] >= ranks_inside(plan_.ranks, less.group) ? plan_.copies[i] : 0;
        }
        const bool limited = less.group != 0 && less.up != 0;
        return less.ports >= plan_.ports_used &&
               (!limited || leaving * less.group <= std::uint64_t{less.up} * less.ports);
    }

    void replan(const PlanRequest& less, Survival& survival) const {
        if (less.ports == 0) {
            survival.refused = "no port is left";
            return;
        }
        try {
            survival.replanned = planner_(less);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            survival.refused = error.problems().front().message;
        }
    }

    const Plan& plan_;
    const PlanRequest& request_;
    const FabricSpec& fabric_;
    std::uint32_t failures_;
    const Planner& planner_;
};

std::string total_text(const std::optional<Plan>& plan) {
    return plan ? microseconds(plan->total.ps) : "-";
}

std::string slower_text(const Plan& before, const std::optional<Plan>& after) {
    return after && before.total.ps > 0 ? signed_percent_text(after->total - before.total, before.total) : "-";
}

}  // namespace

std::vector<Survival> survive(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric,
                              std::uint32_t failures, const Planner& planner) {
    return Failures(plan, request, fabric, failures, planner).all();
}

std::string survival_text(const Plan& plan, std::uint32_t failures, const std::vector<Survival>& survivals) {
    std::vector<std::vector<std::string>> rows{
        {"failed", "patch", "patched us", "slower %", "planned anew us", "slower %"}};
    std::string notes;
    for (const Survival& survival : survivals) {
        rows.push_back({name_of(survival.part), survival.patch, total_text(survival.patched),
                        slower_text(plan, survival.patched), total_text(survival.replanned),
                        slower_text(plan, survival.replanned)});
        notes += fmt::format("  {}: {}{}\n", name_of(survival.part), survival.worst,
                             survival.refused.empty() ? "" : "; no plan: " + survival.refused);
    }
    return fmt::format("the worst failure of so many parts: {}, by rule, not out of a sample; whole it takes {}\n",
                       failures, time_text(plan.total.ps)) +
           aligned(rows, 2, "  ") + notes;
}

std::string survival_json(const Plan& plan, std::uint32_t failures, const std::vector<Survival>& survivals) {
    using Json = nlohmann::ordered_json;
    const auto plan_or_null = [](const std::optional<Plan>& after) {
        return after ? Json::parse(plan_json(*after)) : Json(nullptr);
    };
    Json list = Json::array();
    for (const Survival& survival : survivals) {
        list.push_back({{"failed", name_of(survival.part)},
                        {"worst", survival.worst},
                        {"patch", survival.patch},
                        {"patched", plan_or_null(survival.patched)},
                        {"replanned", plan_or_null(survival.replanned)},
                        {"refused", survival.refused.empty() ? Json(nullptr) : Json(survival.refused)}});
    }
    return Json{{"total_ps", plan.total.ps}, {"failures", failures}, {"survivals", list}}.dump(2) + '\n';
}

}  // namespace simlette
