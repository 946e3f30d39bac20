// Plans by what was asked: an equal request is not searched twice.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <simlette/base/export.hpp>
#include <simlette/planner/plan.hpp>
#include <simlette/planner/request.hpp>

namespace simlette {

// Equal for requests that have the same plan, else different; a line for each number of it.
SIMLETTE_EXPORT std::string request_text(const PlanRequest& request);

// plan(), or what stands for it.
using Planner = std::function<Plan(const PlanRequest&)>;
SIMLETTE_EXPORT Plan search_plan(const PlanRequest& request);

class SIMLETTE_EXPORT PlanCache {
public:
    explicit PlanCache(Planner search) : search_(std::move(search)) {}

    // Throws what the search throws, every time. Several threads may ask for what is known already.
    const Plan& plan(const PlanRequest& request);

private:
    Planner search_;
    std::map<std::string, Plan> plans_;
};

}  // namespace simlette
