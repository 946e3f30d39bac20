#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <simlette/base/error.hpp>
#include <simlette/planner/price.hpp>
#include <simlette/planner/space.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/plan_report.hpp>
#include <simlette/study/problems.hpp>
#include <simlette/study/quantity.hpp>
#include <simlette/study/what_if.hpp>

namespace simlette {

namespace {

constexpr std::int64_t most_failures = 65'536;

constexpr std::pair<FailedPart, const char*> part_names[] = {
    {FailedPart::accelerators, "accelerators"}, {FailedPart::ports, "ports"}, {FailedPart::devices, "devices"}};

const char* name_of(FailedPart part) {
    return part_names[static_cast<std::size_t>(part)].second;
}

class Failures {
public:
    Failures(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric, std::uint32_t failures,
             const Planner& planner)
        : plan_(plan), request_(request), fabric_(fabric), failures_(failures), planner_(planner) {}

    std::vector<Survival> all() const {
        std::vector<Survival> survivals{of(FailedPart::accelerators), of(FailedPart::ports)};
        if (fabric_.kind != FabricKind::direct) {
            survivals.push_back(of(FailedPart::devices));
        }
        return survivals;
    }

    Survival of(FailedPart part) const { return part == FailedPart::accelerators ? of_accelerators() : of_ports(part); }

private:
    // A spare takes the place and the circuits of one that failed; on two levels it may stand in another rack.
    Survival of_accelerators() const {
        Survival survival{
            FailedPart::accelerators, "any of those that serve; a spare takes its number", "", {}, {}, "", request_};
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
        if (request_.group != 0) {
            survival.worst = "any of those that serve; a spare of another rack takes its number, so its circuits cross";
            survival.left.latency = std::max(request_.latency, request_.latency_across);
        }
        survival.patch = "its circuits are led to a spare";
        survival.patched = price(plan_, survival.left);
        survival.replanned = survival.patched;
        return survival;
    }

    // Collectives wait for the slowest, so one accelerator with fewer ports is as bad as all of them.
    Survival of_ports(FailedPart part) const {
        Survival survival{
            part,
            part == FailedPart::ports ? "all of one accelerator" : "all in use; each serves one port of every accelerator",
            "",
            {},
            {},
            "",
            request_};
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
        survival.left = less;
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
        for (const PlannedMesh& mesh : plan_.meshes) {
            for (const PlannedAxis& axis : mesh.axes) {
                leaving += axis.ring ? 2 * axis.multiplicity : 0;  // at most
            }
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

Failure failure_of(const std::string& what, const std::string& text) {
    Failure failure;
    const std::size_t equals = text.find('=');
    const std::string count = equals == std::string::npos ? text : text.substr(equals + 1);
    for (const auto& [part, name] : part_names) {
        if (equals != std::string::npos && text.substr(0, equals) == name) {
            failure.of = part;
        }
    }
    std::int64_t parts = 0;
    if (!parse_whole(count, parts) || parts < 1 || parts > most_failures ||
        (equals != std::string::npos && !failure.of)) {
        throw Error(ErrorKind::input,
                    fmt::format("{} is {}; expected a whole number from 1 to {}, for one kind of parts behind "
                                "`accelerators=`, `ports=` or `devices=`",
                                what, quote(text), most_failures));
    }
    failure.parts = static_cast<std::uint32_t>(parts);
    return failure;
}

const Plan* Survival::survivor() const {
    if (!patched || !replanned) {
        return patched ? &*patched : replanned ? &*replanned : nullptr;
    }
    return replanned->total < patched->total ? &*replanned : &*patched;
}

std::vector<Survival> survive(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric,
                              const Failure& failure, const Planner& planner) {
    const Failures failures(plan, request, fabric, failure.parts, planner);
    if (failure.of == FailedPart::devices && fabric.kind == FabricKind::direct) {
        throw Error(ErrorKind::input, "`fabric: direct` has no devices that could fail");
    }
    return failure.of ? std::vector<Survival>{failures.of(*failure.of)} : failures.all();
}

const Survival& worst_of(const std::vector<Survival>& survivals, const Failure& failure) {
    const Survival* worst = nullptr;
    for (const Survival& survival : survivals) {
        if (survival.survivor() == nullptr) {
            throw Error(ErrorKind::input,
                        fmt::format("no plan survives the worst failure of {} {}: {}; `ports=` or `devices=` before "
                                    "the number asks for one kind of parts",
                                    failure.parts, name_of(survival.part), survival.refused));
        }
        if (worst == nullptr || worst->survivor()->total < survival.survivor()->total) {
            worst = &survival;
        }
    }
    return *worst;
}

std::string survival_text(const Plan& plan, const Failure& failure, const std::vector<Survival>& survivals) {
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
                       failure.parts, time_text(plan.total.ps)) +
           aligned(rows, 2, "  ") + notes;
}

std::string survival_json(const Plan& plan, const Failure& failure, const std::vector<Survival>& survivals) {
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
    return Json{{"total_ps", plan.total.ps}, {"failures", failure.parts}, {"survivals", list}}.dump(2) + '\n';
}

}  // namespace simlette
