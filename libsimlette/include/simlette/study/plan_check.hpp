// A plan put to the test: its collectives on its circuits, flit by flit.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/planner/request.hpp>

namespace simlette {

struct CheckedCollective {
    std::string axis;
    PlannedCollective planned;
    Duration whole_flits;     // the planned time with flits that are not divided: no simulation may take longer
    Duration simulated;       // all groups of the axis at once, nothing else under way, unlimited buffers, no responses
    std::string differences;  // between planned and simulated, each with its reason; empty: there are none

    bool holds() const { return simulated <= whole_flits; }
};

struct PlanCheck {
    std::vector<CheckedCollective> collectives;
    bool interrupted = false;  // then the last ones are missing

    SIMLETTE_EXPORT bool holds() const;
};

// `told` hears how many collectives are done, and of how many. Throws Error{input} if the circuits do not fit the
// fabric.
SIMLETTE_EXPORT PlanCheck check_plan(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric,
                                     const std::function<void(std::size_t, std::size_t)>& told = {},
                                     const std::atomic<bool>* stop = nullptr);

SIMLETTE_EXPORT std::string plan_check_text(const PlanCheck& check);
SIMLETTE_EXPORT std::string plan_check_json(const PlanCheck& check);

}  // namespace simlette
