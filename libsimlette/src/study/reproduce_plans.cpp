// Tables and figures that the planner answers.
#include <simlette/planner/plan.hpp>
#include <simlette/planner/stacked.hpp>
#include <simlette/study/reproduce_table.hpp>

namespace simlette {

namespace {

using namespace literals;

constexpr Duration one_pass = 520_ns;
constexpr Bytes much = 625_MiB;

Exact in_us(Duration time) {
    return Exact(time.ps) / 1'000'000;
}

PlanAxis all_reduce(std::uint32_t size, Bytes bytes, ScheduleKind schedule = ScheduleKind::automatic) {
    return {std::to_string(size), size, {{Primitive::all_reduce, bytes, 1, schedule}}};
}

PlanRequest request(std::uint32_t ranks, std::uint32_t ports, std::vector<PlanMesh> meshes) {
    PlanRequest request;
    request.ranks = ranks;
    request.ports = ports;
    request.latency = one_pass;
    request.meshes = std::move(meshes);
    return request;
}

OurRow axis_row(const std::string& mesh, std::size_t i, const PlannedAxis& axis) {
    const PlannedCollective& made = axis.collectives.front();
    return {mesh + " axis " + std::to_string(i) + ": degree | phases | multiplicity | time",
            {axis.degree, made.phases, axis.multiplicity, in_us(made.time)}};
}

// 64 ranks as (2, 32), and as (8, 8) beside it or not.
PlannedAxis axis_of_32(ScheduleKind schedule, bool second_mesh) {
    std::vector<PlanMesh> meshes{{"(2, 32)", {all_reduce(2, 4_KiB), all_reduce(32, much, schedule)}}};
    if (second_mesh) {
        meshes.push_back({"(8, 8)", {all_reduce(8, 4_KiB), all_reduce(8, 4_KiB)}});
    }
    PlanRequest asked = request(64, 36, std::move(meshes));
    asked.rings = true;  // of its own where there is no second mesh
    return plan(asked).meshes[0].axes[1];
}

Duration shared(std::uint32_t ports) {
    return plan(request(512, ports, {{"8 x 64", {all_reduce(8, 8_KiB), all_reduce(64, 8_KiB)}}})).total;
}

// The columns of Figure 15.
constexpr std::uint32_t figure_15_ports[] = {9, 12, 13, 16, 21, 28, 36, 48, 64, 69, 70, 77, 128};

std::uint32_t ports_that_complete() {
    std::uint32_t ports = 2;
    for (std::vector<std::uint32_t> given = {0, 0}; given[0] < 7 || given[1] < 63; ++ports) {
        given = stacked_ports({8, 64}, ports);
    }
    return ports - 1;
}

}  // namespace

std::vector<OurRow> our_table_6() {
    const Plan made = plan(request(256, 18,
                                   {{"(4, 64)", {all_reduce(4, 4_KiB), all_reduce(64, 32_KiB)}},
                                    {"(16, 16)", {all_reduce(16, 4_KiB), all_reduce(16, 4_KiB)}}}));
    std::vector<OurRow> rows{{"generators | ports", {made.degree, made.ports_used}}, {"total", {in_us(made.total)}}};
    for (const PlannedMesh& mesh : made.meshes) {
        for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
            rows.push_back(axis_row(mesh.name, i, mesh.axes[i]));
        }
    }
    return rows;
}

std::vector<OurRow> our_table_7() {
    const PlannedAxis ring = axis_of_32(ScheduleKind::ring, true);
    const PlannedAxis alone = axis_of_32(ScheduleKind::ring, false);
    const auto time = [](const PlannedAxis& axis) { return in_us(axis.collectives.front().time); };
    const auto parallel = [&](bool second_mesh) { return time(axis_of_32(ScheduleKind::rs_ag_parallel, second_mesh)); };
    return {{"ring, with a second mesh | alone", {time(ring), time(alone)}},
            {"rs-ag-parallel, with a second mesh | alone", {parallel(true), parallel(false)}},
            {"multiplicity of the ring, with a second mesh | alone", {ring.multiplicity, alone.multiplicity}}};
}

std::vector<OurRow> our_figure_15() {
    std::vector<OurRow> rows{{"least ports at which both axes are complete", {ports_that_complete()}}};
    for (const std::uint32_t ports : figure_15_ports) {
        const std::vector<StackedAxis> axes = stacked_axes({8, 64}, ports);
        const auto stacked = [&](ScheduleKind kind) {
            return in_us(stacked_time(axes, kind, 8_KiB, one_pass, 400_Gbps));
        };
        const Exact pool = in_us(shared(ports));
        const Exact once = stacked(ScheduleKind::one_shot_dvo);
        const std::string at = std::to_string(ports) + " ports: ";
        rows.push_back(
            {at + "shared | stacked | stacked, plain one-shot", {pool, once, stacked(ScheduleKind::one_shot)}});
        rows.push_back({at + "shared over stacked", {pool / once}});
    }
    return rows;
}

}  // namespace simlette
