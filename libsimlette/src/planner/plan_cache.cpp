#include <simlette/planner/plan_cache.hpp>

#include <fmt/format.h>

#include <iterator>

namespace simlette {

std::string request_text(const PlanRequest& request) {
    std::string text = fmt::format(
        "ranks {}\nports {}\nrate {}\nlatency {} {}\ngroup {} {}\nsame port {}\nrings {}\neffort {}\n", request.ranks,
        request.ports, request.rate.per_second, request.latency.ps, request.latency_across.ps, request.group,
        request.up, request.same_port, request.rings, request.effort);
    const auto out = std::back_inserter(text);
    for (const PlanMesh& mesh : request.meshes) {
        fmt::format_to(out, "mesh {}\n", mesh.name);
        for (const PlanAxis& axis : mesh.axes) {
            fmt::format_to(out, "axis {} {}\n", axis.size, axis.name);
            for (const PlanCollective& collective : axis.collectives) {
                fmt::format_to(out, "collective {} {} {} {}\n", static_cast<int>(collective.primitive),
                               static_cast<int>(collective.schedule), collective.bytes.count, collective.calls);
            }
        }
    }
    return text;
}

Plan search_plan(const PlanRequest& request) {
    return plan(request);
}

const Plan& PlanCache::plan(const PlanRequest& request) {
    const std::string asked = request_text(request);
    const auto known = plans_.find(asked);
    return known != plans_.end() ? known->second : plans_.emplace(asked, search_(request)).first->second;
}

}  // namespace simlette
