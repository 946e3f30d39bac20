// The schedules of packet switches and rings in flit mode against hand arithmetic: nominal latencies, flits of 12.8 ns,
// unlimited buffers, no responses.
#include <catch2/catch.hpp>

#include <support/run.hpp>

using namespace simlette;

namespace {

constexpr std::int64_t ki = 1024;
constexpr std::int64_t flit_ps = 12'800;
constexpr std::int64_t packet_path_ps = 810'000;
constexpr std::int64_t optical_path_ps = 520'000;

Time completion(const FabricSpec& fabric, Primitive primitive, ScheduleKind schedule, std::int64_t bytes) {
    CollectiveSpec collective = all_reduce(bytes, schedule);
    collective.primitive = primitive;
    return run(fabric, {collective}, false).end();
}

std::int64_t flits(std::int64_t bytes) {
    return (bytes + 639) / 640;
}

// The path, the flits of the fullest port, and the flit that the switch stores.
std::int64_t through_switch(std::int64_t flits_of_a_rank, std::int64_t ports) {
    return packet_path_ps + ((flits_of_a_rank + ports - 1) / ports + 1) * flit_ps;
}

struct Size {
    std::uint32_t ranks;
    std::uint32_t ports;
    std::int64_t block;
};

const std::vector<Size> sizes{{2, 1, 640}, {3, 2, 641}, {6, 4, 5'000}, {8, 3, 100}, {17, 8, 1'280}, {32, 8, 2'048}};

// A cycle of circuits through all ranks.
FabricSpec ring_fabric(std::uint32_t ranks) {
    FabricSpec fabric = packet_fabric(ranks, 2);
    fabric.device = DeviceKind::ocs;
    fabric.circuits.port_pairs.assign(2, {});
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        fabric.circuits.port_pairs[rank % 2].emplace_back(rank, (rank + 1) % ranks);
    }
    return fabric;
}

}  // namespace

TEST_CASE("direct sends take one path and the flits of all peers over all ports") {
    for (const auto& [ranks, ports, block] : sizes) {
        CAPTURE(ranks, ports, block);
        const std::int64_t expected = through_switch((ranks - 1) * flits(block), ports);
        for (const Primitive primitive : {Primitive::all_to_all, Primitive::all_gather, Primitive::reduce_scatter}) {
            CHECK(completion(packet_fabric(ranks, ports), primitive, ScheduleKind::direct, ranks * block).ps ==
                  expected);
        }
    }
}

TEST_CASE("pairwise takes a path and the flits of one block for each partner") {
    for (const auto& [ranks, ports, block] : sizes) {
        CAPTURE(ranks, ports, block);
        CHECK(
            completion(packet_fabric(ranks, ports), Primitive::all_to_all, ScheduleKind::pairwise, ranks * block).ps ==
            (ranks - 1) * through_switch(flits(block), ports));
    }
}

TEST_CASE("a ring takes a path and the flits of one block for every step, once round or twice") {
    for (const auto& [ranks, ports, block] : sizes) {
        CAPTURE(ranks, ports, block);
        const FabricSpec fabric = packet_fabric(ranks, ports);
        const std::int64_t once = (ranks - 1) * through_switch(flits(block), ports);
        CHECK(completion(fabric, Primitive::all_gather, ScheduleKind::ring, ranks * block).ps == once);
        CHECK(completion(fabric, Primitive::reduce_scatter, ScheduleKind::ring, ranks * block).ps == once);
        CHECK(completion(fabric, Primitive::all_reduce, ScheduleKind::ring, ranks * block).ps == 2 * once);
    }
}

TEST_CASE("a ring runs on a cycle of circuits as well") {
    for (const std::uint32_t ranks : {4U, 6U, 10U}) {
        const std::int64_t block = 3'000;
        CHECK(completion(ring_fabric(ranks), Primitive::all_reduce, ScheduleKind::ring, ranks * block).ps ==
              2 * (ranks - 1) * (optical_path_ps + flits(block) * flit_ps));
    }
}

TEST_CASE("halving-doubling takes two paths a bit, and twice the flits of a half, a quarter, and so on") {
    for (const std::uint32_t ranks : {2U, 4U, 16U, 32U}) {
        const std::int64_t bytes = 64 * ki;
        std::int64_t expected = 0;
        for (std::int64_t part = 2; part <= ranks; part *= 2) {
            expected += 2 * through_switch(flits(bytes / part), 4);
        }
        CHECK(completion(packet_fabric(ranks, 4), Primitive::all_reduce, ScheduleKind::halving_doubling, bytes).ps ==
              expected);
    }
    // 64 KiB among 16: 52, 26, 13 and 7 flits over 4 ports are 13, 7, 4 and 2 flit times.
    CHECK(completion(packet_fabric(16, 4), Primitive::all_reduce, ScheduleKind::halving_doubling, 64 * ki).ps ==
          8 * 822'800 + 2 * (13 + 7 + 4 + 2) * 12'800);
}

TEST_CASE("a broadcast takes one path and the flits of all copies, or on circuits a path and the buffer a hop") {
    CHECK(completion(packet_fabric(32, 8), Primitive::broadcast, ScheduleKind::automatic, 64 * ki).ps ==
          through_switch(31 * 103, 8));
    CHECK(completion(cube_fabric(32, 5), Primitive::broadcast, ScheduleKind::automatic, 64 * ki).ps ==
          5 * (optical_path_ps + 103 * flit_ps));
    CHECK(completion(ring_fabric(10), Primitive::broadcast, ScheduleKind::automatic, 64 * ki).ps ==
          5 * (optical_path_ps + 103 * flit_ps));
}

TEST_CASE("blocks of unequal size go where they belong, and a block of no bytes is not sent") {
    // 10 bytes among 4: blocks of 3, 3, 2 and 2; of 2 bytes the last two are empty.
    CollectiveSpec collective = all_reduce(10, ScheduleKind::direct);
    collective.primitive = Primitive::all_to_all;
    std::vector<std::int64_t> into(4, 0);
    for (const MessageRecord& message : run(packet_fabric(4, 1), {collective}).messages) {
        CHECK(message.bytes == (message.destination < 2 ? 3 : 2));
        into[message.destination] += message.bytes;
    }
    CHECK(into == std::vector<std::int64_t>{9, 9, 6, 6});
    collective.bytes = {2};
    for (const ScheduleKind schedule : {ScheduleKind::direct, ScheduleKind::pairwise}) {
        collective.schedule = schedule;
        CHECK(run(packet_fabric(4, 1), {collective}).messages.size() == 6);
    }
}

TEST_CASE("the first rank of the group is the one that broadcasts") {
    CollectiveSpec collective = all_reduce(1'000, ScheduleKind::automatic);
    collective.primitive = Primitive::broadcast;
    collective.group = {5, 2, 7};
    const RunResult done = run(packet_fabric(8, 1), {collective});
    REQUIRE(done.messages.size() == 2);
    for (const MessageRecord& message : done.messages) {
        CHECK(message.source == 5);
    }
}
