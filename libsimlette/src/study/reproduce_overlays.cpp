// Tables and figures that overlays and closed forms answer by themselves.
#include <algorithm>
#include <array>

#include <simlette/base/contract.hpp>
#include <simlette/collective/circulant.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/frontier.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/overlay_text.hpp>
#include <simlette/study/reproduce_table.hpp>

namespace simlette {

namespace {

constexpr std::array all_schedules{
    ScheduleKind::one_shot,       ScheduleKind::one_shot_dvo,
    ScheduleKind::coset_factored, ScheduleKind::coset_factored_parallel,
    ScheduleKind::rs_ag,          ScheduleKind::rs_ag_parallel,
};

ScheduleCost cost_on(const CayleyGraph& graph, ScheduleKind kind) {
    const ClosedForm* form = closed_form(Primitive::all_reduce, kind);
    require(form != nullptr, "the schedules of the paper have closed forms");
    return form->cost(shape_of(graph, form->layers));
}

OurRow degree_and_diameter(std::string name, const CayleyGraph& graph) {
    return {std::move(name), {graph.generators.size(), diameter(graph)}};
}

OurRow cost_row(const std::string& overlay, ScheduleKind kind) {
    const ScheduleCost cost = cost_on(read_overlay(overlay).graph, kind);
    return {overlay + ' ' + std::string(name_of(kind)), {cost.phases, cost.volume}};
}

// On a circuit of an optical switch, in us.
Exact circuit_latency() {
    FabricSpec spec;
    spec.device = DeviceKind::ocs;
    spec.accelerators = 2;
    spec.ports = 1;
    spec.circuits.cube = true;
    return Exact(describe(*build_fabric(spec)).path_latency.ps, 1'000'000);
}

}  // namespace

std::vector<OurRow> our_table_2() {
    std::vector<OurRow> rows;
    for (const char* fold : {"Q6[3,3]", "Q7[4,3]"}) {
        rows.push_back(degree_and_diameter(fold, read_overlay(fold).graph));
    }
    return rows;
}

std::vector<OurRow> our_table_3() {
    constexpr unsigned bits = 6;
    constexpr std::uint32_t ranks = 1U << bits;
    std::vector<OurRow> rows{degree_and_diameter("hypercube", read_overlay("Q6").graph),
                             degree_and_diameter("folded cube", read_overlay("FQ6").graph)};
    for (std::uint32_t degree = 3; degree < bits; ++degree) {
        rows.push_back(
            degree_and_diameter("circulant of degree " + std::to_string(degree), best_circulant(ranks, degree)));
    }
    rows.push_back(degree_and_diameter("ring", best_circulant(ranks, 2)));
    return rows;
}

std::vector<OurRow> our_figure_9() {
    std::vector<OurRow> rows;
    for (const char* overlay : {"Q3", "Q3+111"}) {
        rows.push_back(degree_and_diameter(overlay, read_overlay(overlay).graph));
    }
    return rows;
}

std::vector<OurRow> our_figure_10() {
    std::vector<OurRow> rows;
    for (const char* overlay : {"Q4", "Q4+0011", "Q4+1100", "Q4+0011+1100"}) {
        const std::vector<Label> generators = read_overlay(overlay).graph.generators;
        rows.push_back(
            {overlay, {mesh_diameter(generators, {0b1000, 0b0111}), mesh_diameter(generators, {0b1100, 0b0011})}});
    }
    return rows;
}

std::vector<OurRow> our_figure_11() {
    return {{"two phases", {diameter_degree(6, 2), schedulable_degree(6, 2)}}};
}

std::vector<OurRow> our_table_4() {
    std::vector<OurRow> rows;
    for (const std::string overlay : {"Q3", "FQ3", "Q4", "Q4+1100", "Q4+1111"}) {
        const CayleyGraph graph = read_overlay(overlay).graph;
        rows.push_back(degree_and_diameter(overlay + " degree | diameter", graph));
        rows.push_back({overlay + " fewest phases", {fewest_phases(graph)}});
        for (const ScheduleKind kind : {ScheduleKind::recursive_doubling, ScheduleKind::one_shot,
                                        ScheduleKind::coset_factored, ScheduleKind::coset_factored_parallel}) {
            rows.push_back(cost_row(overlay, kind));
        }
    }
    return rows;
}

std::vector<OurRow> our_table_5() {
    std::vector<OurRow> rows;
    for (const ScheduleKind kind :
         {ScheduleKind::recursive_doubling, ScheduleKind::coset_factored, ScheduleKind::coset_factored_parallel,
          ScheduleKind::rs_ag, ScheduleKind::rs_ag_parallel}) {
        rows.push_back(cost_row("Q9[3,3,3]", kind));
    }
    rows.push_back(cost_row("Q9", ScheduleKind::rs_ag));
    rows.push_back(cost_row("Q9", ScheduleKind::rs_ag_parallel));
    return rows;
}

namespace {

struct Costs {
    std::array<ScheduleCost, all_schedules.size()> costs;

    const ScheduleCost& of(ScheduleKind kind) const {
        return costs[static_cast<std::size_t>(std::find(all_schedules.begin(), all_schedules.end(), kind) -
                                              all_schedules.begin())];
    }
    Exact volume_over(ScheduleKind kind, ScheduleKind other) const { return of(kind).volume / of(other).volume; }
};

// In us, at 400 Gb/s.
Exact time_of(const ScheduleCost& cost, const Exact& latency, std::uint64_t bytes) {
    return cost.phases * latency + cost.volume * bytes / 50'000;
}

std::uint32_t sizes_where_slowest(const Costs& costs, ScheduleKind kind, const Exact& latency) {
    std::uint32_t sizes = 0;
    for (std::uint64_t bytes = 1 << 10; bytes <= 1 << 24; bytes *= 2) {
        sizes += std::all_of(all_schedules.begin(), all_schedules.end(), [&](ScheduleKind other) {
            return other == kind || time_of(costs.of(other), latency, bytes) < time_of(costs.of(kind), latency, bytes);
        });
    }
    return sizes;
}

}  // namespace

std::vector<OurRow> our_figure_17() {
    using Kind = ScheduleKind;
    const Exact latency = circuit_latency();
    Costs costs;
    std::uint32_t least = UINT32_MAX;
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < all_schedules.size(); ++i) {
        costs.costs[i] = cost_on(read_overlay("Q9").graph, all_schedules[i]);
        if (all_schedules[i] != Kind::rs_ag && all_schedules[i] != Kind::rs_ag_parallel) {
            least = std::min(least, costs.costs[i].phases);
            most = std::max(most, costs.costs[i].phases);
        }
    }
    const std::uint32_t in_turn = costs.of(Kind::rs_ag).phases;
    const std::uint32_t parallel = costs.of(Kind::rs_ag_parallel).phases;
    return {
        {"phases of rs-ag | rs-ag-parallel", {in_turn, parallel}},
        {"latency of rs-ag | rs-ag-parallel", {in_turn * latency, parallel * latency}},
        {"phases of the other schedules, least | most", {least, most}},
        {"latency of the other schedules, least | most", {least * latency, most * latency}},
        {"bytes of coset-factored over those of its parallel form",
         {costs.volume_over(Kind::coset_factored, Kind::coset_factored_parallel)}},
        {"bytes of rs-ag over those of its parallel form", {costs.volume_over(Kind::rs_ag, Kind::rs_ag_parallel)}},
        {"bytes of rs-ag, in buffers", {costs.of(Kind::rs_ag).volume}},
        {"sizes of 15 at which one-shot is the slowest", {sizes_where_slowest(costs, Kind::one_shot, latency)}},
    };
}

}  // namespace simlette
