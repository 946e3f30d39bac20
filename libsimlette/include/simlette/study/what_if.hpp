// What a plan is worth when something is otherwise: more or fewer ports, other loads, broken parts.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/planner/plan_cache.hpp>
#include <simlette/planner/request.hpp>

namespace simlette {

// A plan for each number of ports.
struct PortRange {
    std::uint32_t first = 1;
    std::uint32_t last = 1;
};
// Reads `9..36`. Throws Error{input}; `what` names the text in the message.
SIMLETTE_EXPORT PortRange port_range(const std::string& what, const std::string& text);

struct Stair {
    std::uint32_t ports = 0;
    std::optional<Plan> plan;
    std::string refused;  // why there is none
};
// Throws Error{input} if no number of ports of the range suffices. Without those that `stop` came before, if any.
SIMLETTE_EXPORT std::vector<Stair> staircase(const PlanRequest& request, PortRange range, const Planner& planner,
                                             const std::atomic<bool>* stop = nullptr);
SIMLETTE_EXPORT std::string staircase_text(const std::vector<Stair>& stairs);
SIMLETTE_EXPORT std::string staircase_json(const std::vector<Stair>& stairs);
SIMLETTE_EXPORT std::string staircase_script(const std::vector<Stair>& stairs);  // for gnuplot

// Circuits that stay as they are under another load, beside a plan made for it.
struct KeptPlan {
    std::string load;
    Plan kept;
    Plan fresh;
};
// Reads factors such as `0.25,1,4`, in millionths. Throws Error{input}.
SIMLETTE_EXPORT std::vector<std::int64_t> payload_scales(const std::string& what, const std::string& text);
SIMLETTE_EXPORT std::vector<KeptPlan> scale_payloads(const Plan& plan, const PlanRequest& request,
                                                     const std::vector<std::int64_t>& scales, const Planner& planner);
SIMLETTE_EXPORT std::string kept_text(const std::vector<KeptPlan>& plans);
SIMLETTE_EXPORT std::string kept_json(const std::vector<KeptPlan>& plans);

enum class FailedPart { accelerators, ports, devices };

struct Failure {
    std::uint32_t parts = 1;
    std::optional<FailedPart> of;  // none: of each kind
};
// Reads `2` or `ports=2`. Throws Error{input}; `what` names the text in the message.
SIMLETTE_EXPORT Failure failure_of(const std::string& what, const std::string& text);

// How the circuits live on after the worst failure of so many parts of a kind.
struct Survival {
    FailedPart part = FailedPart::ports;
    std::string worst;              // which failure that is
    std::string patch;              // what is done at once, or why nothing can be
    std::optional<Plan> patched;    // the same blocks; none: they do not fit what is left
    std::optional<Plan> replanned;  // for what is left; none: no plan fits
    std::string refused;            // why
    PlanRequest left;               // what both were asked with

    // The faster one, of equals the patched one; nullptr if there is none.
    SIMLETTE_EXPORT const Plan* survivor() const;
};
// Throws Error{input} for devices where there are none.
SIMLETTE_EXPORT std::vector<Survival> survive(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric,
                                              const Failure& failure, const Planner& planner);
// That with the slowest survivor, the first of equals. Throws Error{input} if one has none.
SIMLETTE_EXPORT const Survival& worst_of(const std::vector<Survival>& survivals, const Failure& failure);
SIMLETTE_EXPORT std::string survival_text(const Plan& plan, const Failure& failure,
                                          const std::vector<Survival>& survivals);
SIMLETTE_EXPORT std::string survival_json(const Plan& plan, const Failure& failure,
                                          const std::vector<Survival>& survivals);

}  // namespace simlette
