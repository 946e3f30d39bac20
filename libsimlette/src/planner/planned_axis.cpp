#include <simlette/planner/planned_axis.hpp>

#include <algorithm>

#include <simlette/collective/build_schedule.hpp>

namespace simlette {

Label mask_of(const std::vector<unsigned>& bits) {
    Label mask = 0;
    for (const unsigned bit : bits) {
        mask |= Label{1} << bit;
    }
    return mask;
}

namespace {

Label label_of(const PlannedAxis& axis, std::uint32_t coordinate) {
    Label label = 0;
    for (std::size_t i = 0; i < axis.bits.size(); ++i) {
        if ((coordinate >> (axis.bits.size() - 1 - i) & 1U) != 0) {
            label |= Label{1} << axis.bits[i];
        }
    }
    return label;
}

}  // namespace

RankGroup labels_of(const Plan& plan) {
    if (is_power_of_two(plan.ranks)) {
        return RankGroup::binary(bits_of(plan.ranks));
    }
    std::vector<std::uint32_t> radices;
    for (const PlannedAxis& axis : plan.meshes.front().axes) {  // any mesh has all digits
        for (std::size_t i = 0; i < axis.bits.size(); ++i) {
            radices.resize(std::max<std::size_t>(radices.size(), axis.bits[i] + 1));
            radices[axis.bits[i]] = axis.radices[i];
        }
    }
    return RankGroup(radices);
}

Label digits_of(const Plan& plan, Label label) {
    if (is_power_of_two(plan.ranks)) {
        return label;
    }
    Label digits = 0;
    const RankGroup labels = labels_of(plan);
    for (std::size_t digit = 0; digit < labels.radices().size(); ++digit) {
        digits |= label % labels.radices()[digit] != 0 ? Label{1} << digit : 0U;
        label /= labels.radices()[digit];
    }
    return digits;
}

bool has_rings(const Plan& plan) {
    return std::any_of(plan.meshes.begin(), plan.meshes.end(), [](const PlannedMesh& mesh) {
        return std::any_of(mesh.axes.begin(), mesh.axes.end(), [](const PlannedAxis& axis) { return axis.ring; });
    });
}

bool uses(const PlannedAxis& axis, Label digits) {
    return std::any_of(axis.blocks.begin(), axis.blocks.end(),
                       [&](const auto& block) { return (digits & ~mask_of(block)) == 0; });
}

std::vector<std::vector<std::uint32_t>> groups_of_axis(const PlannedAxis& axis, std::uint32_t ranks) {
    const Label mask = mask_of(axis.bits);
    std::vector<std::vector<std::uint32_t>> groups;
    for (Label first = 0; first < ranks; ++first) {
        if ((first & mask) != 0) {
            continue;
        }
        groups.emplace_back();
        for (std::uint32_t coordinate = 0; coordinate < axis.size; ++coordinate) {
            groups.back().push_back(first | label_of(axis, coordinate));
        }
    }
    return groups;
}

CosetLayers layers_of_axis(const PlannedAxis& axis) {
    std::vector<Layer> layers(axis.blocks.size());
    for (Label coordinate = 1; coordinate < axis.size; ++coordinate) {
        const Label label = label_of(axis, coordinate);
        for (std::size_t block = 0; block < axis.blocks.size(); ++block) {
            if ((label & ~mask_of(axis.blocks[block])) == 0) {
                layers[block].push_back(coordinate);
            }
        }
    }
    return in_order(RankGroup::binary(static_cast<unsigned>(axis.bits.size())), std::move(layers));
}

CollectiveSpec collective_of(const PlannedAxis& axis, const PlanCollective& collective, std::uint32_t ranks) {
    CollectiveSpec spec;
    spec.primitive = collective.primitive;
    spec.schedule = collective.schedule;
    spec.bytes = collective.bytes;
    spec.groups = groups_of_axis(axis, ranks);
    if (takes_layers(collective.schedule)) {
        spec.layers.generators = layers_of_axis(axis).layers;
    }
    return spec;
}

std::vector<bool> layers_leaving(const PlannedAxis& axis, std::uint32_t group) {
    std::vector<bool> leaving;
    for (const Layer& layer : layers_of_axis(axis).layers) {
        leaving.push_back(group != 0 && std::any_of(layer.begin(), layer.end(), [&](Label coordinate) {
                              return label_of(axis, coordinate) >= group;
                          }));
    }
    return leaving;
}

}  // namespace simlette
