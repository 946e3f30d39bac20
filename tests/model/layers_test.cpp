// Schedules on coset layers in flit mode against their closed forms.
#include <catch2/catch.hpp>

#include <simlette/collective/closed_form.hpp>

#include <support/folds.hpp>
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

std::int64_t simulated(const FabricSpec& fabric, const Kind& kind, std::int64_t bytes) {
    CollectiveSpec spec = all_reduce(bytes, kind.schedule);
    spec.primitive = kind.primitive;
    return run(fabric, {spec}, false).end().ps;
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
