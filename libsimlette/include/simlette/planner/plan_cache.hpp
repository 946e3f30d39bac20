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

class SIMLETTE_EXPORT PlanCache {
public:
    using Search = std::function<Plan(const PlanRequest&)>;

    explicit PlanCache(Search search) : search_(std::move(search)) {}

    // Throws what the search throws, every time.
    const Plan& plan(const PlanRequest& request);

private:
    Search search_;
    std::map<std::string, Plan> plans_;
};

}  // namespace simlette
