#include <catch2/catch.hpp>

#include <simlette/collective/analytic.hpp>
#include <support/mode_case.hpp>
#include <support/run.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

std::int64_t analytic_ps(const FabricSpec& fabric, const CollectiveSpec& collective) {
    return run_in(Mode::analytic, fabric, collective).end.ps;
}

std::string chosen(const FabricSpec& fabric, const CollectiveSpec& collective) {
    Simulator simulator(build_fabric(fabric));
    return simulator.collective(simulator.register_collective(collective)).schedule;
}

// bytes / (links * 50 GB/s) in picoseconds is bytes * 20 / links.
std::int64_t ceil_ps(std::int64_t bytes, std::int64_t links) {
    return ceil_div(bytes * 20, links);
}

}  // namespace

TEST_CASE("one-shot through packet switches costs one path and the bytes of an accelerator over its ports") {
    CHECK(analytic_ps(packet_fabric(32, 8), all_reduce(1 << 20)) == 810'000 + ceil_ps(31 << 20, 8));
    CHECK(analytic_ps(packet_fabric(32, 8), all_reduce(1 << 20)) == 82'074'640);
}

TEST_CASE("one-shot on circuits costs a path a phase and whole contributions over one circuit") {
    // Q5: 1, 6, 16, 26 and 31 contributions are held before the five phases.
    CHECK(analytic_ps(cube_fabric(32, 5), all_reduce(65'536)) == 5 * 520'000 + ceil_ps(80 * 65'536, 1));
}

TEST_CASE("recursive doubling costs a path and the buffer a phase") {
    const CollectiveSpec collective = all_reduce(40'960, ScheduleKind::recursive_doubling);
    CHECK(analytic_ps(cube_fabric(256, 8), collective) == 8 * (520'000 + ceil_ps(40'960, 1)));
}

TEST_CASE("two-shot through packet switches costs two paths and twice what is cut off the buffer") {
    const std::int64_t bytes = 1 << 20;
    const CollectiveSpec collective = all_reduce(bytes, ScheduleKind::two_shot);
    CHECK(analytic_ps(packet_fabric(32, 8), collective) == 2 * 810'000 + ceil_ps(2 * 31 * bytes / 32, 8));
}

TEST_CASE("the coset-factored parallel schedule costs a path a phase and the buffer once") {
    const CollectiveSpec collective = all_reduce(65'535, ScheduleKind::coset_factored_parallel);
    CHECK(analytic_ps(cube_fabric(32, 5), collective) == 5 * 520'000 + ceil_ps(65'535, 1));
}

TEST_CASE("parallel circuits share the bytes of their edge, and the slowest edge of a phase counts") {
    FabricSpec fabric = cube_fabric(4, 3);
    fabric.circuits = {};
    fabric.circuits.generators = {1, 2};
    fabric.circuits.multiplicity = {2, 1};
    const CollectiveSpec collective = all_reduce(1'000, ScheduleKind::recursive_doubling);
    CHECK(analytic_ps(fabric, collective) == 2 * 520'000 + ceil_ps(1'000, 2) + ceil_ps(1'000, 1));
    CHECK(analytic_ps(fabric, all_reduce(1'000)) == 2 * 520'000 + ceil_ps(1'000 + 3'000, 1));
}

TEST_CASE("fractions of a picosecond are kept until the end and rounded up once") {
    FabricSpec fabric = cube_fabric(4, 2 * 3);
    fabric.port_rate = 3200_Gbps;  // 2.5 ps a byte
    const CollectiveSpec collective = all_reduce(1, ScheduleKind::recursive_doubling);
    // Two phases of 2.5 / 3 ps are 1.67 ps together, not 1 + 1.
    CHECK(analytic_ps(fabric, collective) == 2 * 520'000 + 2);
    const CollectiveSpec four = all_reduce(2, ScheduleKind::recursive_doubling);
    // Two of 5 / 3 are 3.33.
    CHECK(analytic_ps(fabric, four) == 2 * 520'000 + 4);
}

TEST_CASE("unequal slices cost what the accelerator with the most bytes sends or receives") {
    // 10 bytes over 4 ranks: slices of 3, 3, 2 and 2 bytes. In the scatter rank 2 or 3 sends 8 bytes; in the gather
    // rank 0 sends its 3 bytes three times.
    const CollectiveSpec collective = all_reduce(10, ScheduleKind::two_shot);
    CHECK(analytic_ps(packet_fabric(4, 1), collective) == 2 * 810'000 + ceil_ps(9 + 9, 1));
}

TEST_CASE("auto is one-shot until a second path costs less than whole contributions") {
    // 31 bytes a byte of the buffer against 2 * 31 / 32: with 2.5 ps a byte over 8 ports, 810 ns part them at 11,148.4.
    const FabricSpec fabric = packet_fabric(32, 8);
    for (const auto& [bytes, name] : {std::pair(11'136, "one-shot"), std::pair(11'168, "two-shot")}) {
        const CollectiveSpec collective = all_reduce(bytes, ScheduleKind::automatic);
        CHECK(chosen(fabric, collective) == name);
        const std::int64_t one_shot = analytic_ps(fabric, all_reduce(bytes, ScheduleKind::one_shot));
        const std::int64_t two_shot = analytic_ps(fabric, all_reduce(bytes, ScheduleKind::two_shot));
        CHECK(analytic_ps(fabric, collective) == std::min(one_shot, two_shot));
        CHECK((one_shot < two_shot) == (std::string(name) == "one-shot"));
    }
}

TEST_CASE("of equal prices auto takes what stands first in its list") {
    // Between two ranks direct and pairwise are one and the same, and so are direct and ring.
    CollectiveSpec collective = all_reduce(1'000, ScheduleKind::automatic);
    for (const Primitive primitive : {Primitive::all_to_all, Primitive::all_gather, Primitive::reduce_scatter}) {
        collective.primitive = primitive;
        CHECK(chosen(packet_fabric(2, 1), collective) == "direct");
    }
    collective.primitive = Primitive::all_reduce;
    collective.bytes = {1 << 20};
    CHECK(chosen(packet_fabric(4, 1), collective) == "two-shot");
}

TEST_CASE("exchanges through packet switches cost a path and their bytes over all ports a phase") {
    const FabricSpec fabric = packet_fabric(8, 4);
    const std::int64_t bytes = 1 << 20;
    CHECK(analytic_ps(fabric, all_reduce(bytes, ScheduleKind::halving_doubling)) ==
          6 * 810'000 + ceil_ps(2 * 7 * bytes / 8, 4));
    CHECK(analytic_ps(fabric, all_reduce(bytes, ScheduleKind::ring)) == 14 * 810'000 + ceil_ps(2 * 7 * bytes / 8, 4));
    CollectiveSpec pairwise = all_reduce(bytes, ScheduleKind::pairwise);
    pairwise.primitive = Primitive::all_to_all;
    CHECK(analytic_ps(fabric, pairwise) == 7 * 810'000 + ceil_ps(7 * bytes / 8, 4));
}

TEST_CASE("a read pays for the way of its request") {
    CollectiveSpec read = send(0, 1, 6'400);
    read.operation = Operation::read;
    FabricSpec fabric = packet_fabric(2, 1);
    fabric.responses = ResponsePolicy::per_message;
    CHECK(analytic_ps(fabric, read) == 2 * 810'000 + ceil_ps(6'400, 1));
}

TEST_CASE("a group of one takes no time") {
    CollectiveSpec alone = all_reduce(1'000);
    alone.group = {1};
    CHECK(analytic_ps(packet_fabric(2, 1), alone) == 0);
}
