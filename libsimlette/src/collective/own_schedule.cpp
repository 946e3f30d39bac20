#include <simlette/collective/own_schedule.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <simlette/base/error.hpp>
#include <simlette/base/label.hpp>
#include <simlette/collective/proof.hpp>

namespace simlette {

namespace {

constexpr std::size_t most_faults = 20;
constexpr std::uint32_t most_ranks = 65'536;
constexpr std::uint32_t most_slices = 65'536;
constexpr std::uint64_t most_pieces = std::uint64_t{1} << 22;       // of all sends
constexpr std::uint64_t most_rank_phases = std::uint64_t{1} << 22;  // what a run keeps is for each phase and rank
constexpr std::uint64_t most_held = std::uint64_t{1} << 32;         // what the proof follows: bits

using ListedSend = ScheduleSpec::Send;

std::string number(std::uint64_t n) {
    return std::to_string(n);
}

std::uint64_t count_of(const std::vector<std::uint32_t>& listed, std::uint32_t all) {
    return listed.empty() ? all : listed.size();
}

// Up to one more than `most_pieces`.
std::uint64_t pieces_of(const ScheduleSpec& spec, const ListedSend& send) {
    const std::uint64_t slices = count_of(send.slices, spec.slices);
    const std::uint64_t some = std::min(count_of(send.blocks, spec.blocks) * slices, most_pieces + 1);
    return std::min(some * count_of(send.sources, 1), most_pieces + 1);
}

// Looks at the numbers alone.
class Checking {
public:
    explicit Checking(const ScheduleSpec& spec) : spec_(spec) {}

    std::vector<ScheduleFault> run() {
        check_shape();
        if (faults_.empty()) {
            check_phases();
        }
        if (faults_.empty()) {
            check_size();
        }
        return std::move(faults_);
    }

private:
    bool full() const { return faults_.size() >= most_faults; }
    void add(const std::string& path, const std::string& text) {
        if (!full()) {
            faults_.push_back({path, '`' + path + "` " + text});
        }
    }

    void check_shape() {
        if (spec_.ranks < 2 || spec_.ranks > most_ranks) {
            add("ranks", "is " + number(spec_.ranks) + "; expected 2 to " + number(most_ranks));
        }
        if (spec_.symmetry == Symmetry::exclusive_or && !is_power_of_two(spec_.ranks)) {
            add("symmetry", "is exclusive-or, which needs a power of two of ranks; `ranks` is " + number(spec_.ranks));
        }
        if (spec_.symmetry == Symmetry::mixed_radix) {
            add("symmetry", "is mixed-radix; expected cyclic, exclusive-or or none");
        }
        if (spec_.blocks != 1 && spec_.blocks != spec_.ranks) {
            add("blocks", "is " + number(spec_.blocks) + "; expected 1, or one for each rank: " + number(spec_.ranks));
        }
        if (spec_.slices < 1 || spec_.slices > most_slices) {
            add("slices", "is " + number(spec_.slices) + "; expected 1 to " + number(most_slices));
        }
        if (spec_.phases.empty()) {
            add("phases", "is empty; expected at least one");
        }
    }

    void check_phases() {
        for (std::size_t k = 0; k < spec_.phases.size() && !full(); ++k) {
            const ScheduleSpec::Phase& phase = spec_.phases[k];
            const std::string path = "phases." + number(k) + ".sends";
            if (phase.sends.empty()) {
                add(path, "is empty; expected at least one");
            }
            for (std::size_t i = 0; i < phase.sends.size() && !full(); ++i) {
                check_send(phase.effect, phase.sends[i], path + '.' + number(i));
            }
        }
    }

    void check_send(Effect effect, const ListedSend& send, const std::string& path) {
        check_ends(send, path);
        check_list(path + ".blocks", send.blocks, spec_.blocks);
        check_list(path + ".slices", send.slices, spec_.slices);
        check_list(path + ".sources", send.sources, spec_.ranks);
        if (effect != Effect::collect && !send.sources.empty()) {
            add(path + ".sources", "goes with `effect: collect`, which alone keeps sources apart");
        }
    }

    void check_ends(const ListedSend& send, const std::string& path) {
        const bool written_out = spec_.symmetry == Symmetry::none;
        if (written_out && !send.from) {
            add(path, "has no `from`; without a symmetry each send names its rank");
        } else if (!written_out && send.from) {
            add(path + ".from", "goes with `symmetry: none`; else every rank sends, and rank 0 is written");
        }
        check_range(path + ".to", send.to, spec_.ranks);
        check_range(path + ".from", send.from.value_or(0), spec_.ranks);
        if (send.to == send.from.value_or(0) && written_out == send.from.has_value()) {
            add(path + ".to", "is " + number(send.to) + ", the sender itself");
        }
    }

    void check_list(const std::string& path, const std::vector<std::uint32_t>& list, std::uint32_t count) {
        for (std::size_t i = 0; i < list.size() && !full(); ++i) {
            check_range(path + '.' + number(i), list[i], count);
        }
    }

    void check_range(const std::string& path, std::uint32_t value, std::uint32_t count) {
        if (value >= count) {
            add(path, "is " + number(value) + "; expected 0" + (count == 1 ? "" : " to " + number(count - 1)));
        }
    }

    void check_size() {
        std::uint64_t pieces = 0;
        for (const ScheduleSpec::Phase& phase : spec_.phases) {
            for (const ListedSend& send : phase.sends) {
                pieces = std::min(pieces + pieces_of(spec_, send), most_pieces + 1);
            }
        }
        if (pieces > most_pieces) {
            add("phases", "moves more than " + number(most_pieces) + " pieces");
        }
        if (spec_.phases.size() * spec_.ranks > most_rank_phases) {
            add("phases", "has " + number(spec_.phases.size()) + " for " + number(spec_.ranks) +
                              " ranks; expected a product of at most " + number(most_rank_phases));
        }
        const std::uint64_t followed = spec_.symmetry == Symmetry::none ? spec_.ranks : 1;
        const std::uint64_t held = std::uint64_t{spec_.blocks} * spec_.slices * spec_.ranks;
        if (held > most_held / followed) {
            add("slices", "is " + number(spec_.slices) + ", too many to be followed with " + number(spec_.blocks) +
                              " blocks and " + number(spec_.ranks) + " ranks");
        }
    }

    const ScheduleSpec& spec_;
    std::vector<ScheduleFault> faults_;
};

template <class Visit>
void each(const std::vector<std::uint32_t>& listed, std::uint32_t all, Visit&& visit) {
    const auto count = static_cast<std::uint32_t>(count_of(listed, all));
    for (std::uint32_t i = 0; i < count; ++i) {
        visit(listed.empty() ? i : listed[i]);
    }
}

void append_pieces(const ScheduleSpec& spec, const ListedSend& send, std::vector<Piece>& pieces) {
    const std::vector<std::uint32_t> own{send.from.value_or(0)};
    each(send.sources.empty() ? own : send.sources, 0, [&](std::uint32_t source) {
        each(send.blocks, spec.blocks, [&](std::uint32_t block) {
            each(send.slices, spec.slices, [&](std::uint32_t slice) { pieces.push_back({block, slice, source}); });
        });
    });
}

// By sender: one message for each peer, in the order of the first send to it.
std::vector<std::vector<Send>> messages_of(const ScheduleSpec& spec, const ScheduleSpec::Phase& phase,
                                           Schedule& schedule) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Piece>> pieces;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    for (const ListedSend& send : phase.sends) {
        const std::pair ends(send.from.value_or(0), send.to);
        if (pieces.find(ends) == pieces.end()) {
            order.push_back(ends);
        }
        append_pieces(spec, send, pieces[ends]);
    }
    std::vector<std::vector<Send>> by_rank(spec.symmetry == Symmetry::none ? spec.ranks : 1);
    for (const auto& ends : order) {
        const std::vector<Piece>& moved = pieces[ends];
        by_rank[ends.first].push_back(
            {ends.second, schedule.add_pieces(moved), static_cast<std::uint32_t>(moved.size())});
    }
    return by_rank;
}

// The send that lists a piece of a message.
std::size_t send_with(const ScheduleSpec& spec, const DataFlaw::At& at) {
    const std::vector<ListedSend>& sends = spec.phases[at.phase].sends;
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < sends.size(); ++i) {
        if (sends[i].from.value_or(0) == at.rank && sends[i].to == at.peer) {
            before += pieces_of(spec, sends[i]);
            if (at.piece < before) {
                return i;
            }
        }
    }
    return 0;
}

}  // namespace

std::vector<ScheduleFault> faults_of(const ScheduleSpec& spec) {
    return Checking(spec).run();
}

Schedule schedule_of(const ScheduleSpec& spec) {
    const std::vector<ScheduleFault> faults = faults_of(spec);
    if (!faults.empty()) {
        throw Error(ErrorKind::input, "schedule `" + spec.name + "`: " + faults.front().text);
    }
    Schedule schedule{spec.name, "own", spec.symmetry, spec.ranks, spec.blocks, spec.slices};
    for (const ScheduleSpec::Phase& phase : spec.phases) {
        const auto by_rank = messages_of(spec, phase, schedule);
        if (spec.symmetry == Symmetry::none) {
            schedule.add_phase(phase.effect, by_rank);
        } else {
            schedule.phases.push_back({phase.effect, false, by_rank.front()});
        }
    }
    return schedule;
}

std::optional<ScheduleFault> data_fault(const ScheduleSpec& spec, Primitive primitive) {
    const auto flaw = find_data_flaw(schedule_of(spec), primitive);
    if (!flaw) {
        return std::nullopt;
    }
    std::string path = "phases";
    if (flaw->at) {
        path += '.' + number(flaw->at->phase) + ".sends." + number(send_with(spec, *flaw->at));
    }
    return ScheduleFault{path, flaw->text};
}

}  // namespace simlette
