#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/delivery_plan.hpp>
#include <simlette/collective/frontier.hpp>
#include <simlette/study/describe_overlay.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/problems.hpp>

namespace simlette {

namespace {

unsigned bits_of_labels(const CayleyGraph& graph) {
    return static_cast<unsigned>(graph.group.radices().size());
}

std::vector<Label> axis_masks(const NamedOverlay& overlay, const std::vector<std::string>& axes) {
    if (!axes.empty() && !overlay.graph.group.is_binary()) {
        throw Error(ErrorKind::input,
                    fmt::format("`--axis` splits the bits of labels; the ranks of {} have none", quote(overlay.name)));
    }
    std::vector<Label> masks;
    Label taken = 0;
    for (const std::string& axis : axes) {
        const Label mask = read_mask("`--axis`", axis, bits_of_labels(overlay.graph));
        if ((mask & taken) != 0) {
            throw Error(ErrorKind::input,
                        fmt::format("`--axis {}` has a bit of another axis; expected each bit in one", axis));
        }
        taken |= mask;
        masks.push_back(mask);
    }
    if (!axes.empty() && taken != overlay.graph.group.size() - 1) {
        throw Error(ErrorKind::input,
                    fmt::format("no `--axis` has the bits {}; expected each bit in one",
                                label_name(~taken & (overlay.graph.group.size() - 1), overlay.graph.group)));
    }
    return masks;
}

OverlayAxis axis_of(const CayleyGraph& graph, Label bits) {
    OverlayAxis axis{bits, {}, {}};
    std::copy_if(graph.generators.begin(), graph.generators.end(), std::back_inserter(axis.generators),
                 [bits](Label generator) { return supports(generator, bits); });
    const CayleyGraph alone{RankGroup::binary(static_cast<unsigned>(std::popcount(bits))),
                            generators_of_axis(graph.generators, bits)};
    if (connected(alone)) {
        axis.diameter = diameter(alone);
    }
    return axis;
}

std::vector<FrontierRow> frontier_of(unsigned bits) {
    std::vector<FrontierRow> rows;
    for (unsigned phases = 1; phases <= bits; ++phases) {
        FrontierRow row;
        row.phases = phases;
        row.schedulable = schedulable_degree(bits, phases);
        row.fold = fold_text(balanced_fold(bits, phases));
        row.witness = diameter_set(bits, phases);
        row.diameter = static_cast<std::uint32_t>(row.witness.size());
        row.bound = sphere_bound(bits, phases);
        if (row.diameter == row.schedulable) {
            row.witness.clear();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<OverlaySchedule> schedules_on(const OverlayDescription& description) {
    std::vector<OverlaySchedule> lines;
    for (const Name<Primitive>& primitive : primitive_names) {
        for (const ScheduleKind kind : schedules_of(primitive.value)) {
            const ClosedForm* form = closed_form(primitive.value, kind);
            if (form == nullptr) {
                continue;
            }
            const bool subgroup = form->layers == LayerKind::subgroup;
            const OverlayShape shape{description.overlay.graph,
                                     subgroup ? description.subgroup_layers : description.layers};
            OverlaySchedule line{primitive.value, kind, form->misfit(shape), {}};
            if (!line.misfit) {
                line.cost = form->cost(shape);
            }
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

}  // namespace

OverlayDescription describe_overlay(const std::string& text, const std::vector<std::string>& axes) {
    OverlayDescription description{read_overlay(text)};
    const CayleyGraph& graph = description.overlay.graph;
    for (const Label mask : axis_masks(description.overlay, axes)) {
        description.axes.push_back(axis_of(graph, mask));
    }
    description.spheres = spheres(graph);
    description.balls = balls(graph);
    description.connected = connected(graph);
    description.layers = find_layers(graph, LayerKind::any);
    description.subgroup_layers = find_layers(graph, LayerKind::subgroup);
    if (description.connected) {
        description.diameter = diameter(graph);
        description.fewest_phases = fewest_phases(graph);
        for (const DeliveryPhase& phase : plan_deliveries(graph)) {
            description.loads.push_back(phase.load);
        }
    }
    description.schedules = schedules_on(description);
    if (graph.group.is_binary()) {
        description.frontier = frontier_of(bits_of_labels(graph));
    }
    return description;
}

}  // namespace simlette
