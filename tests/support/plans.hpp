// Plans and requests made by hand.
#pragma once

#include <simlette/planner/plan.hpp>

namespace simlette {

inline PlannedAxis planned_axis(std::string name, std::vector<std::vector<unsigned>> blocks, std::string topology,
                                PlannedCollective collective) {
    PlannedAxis axis;
    axis.name = std::move(name);
    for (const std::vector<unsigned>& block : blocks) {
        axis.bits.insert(axis.bits.end(), block.begin(), block.end());
        axis.degree += (1U << block.size()) - 1;
    }
    axis.size = 1U << axis.bits.size();
    axis.blocks = std::move(blocks);
    axis.topology = std::move(topology);
    axis.multiplicity = 1;
    axis.collectives = {std::move(collective)};
    return axis;
}

inline PlannedCollective planned_all_reduce(std::int64_t bytes, ScheduleKind schedule, std::uint32_t phases,
                                            std::int64_t time_ps) {
    return {{Primitive::all_reduce, Bytes{bytes}, 1, schedule}, phases, Duration{time_ps}};
}

// 256 accelerators of 18 ports, meshes of 4 x 64 and 16 x 16: the paper's worked plan.
inline Plan plan_of_256() {
    constexpr auto dvo = ScheduleKind::one_shot_dvo;
    constexpr auto coset = ScheduleKind::coset_factored_parallel;
    Plan plan;
    plan.space = "made by hand";
    plan.total = plan.bound = Duration{4'541'120};
    plan.optimal = true;
    plan.ranks = 256;
    plan.ports = 18;
    plan.degree = plan.ports_used = 17;
    plan.generators = {1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 32, 40, 48, 56, 64, 128, 192};
    plan.copies.assign(17, 1);
    plan.meshes = {
        {"attention",
         {planned_axis("kvp", {{7, 6}}, "Q2[2]", planned_all_reduce(4096, dvo, 1, 601'920)),
          planned_axis("tpa", {{5, 4, 3}, {2, 1, 0}}, "Q6[3,3]", planned_all_reduce(32768, coset, 2, 1'695'360))}},
        {"ffn",
         {planned_axis("ep", {{7, 6}, {5, 4}}, "Q4[2,2]", planned_all_reduce(4096, coset, 2, 1'121'920)),
          planned_axis("tpe", {{2, 1, 0}, {3}}, "Q4[3,1]", planned_all_reduce(4096, coset, 2, 1'121'920))}}};
    return plan;
}

// What a plan answers, on one level.
inline PlanRequest request_of(const Plan& plan) {
    PlanRequest request;
    request.ranks = plan.ranks;
    request.ports = plan.ports;
    request.latency = request.latency_across = Duration{520'000};
    for (const PlannedMesh& mesh : plan.meshes) {
        request.meshes.push_back({mesh.name, {}});
        for (const PlannedAxis& axis : mesh.axes) {
            request.meshes.back().axes.push_back({axis.name, axis.size, {}});
            for (const PlannedCollective& planned : axis.collectives) {
                request.meshes.back().axes.back().collectives.push_back(planned.collective);
                request.meshes.back().axes.back().collectives.back().schedule = ScheduleKind::automatic;
            }
        }
    }
    return request;
}

}  // namespace simlette
