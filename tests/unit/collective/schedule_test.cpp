#include <set>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>

#include <support/overlays.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

struct Sent {
    std::uint32_t peer;
    std::int64_t bytes;

    friend bool operator==(const Sent& a, const Sent& b) { return a.peer == b.peer && a.bytes == b.bytes; }
    friend std::ostream& operator<<(std::ostream& out, const Sent& s) { return out << s.peer << ':' << s.bytes; }
};

std::vector<Sent> sends(const Schedule& schedule, std::size_t phase, std::uint32_t rank, std::int64_t bytes) {
    std::vector<Sent> found;
    for (const Send& send : schedule.sends_of(schedule.phases[phase], rank)) {
        found.push_back({schedule.moved(send.peer, rank), schedule.send_bytes(send, rank, {bytes}).count});
    }
    return found;
}

Schedule all_reduce_of(ScheduleKind kind, const Overlay& overlay) {
    return build_schedule(Primitive::all_reduce, kind, overlay);
}

std::string refusal(Primitive primitive, ScheduleKind kind, const Overlay& overlay) {
    try {
        build_schedule(primitive, kind, overlay);
    } catch (const Error& error) {
        return error.what();
    }
    return "built";
}

}  // namespace

TEST_CASE("one-shot sends the whole buffer to every other rank in one phase") {
    const Schedule schedule = all_reduce_of(ScheduleKind::one_shot, complete_overlay(4));
    REQUIRE(schedule.phases.size() == 1);
    CHECK(sends(schedule, 0, 0, 100) == std::vector<Sent>{{1, 100}, {2, 100}, {3, 100}});
    CHECK(sends(schedule, 0, 2, 100) == std::vector<Sent>{{3, 100}, {0, 100}, {1, 100}});
}

TEST_CASE("auto means one-shot") {
    CHECK(all_reduce_of(ScheduleKind::automatic, complete_overlay(4)).name == "one-shot");
    CHECK(all_reduce_of(ScheduleKind::automatic, complete_overlay(4)).form == "direct");
    CHECK(all_reduce_of(ScheduleKind::automatic, cube_overlay(3)).form == "flooding");
}

TEST_CASE("one-shot on the cube Q3 floods 1, 4 and 7 contributions along every bit") {
    const Schedule schedule = all_reduce_of(ScheduleKind::one_shot, cube_overlay(3));
    REQUIRE(schedule.phases.size() == 3);
    CHECK(sends(schedule, 0, 5, 10) == std::vector<Sent>{{4, 10}, {7, 10}, {1, 10}});
    CHECK(sends(schedule, 1, 5, 10) == std::vector<Sent>{{4, 40}, {7, 40}, {1, 40}});
    CHECK(sends(schedule, 2, 5, 10) == std::vector<Sent>{{4, 70}, {7, 70}, {1, 70}});
}

TEST_CASE("one-shot on a path floods what each rank holds until the ends have all") {
    const Schedule schedule = all_reduce_of(ScheduleKind::one_shot, path_overlay(4));
    REQUIRE(schedule.phases.size() == 3);
    CHECK(sends(schedule, 0, 1, 10) == std::vector<Sent>{{0, 10}, {2, 10}});
    CHECK(sends(schedule, 1, 0, 10) == std::vector<Sent>{{1, 20}});
    CHECK(sends(schedule, 1, 1, 10) == std::vector<Sent>{{0, 30}, {2, 30}});
    CHECK(sends(schedule, 2, 1, 10) == std::vector<Sent>{{0, 40}, {2, 40}});
}

TEST_CASE("two-shot scatters slices to their ranks and gathers them again; the first slices are a byte longer") {
    const Schedule schedule = all_reduce_of(ScheduleKind::two_shot, complete_overlay(4));
    REQUIRE(schedule.phases.size() == 2);
    CHECK(sends(schedule, 0, 1, 10) == std::vector<Sent>{{2, 2}, {3, 2}, {0, 3}});
    CHECK(sends(schedule, 1, 1, 10) == std::vector<Sent>{{2, 3}, {3, 3}, {0, 3}});
    CHECK(sends(schedule, 1, 3, 10) == std::vector<Sent>{{0, 2}, {1, 2}, {2, 2}});
    CHECK(sends(schedule, 0, 0, 2) == std::vector<Sent>{{1, 1}, {2, 0}, {3, 0}});
}

TEST_CASE("recursive doubling exchanges the whole buffer along bit k in phase k") {
    const Schedule schedule = all_reduce_of(ScheduleKind::recursive_doubling, complete_overlay(8));
    REQUIRE(schedule.phases.size() == 3);
    for (std::uint32_t k = 0; k < 3; ++k) {
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            CHECK(sends(schedule, k, rank, 99) == std::vector<Sent>{{rank ^ 1U << k, 99}});
        }
    }
}

TEST_CASE("coset-factored parallel moves slice s along layer (s + t) mod layers in phase t") {
    const Schedule schedule = all_reduce_of(ScheduleKind::coset_factored_parallel, cube_overlay(3));
    REQUIRE(schedule.phases.size() == 3);
    CHECK(schedule.slices == 3);
    for (std::uint32_t t = 0; t < 3; ++t) {
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            std::set<std::uint32_t> slices;
            for (const Send& send : schedule.sends_of(schedule.phases[t], rank)) {
                REQUIRE(send.pieces == 1);
                const std::uint32_t slice = schedule.pieces[send.first_piece].slice;
                CHECK(schedule.moved(send.peer, rank) == (rank ^ 1U << (slice + t) % 3));
                slices.insert(slice);
            }
            CHECK(slices.size() == 3);
        }
    }
    CHECK(sends(schedule, 0, 0, 11) == std::vector<Sent>{{1, 4}, {2, 4}, {4, 3}});
}

TEST_CASE("coset-factored parallel sends in the order in which the circuits list their generators") {
    // Striping counts along this order, so it decides which of several copies of a circuit takes what.
    const Schedule schedule = all_reduce_of(ScheduleKind::coset_factored_parallel, xor_overlay(3, {4, 1, 2}));
    CHECK(sends(schedule, 0, 0, 11) == std::vector<Sent>{{4, 3}, {1, 4}, {2, 4}});
}

TEST_CASE("send-recv sends the whole buffer from the first rank to the second") {
    const Schedule schedule = build_schedule(Primitive::send_recv, ScheduleKind::automatic, complete_overlay(2));
    REQUIRE(schedule.phases.size() == 1);
    CHECK(sends(schedule, 0, 0, 77) == std::vector<Sent>{{1, 77}});
    CHECK(sends(schedule, 0, 1, 77).empty());
}

TEST_CASE("a schedule that does not fit is refused with what it needs") {
    CHECK(refusal(Primitive::all_reduce, ScheduleKind::recursive_doubling, complete_overlay(6))
              .find("needs a power of two of ranks; there are 6") != std::string::npos);
    CHECK(refusal(Primitive::all_reduce, ScheduleKind::recursive_doubling, xor_overlay(2, {1, 3}))
              .find("needs the circuits of the cube; none joins ranks 0 and 2") != std::string::npos);
    CHECK(refusal(Primitive::all_reduce, ScheduleKind::coset_factored_parallel, xor_overlay(2, {3}))
              .find("needs coset layers") != std::string::npos);
    CHECK(refusal(Primitive::all_reduce, ScheduleKind::two_shot, cube_overlay(3)).find("no circuit joins them") !=
          std::string::npos);
    CHECK(refusal(Primitive::send_recv, ScheduleKind::automatic, complete_overlay(3)).find("exactly two ranks") !=
          std::string::npos);
    CHECK(refusal(Primitive::send_recv, ScheduleKind::two_shot, complete_overlay(2)).find("use `auto`") !=
          std::string::npos);
}

TEST_CASE("a buffer cut in parts gives the first parts one byte more and loses none") {
    for (std::uint32_t parts = 1; parts < 9; ++parts) {
        for (std::int64_t bytes = 0; bytes < 30; ++bytes) {
            std::int64_t sum = 0;
            for (std::uint32_t index = 0; index < parts; ++index) {
                const std::int64_t part = part_of({bytes}, parts, index).count;
                CHECK(part == bytes / parts + (index < bytes % parts ? 1 : 0));
                sum += part;
            }
            CHECK(sum == bytes);
        }
    }
}

TEST_CASE("a buffer is cut in blocks, and each block in slices") {
    const Schedule schedule{"", "", Symmetry::none, 3, 3, 2};
    // 10 bytes: blocks of 4, 3 and 3 bytes, slices of 2 and 2, 2 and 1, 2 and 1.
    CHECK(schedule.piece_bytes({10}, 0, 1) == Bytes{2});
    CHECK(schedule.piece_bytes({10}, 1, 1) == Bytes{1});
    CHECK(schedule.piece_bytes({10}, 2, 0) == Bytes{2});
}

TEST_CASE("what a rank sees moves back to what rank 0 sees") {
    for (const Symmetry symmetry : {Symmetry::cyclic, Symmetry::exclusive_or, Symmetry::none}) {
        Schedule schedule;
        schedule.symmetry = symmetry;
        schedule.ranks = 8;
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            for (std::uint32_t label = 0; label < 8; ++label) {
                CHECK(schedule.moved_back(schedule.moved(label, rank), rank) == label);
            }
        }
    }
}

TEST_CASE("digits of a label move by themselves where ranks are a product of complete graphs") {
    Schedule schedule;
    schedule.symmetry = Symmetry::mixed_radix;
    schedule.ranks = 12;
    schedule.radices = {4, 3};  // a label is low + 4 * high
    CHECK(schedule.moved(3 + 4 * 2, 2 + 4 * 2) == 1 + 4 * 1);
    CHECK(schedule.moved_back(1 + 4 * 0, 2 + 4 * 1) == 3 + 4 * 2);
    Schedule same = schedule;
    for (const auto& [symmetry, radices] : std::vector<std::pair<Symmetry, std::vector<std::uint32_t>>>{
             {Symmetry::cyclic, {16}}, {Symmetry::exclusive_or, {2, 2, 2, 2}}}) {
        schedule.ranks = same.ranks = 16;
        same.symmetry = symmetry;
        schedule.radices = radices;
        for (std::uint32_t rank = 0; rank < 16; ++rank) {
            for (std::uint32_t label = 0; label < 16; ++label) {
                CHECK(schedule.moved(label, rank) == same.moved(label, rank));
                CHECK(schedule.moved_back(schedule.moved(label, rank), rank) == label);
            }
        }
    }
}

TEST_CASE("an overlay knows its generators only if every rank lists the same ones in the same order") {
    CHECK(*xor_overlay(3, {4, 1, 2}).generators() == std::vector<Label>{4, 1, 2});
    CHECK_FALSE(path_overlay(4).generators());
    CHECK_FALSE(complete_overlay(4).generators());
    Overlay turned = cube_overlay(2);
    std::swap(turned.neighbours[3][0], turned.neighbours[3][1]);
    CHECK_FALSE(turned.generators());
}
