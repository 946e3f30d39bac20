// What an overlay is worth by itself, before any fabric carries it: distances, coset layers, schedules and their costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/study/overlay_text.hpp>

namespace simlette {

// An axis of a mesh: some bits of the labels, and the generators that keep to them.
struct OverlayAxis {
    Label bits = 0;
    std::vector<Label> generators;          // of the overlay
    std::optional<std::uint32_t> diameter;  // none: they do not reach every rank of the axis
};

struct OverlaySchedule {
    Primitive primitive;
    ScheduleKind kind;
    std::optional<std::string> misfit;  // what is missing
    ScheduleCost cost;                  // without misfit
};

// How few generators do for as many bits: see collective/frontier.hpp.
struct FrontierRow {
    std::uint32_t phases = 0;
    std::uint32_t schedulable = 0;
    std::string fold;  // that has this degree
    std::uint32_t diameter = 0;
    std::vector<Label> witness;  // of this diameter; empty: the fold
    std::uint32_t bound = 0;     // no set is smaller
};

struct OverlayDescription {
    NamedOverlay overlay;
    bool connected = false;
    std::vector<std::uint32_t> spheres = {};
    std::vector<std::uint32_t> balls = {};
    std::optional<std::uint32_t> diameter = {};  // of a connected one
    std::optional<std::uint32_t> fewest_phases = {};
    std::optional<CosetLayers> layers = {};           // the fewest
    std::optional<CosetLayers> subgroup_layers = {};  // the fewest that join their ranks completely
    std::vector<std::uint32_t> loads = {};            // of one-shot-dvo, phase by phase; of a connected one
    std::vector<OverlaySchedule> schedules = {};      // that have a closed form
    std::vector<FrontierRow> frontier = {};           // of Z_2^n
    std::vector<OverlayAxis> axes = {};
};

// `axes`: bit masks such as `1100` that share the bits of the labels out; empty: none are asked for.
// Throws Error{input}.
SIMLETTE_EXPORT OverlayDescription describe_overlay(const std::string& text, const std::vector<std::string>& axes);

SIMLETTE_EXPORT std::string overlay_text(const OverlayDescription& description);
SIMLETTE_EXPORT std::string overlay_json(const OverlayDescription& description);
// Ranks on a circle, joined by the colour of the generator or, of many generators, of the layer.
SIMLETTE_EXPORT std::string overlay_svg(const OverlayDescription& description);
SIMLETTE_EXPORT std::string overlay_dot(const OverlayDescription& description);

}  // namespace simlette
