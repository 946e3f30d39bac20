#include <simlette/collective/proof.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace simlette {

namespace {

// A set of ranks.
class RankSet {
public:
    explicit RankSet(std::uint32_t ranks) : words_((ranks + 63) / 64, 0) {}

    bool has(std::uint32_t rank) const { return (words_[rank / 64] >> rank % 64 & 1U) != 0; }
    void add(std::uint32_t rank) { words_[rank / 64] |= std::uint64_t{1} << rank % 64; }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }
    std::uint32_t size() const {
        std::uint32_t count = 0;
        for (const std::uint64_t word : words_) {
            count += static_cast<std::uint32_t>(std::popcount(word));
        }
        return count;
    }
    friend bool operator==(const RankSet& a, const RankSet& b) { return a.words_ == b.words_; }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
                visit(static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(rest)));
            }
        }
    }

private:
    std::vector<std::uint64_t> words_;
};

// For each slice of a rank, whose contributions it holds. A symmetric schedule is followed at rank 0 only: what any
// other rank holds is the same, moved.
class DataFlow {
public:
    explicit DataFlow(const Schedule& schedule)
        : schedule_(schedule), followed_(schedule.symmetry == Symmetry::none ? schedule.ranks : 1) {
        for (std::uint32_t rank = 0; rank < followed_; ++rank) {
            for (std::uint32_t slice = 0; slice < schedule.slices; ++slice) {
                held_.emplace_back(schedule.ranks);
                held_.back().add(rank);
            }
        }
    }

    std::optional<std::string> run_phase(std::uint32_t k) {
        const Phase& phase = schedule_.phases[k];
        before_ = held_;
        replaced_.assign(held_.size(), false);
        for (std::uint32_t rank = 0; rank < followed_; ++rank) {
            for (const Send& send : schedule_.sends_of(phase, rank)) {
                if (auto flaw = receive(phase, send, rank)) {
                    return "phase " + std::to_string(k) + ": " + *flaw;
                }
            }
        }
        return std::nullopt;
    }

    const RankSet& held(std::uint32_t rank, std::uint32_t slice) const { return held_[at(rank, slice)]; }
    std::uint32_t followed() const { return followed_; }

private:
    std::size_t at(std::uint32_t rank, std::uint32_t slice) const {
        return std::size_t{rank} * schedule_.slices + slice;
    }

    // A symmetric send from rank 0 to p is also one from the rank that sees rank 0 as its p: that is what rank 0 gets.
    std::optional<std::string> receive(const Phase& phase, const Send& send, std::uint32_t rank) {
        if (send.peer >= schedule_.ranks || (send.peer == rank)) {
            return "rank " + std::to_string(rank) + " sends to rank " + std::to_string(send.peer);
        }
        const bool symmetric = schedule_.symmetry != Symmetry::none;
        const std::uint32_t sender = symmetric ? schedule_.moved_back(0, send.peer) : rank;
        const std::uint32_t receiver = symmetric ? 0 : send.peer;
        for (std::uint32_t i = 0; i < send.pieces; ++i) {
            const std::uint32_t piece = schedule_.pieces[send.first_piece + i];
            auto flaw = phase.effect == Effect::collect ? collect(piece, sender, receiver)
                                                        : combine(phase.effect, piece, sender, receiver);
            if (flaw) {
                return "rank " + std::to_string(sender) + " to rank " + std::to_string(receiver) + ", " + *flaw;
            }
        }
        return std::nullopt;
    }

    std::optional<std::string> collect(std::uint32_t piece, std::uint32_t sender, std::uint32_t receiver) {
        const std::uint32_t contributor = schedule_.moved(piece, sender);
        if (piece >= schedule_.ranks || schedule_.slices != 1 || !before_[own(sender, 0)].has(piece)) {
            return "the sender does not hold the contribution of rank " + std::to_string(contributor);
        }
        held_[at(receiver, 0)].add(contributor);
        return std::nullopt;
    }

    std::optional<std::string> combine(Effect effect, std::uint32_t piece, std::uint32_t sender,
                                       std::uint32_t receiver) {
        if (piece >= schedule_.slices) {
            return "there is no slice " + std::to_string(piece);
        }
        const std::uint32_t slice = schedule_.slice_at(piece, sender);
        const RankSet& sent = before_[own(sender, piece)];
        RankSet& into = held_[at(receiver, slice)];
        std::optional<std::string> flaw;
        if (effect == Effect::replace) {
            RankSet moved(schedule_.ranks);
            sent.for_each([&](std::uint32_t c) { moved.add(schedule_.moved(c, sender)); });
            if (replaced_[at(receiver, slice)] && !(moved == into)) {
                flaw = "slice " + std::to_string(slice) + " is replaced by two different values";
            }
            replaced_[at(receiver, slice)] = true;
            into = std::move(moved);
            return flaw;
        }
        sent.for_each([&](std::uint32_t c) {
            const std::uint32_t contributor = schedule_.moved(c, sender);
            if (into.has(contributor) && !flaw) {
                flaw = "slice " + std::to_string(slice) + " would count rank " + std::to_string(contributor) + " twice";
            }
            into.add(contributor);
        });
        return flaw;
    }

    // Where the state of `rank` is kept: at rank 0 for symmetric schedules.
    std::size_t own(std::uint32_t rank, std::uint32_t slice) const { return followed_ == 1 ? slice : at(rank, slice); }

    const Schedule& schedule_;
    std::uint32_t followed_;
    std::vector<RankSet> held_;
    std::vector<RankSet> before_;  // at the start of the phase
    std::vector<bool> replaced_;
};

std::optional<std::string> check_all_reduce(const DataFlow& flow, const Schedule& schedule) {
    for (std::uint32_t rank = 0; rank < flow.followed(); ++rank) {
        for (std::uint32_t slice = 0; slice < schedule.slices; ++slice) {
            const std::uint32_t held = flow.held(rank, slice).size();
            if (held != schedule.ranks) {
                return "at the end rank " + std::to_string(rank) + " holds " + std::to_string(held) + " of " +
                       std::to_string(schedule.ranks) + " contributions to slice " + std::to_string(slice);
            }
        }
    }
    return std::nullopt;
}

std::optional<std::string> check_send_recv(const DataFlow& flow, const Schedule& schedule) {
    RankSet first(schedule.ranks);
    first.add(0);
    for (std::uint32_t slice = 0; slice < schedule.slices; ++slice) {
        if (!(flow.held(1, slice) == first)) {
            return "at the end rank 1 does not hold slice " + std::to_string(slice) + " of rank 0";
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> find_flaw(const Schedule& schedule, Primitive primitive) {
    DataFlow flow(schedule);
    for (std::uint32_t k = 0; k < schedule.phases.size(); ++k) {
        if (auto flaw = flow.run_phase(k)) {
            return flaw;
        }
    }
    return primitive == Primitive::all_reduce ? check_all_reduce(flow, schedule) : check_send_recv(flow, schedule);
}

}  // namespace simlette
