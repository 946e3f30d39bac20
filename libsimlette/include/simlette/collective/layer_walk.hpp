// Walks over coset layers, common to the schedules on them: in each phase, which slice of a buffer uses which layer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/overlay_shape.hpp>
#include <simlette/collective/schedule.hpp>

namespace simlette {

// A slice in one phase: it uses a layer, after others.
struct WalkStep {
    std::uint32_t slice = 0;
    std::uint32_t layer = 0;
    std::vector<bool> before;  // by layer: used in earlier phases
};
using WalkPhase = std::vector<WalkStep>;  // no layer is used twice

// One slice, one layer after the other.
std::vector<WalkPhase> walk_in_turn(std::uint32_t layers);
// As many slices as layers: in phase t slice s uses layer (s + t) mod layers.
std::vector<WalkPhase> walk_rotating(std::uint32_t layers);

// The labels of a group by their components in its layers.
class LayerLabels {
public:
    explicit LayerLabels(const CosetLayers& layers) : layers_(layers), parts_(layers.components()) {}

    const CosetLayers& layers() const { return layers_; }
    Label part(Label label, std::uint32_t layer) const { return parts_[std::size_t{label} * layers_.count() + layer]; }
    // Labels with nothing in the layers used before the step, by what they have in its layer.
    std::vector<std::vector<Label>> untouched(const WalkStep& step) const;
    // Labels with nothing but in the layers used before.
    std::vector<Label> spanned(const WalkStep& step) const;
    // The largest sum of one slice of the blocks of ranks that agree in the layers used up to this step.
    Bytes largest_share(const WalkStep& step, Bytes buffer, std::uint32_t slices) const;

private:
    const CosetLayers& layers_;
    std::vector<Label> parts_;
};

// Appends a phase: every generator of a layer in use carries what `pieces_of(step, generator)` lists.
template <class PiecesOf>
void add_walk_phase(Schedule& schedule, const OverlayShape& shape, Effect effect, const WalkPhase& steps,
                    PiecesOf&& pieces_of) {
    Phase phase{effect};
    for (const Label generator : shape.graph.generators) {
        for (const WalkStep& step : steps) {
            const Layer& layer = shape.layers->layers[step.layer];
            if (std::binary_search(layer.begin(), layer.end(), generator)) {
                const std::vector<Piece> pieces = pieces_of(step, generator);
                phase.sends.push_back(
                    {generator, schedule.add_pieces(pieces), static_cast<std::uint32_t>(pieces.size())});
            }
        }
    }
    schedule.phases.push_back(std::move(phase));
}

// What each step of a walk moves, in place; 0 for the layers that a phase does not use.
template <class T, class ShareOf>
std::vector<std::vector<T>> by_layer(const std::vector<WalkPhase>& walk, std::uint32_t layers, ShareOf&& share_of) {
    std::vector<std::vector<T>> phases;
    for (const WalkPhase& steps : walk) {
        phases.emplace_back(layers, T{});
        for (const WalkStep& step : steps) {
            phases.back()[step.layer] = share_of(step);
        }
    }
    return phases;
}

// Of each phase; one that moves nothing has 0.
template <class T>
std::vector<T> largest_of(const std::vector<std::vector<T>>& phases) {
    std::vector<T> largest;
    for (const std::vector<T>& phase : phases) {
        largest.push_back(phase.empty() ? T{} : *std::max_element(phase.begin(), phase.end()));
    }
    return largest;
}

// The largest of every phase, added up.
Exact volume_of(const LayerShares& shares);

// What the schedules on layers need, in words; nothing if the shape has it.
std::optional<std::string> misfit_of_layers(const OverlayShape& shape);
std::optional<std::string> misfit_of_subgroup_layers(const OverlayShape& shape);

}  // namespace simlette
