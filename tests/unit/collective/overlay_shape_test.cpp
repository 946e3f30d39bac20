#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/overlay_shape.hpp>
#include <simlette/collective/proof.hpp>

#include <support/overlays.hpp>
#include <support/shapes.hpp>

using namespace simlette;

namespace {

using Radices = std::vector<std::uint32_t>;

Radices layers_on(const Overlay& overlay, LayerKind kind = LayerKind::any) {
    return layered_shape(overlay, kind, "rs-ag").layers->radices();
}

std::string refusal(const Overlay& overlay, LayerKind kind = LayerKind::subgroup) {
    try {
        layered_shape(overlay, kind, "rs-ag");
    } catch (const Error& error) {
        return error.what();
    }
    return "fine";
}

Overlay with_blocks(Overlay overlay, Radices blocks) {
    overlay.layers.blocks = std::move(blocks);
    return overlay;
}

Overlay with_layers(Overlay overlay, std::vector<std::vector<std::uint32_t>> generators) {
    overlay.layers.generators = std::move(generators);
    return overlay;
}

Overlay switches(std::uint32_t ranks, std::uint32_t ports) {
    Overlay overlay = complete_overlay(ranks);
    overlay.ports = ports;
    return overlay;
}

}  // namespace

TEST_CASE("circuits give the fewest layers they have, packet switches those that their ports could make as circuits") {
    CHECK(layers_on(cube_overlay(4)) == Radices{2, 2, 2, 2});
    CHECK(layers_on(xor_overlay(4, {1, 2, 4, 8, 3, 12})) == Radices{4, 4});
    CHECK(layers_on(xor_overlay(3, {1, 2, 4, 7})) == Radices{4, 2});
    CHECK(layers_on(xor_overlay(3, {1, 2, 4, 7}), LayerKind::subgroup) == Radices{2, 2, 2});
    CHECK(layers_on(switches(512, 36)) == Radices{8, 8, 8});
    CHECK(layers_on(switches(12, 5)) == Radices{4, 3});
    CHECK(layers_on(switches(1, 5)).empty());
}

TEST_CASE("layers that are asked for are taken, in bits for a power of two of ranks and else in ranks") {
    CHECK(layers_on(with_blocks(switches(16, 36), {1, 3})) == Radices{8, 2});
    CHECK(layers_on(with_blocks(switches(12, 36), {3, 4})) == Radices{4, 3});
    CHECK(layers_on(with_blocks(xor_overlay(4, {1, 2, 4, 8, 3, 12}), {1, 1, 1, 1})) == Radices{2, 2, 2, 2});
    CHECK(layers_on(with_layers(switches(8, 36), {{7}, {4, 2, 1}})) == Radices{4, 2});
    CHECK(layers_on(with_layers(switches(8, 36), {{3, 5, 6}, {1}}), LayerKind::subgroup) == Radices{4, 2});
}

TEST_CASE("layers that do not fit are refused with the reason") {
    const auto says = [](const Overlay& overlay, const std::string& what) {
        INFO(refusal(overlay));
        CHECK(refusal(overlay).find(what) != std::string::npos);
    };
    says(with_blocks(switches(16, 36), {3, 3}),
         "`layers` of [3, 3]; expected sizes of blocks in bits that add up to 4");
    says(with_blocks(switches(12, 36), {4, 4}), "expected sizes whose product is the number of ranks, 12");
    says(with_blocks(switches(12, 36), {12, 1}), "expected sizes whose product is the number of ranks, 12");
    says(with_blocks(switches(16, 36), {4294967295U, 5}), "add up to 4");
    says(with_layers(switches(12, 36), {{1, 2}}), "12 ranks have no labels of bits");
    says(with_layers(switches(8, 36), {{1, 2, 3}}), "they do not reach rank 4");
    says(with_layers(switches(8, 36), {{1, 2, 4}, {7}}), "needs layers that join their ranks completely");
    says(with_blocks(cube_overlay(2), {2}), "a difference of 3; not every rank has a circuit for it");
    says(xor_overlay(2, {1}), "these circuits have none");
    says(path_overlay(6), "these circuits have none");
}

TEST_CASE("circuits of a product of complete graphs are found whichever digit comes first") {
    for (const std::vector<std::uint32_t>& radices : std::vector<Radices>{{4, 3}, {3, 4}, {2, 3, 2}, {6, 5}}) {
        const CosetLayers layers = layers_of_radices(radices);
        const Overlay overlay = overlay_of_graph(graph_of(layers));
        CHECK(layers_on(overlay, LayerKind::subgroup) == layers.radices());
        const Schedule schedule = build_schedule(Primitive::all_to_all, ScheduleKind::automatic, overlay);
        CHECK_FALSE(find_flaw(schedule, Primitive::all_to_all));
    }
}

TEST_CASE("every schedule on layers runs on packet switches for any number of ranks") {
    for (std::uint32_t ranks = 1; ranks <= 24; ++ranks) {
        for (const Primitive primitive :
             {Primitive::all_reduce, Primitive::all_to_all, Primitive::all_gather, Primitive::reduce_scatter}) {
            for (const ScheduleKind kind : schedules_of(primitive)) {
                if (takes_layers(kind)) {
                    const Schedule schedule = build_schedule(primitive, kind, switches(ranks, 6));
                    CAPTURE(schedule.name, ranks);
                    CHECK_FALSE(find_flaw(schedule, primitive));
                }
            }
        }
    }
}

TEST_CASE("one-shot DVO floods circulants that are given as circuits") {
    const Overlay ring = overlay_of_graph({RankGroup::cyclic(8), {1, 7}});
    CHECK(connected_shape(ring, "one-shot-dvo").graph.group.is_cyclic());
    const CayleyGraph torus{RankGroup({4, 8}), {1, 3, 4, 28}};
    CHECK(connected_shape(overlay_of_graph(torus), "one-shot-dvo").graph.group.radices() == Radices{4, 8});
    CHECK_FALSE(find_flaw(build_schedule(Primitive::all_reduce, ScheduleKind::one_shot_dvo, overlay_of_graph(torus)),
                          Primitive::all_reduce));
    CHECK_THROWS(connected_shape(path_overlay(5), "one-shot-dvo"));
}

TEST_CASE("auto on circuits chooses among schedules that follow them") {
    using Kinds = std::vector<ScheduleKind>;
    const Overlay cube = cube_overlay(3);
    CHECK(automatic_choices(Primitive::all_reduce, cube) == Kinds{ScheduleKind::one_shot});
    CHECK(automatic_choices(Primitive::all_to_all, cube) == Kinds{ScheduleKind::bruck_parallel, ScheduleKind::bruck});
    for (const Primitive primitive : {Primitive::all_gather, Primitive::reduce_scatter}) {
        CHECK(automatic_choices(primitive, cube) == Kinds{ScheduleKind::rs_ag_parallel, ScheduleKind::rs_ag});
    }
}
