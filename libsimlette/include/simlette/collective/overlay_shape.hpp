// What a schedule on generators looks at: the Cayley graph of an overlay and, if it has any, its coset layers.
#pragma once

#include <optional>
#include <string>

#include <simlette/base/export.hpp>
#include <simlette/collective/fold.hpp>
#include <simlette/collective/overlay.hpp>
#include <simlette/collective/schedule.hpp>

namespace simlette {

struct OverlayShape {
    CayleyGraph graph;  // its generators in the order of the circuits
    std::optional<CosetLayers> layers;
};

// Of a fold by itself.
SIMLETTE_EXPORT OverlayShape shape_of(const CosetLayers& layers);
// Of any Cayley graph; layers as the schedule may use them.
SIMLETTE_EXPORT OverlayShape shape_of(CayleyGraph graph, LayerKind kind);

// The differences that lead along a circuit from every rank: as rank 0 lists them if all list them so, else ascending.
// Requires: not complete.
std::vector<Label> common_generators(const Overlay& overlay, const RankGroup& group);

// The circuits of all ranks that form a Cayley graph, with layers: those that are asked for, else the fewest. Packet
// switches stand in for any circuits: there the layers that are asked for, else those of `layers_within`.
// Throws Error{input}, naming the schedule.
OverlayShape layered_shape(const Overlay& overlay, LayerKind kind, const std::string& schedule);
// The same where every rank must be reached, but layers do not matter.
OverlayShape connected_shape(const Overlay& overlay, const std::string& schedule);

// A schedule that looks the same from every rank of the group.
Schedule symmetric_schedule(std::string name, std::string form, const RankGroup& group);

}  // namespace simlette
