#include <simlette/collective/proof.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace simlette {

namespace {

using Flaw = std::optional<std::string>;

std::string name_of_rank(std::uint32_t rank) {
    return "rank " + std::to_string(rank);
}

// Where ranks differ in what they need, a piece is told by its block too.
std::string name_of_piece(const Schedule& schedule, std::uint32_t block, std::uint32_t slice) {
    const std::string name = "slice " + std::to_string(slice);
    return schedule.blocks == 1 ? name : name + " of block " + std::to_string(block);
}

class BitSet {
public:
    explicit BitSet(std::size_t size) : words_((size + 63) / 64, 0) {}

    bool has(std::size_t i) const { return (words_[i / 64] >> i % 64 & 1U) != 0; }
    void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
    std::size_t size() const {
        std::size_t count = 0;
        for (const std::uint64_t word : words_) {
            count += static_cast<std::size_t>(std::popcount(word));
        }
        return count;
    }
    friend bool operator==(const BitSet& a, const BitSet& b) { return a.words_ == b.words_; }

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

// What both kinds of data flow share. A symmetric schedule is followed at rank 0 only: what any other rank holds is the
// same, moved.
class Follower {
public:
    explicit Follower(const Schedule& schedule) : schedule_(schedule) {}

    const Schedule& schedule() const { return schedule_; }
    std::uint32_t followed() const { return symmetric() ? std::min(schedule_.ranks, 1U) : schedule_.ranks; }
    std::uint32_t pieces() const { return schedule_.blocks * schedule_.slices; }
    std::uint32_t index(std::uint32_t block, std::uint32_t slice) const { return block * schedule_.slices + slice; }
    // Where the state of `rank` is kept.
    std::size_t place(std::uint32_t rank) const { return symmetric() ? 0 : rank; }

    // Hands each piece that a phase moves to `receive(sender, receiver, piece)`. A symmetric send from rank 0 to p is
    // also one from the rank that sees rank 0 as its p: that is what rank 0 gets.
    template <class Receive>
    std::optional<DataFlaw> each_piece(const Phase& phase, Receive&& receive) const {
        for (std::uint32_t rank = 0; rank < followed(); ++rank) {
            for (const Send& send : schedule_.sends_of(phase, rank)) {
                if (send.peer >= schedule_.ranks || send.peer == rank) {
                    return DataFlaw{name_of_rank(rank) + " sends to " + name_of_rank(send.peer),
                                    DataFlaw::At{0, rank, send.peer, 0}};
                }
                const std::uint32_t sender = symmetric() ? schedule_.moved_back(0, send.peer) : rank;
                const std::uint32_t receiver = symmetric() ? 0 : send.peer;
                for (std::uint32_t i = 0; i < send.pieces; ++i) {
                    const Piece& piece = schedule_.pieces[send.first_piece + i];
                    Flaw flaw = exists(piece) ? receive(sender, receiver, piece) : no_such(piece);
                    if (flaw) {
                        return DataFlaw{name_of_rank(sender) + " to " + name_of_rank(receiver) + ", " + *flaw,
                                        DataFlaw::At{0, rank, send.peer, i}};
                    }
                }
            }
        }
        return std::nullopt;
    }

private:
    bool symmetric() const { return schedule_.symmetry != Symmetry::none; }
    bool exists(const Piece& piece) const {
        return piece.block < schedule_.blocks && piece.slice < schedule_.slices && piece.source < schedule_.ranks;
    }
    Flaw no_such(const Piece& piece) const {
        return "there is no " + name_of_piece(schedule_, piece.block, piece.slice) +
               (piece.source < schedule_.ranks ? "" : " from " + name_of_rank(piece.source));
    }

    const Schedule& schedule_;
};

// For each piece of a rank, whose inputs are in its sum; an empty set: the rank does not hold it.
class SumFlow {
public:
    SumFlow(const Schedule& schedule, Primitive primitive) : on_(schedule) {
        for (std::uint32_t rank = 0; rank < on_.followed(); ++rank) {
            for (std::uint32_t block = 0; block < schedule.blocks; ++block) {
                for (std::uint32_t slice = 0; slice < schedule.slices; ++slice) {
                    held_.emplace_back(schedule.ranks);
                    if (starts_with(primitive, rank, block)) {
                        held_.back().add(rank);
                    }
                }
            }
        }
    }

    std::optional<DataFlaw> run(const Phase& phase) {
        before_.clear();
        return on_.each_piece(phase, [&](std::uint32_t sender, std::uint32_t receiver, const Piece& piece) {
            return receive(phase.effect, sender, receiver, piece);
        });
    }

    Flaw check_end(Primitive primitive) const {
        for (std::uint32_t rank = 0; rank < on_.followed(); ++rank) {
            for (std::uint32_t block = 0; block < on_.schedule().blocks; ++block) {
                for (std::uint32_t slice = 0; slice < on_.schedule().slices; ++slice) {
                    if (auto flaw = check_piece(primitive, rank, block, slice)) {
                        return "at the end " + name_of_rank(rank) + ' ' + *flaw + ' ' +
                               name_of_piece(on_.schedule(), block, slice);
                    }
                }
            }
        }
        return std::nullopt;
    }

private:
    static bool starts_with(Primitive primitive, std::uint32_t rank, std::uint32_t block) {
        switch (primitive) {
            case Primitive::all_gather:
                return block == rank;
            case Primitive::broadcast:
            case Primitive::send_recv:
                return rank == 0;
            default:
                return true;
        }
    }

    Flaw check_piece(Primitive primitive, std::uint32_t rank, std::uint32_t block, std::uint32_t slice) const {
        const BitSet& held = held_[slot(rank, block, slice)];
        switch (primitive) {
            case Primitive::all_gather:
                return check_owner(held, block);
            case Primitive::broadcast:
                return check_owner(held, 0);
            case Primitive::send_recv:
                return rank == 1 ? check_owner(held, 0) : std::nullopt;
            case Primitive::reduce_scatter:
                return block == rank ? check_sum(held) : std::nullopt;
            default:
                return check_sum(held);
        }
    }

    Flaw check_owner(const BitSet& held, std::uint32_t owner) const {
        BitSet expected(on_.schedule().ranks);
        expected.add(owner);
        return held == expected ? Flaw() : "does not hold what " + name_of_rank(owner) + " has for";
    }

    Flaw check_sum(const BitSet& held) const {
        return held.size() == on_.schedule().ranks ? Flaw()
                                                   : "holds " + std::to_string(held.size()) + " of " +
                                                         std::to_string(on_.schedule().ranks) + " contributions to";
    }

    std::size_t slot(std::uint32_t rank, std::uint32_t block, std::uint32_t slice) const {
        return on_.place(rank) * on_.pieces() + on_.index(block, slice);
    }

    Flaw receive(Effect effect, std::uint32_t sender, std::uint32_t receiver, const Piece& piece) {
        const Schedule& schedule = on_.schedule();
        const std::uint32_t block = schedule.block_at(piece.block, sender);
        const std::size_t into = slot(receiver, block, piece.slice);
        const std::size_t from = slot(sender, piece.block, piece.slice);
        const bool touched = !before_.try_emplace(into, held_[into]).second;
        const auto saved = before_.find(from);
        const BitSet& sent = saved == before_.end() ? held_[from] : saved->second;
        const auto named = [&](const std::string& what) { return name_of_piece(schedule, block, piece.slice) + what; };
        if (sent.size() == 0) {
            return "the sender does not hold " + named("");
        }
        if (effect == Effect::reduce) {
            const auto twice = add(sent, sender, into);
            return twice ? named(" would count " + name_of_rank(*twice) + " twice") : Flaw();
        }
        return replace(sent, sender, into) || !touched ? Flaw() : named(" is replaced by two different values");
    }

    // Whether it was the same already.
    bool replace(const BitSet& sent, std::uint32_t sender, std::size_t into) {
        BitSet moved(on_.schedule().ranks);
        sent.for_each([&](std::uint32_t c) { moved.add(on_.schedule().moved(c, sender)); });
        std::swap(moved, held_[into]);
        return moved == held_[into];
    }

    // The first rank that is in both.
    std::optional<std::uint32_t> add(const BitSet& sent, std::uint32_t sender, std::size_t into) {
        std::optional<std::uint32_t> twice;
        sent.for_each([&](std::uint32_t c) {
            const std::uint32_t contributor = on_.schedule().moved(c, sender);
            twice = twice || !held_[into].has(contributor) ? twice : contributor;
            held_[into].add(contributor);
        });
        return twice;
    }

    Follower on_;
    std::vector<BitSet> held_;              // by rank and piece
    std::map<std::size_t, BitSet> before_;  // what held_ was at the start of the phase, where the phase changes it
};

// For each rank, which pieces of which sources it holds.
class CollectFlow {
public:
    explicit CollectFlow(const Schedule& schedule)
        : on_(schedule), held_(on_.followed(), BitSet(std::size_t{schedule.ranks} * on_.pieces())) {
        for (std::uint32_t rank = 0; rank < on_.followed(); ++rank) {
            for (std::uint32_t piece = 0; piece < on_.pieces(); ++piece) {
                held_[rank].add(std::size_t{rank} * on_.pieces() + piece);
            }
        }
    }

    std::optional<DataFlaw> run(const Phase& phase) {
        received_.clear();
        auto flaw = on_.each_piece(phase, [&](std::uint32_t sender, std::uint32_t receiver, const Piece& piece) {
            return receive(sender, receiver, piece);
        });
        for (const auto& [rank, key] : received_) {
            held_[rank].add(key);
        }
        return flaw;
    }

    Flaw check_end(Primitive primitive) const {
        for (std::uint32_t rank = 0; rank < on_.followed(); ++rank) {
            const bool all = primitive == Primitive::all_reduce;
            const std::uint32_t first = all ? 0 : rank;
            const std::uint32_t last = all ? on_.schedule().blocks : rank + 1;
            for (std::uint32_t block = first; block < last; ++block) {
                for (std::uint32_t slice = 0; slice < on_.schedule().slices; ++slice) {
                    if (auto flaw = check_sources(rank, block, slice)) {
                        return flaw;
                    }
                }
            }
        }
        return std::nullopt;
    }

private:
    Flaw check_sources(std::uint32_t rank, std::uint32_t block, std::uint32_t slice) const {
        for (std::uint32_t source = 0; source < on_.schedule().ranks; ++source) {
            if (!held_[rank].has(key(source, block, slice))) {
                return "at the end " + name_of_rank(rank) + " does not hold " +
                       name_of_piece(on_.schedule(), block, slice) + " from " + name_of_rank(source);
            }
        }
        return std::nullopt;
    }

    std::size_t key(std::uint32_t source, std::uint32_t block, std::uint32_t slice) const {
        return std::size_t{source} * on_.pieces() + on_.index(block, slice);
    }

    Flaw receive(std::uint32_t sender, std::uint32_t receiver, const Piece& piece) {
        const Schedule& schedule = on_.schedule();
        const std::uint32_t source = schedule.moved(piece.source, sender);
        const std::uint32_t block = schedule.block_at(piece.block, sender);
        if (!held_[on_.place(sender)].has(key(piece.source, piece.block, piece.slice))) {
            return "the sender does not hold " + name_of_piece(schedule, block, piece.slice) + " from " +
                   name_of_rank(source);
        }
        const std::size_t received = key(source, block, piece.slice);
        if (!held_[on_.place(receiver)].has(received)) {
            received_.emplace_back(on_.place(receiver), received);
        }
        return std::nullopt;
    }

    Follower on_;
    std::vector<BitSet> held_;                                   // by rank
    std::vector<std::pair<std::size_t, std::size_t>> received_;  // in the phase under way
};

std::optional<DataFlaw> without_place(const Flaw& flaw) {
    return flaw ? std::optional(DataFlaw{*flaw, std::nullopt}) : std::nullopt;
}

template <class Flow>
std::optional<DataFlaw> follow(Flow&& flow, const Schedule& schedule, Primitive primitive) {
    for (std::uint32_t k = 0; k < schedule.phases.size(); ++k) {
        if (auto flaw = flow.run(schedule.phases[k])) {
            flaw->text = "phase " + std::to_string(k) + ": " + flaw->text;
            flaw->at->phase = k;
            return flaw;
        }
    }
    return without_place(flow.check_end(primitive));
}

bool needs_blocks(Primitive primitive) {
    return primitive == Primitive::all_to_all || primitive == Primitive::all_gather ||
           primitive == Primitive::reduce_scatter;
}

// What a schedule of the primitive looks like, whatever moves in it.
Flaw check_shape(const Schedule& schedule, Primitive primitive, bool collects) {
    if (schedule.blocks != schedule.ranks && (schedule.blocks != 1 || needs_blocks(primitive))) {
        return "the buffer is cut in " + std::to_string(schedule.blocks) + " blocks for " +
               std::to_string(schedule.ranks) + " ranks";
    }
    for (std::size_t k = 0; k < schedule.phases.size(); ++k) {
        if ((schedule.phases[k].effect == Effect::collect) != collects) {
            return "phase " + std::to_string(k) +
                   (collects ? ": adds up or replaces what is kept apart"
                             : ": keeps apart what is added up or replaced");
        }
    }
    const bool from_one_rank = primitive == Primitive::broadcast || primitive == Primitive::send_recv;
    if (from_one_rank && schedule.symmetry != Symmetry::none) {
        return "every rank does the same, but only rank 0 has what is sent";
    }
    return std::nullopt;
}

// All-to-all keeps the blocks of its sources apart; all-reduce may keep whole contributions apart.
bool collects(const Schedule& schedule, Primitive primitive) {
    const bool kept_apart = !schedule.phases.empty() && schedule.phases.front().effect == Effect::collect;
    return primitive == Primitive::all_to_all || (primitive == Primitive::all_reduce && kept_apart);
}

}  // namespace

std::optional<DataFlaw> find_data_flaw(const Schedule& schedule, Primitive primitive) {
    const bool apart = collects(schedule, primitive);
    if (auto flaw = check_shape(schedule, primitive, apart)) {
        return without_place(flaw);
    }
    return apart ? follow(CollectFlow(schedule), schedule, primitive)
                 : follow(SumFlow(schedule, primitive), schedule, primitive);
}

std::optional<std::string> find_flaw(const Schedule& schedule, Primitive primitive) {
    const auto flaw = find_data_flaw(schedule, primitive);
    return flaw ? Flaw(flaw->text) : std::nullopt;
}

}  // namespace simlette
