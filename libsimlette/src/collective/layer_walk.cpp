#include <simlette/collective/layer_walk.hpp>

namespace simlette {

std::vector<WalkPhase> walk_in_turn(std::uint32_t layers) {
    std::vector<WalkPhase> phases;
    for (std::uint32_t t = 0; t < layers; ++t) {
        WalkStep step{0, t, std::vector<bool>(layers, false)};
        std::fill_n(step.before.begin(), t, true);
        phases.push_back({std::move(step)});
    }
    return phases;
}

std::vector<WalkPhase> walk_rotating(std::uint32_t layers) {
    std::vector<WalkPhase> phases;
    for (std::uint32_t t = 0; t < layers; ++t) {
        phases.emplace_back();
        for (std::uint32_t slice = 0; slice < layers; ++slice) {
            WalkStep step{slice, (slice + t) % layers, std::vector<bool>(layers, false)};
            for (std::uint32_t i = 0; i < t; ++i) {
                step.before[(slice + i) % layers] = true;
            }
            phases.back().push_back(std::move(step));
        }
    }
    return phases;
}

std::vector<std::vector<Label>> LayerLabels::untouched(const WalkStep& step) const {
    const Layer& layer = layers_.layers[step.layer];
    std::vector<std::vector<Label>> by_element(layer.size() + 1);  // element 0, then those of the layer
    for (Label label = 0; label < layers_.group.size(); ++label) {
        bool clean = true;
        for (std::uint32_t j = 0; j < layers_.count(); ++j) {
            clean = clean && !(step.before[j] && part(label, j) != 0);
        }
        if (clean) {
            const Label element = part(label, step.layer);
            const auto place = std::lower_bound(layer.begin(), layer.end(), element) - layer.begin();
            by_element[element == 0 ? 0 : static_cast<std::size_t>(place) + 1].push_back(label);
        }
    }
    return by_element;
}

std::vector<Label> LayerLabels::spanned(const WalkStep& step) const {
    std::vector<Label> labels;
    for (Label label = 0; label < layers_.group.size(); ++label) {
        bool inside = true;
        for (std::uint32_t j = 0; j < layers_.count(); ++j) {
            inside = inside && (step.before[j] || part(label, j) == 0);
        }
        if (inside) {
            labels.push_back(label);
        }
    }
    return labels;
}

Bytes LayerLabels::largest_share(const WalkStep& step, Bytes buffer, std::uint32_t slices) const {
    std::vector<std::int64_t> share(layers_.group.size(), 0);
    for (Label label = 0; label < layers_.group.size(); ++label) {
        Label key = part(label, step.layer);
        for (std::uint32_t j = 0; j < layers_.count(); ++j) {
            key = step.before[j] ? layers_.group.plus(key, part(label, j)) : key;
        }
        share[key] += part_of(part_of(buffer, layers_.group.size(), label), slices, step.slice).count;
    }
    return {*std::max_element(share.begin(), share.end())};
}

Exact volume_of(const LayerShares& shares) {
    Exact volume = 0;
    for (const Exact& share : largest_of(shares)) {
        volume += share;
    }
    return volume;
}

std::optional<std::string> misfit_of_layers(const OverlayShape& shape) {
    if (!shape.layers) {
        return "needs coset layers, sets of circuits that reach every rank in exactly one way; the circuits have none";
    }
    return std::nullopt;
}

std::optional<std::string> misfit_of_subgroup_layers(const OverlayShape& shape) {
    if (const auto misfit = misfit_of_layers(shape)) {
        return misfit;
    }
    if (!all_subgroups(*shape.layers)) {
        return "needs layers that join their ranks completely, such as those of a block fold";
    }
    return std::nullopt;
}

}  // namespace simlette
