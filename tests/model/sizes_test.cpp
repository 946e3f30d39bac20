// All-to-all with a table of sizes: hand arithmetic on one level of packet switches, nominal latencies, and the
// reference.
#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>

#include <support/random_sizes.hpp>
#include <support/reference_collectives.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

constexpr std::int64_t flit_ps = 12'800;
constexpr std::int64_t path_ps = 810'000;

CollectiveSpec sized(const std::vector<std::vector<std::int64_t>>& bytes, ScheduleKind schedule) {
    CollectiveSpec spec;
    spec.primitive = Primitive::all_to_all;
    spec.schedule = schedule;
    SizeTable table;
    for (const auto& row : bytes) {
        table.emplace_back();
        for (const std::int64_t size : row) {
            table.back().push_back({size});
        }
    }
    spec.sizes = std::make_shared<const SizeTable>(std::move(table));
    return spec;
}

std::int64_t flits(std::int64_t flits_of_640) {
    return flits_of_640 * 640;
}

Time time_in(Mode mode, const FabricSpec& fabric, const CollectiveSpec& spec) {
    SimulatorOptions options;
    options.mode = mode;
    Simulator simulator(build_fabric(fabric), options);
    simulator.register_collective(spec);
    return finish(simulator).front();
}

// Rank 0 has 10 flits for rank 1 and 5 for rank 2, rank 1 has 3 for rank 0; the rest is nothing. Rank 3 is idle.
const std::vector<std::vector<std::int64_t>> table{
    {999, flits(10), flits(5), 0}, {flits(3), 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 77}};

}  // namespace

TEST_CASE("direct sends of unequal sizes take a path and the flits of the fullest port") {
    const FabricSpec fabric = packet_fabric(4, 1);
    const CollectiveSpec spec = sized(table, ScheduleKind::direct);
    // 15 flits leave rank 0, the last one is stored in the switch once more.
    CHECK(time_in(Mode::flit, fabric, spec).ps == path_ps + (15 + 1) * flit_ps);
    CHECK(time_in(Mode::message, fabric, spec).ps == path_ps + (15 + 1) * flit_ps);
    CHECK(time_in(Mode::analytic, fabric, spec).ps == path_ps + 15 * flit_ps);
}

TEST_CASE("pairwise with unequal sizes goes from phase to phase as data comes, and past what is nothing") {
    // Phase 0 is with rank XOR 1: rank 1 has its 10 flits, rank 0 its 3. In phase 1 rank 0 sends 5 to rank 2; nothing
    // else moves. Rank 2 was in phase 1 from the start. Rank 0 enters phase 1 when its 3 flits have come, but its port
    // sends the 10 first.
    const FabricSpec fabric = packet_fabric(4, 1);
    const CollectiveSpec spec = sized(table, ScheduleKind::pairwise);
    const std::int64_t entered = path_ps + (3 + 1) * flit_ps;
    CHECK(time_in(Mode::flit, fabric, spec).ps == entered + path_ps + (5 + 1) * flit_ps);
    CHECK(time_in(Mode::message, fabric, spec).ps == entered + path_ps + (5 + 1) * flit_ps);
    CHECK(time_in(Mode::analytic, fabric, spec).ps == 2 * path_ps + (10 + 5) * flit_ps);
}

TEST_CASE("equal sizes are the uniform all-to-all") {
    const std::int64_t block = 1'000;
    for (const ScheduleKind kind : {ScheduleKind::direct, ScheduleKind::pairwise, ScheduleKind::automatic}) {
        const auto equal = sized(std::vector<std::vector<std::int64_t>>(6, std::vector<std::int64_t>(6, block)), kind);
        CollectiveSpec uniform = all_reduce(6 * block, kind);
        uniform.primitive = Primitive::all_to_all;
        CHECK(run(packet_fabric(6, 2), {equal}).hash == run(packet_fabric(6, 2), {uniform}).hash);
    }
    const auto relayed =
        sized(std::vector<std::vector<std::int64_t>>(8, std::vector<std::int64_t>(8, block)), ScheduleKind::bruck);
    CollectiveSpec uniform = all_reduce(8 * block, ScheduleKind::bruck);
    uniform.primitive = Primitive::all_to_all;
    CHECK(run(cube_fabric(8, 3), {relayed}).hash == run(cube_fabric(8, 3), {uniform}).hash);
}

TEST_CASE("a table of sizes that does not fit is refused with both numbers") {
    Simulator simulator(build_fabric(packet_fabric(4, 2)));
    const auto refusal = [&](const CollectiveSpec& spec) -> std::string {
        try {
            simulator.register_collective(spec);
        } catch (const Error& error) {
            return error.what();
        }
        return "registered";
    };
    CHECK(refusal(sized({{0, 1}, {1, 0}}, ScheduleKind::direct)) == "`sizes` has 2 rows, but the group has 4 ranks");
    CHECK(refusal(sized({{0}, {1, 0}, {}, {}}, ScheduleKind::direct)) ==
          "`sizes` has 1 columns in row 0, but the group has 4 ranks");
    CHECK(refusal(sized(std::vector<std::vector<std::int64_t>>(4, {0, 0, 0, 0}), ScheduleKind::direct)) ==
          "`sizes` has nothing for any rank to send");
    CollectiveSpec other = sized(table, ScheduleKind::automatic);
    other.primitive = Primitive::all_gather;
    CHECK(refusal(other) == "`sizes` goes with all-to-all: of other primitives all ranks have equally much");
    CollectiveSpec bytes = sized(table, ScheduleKind::direct);
    bytes.bytes = {9'601};
    CHECK(refusal(bytes) ==
          "`sizes` gives a buffer of 9600 bytes, the largest sum of a row or column, but `bytes` is 9601");
    bytes.bytes = {9'600};
    CHECK(refusal(bytes) == "registered");
}

TEST_CASE("every port-message of an all-to-all with random sizes leaves and lands when the reference says") {
    for_each_seed(31, Cases::reference, [](Random& random) {
        const auto ranks = static_cast<std::uint32_t>(2 + random.below(7));
        const auto ports = static_cast<std::uint32_t>(random.between(1, one_in(random, 4) ? 70 : 9));
        FabricSpec fabric = packet_fabric(ranks, ports);
        fabric = random.below(2) == 0 ? fabric : with_buffers(fabric, static_cast<std::int64_t>(1 + random.below(60)));
        random_routing(random, fabric);
        const CollectiveSpec spec = random_sizes_collective(random, ranks);
        const RunResult ours = run(fabric, {spec});
        const ReferenceResult theirs = run_reference(fabric, {spec});
        CHECK(first_difference(ours.messages, theirs.messages) == "");
        CHECK(ours.ends == theirs.ends);
    });
}
