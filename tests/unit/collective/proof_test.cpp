#include <array>
#include <map>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/proof.hpp>

#include <support/overlays.hpp>
#include <support/random_case.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// Carries a schedule out on numbers, with all ranks, and looks at what they hold in the end.
class Execution {
public:
    Execution(const Schedule& schedule, Primitive primitive)
        : schedule_(schedule), primitive_(primitive), n_(schedule.ranks) {
        for (std::uint32_t rank = 0; rank < n_; ++rank) {
            sums_.emplace_back();
            kept_.emplace_back();
            for (const Piece& piece : pieces()) {
                const bool has = starts_with(rank, piece.block);
                sums_.back().push_back(has ? std::optional(input(rank, piece)) : std::nullopt);
                kept_.back()[{rank, piece.block, piece.slice}] = input(rank, piece);
            }
        }
    }

    bool right() {
        for (const Phase& phase : schedule_.phases) {
            run(phase);
        }
        for (std::uint32_t rank = 0; rank < n_; ++rank) {
            for (const Piece& piece : pieces()) {
                wrong_ = wrong_ || !right_at(rank, piece);
            }
        }
        return !wrong_;
    }

private:
    using Value = std::optional<std::uint64_t>;
    using Source = std::array<std::uint32_t, 3>;  // rank, block, slice

    static std::uint64_t input(std::uint32_t rank, const Piece& piece) {
        return mix(rank + 1, piece.block * 1000 + piece.slice);
    }

    std::vector<Piece> pieces() const {
        std::vector<Piece> all;
        for (std::uint32_t block = 0; block < schedule_.blocks; ++block) {
            for (std::uint32_t slice = 0; slice < schedule_.slices; ++slice) {
                all.push_back({block, slice});
            }
        }
        return all;
    }

    bool starts_with(std::uint32_t rank, std::uint32_t block) const {
        const bool from_first = primitive_ == Primitive::send_recv || primitive_ == Primitive::broadcast;
        return from_first ? rank == 0 : primitive_ != Primitive::all_gather || block == rank;
    }

    std::uint64_t total(const Piece& piece) const {
        std::uint64_t sum = 0;
        for (std::uint32_t rank = 0; rank < n_; ++rank) {
            sum += input(rank, piece);
        }
        return sum;
    }

    bool keeps_apart() const {
        return primitive_ == Primitive::all_to_all ||
               (!schedule_.phases.empty() && schedule_.phases[0].effect == Effect::collect);
    }

    bool right_at(std::uint32_t rank, const Piece& piece) const {
        const Value& held = sums_[rank][at(piece.block, piece.slice)];
        switch (primitive_) {
            case Primitive::all_to_all:
                return piece.block != rank || has_of_all(rank, piece);
            case Primitive::all_gather:
                return held == input(piece.block, piece);
            case Primitive::send_recv:
                return rank != 1 || held == input(0, piece);
            case Primitive::broadcast:
                return held == input(0, piece);
            case Primitive::reduce_scatter:
                return piece.block != rank || held == total(piece);
            case Primitive::all_reduce:
                break;
        }
        // Where contributions are kept apart, the rank adds them up itself.
        return keeps_apart() ? has_of_all(rank, piece) : held == total(piece);
    }

    bool has_of_all(std::uint32_t rank, const Piece& piece) const {
        for (std::uint32_t source = 0; source < n_; ++source) {
            const auto found = kept_[rank].find({source, piece.block, piece.slice});
            if (found == kept_[rank].end() || found->second != input(source, piece)) {
                return false;
            }
        }
        return true;
    }

    std::size_t at(std::uint32_t block, std::uint32_t slice) const { return block * schedule_.slices + slice; }

    void run(const Phase& phase) {
        const auto sums = sums_;
        const auto kept = kept_;
        std::vector<std::vector<bool>> replaced(n_, std::vector<bool>(pieces().size(), false));
        for (std::uint32_t rank = 0; rank < n_; ++rank) {
            for (const Send& send : schedule_.sends_of(phase, rank)) {
                const std::uint32_t peer = schedule_.moved(send.peer, rank);
                for (std::uint32_t i = 0; i < send.pieces; ++i) {
                    const Piece piece = schedule_.pieces[send.first_piece + i];
                    const std::uint32_t block = schedule_.blocks == 1 ? 0 : schedule_.moved(piece.block, rank);
                    const std::size_t slot = at(block, piece.slice);
                    if (phase.effect == Effect::collect) {
                        collect(peer, {schedule_.moved(piece.source, rank), block, piece.slice}, kept[rank]);
                        continue;
                    }
                    const Value& sent = sums[rank][slot];
                    Value& into = sums_[peer][slot];
                    wrong_ = wrong_ || !sent;  // a rank cannot send what it does not hold
                    if (phase.effect == Effect::reduce) {
                        into = into.value_or(0) + sent.value_or(0);
                        continue;
                    }
                    // Two values for one piece: which of them stays depends on who comes last.
                    wrong_ = wrong_ || (replaced[peer][slot] && into != sent);
                    replaced[peer][slot] = true;
                    into = sent;
                }
            }
        }
    }

    void collect(std::uint32_t peer, const Source& source, const std::map<Source, std::uint64_t>& from) {
        const auto found = from.find(source);
        wrong_ = wrong_ || found == from.end();
        if (found != from.end()) {
            kept_[peer][source] = found->second;
        }
    }

    const Schedule& schedule_;
    Primitive primitive_;
    std::uint32_t n_;
    std::vector<std::vector<Value>> sums_;               // by rank and piece
    std::vector<std::map<Source, std::uint64_t>> kept_;  // by rank
    bool wrong_ = false;
};

// The same schedule, written out for every rank.
Schedule written_out(const Schedule& schedule) {
    Schedule full = schedule;
    full.symmetry = Symmetry::none;
    full.pieces.clear();
    for (std::size_t k = 0; k < schedule.phases.size(); ++k) {
        const Phase& phase = schedule.phases[k];
        Phase out{phase.effect, false, {}, {0}};
        for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
            for (const Send& send : schedule.sends_of(phase, rank)) {
                std::vector<Piece> pieces;
                for (const Piece& piece : schedule.pieces_of(send)) {
                    pieces.push_back(
                        {schedule.block_at(piece.block, rank), piece.slice, schedule.moved(piece.source, rank)});
                }
                out.sends.push_back({schedule.moved(send.peer, rank), full.add_pieces(pieces), send.pieces});
            }
            out.first_send.push_back(static_cast<std::uint32_t>(out.sends.size()));
        }
        full.phases[k] = std::move(out);
    }
    return full;
}

struct Work {
    Primitive primitive;
    Schedule schedule;
};

const std::vector<Primitive> primitives{Primitive::all_reduce,     Primitive::all_to_all, Primitive::all_gather,
                                        Primitive::reduce_scatter, Primitive::broadcast,  Primitive::send_recv};

// Every schedule that can be built there.
std::vector<Work> all_on(const Overlay& overlay) {
    std::vector<Work> all;
    for (const Primitive primitive : primitives) {
        for (const ScheduleKind kind : schedules_of(primitive)) {
            try {
                all.push_back({primitive, build_schedule(primitive, kind, overlay)});
            } catch (const Error&) {
                continue;
            }
        }
    }
    return all;
}

Work random_work(Random& random) {
    const auto bits = static_cast<unsigned>(random.between(1, 3));
    const auto ranks = static_cast<std::uint32_t>(random.between(2, 8));
    const std::vector<Work> all = all_on(one_in(random, 3)   ? cube_overlay(bits)
                                         : one_in(random, 8) ? path_overlay(5)
                                                             : complete_overlay(ranks));
    return all[random.below(all.size())];
}

void drop_send(Phase& phase, std::size_t at) {
    phase.sends.erase(phase.sends.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::uint32_t& first : phase.first_send) {
        first -= first > at ? 1U : 0U;
    }
}

void double_send(Phase& phase, std::size_t at) {
    const Send twice = phase.sends[at];
    phase.sends.insert(phase.sends.begin() + static_cast<std::ptrdiff_t>(at), twice);
    for (std::uint32_t& first : phase.first_send) {
        first += first > at ? 1U : 0U;
    }
}

std::uint32_t sender_of(const Phase& phase, std::size_t at) {
    std::uint32_t rank = 0;
    while (!phase.first_send.empty() && phase.first_send[rank + 1] <= at) {
        ++rank;
    }
    return rank;
}

// One random thing goes wrong. Some changes do no harm.
void mutate(Random& random, Schedule& schedule) {
    Phase& phase = schedule.phases[random.below(schedule.phases.size())];
    const std::size_t at = random.below(phase.sends.size());
    Send& send = phase.sends[at];
    switch (random.below(5)) {
        case 0:
            drop_send(phase, at);
            break;
        case 1:
            double_send(phase, at);
            break;
        case 2: {
            const std::uint32_t self = sender_of(phase, at);
            const auto other = static_cast<std::uint32_t>(random.below(schedule.ranks - 1));
            send.peer = other < self ? other : other + 1;
            break;
        }
        case 3: {
            std::vector<Piece> pieces(schedule.pieces_of(send).begin(), schedule.pieces_of(send).end());
            pieces[random.below(pieces.size())] = {static_cast<std::uint32_t>(random.below(schedule.blocks)),
                                                   static_cast<std::uint32_t>(random.below(schedule.slices)),
                                                   static_cast<std::uint32_t>(random.below(schedule.ranks))};
            send.first_piece = schedule.add_pieces(pieces);
            break;
        }
        default:
            std::swap(phase, schedule.phases[random.below(schedule.phases.size())]);
            break;
    }
}

}  // namespace

TEST_CASE("the proof accepts every schedule that is built, and numbers agree") {
    std::vector<Work> works;
    const auto add = [&](const std::vector<Work>& more) { works.insert(works.end(), more.begin(), more.end()); };
    for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 12U, 16U, 17U, 32U}) {
        add(all_on(complete_overlay(ranks)));
        add(all_on(path_overlay(ranks)));
    }
    for (unsigned bits = 1; bits <= 5; ++bits) {
        add(all_on(cube_overlay(bits)));
    }
    for (const auto& [primitive, schedule] : works) {
        CAPTURE(static_cast<int>(primitive), schedule.name, schedule.form, schedule.ranks);
        CHECK(find_flaw(schedule, primitive).value_or("") == "");
        CHECK(Execution(schedule, primitive).right());
        CHECK(find_flaw(written_out(schedule), primitive).value_or("") == "");
    }
}

TEST_CASE("the proof follows schedules on products of complete graphs") {
    // Ranks 4 x 3: contributions go along the low digit, then all that a rank holds goes along the high one.
    Schedule schedule{"", "", Symmetry::mixed_radix, 12};
    schedule.radices = {4, 3};
    const std::uint32_t own = schedule.add_pieces({{}});
    const std::uint32_t row = schedule.add_pieces({{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, 3}});
    schedule.phases = {{Effect::collect, false, {{1, own, 1}, {2, own, 1}, {3, own, 1}}},
                       {Effect::collect, false, {{4, row, 4}, {8, row, 4}}}};
    CHECK(find_flaw(schedule, Primitive::all_reduce).value_or("") == "");
    CHECK(Execution(schedule, Primitive::all_reduce).right());
    schedule.radices = {3, 4};
    CHECK(find_flaw(schedule, Primitive::all_reduce));
    CHECK_FALSE(Execution(schedule, Primitive::all_reduce).right());
}

TEST_CASE("the proof follows blocks over relays and slices that part") {
    // All-to-all on the square 0-1, 0-2, 1-3, 2-3: slice 0 of a block goes along bit 0 first, slice 1 along bit 1.
    Schedule schedule{"", "", Symmetry::exclusive_or, 4, 4, 2};
    const auto along = [&](std::uint32_t bit, std::uint32_t slice) {
        const std::uint32_t other = 3 - bit;
        const std::uint32_t first = schedule.add_pieces({{bit, slice, 0}, {3, slice, 0}});
        const std::uint32_t second = schedule.add_pieces({{other, slice, 0}, {other, slice, bit}});
        return std::pair(Send{bit, first, 2}, Send{other, second, 2});
    };
    const auto [low_first, low_second] = along(1, 0);
    const auto [high_first, high_second] = along(2, 1);
    schedule.phases = {{Effect::collect, false, {low_first, high_first}},
                       {Effect::collect, false, {low_second, high_second}}};
    CHECK(find_flaw(schedule, Primitive::all_to_all).value_or("") == "");
    CHECK(Execution(schedule, Primitive::all_to_all).right());
    schedule.pieces[low_second.first_piece + 1].source = 0;
    CHECK(find_flaw(schedule, Primitive::all_to_all).value_or("") ==
          "at the end rank 0 does not hold slice 0 of block 0 from rank 3");
}

TEST_CASE("of schedules with one thing changed the proof refuses exactly those whose result is wrong") {
    int wrong = 0;
    int right = 0;
    for_each_seed(50, Cases::mutations, [&](Random& random) {
        auto [primitive, schedule] = random_work(random);
        schedule = one_in(random, 3) || schedule.symmetry == Symmetry::none ? schedule : written_out(schedule);
        mutate(random, schedule);
        CAPTURE(static_cast<int>(primitive), schedule.name, schedule.form, schedule.ranks);
        const bool fine = Execution(schedule, primitive).right();
        (fine ? right : wrong) += 1;
        INFO(find_flaw(schedule, primitive).value_or("no flaw"));
        CHECK(find_flaw(schedule, primitive).has_value() == !fine);
    });
    INFO("wrong " << wrong << ", right " << right);
    CHECK(wrong + right > 0);
}

TEST_CASE("sends to oneself or to nobody, and slices that do not exist, are flaws") {
    Schedule schedule = written_out(build_two_shot(complete_overlay(3)));
    schedule.phases[0].sends[0].peer = 0;
    CHECK(find_flaw(schedule, Primitive::all_reduce)->find("rank 0 sends to rank 0") != std::string::npos);
    schedule.phases[0].sends[0].peer = 3;
    CHECK(find_flaw(schedule, Primitive::all_reduce)->find("rank 0 sends to rank 3") != std::string::npos);
    schedule = written_out(build_two_shot(complete_overlay(3)));
    schedule.phases[0].sends[0].first_piece = schedule.add_pieces({{3}});
    CHECK(find_flaw(schedule, Primitive::all_reduce)->find("there is no slice 0 of block 3") != std::string::npos);
}

TEST_CASE("a schedule whose shape does not fit its primitive is flawed") {
    const Overlay four = complete_overlay(4);
    CHECK(*find_flaw(build_one_shot(four), Primitive::all_to_all) == "the buffer is cut in 1 blocks for 4 ranks");
    CHECK(*find_flaw(build_direct_all_gather(four), Primitive::all_to_all) ==
          "phase 0: adds up or replaces what is kept apart");
    CHECK(*find_flaw(build_pairwise(four), Primitive::reduce_scatter) ==
          "phase 0: keeps apart what is added up or replaced");
    CHECK(*find_flaw(build_recursive_doubling(four), Primitive::broadcast) ==
          "every rank does the same, but only rank 0 has what is sent");
}

TEST_CASE("two values for one piece in one phase are a flaw, even if the right one would come last") {
    Schedule schedule = written_out(build_two_shot(complete_overlay(3)));
    Phase& gather = schedule.phases[1];
    // Rank 1 sends rank 0 its own block 1; of block 2, which rank 2 sends, it has only its own part.
    Send& send = gather.sends[gather.first_send[1] + 1];
    REQUIRE(send.peer == 0);
    send.first_piece = schedule.add_pieces({{1}, {2}});
    send.pieces = 2;
    CHECK(*find_flaw(schedule, Primitive::all_reduce) ==
          "phase 1: rank 2 to rank 0, slice 0 of block 2 is replaced by two different values");
    CHECK_FALSE(Execution(schedule, Primitive::all_reduce).right());
}

TEST_CASE("a flaw names the first block that is lost, or sent by a rank that does not hold it") {
    Schedule lost = written_out(build_direct_all_to_all(complete_overlay(3)));
    lost.pieces[lost.phases[0].sends[2].first_piece].block = 0;  // rank 1 sends rank 2 the block of rank 0
    CHECK(*find_flaw(lost, Primitive::all_to_all) == "at the end rank 2 does not hold slice 0 of block 2 from rank 1");
    Schedule early = build_ring_all_gather(complete_overlay(4));
    std::swap(early.phases[0], early.phases[1]);
    CHECK(*find_flaw(early, Primitive::all_gather) ==
          "phase 0: rank 3 to rank 0, the sender does not hold slice 0 of block 2");
    Schedule twice = build_ring_reduce_scatter(complete_overlay(4));
    twice.phases[2] = twice.phases[1];
    CHECK(*find_flaw(twice, Primitive::reduce_scatter) ==
          "phase 2: rank 3 to rank 0, slice 0 of block 1 would count rank 3 twice");
    Schedule tree = build_one_shot_broadcast(cube_overlay(2));
    tree.phases[1].sends.clear();
    tree.phases[1].first_send.assign(5, 0);
    CHECK(*find_flaw(tree, Primitive::broadcast) == "at the end rank 3 does not hold what rank 0 has for slice 0");
}

TEST_CASE("a flaw names the first phase, the ranks and the slice that go wrong") {
    Schedule schedule = written_out(build_recursive_doubling(cube_overlay(2)));
    std::swap(schedule.phases[1], schedule.phases[0]);
    CHECK_FALSE(find_flaw(schedule, Primitive::all_reduce));
    schedule.phases[1] = schedule.phases[0];
    CHECK(*find_flaw(schedule, Primitive::all_reduce) == "phase 1: rank 0 to rank 2, slice 0 would count rank 0 twice");
}
