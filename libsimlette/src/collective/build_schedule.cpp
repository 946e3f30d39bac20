#include <simlette/collective/build_schedule.hpp>

#include <algorithm>
#include <array>

#include <simlette/base/error.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/own_schedule.hpp>

namespace simlette {

namespace {

struct ScheduleEntry {
    Primitive primitive;
    ScheduleKind kind;
    Schedule (*build)(const Overlay&);
    const ClosedForm* form = nullptr;  // on circuits
    PacketForm packets = nullptr;      // on packet switches
};

constexpr std::array schedule_table{
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::one_shot, build_one_shot, &one_shot_form, one_shot_packets},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::two_shot, build_two_shot, nullptr, two_shot_packets},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::one_shot_dvo, build_one_shot_dvo, &one_shot_dvo_form},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::recursive_doubling, build_recursive_doubling,
                  &recursive_doubling_form},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::halving_doubling, build_halving_doubling, nullptr,
                  halving_doubling_packets},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::ring, build_ring, &ring_form, ring_packets},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::coset_factored, build_coset_factored, &coset_factored_form},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::coset_factored_parallel, build_coset_factored_parallel,
                  &coset_factored_parallel_form},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::rs_ag, build_rs_ag, &rs_ag_form},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::rs_ag_parallel, build_rs_ag_parallel, &rs_ag_parallel_form},
    ScheduleEntry{Primitive::all_reduce, ScheduleKind::rs_ag_parallel_r_min, build_rs_ag_parallel,
                  &rs_ag_parallel_r_min_form},
    ScheduleEntry{Primitive::all_to_all, ScheduleKind::direct, build_direct_all_to_all, nullptr, direct_packets},
    ScheduleEntry{Primitive::all_to_all, ScheduleKind::pairwise, build_pairwise, nullptr, pairwise_packets},
    ScheduleEntry{Primitive::all_to_all, ScheduleKind::bruck, build_bruck, &bruck_form},
    ScheduleEntry{Primitive::all_to_all, ScheduleKind::bruck_parallel, build_bruck_parallel, &bruck_parallel_form},
    ScheduleEntry{Primitive::all_gather, ScheduleKind::direct, build_direct_all_gather, nullptr, direct_packets},
    ScheduleEntry{Primitive::all_gather, ScheduleKind::ring, build_ring_all_gather, &ring_half_form, ring_half_packets},
    ScheduleEntry{Primitive::all_gather, ScheduleKind::rs_ag, build_rs_ag_all_gather, &rs_ag_gather_form},
    ScheduleEntry{Primitive::all_gather, ScheduleKind::rs_ag_parallel, build_rs_ag_parallel_all_gather,
                  &rs_ag_parallel_gather_form},
    ScheduleEntry{Primitive::reduce_scatter, ScheduleKind::direct, build_direct_reduce_scatter, nullptr,
                  direct_packets},
    ScheduleEntry{Primitive::reduce_scatter, ScheduleKind::ring, build_ring_reduce_scatter, &ring_half_form,
                  ring_half_packets},
    ScheduleEntry{Primitive::reduce_scatter, ScheduleKind::rs_ag, build_rs_ag_reduce_scatter, &rs_ag_scatter_form},
    ScheduleEntry{Primitive::reduce_scatter, ScheduleKind::rs_ag_parallel, build_rs_ag_parallel_reduce_scatter,
                  &rs_ag_parallel_scatter_form},
    ScheduleEntry{Primitive::broadcast, ScheduleKind::one_shot, build_one_shot_broadcast},
    ScheduleEntry{Primitive::broadcast, ScheduleKind::direct, build_direct_broadcast},
    ScheduleEntry{Primitive::send_recv, ScheduleKind::direct, build_send_recv},
};

struct Choice {
    Primitive primitive;
    ScheduleKind kind;
    bool on_switches;
    bool on_circuits;
};

// What `auto` chooses from.
constexpr std::array choices_table{
    Choice{Primitive::all_reduce, ScheduleKind::one_shot, true, true},
    Choice{Primitive::all_reduce, ScheduleKind::two_shot, true, false},
    Choice{Primitive::all_reduce, ScheduleKind::halving_doubling, true, false},
    Choice{Primitive::all_reduce, ScheduleKind::ring, true, false},
    Choice{Primitive::all_to_all, ScheduleKind::direct, true, false},
    Choice{Primitive::all_to_all, ScheduleKind::pairwise, true, false},
    Choice{Primitive::all_to_all, ScheduleKind::bruck_parallel, false, true},
    Choice{Primitive::all_to_all, ScheduleKind::bruck, false, true},
    Choice{Primitive::all_gather, ScheduleKind::direct, true, false},
    Choice{Primitive::all_gather, ScheduleKind::ring, true, false},
    Choice{Primitive::all_gather, ScheduleKind::rs_ag_parallel, false, true},
    Choice{Primitive::all_gather, ScheduleKind::rs_ag, false, true},
    Choice{Primitive::reduce_scatter, ScheduleKind::direct, true, false},
    Choice{Primitive::reduce_scatter, ScheduleKind::ring, true, false},
    Choice{Primitive::reduce_scatter, ScheduleKind::rs_ag_parallel, false, true},
    Choice{Primitive::reduce_scatter, ScheduleKind::rs_ag, false, true},
    Choice{Primitive::broadcast, ScheduleKind::one_shot, true, true},
    Choice{Primitive::send_recv, ScheduleKind::direct, true, true},
};

const ScheduleEntry* entry_of(Primitive primitive, ScheduleKind kind) {
    const auto* entry = std::find_if(schedule_table.begin(), schedule_table.end(), [&](const ScheduleEntry& e) {
        return e.primitive == primitive && e.kind == kind;
    });
    return entry == schedule_table.end() ? nullptr : entry;
}

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
                                                      std::to_string(overlay.name(rank)) + " to rank " +
                                                      std::to_string(overlay.name(peer)) +
                                                      ", but no circuit joins them; choose a schedule that follows the "
                                                      "circuits" +
                                                      hint);
                }
            }
        }
    }
}

}  // namespace

const ClosedForm* closed_form(Primitive primitive, ScheduleKind kind) {
    const ScheduleEntry* entry = entry_of(primitive, kind);
    return entry == nullptr ? nullptr : entry->form;
}

PacketForm packet_form(Primitive primitive, ScheduleKind kind) {
    const ScheduleEntry* entry = entry_of(primitive, kind);
    return entry == nullptr ? nullptr : entry->packets;
}

Schedule build_schedule(Primitive primitive, ScheduleKind kind, const Overlay& overlay) {
    if (kind == ScheduleKind::automatic) {
        return build_schedule(primitive, automatic_choices(primitive, overlay).front(), overlay);
    }
    const ScheduleEntry* entry = entry_of(primitive, kind);
    if (entry == nullptr) {
        throw Error(ErrorKind::input, "this schedule does not carry out this primitive; use `auto`");
    }
    Schedule schedule = entry->build(overlay);
    const bool follows = primitive == Primitive::all_reduce || primitive == Primitive::broadcast;
    check_reachable(schedule, overlay, follows ? ", such as `one-shot`" : "");
    return schedule;
}

Schedule build_own_schedule(const ScheduleSpec& spec, const Overlay& overlay) {
    Schedule schedule = schedule_of(spec);
    if (schedule.ranks != overlay.ranks) {
        throw Error(ErrorKind::input, "schedule `" + schedule.name + "` is for " + std::to_string(schedule.ranks) +
                                          " ranks, but the group has " + std::to_string(overlay.ranks));
    }
    check_reachable(schedule, overlay, "");
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

bool takes_layers(ScheduleKind kind) {
    switch (kind) {
        case ScheduleKind::one_shot_dvo:
        case ScheduleKind::coset_factored:
        case ScheduleKind::coset_factored_parallel:
        case ScheduleKind::rs_ag:
        case ScheduleKind::rs_ag_parallel:
        case ScheduleKind::rs_ag_parallel_r_min:
        case ScheduleKind::bruck:
        case ScheduleKind::bruck_parallel:
            return true;
        default:
            return false;
    }
}

std::vector<ScheduleKind> automatic_choices(Primitive primitive, const Overlay& overlay) {
    std::vector<ScheduleKind> kinds;
    for (const Choice& choice : choices_table) {
        const bool fits = choice.kind != ScheduleKind::halving_doubling || is_power_of_two(overlay.ranks);
        if (choice.primitive == primitive && fits && (overlay.complete() ? choice.on_switches : choice.on_circuits)) {
            kinds.push_back(choice.kind);
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
                                                  std::to_string(overlay.name(rank)) + " and " +
                                                  std::to_string(overlay.name(rank ^ unit)));
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
