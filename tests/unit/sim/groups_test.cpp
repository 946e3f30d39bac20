// Groups smaller than the world, and many groups of an axis at once.
#include <algorithm>
#include <tuple>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/collective/schedule_store.hpp>
#include <simlette/sim/workload.hpp>

#include <support/mode_case.hpp>
#include <support/overlays.hpp>
#include <support/run.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

using Ranks = std::vector<std::uint32_t>;

FabricSpec circuits_of(std::uint32_t accelerators, const Ranks& generators, const Ranks& multiplicity = {}) {
    FabricSpec fabric = packet_fabric(accelerators, 16);
    fabric.kind = FabricKind::direct;
    fabric.circuits.generators = generators;
    fabric.circuits.multiplicity = multiplicity;
    return fabric;
}

CollectiveSpec of(Primitive primitive, std::int64_t bytes, std::vector<Ranks> groups,
                  ScheduleKind schedule = ScheduleKind::automatic) {
    CollectiveSpec spec = all_reduce(bytes, schedule);
    spec.primitive = primitive;
    spec.groups = std::move(groups);
    return spec;
}

CollectiveReport report_of(const FabricSpec& fabric, const CollectiveSpec& spec, Mode mode = Mode::flit) {
    SimulatorOptions options;
    options.mode = mode;
    Simulator simulator(build_fabric(fabric), options);
    const CollectiveId id = simulator.register_collective(spec);
    finish(simulator);
    if (mode == Mode::flit) {
        REQUIRE(simulator.find_paths({id}));
    }
    return simulator.collective(id);
}

std::string refusal(const FabricSpec& fabric, const CollectiveSpec& spec) {
    Simulator simulator(build_fabric(fabric));
    try {
        simulator.register_collective(spec);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        CHECK(simulator.collectives() == 0);
        return error.what();
    }
    return "accepted";
}

const Mesh mesh{"m", {{"slow", 2}, {"middle", 3}, {"fast", 4}}};

}  // namespace

TEST_CASE("the groups of an axis hold the ranks that differ along it alone, slowest axis first") {
    CHECK(mesh.ranks() == 24);
    const auto fast = groups_of_axis(mesh, 2);
    REQUIRE(fast.size() == 6);
    CHECK(fast[0] == Ranks{0, 1, 2, 3});
    CHECK(fast[5] == Ranks{20, 21, 22, 23});
    const auto middle = groups_of_axis(mesh, 1);
    REQUIRE(middle.size() == 8);
    CHECK(middle[1] == Ranks{1, 5, 9});
    CHECK(middle[4] == Ranks{12, 16, 20});
    const auto slow = groups_of_axis(mesh, 0);
    REQUIRE(slow.size() == 12);
    CHECK(slow[11] == Ranks{11, 23});
}

TEST_CASE("a group on circuits runs as a world of its size with the circuits that stay inside") {
    // Generator 7 leaves the groups of the two low bits and is of no use to them.
    const FabricSpec fabric = circuits_of(8, {1, 2, 4, 7});
    const FabricSpec alone = circuits_of(4, {1, 2});
    for (const Ranks& group : {Ranks{0, 1, 2, 3}, Ranks{4, 5, 6, 7}, Ranks{6, 7, 4, 5}}) {
        for (const ScheduleKind schedule : {ScheduleKind::one_shot, ScheduleKind::rs_ag, ScheduleKind::ring}) {
            CollectiveSpec spec = all_reduce(10'000, schedule);
            const Time world = run(alone, {spec}).end();
            spec.group = group;
            CHECK(run(fabric, {spec}).end() == world);
        }
    }
}

TEST_CASE("several circuits side by side count as one neighbour and carry a message together") {
    CollectiveSpec spec = all_reduce(64'000, ScheduleKind::coset_factored);
    spec.group = {0, 1};
    CHECK(run(circuits_of(4, {1, 2}, {4, 1}), {spec}).end().ps == 500'000 + 25 * 12'800);
    CHECK(run(circuits_of(4, {1, 2}, {1, 1}), {spec}).end().ps == 500'000 + 100 * 12'800);
}

TEST_CASE("a group that circuits do not join is refused with the members that are apart") {
    CollectiveSpec spec = all_reduce(640);
    spec.group = {0, 1, 6, 7};
    CHECK(refusal(circuits_of(8, {1, 2, 4}), spec) ==
          "the circuits do not join the group: within it none leads from 0, 1 to 6, 7; a group may use only circuits "
          "with both ends in it");
    spec.schedule = ScheduleKind::recursive_doubling;
    spec.group = {0, 1, 3, 2};
    CHECK(refusal(circuits_of(8, {1, 2, 4}), spec) ==
          "schedule `recursive-doubling` needs the circuits of the cube; none joins ranks 0 and 3");
}

TEST_CASE("groups that are unequal, overlap or stand beside a group are refused") {
    const FabricSpec fabric = packet_fabric(8, 2);
    CHECK(refusal(fabric, of(Primitive::all_reduce, 640, {{0, 1}, {2, 3, 4}})) ==
          "groups of a collective have equal sizes; there are some of 2 and of 3 ranks");
    CHECK(refusal(fabric, of(Primitive::all_reduce, 640, {{0, 1}, {2, 0}})) == "rank 0 is in two places");
    CHECK(refusal(fabric, of(Primitive::all_reduce, 640, {{0, 1}, {2, 8}})) ==
          "rank 8 is outside the fabric; ranks run from 0 to 7");
    CollectiveSpec both = of(Primitive::all_reduce, 640, {{0, 1}});
    both.group = {2, 3};
    CHECK(refusal(fabric, both) == "a collective has a group or groups, not both");
}

TEST_CASE("groups of an axis at once move as collectives of their own that start together") {
    FabricSpec fabric = with_buffers(packet_fabric(24, 3), 5);
    fabric.responses = ResponsePolicy::per_message;
    for (const unsigned axis : {0U, 1U, 2U}) {
        for (const Operation operation : {Operation::write, Operation::read}) {
            CollectiveSpec together =
                of(Primitive::all_reduce, 9'001, groups_of_axis(mesh, axis), ScheduleKind::two_shot);
            together.operation = operation;
            together.phase_barrier = axis == 1;
            std::vector<CollectiveSpec> apart;
            for (const Ranks& group : together.groups) {
                apart.push_back(together);
                apart.back().groups.clear();
                apart.back().group = group;
            }
            RunResult one = run(fabric, {together});
            RunResult many = run(fabric, apart);
            CHECK(one.end() == many.end());
            CHECK(one.statistics.flits == many.statistics.flits);
            // The same messages at the same times; only the names of the collectives differ.
            for (MessageRecord& message : many.messages) {
                message.collective = 0;
            }
            const auto key = [](const MessageRecord& m) { return std::tie(m.phase, m.source, m.destination, m.port); };
            const auto before = [&](const MessageRecord& a, const MessageRecord& b) { return key(a) < key(b); };
            std::sort(many.messages.begin(), many.messages.end(), before);
            CHECK(first_difference(one.messages, many.messages) == "");
        }
    }
}

TEST_CASE("a collective of many groups ends with its slowest group, which is named, with its critical path") {
    // Circuits of the second pair are alone, those of the first are doubled.
    FabricSpec fabric = packet_fabric(4, 3);
    fabric.kind = FabricKind::direct;
    fabric.circuits.port_pairs = {{{0, 1}, {2, 3}}, {{0, 1}}, {{0, 2}, {1, 3}}};
    const CollectiveReport report =
        report_of(fabric, of(Primitive::all_reduce, 6'400, {{0, 1}, {2, 3}}, ScheduleKind::one_shot));
    CHECK(report.groups == 2);
    CHECK(report.ranks == 2);
    CHECK(report.slowest_group == 1);
    CHECK(report.first_group_end.ps == 500'000 + 5 * 12'800);
    CHECK(report.end.ps == 500'000 + 10 * 12'800);
    CHECK(report.finish_skew.ps == 5 * 12'800);
    CHECK(report.flits == 40);
    REQUIRE(report.explained);
    CHECK(report.critical_path.total() == report.end - report.start);
    CHECK(report.critical_path.serialization.ps == 10 * 12'800);
}

TEST_CASE("message mode moves many groups as flit mode does, and analytic mode prices them together") {
    FabricSpec fabric = packet_fabric(24, 3);
    const CollectiveSpec spec = of(Primitive::all_to_all, 24'000, groups_of_axis(mesh, 0), ScheduleKind::direct);
    CHECK(run_in(Mode::message, fabric, spec).hash == run_in(Mode::flit, fabric, spec).hash);

    // Four racks of four, two ports, two links up for each: 4 ranks a rack share 4 links.
    FabricSpec racks = packet_fabric(16, 2);
    racks.kind = FabricKind::two_level;
    racks.group = 4;
    racks.level1 = {DeviceKind::eps, 8, 4, 2};
    racks.level2.device = DeviceKind::eps;
    racks.level2.radix = 4;
    const Mesh square{"s", {{"across", 4}, {"inside", 4}}};
    CollectiveSpec across = of(Primitive::all_to_all, 4 * 64'000, groups_of_axis(square, 0), ScheduleKind::direct);
    // Alone a group is held up by its ports: 3 x 64,000 bytes over 2. Together 12 x 64,000 bytes leave a rack over 4.
    const std::int64_t ps_per_byte = 20;
    CHECK(report_of(racks, across, Mode::analytic).end.ps == 1'430'000 + 12 * 64'000 / 4 * ps_per_byte);
    across.groups.resize(1);
    CHECK(report_of(racks, across, Mode::analytic).end.ps == 1'430'000 + 3 * 64'000 / 2 * ps_per_byte);
}

TEST_CASE("auto takes one schedule for all groups, by the price of all of them together") {
    const FabricSpec fabric = circuits_of(16, {1, 2, 3, 4, 8});
    const Mesh halves{"h", {{"slow", 4}, {"fast", 4}}};
    for (const unsigned axis : {0U, 1U}) {
        const auto report = report_of(fabric, of(Primitive::all_gather, 40'960, groups_of_axis(halves, axis)));
        CHECK(report.groups == 4);
        CHECK(report.phases == (axis == 1 ? 1 : 2));
    }
}

TEST_CASE("groups whose circuits look alike share one schedule, whatever their ranks are called") {
    ScheduleStore store;
    Overlay first = xor_overlay(2, {1, 2});
    Overlay second = first;
    second.names = {4, 5, 6, 7};
    const auto built = store.proven(Primitive::all_reduce, ScheduleKind::rs_ag, first);
    CHECK(store.proven(Primitive::all_reduce, ScheduleKind::rs_ag, second) == built);
    CHECK(store.built(Primitive::all_reduce, ScheduleKind::one_shot, second) != built);
    CHECK(store.built(Primitive::all_reduce, ScheduleKind::rs_ag, xor_overlay(2, {1, 2, 3})) != built);
}
