#include <optional>
#include <vector>

#include <catch2/catch.hpp>

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
    explicit Execution(const Schedule& schedule) : schedule_(schedule), n_(schedule.ranks) {
        for (std::uint32_t rank = 0; rank < n_; ++rank) {
            sums_.emplace_back();
            for (std::uint32_t slice = 0; slice < schedule.slices; ++slice) {
                sums_.back().push_back(input(rank, slice));
            }
            kept_.emplace_back(n_, std::nullopt);
            kept_.back()[rank] = input(rank, 0);
        }
    }

    bool right(Primitive primitive) {
        for (const Phase& phase : schedule_.phases) {
            run(phase);
        }
        if (ambiguous_) {
            return false;
        }
        if (primitive == Primitive::send_recv) {
            return sums_[1] == Execution(schedule_).sums_[0];
        }
        for (std::uint32_t rank = 0; rank < n_; ++rank) {
            for (std::uint32_t slice = 0; slice < schedule_.slices; ++slice) {
                if (result(rank, slice) != expected(slice)) {
                    return false;
                }
            }
        }
        return true;
    }

private:
    static std::uint64_t input(std::uint32_t rank, std::uint32_t slice) { return mix(rank + 1, slice); }

    std::uint64_t expected(std::uint32_t slice) const {
        std::uint64_t sum = 0;
        for (std::uint32_t rank = 0; rank < n_; ++rank) {
            sum += input(rank, slice);
        }
        return sum;
    }

    // Where contributions are kept apart, the rank adds them up itself.
    std::uint64_t result(std::uint32_t rank, std::uint32_t slice) const {
        if (schedule_.phases.empty() || schedule_.phases[0].effect != Effect::collect) {
            return sums_[rank][slice];
        }
        std::uint64_t sum = 0;
        for (const auto& kept : kept_[rank]) {
            sum += kept.value_or(0);
        }
        return sum;
    }

    void run(const Phase& phase) {
        const auto sums = sums_;
        const auto kept = kept_;
        std::vector<std::vector<bool>> replaced(n_, std::vector<bool>(schedule_.slices, false));
        for (std::uint32_t rank = 0; rank < n_; ++rank) {
            for (const Send& send : schedule_.sends_of(phase, rank)) {
                const std::uint32_t peer = schedule_.moved(send.peer, rank);
                for (std::uint32_t i = 0; i < send.pieces; ++i) {
                    const std::uint32_t piece = schedule_.pieces[send.first_piece + i];
                    if (phase.effect == Effect::collect) {
                        collect(peer, schedule_.moved(piece, rank), kept[rank]);
                        continue;
                    }
                    const std::uint32_t slice = schedule_.slice_at(piece, rank);
                    std::uint64_t& into = sums_[peer][slice];
                    if (phase.effect == Effect::reduce) {
                        into += sums[rank][slice];
                        continue;
                    }
                    // Two values for one slice: which of them stays depends on who comes last.
                    ambiguous_ = ambiguous_ || (replaced[peer][slice] && into != sums[rank][slice]);
                    replaced[peer][slice] = true;
                    into = sums[rank][slice];
                }
            }
        }
    }

    // A rank cannot send what it does not hold.
    void collect(std::uint32_t peer, std::uint32_t contributor, const std::vector<std::optional<std::uint64_t>>& from) {
        ambiguous_ = ambiguous_ || !from[contributor];
        kept_[peer][contributor] = from[contributor];
    }

    const Schedule& schedule_;
    std::uint32_t n_;
    std::vector<std::vector<std::uint64_t>> sums_;                 // by rank and slice
    std::vector<std::vector<std::optional<std::uint64_t>>> kept_;  // by rank and contributor
    bool ambiguous_ = false;
};

// The same schedule, written out for every rank.
Schedule written_out(const Schedule& schedule) {
    Schedule full = schedule;
    full.symmetry = Symmetry::none;
    full.frame = SliceFrame::absolute;
    full.pieces.clear();
    for (std::size_t k = 0; k < schedule.phases.size(); ++k) {
        const Phase& phase = schedule.phases[k];
        Phase out{phase.effect, false, {}, {0}};
        for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
            for (const Send& send : schedule.sends_of(phase, rank)) {
                std::vector<std::uint32_t> pieces;
                for (std::uint32_t i = 0; i < send.pieces; ++i) {
                    const std::uint32_t piece = schedule.pieces[send.first_piece + i];
                    pieces.push_back(phase.effect == Effect::collect ? schedule.moved(piece, rank)
                                                                     : schedule.slice_at(piece, rank));
                }
                out.sends.push_back({schedule.moved(send.peer, rank), full.add_pieces(pieces), send.pieces});
            }
            out.first_send.push_back(static_cast<std::uint32_t>(out.sends.size()));
        }
        full.phases[k] = std::move(out);
    }
    return full;
}

Schedule random_schedule(Random& random) {
    const auto bits = static_cast<unsigned>(random.between(1, 3));
    switch (random.below(5)) {
        case 0:
            return build_two_shot(complete_overlay(static_cast<std::uint32_t>(random.between(2, 7))));
        case 1:
            return build_recursive_doubling(cube_overlay(bits));
        case 2:
            return build_coset_factored_parallel(cube_overlay(bits));
        case 3:
            return build_one_shot(random.below(2) == 0 ? cube_overlay(bits) : path_overlay(5));
        default:
            return build_one_shot(complete_overlay(static_cast<std::uint32_t>(random.between(2, 7))));
    }
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
            const std::uint32_t most = phase.effect == Effect::collect ? schedule.ranks : schedule.slices;
            std::vector<std::uint32_t> pieces(schedule.pieces.begin() + send.first_piece,
                                              schedule.pieces.begin() + send.first_piece + send.pieces);
            pieces[random.below(pieces.size())] = static_cast<std::uint32_t>(random.below(most));
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
    std::vector<Schedule> schedules;
    for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
        schedules.push_back(build_one_shot(complete_overlay(ranks)));
        schedules.push_back(build_two_shot(complete_overlay(ranks)));
        schedules.push_back(build_one_shot(path_overlay(ranks)));
    }
    for (unsigned bits = 1; bits <= 6; ++bits) {
        schedules.push_back(build_one_shot(cube_overlay(bits)));
        schedules.push_back(build_recursive_doubling(cube_overlay(bits)));
        schedules.push_back(build_coset_factored_parallel(cube_overlay(bits)));
    }
    for (const Schedule& schedule : schedules) {
        CAPTURE(schedule.name, schedule.form, schedule.ranks);
        CHECK(find_flaw(schedule, Primitive::all_reduce).value_or("") == "");
        CHECK(Execution(schedule).right(Primitive::all_reduce));
        CHECK(find_flaw(written_out(schedule), Primitive::all_reduce).value_or("") == "");
    }
    CHECK_FALSE(find_flaw(build_send_recv(complete_overlay(2)), Primitive::send_recv));
}

TEST_CASE("of schedules with one thing changed the proof refuses exactly those whose result is wrong") {
    int wrong = 0;
    int right = 0;
    for_each_seed(50, Cases::mutations, [&](Random& random) {
        Schedule schedule = random_schedule(random);
        schedule = one_in(random, 3) ? schedule : written_out(schedule);
        mutate(random, schedule);
        CAPTURE(schedule.name, schedule.form, schedule.ranks);
        const bool fine = Execution(schedule).right(Primitive::all_reduce);
        (fine ? right : wrong) += 1;
        INFO(find_flaw(schedule, Primitive::all_reduce).value_or("no flaw"));
        CHECK(find_flaw(schedule, Primitive::all_reduce).has_value() == !fine);
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
    schedule.phases[0].sends[0].first_piece = schedule.add_pieces({3});
    CHECK(find_flaw(schedule, Primitive::all_reduce)->find("there is no slice 3") != std::string::npos);
}

TEST_CASE("a flaw names the first phase, the ranks and the slice that go wrong") {
    Schedule schedule = written_out(build_recursive_doubling(cube_overlay(2)));
    std::swap(schedule.phases[1], schedule.phases[0]);
    CHECK_FALSE(find_flaw(schedule, Primitive::all_reduce));
    schedule.phases[1] = schedule.phases[0];
    CHECK(*find_flaw(schedule, Primitive::all_reduce) == "phase 1: rank 0 to rank 2, slice 0 would count rank 0 twice");
}
