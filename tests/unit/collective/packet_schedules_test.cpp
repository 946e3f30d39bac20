// The schedules of packet switches: who sends what to whom.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>

#include <support/overlays.hpp>

using namespace simlette;

namespace {

using Blocks = std::vector<std::uint32_t>;

// What a rank sends in a phase to its only partner.
struct Sent {
    std::uint32_t peer = 0;
    Blocks blocks;
};

Sent only_send(const Schedule& schedule, std::size_t phase, std::uint32_t rank) {
    const Span<Send> sends = schedule.sends_of(schedule.phases[phase], rank);
    REQUIRE(sends.size() == 1);
    Sent sent{schedule.moved(sends[0].peer, rank), {}};
    for (const Piece& piece : schedule.pieces_of(sends[0])) {
        sent.blocks.push_back(schedule.block_at(piece.block, rank));
    }
    return sent;
}

Schedule build(Primitive primitive, ScheduleKind kind, const Overlay& overlay) {
    return build_schedule(primitive, kind, overlay);
}

std::string refusal(Primitive primitive, ScheduleKind kind, const Overlay& overlay) {
    try {
        build_schedule(primitive, kind, overlay);
    } catch (const Error& error) {
        return error.what();
    }
    return "built";
}

// What it takes to keep it.
std::size_t size_of(const Schedule& schedule) {
    std::size_t size = schedule.pieces.size() * sizeof(Piece) + schedule.phases.size() * sizeof(Phase);
    for (const Phase& phase : schedule.phases) {
        size += phase.sends.size() * sizeof(Send) + phase.first_send.size() * sizeof(std::uint32_t);
    }
    return size;
}

}  // namespace

TEST_CASE("direct sends take one phase: a block for its receiver, or the block of the sender") {
    const Overlay five = complete_overlay(5);
    for (const Primitive primitive : {Primitive::all_to_all, Primitive::reduce_scatter, Primitive::all_gather}) {
        const Schedule schedule = build(primitive, ScheduleKind::direct, five);
        REQUIRE(schedule.phases.size() == 1);
        const Span<Send> sends = schedule.sends_of(schedule.phases[0], 3);
        REQUIRE(sends.size() == 4);
        for (const Send& send : sends) {
            const std::uint32_t peer = schedule.moved(send.peer, 3);
            REQUIRE(send.pieces == 1);
            const std::uint32_t block = schedule.block_at(schedule.pieces_of(send)[0].block, 3);
            CHECK(block == (primitive == Primitive::all_gather ? 3 : peer));
        }
    }
}

TEST_CASE("pairwise exchanges with rank XOR k in a power of two, else sends to rank + k") {
    const Schedule eight = build(Primitive::all_to_all, ScheduleKind::pairwise, complete_overlay(8));
    const Schedule six = build(Primitive::all_to_all, ScheduleKind::pairwise, complete_overlay(6));
    REQUIRE(eight.phases.size() == 7);
    REQUIRE(six.phases.size() == 5);
    for (std::uint32_t k = 1; k < 8; ++k) {
        const Sent sent = only_send(eight, k - 1, 5);
        CHECK(sent.peer == (5 ^ k));
        CHECK(sent.blocks == Blocks{5 ^ k});
    }
    for (std::uint32_t k = 1; k < 6; ++k) {
        const Sent sent = only_send(six, k - 1, 5);
        CHECK(sent.peer == (5 + k) % 6);
        CHECK(sent.blocks == Blocks{(5 + k) % 6});
    }
}

TEST_CASE("a ring passes on what has just come, and blocks end where they belong") {
    const Schedule scatter = build(Primitive::reduce_scatter, ScheduleKind::ring, complete_overlay(4));
    const Schedule gather = build(Primitive::all_gather, ScheduleKind::ring, complete_overlay(4));
    REQUIRE(scatter.phases.size() == 3);
    REQUIRE(gather.phases.size() == 3);
    // Block 2 sets out at rank 3 and comes to rank 2; rank 2 hands out its own block 2, which comes to rank 1.
    CHECK(only_send(scatter, 0, 3).blocks == Blocks{2});
    CHECK(only_send(scatter, 1, 0).blocks == Blocks{2});
    CHECK(only_send(scatter, 2, 1).blocks == Blocks{2});
    CHECK(only_send(gather, 0, 2).blocks == Blocks{2});
    CHECK(only_send(gather, 1, 3).blocks == Blocks{2});
    CHECK(only_send(gather, 2, 0).blocks == Blocks{2});
    const Schedule both = build(Primitive::all_reduce, ScheduleKind::ring, complete_overlay(4));
    REQUIRE(both.phases.size() == 6);
    for (std::size_t phase = 0; phase < 6; ++phase) {
        const Sent sent = only_send(both, phase, 3);
        CHECK(sent.peer == 0);
        CHECK(sent.blocks == only_send(phase < 3 ? scatter : gather, phase % 3, 3).blocks);
    }
}

TEST_CASE("halving-doubling meets the farthest partner first, and the nearest first on the way back") {
    const Schedule schedule = build(Primitive::all_reduce, ScheduleKind::halving_doubling, complete_overlay(8));
    REQUIRE(schedule.phases.size() == 6);
    const std::vector<std::pair<std::uint32_t, Blocks>> of_rank_6{{2, {2, 3, 0, 1}}, {4, {4, 5}}, {7, {7}},
                                                                  {7, {6}},          {4, {6, 7}}, {2, {6, 7, 4, 5}}};
    for (std::size_t phase = 0; phase < 6; ++phase) {
        const Sent sent = only_send(schedule, phase, 6);
        CHECK(sent.peer == of_rank_6[phase].first);
        CHECK(sent.blocks == of_rank_6[phase].second);
    }
    CHECK(refusal(Primitive::all_reduce, ScheduleKind::halving_doubling, complete_overlay(12)) ==
          "schedule `halving-doubling` needs a power of two of ranks, so that every half has a partner; there are 12");
}

TEST_CASE("a broadcast reaches every rank once, and as early as circuits allow") {
    for (const Overlay& overlay : {complete_overlay(7), cube_overlay(4), path_overlay(6)}) {
        const Schedule schedule = build(Primitive::broadcast, ScheduleKind::one_shot, overlay);
        std::vector<int> copies(overlay.ranks, 0);
        for (const Phase& phase : schedule.phases) {
            for (const Send& send : phase.sends) {
                ++copies[send.peer];
            }
        }
        CHECK(copies[0] == 0);
        CHECK(std::count(copies.begin(), copies.end(), 1) == overlay.ranks - 1);
        CHECK(schedule.phases.size() == (overlay.complete() ? 1 : overlay.ranks == 16 ? 4 : 5));
    }
}

TEST_CASE("sends of schedules for packet switches must follow circuits where there are some") {
    CHECK(
        refusal(Primitive::all_to_all, ScheduleKind::direct, cube_overlay(3)) ==
        "schedule `direct` sends from rank 0 to rank 3, but no circuit joins them; choose a schedule that follows the "
        "circuits");
    CHECK(refusal(Primitive::broadcast, ScheduleKind::direct, cube_overlay(3)).find("such as `one-shot`") !=
          std::string::npos);
    CHECK(refusal(Primitive::all_reduce, ScheduleKind::ring, xor_overlay(2, {1, 3})) == "built");
    CHECK(refusal(Primitive::all_to_all, ScheduleKind::direct, xor_overlay(2, {1, 2, 3})) == "built");
}

TEST_CASE("auto chooses from a list in the order of ties") {
    using Kinds = std::vector<ScheduleKind>;
    CHECK(automatic_choices(Primitive::all_reduce, complete_overlay(8)) ==
          Kinds{ScheduleKind::one_shot, ScheduleKind::two_shot, ScheduleKind::halving_doubling, ScheduleKind::ring});
    CHECK(automatic_choices(Primitive::all_reduce, complete_overlay(6)) ==
          Kinds{ScheduleKind::one_shot, ScheduleKind::two_shot, ScheduleKind::ring});
    CHECK(automatic_choices(Primitive::all_to_all, complete_overlay(6)) ==
          Kinds{ScheduleKind::direct, ScheduleKind::pairwise});
    for (const Primitive primitive : {Primitive::all_gather, Primitive::reduce_scatter}) {
        CHECK(automatic_choices(primitive, complete_overlay(6)) == Kinds{ScheduleKind::direct, ScheduleKind::ring});
    }
    CHECK(automatic_choices(Primitive::all_reduce, cube_overlay(3)) == Kinds{ScheduleKind::one_shot});
}

TEST_CASE("a schedule that looks the same from every rank is stored once") {
    const Overlay ranks = complete_overlay(512);
    for (const Primitive primitive : {Primitive::all_reduce, Primitive::all_to_all, Primitive::all_gather}) {
        for (const ScheduleKind kind : schedules_of(primitive)) {
            const Schedule schedule = build(primitive, kind, ranks);
            CAPTURE(schedule.name);
            CHECK(size_of(schedule) <= std::size_t{1} << 20U);  // 512 x 512 pieces would be three times as much
        }
    }
    CHECK(size_of(build(Primitive::all_reduce, ScheduleKind::one_shot, cube_overlay(9))) <= std::size_t{512} * 64);
}
