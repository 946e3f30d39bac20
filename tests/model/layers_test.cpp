// Schedules on coset layers in flit mode against their closed forms.
#include <catch2/catch.hpp>

#include <simlette/collective/closed_form.hpp>

#include <support/folds.hpp>
#include <support/mode_case.hpp>
#include <support/run.hpp>
#include <support/shapes.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

struct Kind {
    Primitive primitive;
    ScheduleKind schedule;
};

const std::vector<Kind> kinds{
    {Primitive::all_reduce, ScheduleKind::one_shot},
    {Primitive::all_reduce, ScheduleKind::one_shot_dvo},
    {Primitive::all_reduce, ScheduleKind::recursive_doubling},
    {Primitive::all_reduce, ScheduleKind::coset_factored},
    {Primitive::all_reduce, ScheduleKind::coset_factored_parallel},
    {Primitive::all_reduce, ScheduleKind::rs_ag},
    {Primitive::all_reduce, ScheduleKind::rs_ag_parallel},
    {Primitive::all_reduce, ScheduleKind::ring},
    {Primitive::all_to_all, ScheduleKind::bruck},
    {Primitive::all_to_all, ScheduleKind::bruck_parallel},
    {Primitive::all_gather, ScheduleKind::rs_ag},
    {Primitive::all_gather, ScheduleKind::rs_ag_parallel},
    {Primitive::reduce_scatter, ScheduleKind::rs_ag},
    {Primitive::reduce_scatter, ScheduleKind::rs_ag_parallel},
};

FabricSpec fold_fabric(const OverlayShape& shape, std::uint32_t copies, bool switched) {
    FabricSpec fabric = packet_fabric(shape.graph.group.size(), shape.layers->degree() * copies);
    fabric.kind = switched ? FabricKind::single_level : FabricKind::direct;
    fabric.device = DeviceKind::ocs;
    fabric.circuits.generators = shape.graph.generators;
    fabric.circuits.multiplicity.assign(shape.graph.generators.size(), copies);
    return fabric;
}

CollectiveSpec spec_of(const Kind& kind, std::int64_t bytes) {
    CollectiveSpec spec = all_reduce(bytes, kind.schedule);
    spec.primitive = kind.primitive;
    return spec;
}

std::int64_t simulated(const FabricSpec& fabric, const Kind& kind, std::int64_t bytes) {
    return run(fabric, {spec_of(kind, bytes)}, false).end().ps;
}

}  // namespace

TEST_CASE("schedules on every fold up to 4 bits take their closed form to the picosecond, on 1 to 3 circuits an edge") {
    for (unsigned bits = 1; bits <= 4; ++bits) {
        for (const BlockFold& fold : all_folds(bits)) {
            const OverlayShape shape = shape_of(layers_of(fold));
            for (std::uint32_t copies = 1; copies <= 3; ++copies) {
                const bool switched = copies == 2;
                const FabricSpec fabric = fold_fabric(shape, copies, switched);
                const Duration latency = switched ? 520_ns : 500_ns;
                for (const Kind& kind : kinds) {
                    for (const std::int64_t bytes : {48 * 640, 65'536, 100'001}) {
                        CAPTURE(fold_text(fold), copies, bytes, static_cast<int>(kind.schedule),
                                static_cast<int>(kind.primitive));
                        const ClosedForm& form = *closed_form(kind.primitive, kind.schedule);
                        const Duration expected =
                            flit_time_of(form.messages(shape, {bytes}), latency, 12'800_ps, copies);
                        CHECK(simulated(fabric, kind, bytes) == expected.ps);
                    }
                }
            }
        }
    }
}

TEST_CASE("analytic mode prices schedules on folds at phases x latency + volume over rate") {
    for (unsigned bits = 1; bits <= 4; ++bits) {
        for (const BlockFold& fold : all_folds(bits)) {
            const OverlayShape shape = shape_of(layers_of(fold));
            for (const Kind& kind : kinds) {
                const std::int64_t bytes = 48 * 4'096;
                CAPTURE(fold_text(fold), static_cast<int>(kind.schedule), static_cast<int>(kind.primitive));
                const ScheduleCost cost = closed_form(kind.primitive, kind.schedule)->cost(shape);
                const Exact expected = Exact(cost.phases) * 500'000 + cost.volume * bytes * 20 / 3;
                const auto price = run_in(Mode::analytic, fold_fabric(shape, 3, false), spec_of(kind, bytes)).end.ps;
                CHECK(Exact(price) >= expected);
                CHECK(Exact(price) < expected + 1);
            }
        }
    }
}

TEST_CASE("message mode moves schedules on folds as flit mode does") {
    for (const BlockFold& fold : {BlockFold{3}, BlockFold{2, 1}, BlockFold{2, 2}}) {
        const FabricSpec fabric = fold_fabric(shape_of(layers_of(fold)), 2, true);
        for (const Kind& kind : kinds) {
            CAPTURE(fold_text(fold), static_cast<int>(kind.schedule), static_cast<int>(kind.primitive));
            CHECK(run_in(Mode::message, fabric, spec_of(kind, 100'001)).hash ==
                  run_in(Mode::flit, fabric, spec_of(kind, 100'001)).hash);
        }
    }
}

TEST_CASE("with unequal numbers of circuits a schedule takes at most what the fewest of them would") {
    const OverlayShape shape = shape_of(layers_of({2, 1}));
    FabricSpec fabric = fold_fabric(shape, 2, false);
    fabric.circuits.multiplicity = {1, 2, 1, 3};
    fabric.ports = 8;
    for (const Kind& kind : kinds) {
        CAPTURE(static_cast<int>(kind.schedule), static_cast<int>(kind.primitive));
        const ClosedForm& form = *closed_form(kind.primitive, kind.schedule);
        CHECK(simulated(fabric, kind, 100'001) <=
              flit_time_of(form.messages(shape, {100'001}), 500_ns, 12'800_ps, 1).ps);
    }
}

TEST_CASE("auto on circuits gathers by the cheaper half: in turn where a layer is much wider, else in parallel") {
    for (const BlockFold& fold : {BlockFold{3, 1}, BlockFold{2, 2}}) {
        const OverlayShape shape = shape_of(layers_of(fold));
        const FabricSpec fabric = fold_fabric(shape, 1, false);
        for (const Primitive primitive : {Primitive::all_gather, Primitive::reduce_scatter}) {
            const std::int64_t in_turn = simulated(fabric, {primitive, ScheduleKind::rs_ag}, 65'536);
            const std::int64_t parallel = simulated(fabric, {primitive, ScheduleKind::rs_ag_parallel}, 65'536);
            CHECK((in_turn < parallel) == (fold[0] == 3));
            CHECK(simulated(fabric, {primitive, ScheduleKind::automatic}, 65'536) == std::min(in_turn, parallel));
        }
    }
}
