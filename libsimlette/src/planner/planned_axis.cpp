#include <simlette/planner/planned_axis.hpp>

#include <algorithm>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/fold.hpp>
#include <simlette/planner/space.hpp>

namespace simlette {

Label mask_of(const std::vector<unsigned>& bits) {
    Label mask = 0;
    for (const unsigned bit : bits) {
        mask |= Label{1} << bit;
    }
    return mask;
}

namespace {

// What one more of each digit adds to a label.
std::vector<Label> weights_of(const RankGroup& labels) {
    std::vector<Label> weights{1};
    for (const std::uint32_t radix : labels.radices()) {
        weights.push_back(weights.back() * radix);
    }
    return weights;
}

// The digits of a coordinate that are not 0, as a set.
Label digits_of_coordinate(const PlannedAxis& axis, Label coordinate) {
    Label digits = 0;
    for (std::size_t i = axis.bits.size(); i-- > 0;) {
        const std::uint32_t radix = is_power_of_two(axis.size) ? 2 : axis.radices[i];
        digits |= (coordinate % radix != 0 ? 1U : 0U) << axis.bits[i];
        coordinate /= radix;
    }
    return digits;
}

// What the values of these digits, the highest one first, add to a label, in ascending order of the values.
std::vector<Label> offsets_by_value(const RankGroup& labels, const std::vector<unsigned>& digits) {
    const std::vector<Label> weights = weights_of(labels);
    std::vector<Label> offsets{0};
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        const std::size_t before = offsets.size();
        for (Label value = 1; value < labels.radices()[*digit]; ++value) {
            for (std::size_t lower = 0; lower < before; ++lower) {
                offsets.push_back(offsets[lower] + value * weights[*digit]);
            }
        }
    }
    return offsets;
}

}  // namespace

RankGroup labels_of(const Plan& plan) {
    if (is_power_of_two(plan.ranks)) {
        return RankGroup::binary(bits_of(plan.ranks));
    }
    if (plan.meshes.empty()) {
        return RankGroup::cyclic(plan.ranks);
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

std::vector<Label> labels_on(const RankGroup& labels, const std::vector<unsigned>& block) {
    std::vector<Label> all = offsets_by_value(labels, block);
    all.erase(all.begin());
    return all;
}

Label digits_outside(const Plan& plan, std::uint32_t group) {
    const std::uint32_t inside = ranks_inside(plan.ranks, group);
    const std::vector<Label> weights = weights_of(labels_of(plan));
    Label outside = 0;
    for (std::size_t digit = 0; digit + 1 < weights.size(); ++digit) {
        outside |= inside % weights[digit + 1] != 0 ? Label{1} << digit : 0U;
    }
    return outside;
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

std::vector<std::vector<std::uint32_t>> groups_of_axis(const Plan& plan, const PlannedAxis& axis) {
    const std::vector<Label> offsets = offsets_by_value(labels_of(plan), axis.bits);
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<bool> taken(plan.ranks, false);
    for (Label first = 0; first < plan.ranks; ++first) {
        if (taken[first]) {
            continue;
        }
        groups.emplace_back();
        for (const Label offset : offsets) {
            groups.back().push_back(first + offset);
            taken[first + offset] = true;
        }
    }
    return groups;
}

std::vector<std::uint32_t> radices_of_blocks(const PlannedAxis& axis) {
    std::vector<std::uint32_t> radices;
    for (const std::vector<unsigned>& block : axis.blocks) {
        radices.push_back(1);
        for (std::size_t i = 0; i < axis.bits.size(); ++i) {
            const bool inside = std::find(block.begin(), block.end(), axis.bits[i]) != block.end();
            radices.back() *= inside ? axis.radices[i] : 1;
        }
    }
    return radices;
}

CosetLayers layers_of_axis(const PlannedAxis& axis) {
    if (!is_power_of_two(axis.size)) {
        return layers_of_radices(radices_of_blocks(axis));
    }
    std::vector<Layer> layers(axis.blocks.size());
    for (Label coordinate = 1; coordinate < axis.size; ++coordinate) {
        const Label digits = digits_of_coordinate(axis, coordinate);
        for (std::size_t block = 0; block < axis.blocks.size(); ++block) {
            if ((digits & ~mask_of(axis.blocks[block])) == 0) {
                layers[block].push_back(coordinate);
            }
        }
    }
    return in_order(RankGroup::binary(static_cast<unsigned>(axis.bits.size())), std::move(layers));
}

LayerChoice layer_choice_of(const PlannedAxis& axis) {
    LayerChoice choice;
    if (is_power_of_two(axis.size)) {
        choice.generators = layers_of_axis(axis).layers;
    } else {
        choice.blocks = radices_of_blocks(axis);
    }
    return choice;
}

CollectiveSpec collective_of(const Plan& plan, const PlannedAxis& axis, const PlanCollective& collective) {
    CollectiveSpec spec;
    spec.primitive = collective.primitive;
    spec.schedule = collective.schedule;
    spec.bytes = collective.bytes;
    spec.groups = groups_of_axis(plan, axis);
    if (takes_layers(collective.schedule)) {
        spec.layers = layer_choice_of(axis);
    }
    return spec;
}

std::vector<bool> layers_leaving(const Plan& plan, const PlannedAxis& axis, std::uint32_t group) {
    const Label outside = digits_outside(plan, group);
    std::vector<bool> leaving;
    for (const Layer& layer : layers_of_axis(axis).layers) {
        leaving.push_back(std::any_of(layer.begin(), layer.end(), [&](Label coordinate) {
            return (digits_of_coordinate(axis, coordinate) & outside) != 0;
        }));
    }
    return leaving;
}

}  // namespace simlette
