#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/frontier.hpp>
#include <simlette/collective/proof.hpp>

#include <support/folds.hpp>
#include <support/overlay_vectors.hpp>
#include <support/shapes.hpp>

using namespace simlette;

namespace {

struct Kind {
    Primitive primitive;
    ScheduleKind schedule;
};

// Schedules on layers that are subgroups, on any layers, and on any Cayley graph.
const std::vector<Kind> on_subgroups{
    {Primitive::all_reduce, ScheduleKind::rs_ag},     {Primitive::all_reduce, ScheduleKind::rs_ag_parallel},
    {Primitive::all_to_all, ScheduleKind::bruck},     {Primitive::all_to_all, ScheduleKind::bruck_parallel},
    {Primitive::all_gather, ScheduleKind::rs_ag},     {Primitive::all_gather, ScheduleKind::rs_ag_parallel},
    {Primitive::reduce_scatter, ScheduleKind::rs_ag}, {Primitive::reduce_scatter, ScheduleKind::rs_ag_parallel},
};
const std::vector<Kind> on_layers{{Primitive::all_reduce, ScheduleKind::coset_factored},
                                  {Primitive::all_reduce, ScheduleKind::coset_factored_parallel}};
const std::vector<Kind> rings{{Primitive::all_reduce, ScheduleKind::ring},
                              {Primitive::all_gather, ScheduleKind::ring},
                              {Primitive::reduce_scatter, ScheduleKind::ring}};
const std::vector<Kind> on_graphs{{Primitive::all_reduce, ScheduleKind::one_shot},
                                  {Primitive::all_reduce, ScheduleKind::one_shot_dvo}};

Exact exact(const std::string& text) {
    return Exact(text);
}

std::vector<std::int64_t> counts(const std::vector<Bytes>& bytes) {
    std::vector<std::int64_t> all;
    for (const Bytes b : bytes) {
        all.push_back(b.count);
    }
    return all;
}

// The largest message of each phase, by asking every rank.
std::vector<std::int64_t> largest_messages(const Schedule& schedule, std::int64_t bytes) {
    std::vector<std::int64_t> all;
    for (const Phase& phase : schedule.phases) {
        all.push_back(0);
        for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
            for (const Send& send : schedule.sends_of(phase, rank)) {
                all.back() = std::max(all.back(), schedule.send_bytes(send, rank, {bytes}).count);
            }
        }
    }
    return all;
}

std::uint32_t most_sends(const Schedule& schedule) {
    std::size_t most = 0;
    for (const Phase& phase : schedule.phases) {
        most = std::max(most, schedule.sends_of(phase, 0).size());
    }
    return static_cast<std::uint32_t>(most);
}

// Builds the schedule on the circuits of a shape and holds it against its closed form.
void check_executed(const Kind& kind, const OverlayShape& shape) {
    const ClosedForm& form = *closed_form(kind.primitive, kind.schedule);
    REQUIRE_FALSE(form.misfit(shape));
    Overlay overlay = overlay_of_graph(shape.graph);
    if (!all_subgroups(*shape.layers)) {
        overlay.layers.generators = shape.layers->layers;
    }
    const Schedule schedule = build_schedule(kind.primitive, kind.schedule, overlay);
    CAPTURE(schedule.name, schedule.ranks, shape.layers->radices());
    INFO(find_flaw(schedule, kind.primitive).value_or("no flaw"));
    CHECK_FALSE(find_flaw(schedule, kind.primitive));
    const ScheduleCost cost = form.cost(shape);
    CHECK(schedule.phases.size() == cost.phases);
    CHECK(most_sends(schedule) == cost.ports);
    const std::int64_t whole = std::int64_t{schedule.ranks} * shape.layers->count() * 7;
    const std::vector<std::int64_t> executed = largest_messages(schedule, whole);
    CHECK(Exact(std::accumulate(executed.begin(), executed.end(), std::int64_t{0})) == cost.volume * whole);
    for (const std::int64_t bytes : {whole, std::int64_t{1}, std::int64_t{17}, whole + 1, whole * 3 - 1}) {
        CAPTURE(bytes);
        CHECK(largest_messages(schedule, bytes) == counts(form.messages(shape, {bytes})));
    }
}

}  // namespace

TEST_CASE("phases, volume and ports of schedules on folds are those that another program found") {
    const std::vector<Kind> columns{{Primitive::all_reduce, ScheduleKind::coset_factored},
                                    {Primitive::all_reduce, ScheduleKind::coset_factored_parallel},
                                    {Primitive::all_reduce, ScheduleKind::rs_ag},
                                    {Primitive::all_reduce, ScheduleKind::rs_ag_parallel_r_min},
                                    {Primitive::all_reduce, ScheduleKind::rs_ag_parallel},
                                    {Primitive::all_to_all, ScheduleKind::bruck},
                                    {Primitive::all_to_all, ScheduleKind::bruck_parallel}};
    for (const VectorRow& row : overlay_vectors("schedules")) {
        const std::vector<std::uint32_t> fold = numbers_of(row[0]);
        const OverlayShape shape = shape_of(layers_of(BlockFold(fold.begin(), fold.end())));
        CHECK(shape.layers->degree() == number_of(row[1]));
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const ScheduleCost cost = closed_form(columns[c].primitive, columns[c].schedule)->cost(shape);
            CAPTURE(row[0], c, cost.phases, cost.volume.str(), cost.ports);
            CHECK(cost.phases == number_of(row[2 + 3 * c]));
            CHECK(cost.volume == exact(row[3 + 3 * c]));
            CHECK(cost.ports == number_of(row[4 + 3 * c]));
        }
    }
}

TEST_CASE("one-shot costs what the other program found for it, with all contributions and with each one once") {
    for (const VectorRow& row : overlay_vectors("cayley")) {
        const OverlayShape shape{{RankGroup::binary(number_of(row[0])), numbers_of(row[1])}, std::nullopt};
        CHECK(one_shot_form.cost(shape) == ScheduleCost{number_of(row[3]), exact(row[5]), number_of(row[2])});
        CHECK(one_shot_dvo_form.cost(shape) == ScheduleCost{number_of(row[3]), exact(row[6]), number_of(row[2])});
    }
}

TEST_CASE("closed form and executed schedule agree on every fold up to 5 bits") {
    for (unsigned bits = 1; bits <= 5; ++bits) {
        for (const BlockFold& fold : all_folds(bits)) {
            const OverlayShape shape = shape_of(layers_of(fold));
            for (const std::vector<Kind>& kinds : {on_subgroups, on_layers, on_graphs}) {
                for (const Kind& kind : kinds) {
                    check_executed(kind, shape);
                }
            }
            check_executed({Primitive::all_reduce, ScheduleKind::recursive_doubling}, shape);
            for (const Kind& kind : rings) {
                check_executed(kind, shape);
            }
        }
    }
}

TEST_CASE("closed form and executed schedule agree on products of complete graphs of any size") {
    for (const OverlayShape& shape : mixed_shapes()) {
        for (const std::vector<Kind>& kinds : {on_subgroups, on_layers, on_graphs}) {
            for (const Kind& kind : kinds) {
                check_executed(kind, shape);
            }
        }
    }
}

TEST_CASE("coset-factored schedules take layers that are no subgroups, others refuse them") {
    for (const OverlayShape& shape : odd_shapes()) {
        for (const Kind& kind : on_layers) {
            check_executed(kind, shape);
        }
        for (const Kind& kind : on_subgroups) {
            CHECK(closed_form(kind.primitive, kind.schedule)->misfit(shape));
        }
    }
}

TEST_CASE("a ring follows a step that leads through all ranks") {
    for (const std::vector<Label>& steps : std::vector<std::vector<Label>>{{2, 7}, {3, 6, 4, 5}, {1, 8}}) {
        const OverlayShape shape{{RankGroup::cyclic(9), steps}, std::nullopt};
        CHECK_FALSE(ring_form.misfit(shape));
        const Schedule schedule =
            build_schedule(Primitive::all_reduce, ScheduleKind::ring, overlay_of_graph(shape.graph));
        CHECK_FALSE(find_flaw(schedule, Primitive::all_reduce));
        CHECK(largest_messages(schedule, 1000) == counts(ring_form.messages(shape, {1000})));
    }
    CHECK(ring_form.misfit({{RankGroup::cyclic(9), {3, 6}}, std::nullopt}));
    CHECK(ring_form.misfit({{RankGroup::binary(3), {1, 2, 3}}, std::nullopt}));
    CHECK_THROWS(
        build_schedule(Primitive::all_reduce, ScheduleKind::ring, overlay_of_graph({RankGroup::cyclic(9), {3, 6}})));
}

TEST_CASE("one-shot and one-shot DVO cost on circulants what they do there") {
    for (const CayleyGraph& graph :
         {CayleyGraph{RankGroup::cyclic(9), {1, 2, 7, 8}}, CayleyGraph{RankGroup::cyclic(8), {1, 4, 7}},
          CayleyGraph{RankGroup::cyclic(7), {1, 6}}}) {
        const OverlayShape shape{graph, std::nullopt};
        for (const Kind& kind : on_graphs) {
            const Schedule schedule = build_schedule(kind.primitive, kind.schedule, overlay_of_graph(graph));
            CHECK_FALSE(find_flaw(schedule, kind.primitive));
            const ClosedForm& form = *closed_form(kind.primitive, kind.schedule);
            CHECK(largest_messages(schedule, 640) == counts(form.messages(shape, {640})));
            CHECK(schedule.phases.size() == form.cost(shape).phases);
        }
    }
}

TEST_CASE("one-shot DVO runs on diameter sets, which no coset layers need to tile") {
    for (unsigned bits = 3; bits <= 7; ++bits) {
        for (unsigned phases = 2; phases < bits; ++phases) {
            const CayleyGraph graph{RankGroup::binary(bits), diameter_set(bits, phases)};
            const Schedule schedule =
                build_schedule(Primitive::all_reduce, ScheduleKind::one_shot_dvo, overlay_of_graph(graph));
            CHECK_FALSE(find_flaw(schedule, Primitive::all_reduce));
            CHECK(schedule.phases.size() <= phases);
        }
    }
}

TEST_CASE("recursive doubling is never credited with a folded diameter") {
    for (unsigned bits = 2; bits <= 9; ++bits) {
        for (const BlockFold& fold : all_folds(bits)) {
            const OverlayShape shape = shape_of(layers_of(fold));
            CHECK(recursive_doubling_form.cost(shape) == ScheduleCost{bits, bits, 1});
            CHECK(recursive_doubling_form.messages(shape, {1000}) == std::vector<Bytes>(bits, Bytes{1000}));
        }
        if (bits >= 3) {
            const OverlayShape folded{{RankGroup::binary(bits), diameter_set(bits, 2)}, std::nullopt};
            CHECK(diameter(folded.graph) == 2);
            CHECK(recursive_doubling_form.cost(folded) == ScheduleCost{bits, bits, 1});
        }
    }
    const OverlayShape no_cube{{RankGroup::binary(2), {1, 3}}, std::nullopt};
    CHECK(recursive_doubling_form.misfit(no_cube));
}

TEST_CASE("RS+AG is never charged a full message a phase") {
    for (unsigned bits = 1; bits <= 9; ++bits) {
        for (const BlockFold& fold : all_folds(bits)) {
            const OverlayShape shape = shape_of(layers_of(fold));
            CAPTURE(fold_text(fold));
            const std::int64_t ranks = shape.graph.group.size();
            const std::int64_t bytes = ranks * 9;
            const std::vector<Bytes> messages = rs_ag_form.messages(shape, {bytes});
            std::int64_t share = bytes;
            for (std::uint32_t j = 0; j < shape.layers->count(); ++j) {
                share /= shape.layers->radix(j);
                CHECK(messages[j].count == share);
                CHECK(messages[messages.size() - 1 - j].count == share);
            }
            CHECK(rs_ag_form.cost(shape).volume < 2);
            CHECK(rs_ag_parallel_form.cost(shape).volume <= 1);
            CHECK(rs_ag_parallel_form.cost(shape).volume <= rs_ag_parallel_r_min_form.cost(shape).volume);
        }
    }
}

TEST_CASE("no all-reduce is charged less than its ranks must send at least") {
    for (unsigned bits = 1; bits <= 9; ++bits) {
        const Exact ranks = 1U << bits;
        for (const BlockFold& fold : all_folds(bits)) {
            const OverlayShape shape = shape_of(layers_of(fold));
            for (const ScheduleKind kind :
                 {ScheduleKind::one_shot, ScheduleKind::one_shot_dvo, ScheduleKind::recursive_doubling,
                  ScheduleKind::coset_factored, ScheduleKind::coset_factored_parallel, ScheduleKind::rs_ag,
                  ScheduleKind::rs_ag_parallel, ScheduleKind::rs_ag_parallel_r_min}) {
                const ScheduleCost cost = closed_form(Primitive::all_reduce, kind)->cost(shape);
                CAPTURE(fold_text(fold), static_cast<int>(kind));
                CHECK(cost.volume * cost.ports >= 2 * (ranks - 1) / ranks);
            }
        }
    }
}

TEST_CASE("a folded axis of 512 ranks costs what planners have published") {
    const OverlayShape shape = shape_of(layers_of({3, 3, 3}));
    CHECK(rs_ag_form.cost(shape) == ScheduleCost{6, Exact(2, 8) + Exact(2, 64) + Exact(2, 512), 7});
    CHECK(rs_ag_parallel_form.cost(shape).volume == Exact(73, 768));
    CHECK(bruck_parallel_form.cost(shape) == ScheduleCost{3, Exact(1, 8), 21});
    CHECK(bruck_parallel_form.cost(shape_of(layers_of({4, 3}))) == ScheduleCost{2, Exact(1, 8), 22});
    const OverlayShape mixed = shape_of(layers_of({1, 3}));
    CHECK(rs_ag_form.cost(mixed) == ScheduleCost{4, Exact(3, 8), 7});
    CHECK(rs_ag_parallel_form.cost(mixed).volume == Exact(9, 16));
    CHECK(rs_ag_parallel_r_min_form.cost(mixed).volume == Exact(3, 4));
}

TEST_CASE("flits are counted whole on every circuit, and a phase that moves nothing takes no time") {
    const Duration latency{520'000};
    const Duration flit{12'800};
    CHECK(flit_time_of({{640}, {641}}, latency, flit, 1).ps == 2 * 520'000 + 3 * 12'800);
    CHECK(flit_time_of({{640 * 5}}, latency, flit, 2).ps == 520'000 + 3 * 12'800);
    CHECK(flit_time_of({{0}, {1}}, latency, flit, 3).ps == 520'000 + 12'800);
    CHECK(flit_time_of({}, latency, flit, 1).ps == 0);
}
