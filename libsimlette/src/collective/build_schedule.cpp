#include <simlette/collective/build_schedule.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <simlette/base/error.hpp>

namespace simlette {

namespace {

struct ScheduleEntry {
    Primitive primitive;
    ScheduleKind kind;
    Schedule (*build)(const Overlay&);
};

constexpr std::array schedule_table{
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::one_shot, build_one_shot},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::two_shot, build_two_shot},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::recursive_doubling, build_recursive_doubling},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::halving_doubling, build_halving_doubling},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::ring, build_ring},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::coset_factored_parallel, build_coset_factored_parallel},
    ScheduleEntry{Primitive::all_to_all, ScheduleKind::direct, build_direct_all_to_all},
    ScheduleEntry{Primitive::all_to_all, ScheduleKind::pairwise, build_pairwise},
    ScheduleEntry{Primitive::all_gather, ScheduleKind::direct, build_direct_all_gather},
    ScheduleEntry{Primitive::all_gather, ScheduleKind::ring, build_ring_all_gather},
    ScheduleEntry{Primitive::reduce_scatter, ScheduleKind::direct, build_direct_reduce_scatter},
    ScheduleEntry{Primitive::reduce_scatter, ScheduleKind::ring, build_ring_reduce_scatter},
    ScheduleEntry{Primitive::broadcast, ScheduleKind::one_shot, build_one_shot_broadcast},
    ScheduleEntry{Primitive::broadcast, ScheduleKind::direct, build_direct_broadcast},
    ScheduleEntry{Primitive::send_recv, ScheduleKind::direct, build_send_recv},
};

// By primitive, what `auto` on packet switches chooses from; circuits follow the first.
constexpr std::array choices_table{
    std::pair{Primitive::all_reduce, ScheduleKind::one_shot},
    std::pair{Primitive::all_reduce, ScheduleKind::two_shot},
    std::pair{Primitive::all_reduce, ScheduleKind::halving_doubling},
    std::pair{Primitive::all_reduce, ScheduleKind::ring},
    std::pair{Primitive::all_to_all, ScheduleKind::direct},
    std::pair{Primitive::all_to_all, ScheduleKind::pairwise},
    std::pair{Primitive::all_gather, ScheduleKind::direct},
    std::pair{Primitive::all_gather, ScheduleKind::ring},
    std::pair{Primitive::reduce_scatter, ScheduleKind::direct},
    std::pair{Primitive::reduce_scatter, ScheduleKind::ring},
    std::pair{Primitive::broadcast, ScheduleKind::one_shot},
    std::pair{Primitive::send_recv, ScheduleKind::direct},
};

// Every send must follow a circuit.
void check_reachable(const Schedule& schedule, const Overlay& overlay, const std::string& hint) {
    if (overlay.complete()) {
        return;
    }
    for (const Phase& phase : schedule.phases) {
        for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
            for (const Send& send : schedule.sends_of(phase, rank)) {
                const std::uint32_t peer = schedule.moved(send.peer, rank);
                if (!overlay.reaches(rank, peer)) {
                    throw Error(ErrorKind::input, "schedule `" + schedule.name + "` sends from rank " +
                                                      std::to_string(rank) + " to rank " + std::to_string(peer) +
                                                      ", but no circuit joins them; choose a schedule that follows the "
                                                      "circuits" +
                                                      hint);
                }
            }
        }
    }
}

}  // namespace

Schedule build_schedule(Primitive primitive, ScheduleKind kind, const Overlay& overlay) {
    if (kind == ScheduleKind::automatic) {
        return build_schedule(primitive, automatic_choices(primitive, overlay).front(), overlay);
    }
    const auto fits = [&](const ScheduleEntry& e) { return e.primitive == primitive && e.kind == kind; };
    const auto* entry = std::find_if(schedule_table.begin(), schedule_table.end(), fits);
    if (entry == schedule_table.end()) {
        throw Error(ErrorKind::input, "this schedule does not carry out this primitive; use `auto`");
    }
    Schedule schedule = entry->build(overlay);
    const bool follows = primitive == Primitive::all_reduce || primitive == Primitive::broadcast;
    check_reachable(schedule, overlay, follows ? ", such as `one-shot`" : "");
    return schedule;
}

std::vector<ScheduleKind> schedules_of(Primitive primitive) {
    std::vector<ScheduleKind> kinds;
    for (const ScheduleEntry& entry : schedule_table) {
        if (entry.primitive == primitive) {
            kinds.push_back(entry.kind);
        }
    }
    return kinds;
}

std::vector<ScheduleKind> automatic_choices(Primitive primitive, const Overlay& overlay) {
    std::vector<ScheduleKind> kinds;
    for (const auto& [carries_out, kind] : choices_table) {
        const bool fits = kind != ScheduleKind::halving_doubling || is_power_of_two(overlay.ranks);
        if (carries_out == primitive && fits && (overlay.complete() || kinds.empty())) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

std::vector<Label> cube_generators(const Overlay& overlay, const char* schedule) {
    const std::string name = std::string("schedule `") + schedule + "`";
    if (!is_power_of_two(overlay.ranks)) {
        throw Error(ErrorKind::input,
                    name + " needs a power of two of ranks; there are " + std::to_string(overlay.ranks));
    }
    std::vector<Label> units = unit_generators(bits_of(overlay.ranks));
    for (std::uint32_t rank = 0; rank < overlay.ranks; ++rank) {
        for (const Label unit : units) {
            if (!overlay.reaches(rank, rank ^ unit)) {
                throw Error(ErrorKind::input, name + " needs the circuits of the cube; none joins ranks " +
                                                  std::to_string(rank) + " and " + std::to_string(rank ^ unit));
            }
        }
    }
    if (const auto listed = overlay.generators()) {
        const auto place = [&](Label unit) { return std::find(listed->begin(), listed->end(), unit); };
        std::sort(units.begin(), units.end(), [&](Label a, Label b) { return place(a) < place(b); });
    }
    return units;
}

}  // namespace simlette
