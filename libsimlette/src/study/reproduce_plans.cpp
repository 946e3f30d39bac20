// Tables and figures that the planner answers.
#include <simlette/planner/busiest_circuit.hpp>
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
    return plan(request(64, 36, std::move(meshes))).meshes[0].axes[1];
}

// A ring of its own needs two ports a copy; the axis of 2 keeps one.
struct Ring {
    std::uint32_t copies = (36 - 1) / 2;

    Duration time() const {
        const ScheduleCost cost = ring_form.cost({{RankGroup::cyclic(32), {1, 31}}, std::nullopt});
        return one_pass * cost.phases + BusiestCircuit(cost, much, 400_Gbps).busy(copies, {INT64_MAX / 2});
    }
};

Duration shared(std::uint32_t ports) {
    return plan(request(512, ports, {{"8 x 64", {all_reduce(8, 8_KiB), all_reduce(64, 8_KiB)}}})).total;
}

Duration stacked(std::uint32_t ports) {
    Duration sum;
    for (const StackedAxis& axis : stacked_axes({8, 64}, ports, 8_KiB, one_pass, 400_Gbps)) {
        sum += axis.time;
    }
    return sum;
}

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
    const Ring alone;
    const auto parallel = [](bool second_mesh) {
        return in_us(axis_of_32(ScheduleKind::rs_ag_parallel, second_mesh).collectives.front().time);
    };
    return {{"ring, with a second mesh | alone", {in_us(ring.collectives.front().time), in_us(alone.time())}},
            {"rs-ag-parallel, with a second mesh | alone", {parallel(true), parallel(false)}},
            {"multiplicity of the ring, with a second mesh | alone", {ring.multiplicity, alone.copies}}};
}

std::vector<OurRow> our_figure_15() {
    const auto ratio = [](std::uint32_t ports) { return Exact(shared(ports).ps) / stacked(ports).ps; };
    return {{"least ports at which both axes are complete", {ports_that_complete()}},
            {"shared over stacked at 69 ports", {ratio(69)}},
            {"shared over stacked at 70 ports", {ratio(70)}}};
}

}  // namespace simlette
