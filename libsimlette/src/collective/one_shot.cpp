// One-shot all-reduce: whole contributions reach every rank, each rank adds them up itself.
#include <algorithm>

#include <numeric>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>

namespace simlette {

namespace {

// Packet switches: one phase, each rank sends its contribution to every other.
Schedule direct_sends(std::uint32_t ranks) {
    Schedule schedule{"one-shot", "direct", Symmetry::cyclic, ranks};
    const std::uint32_t own = schedule.add_pieces({{}});
    Phase phase{Effect::collect, true};
    for (std::uint32_t peer = 1; peer < ranks; ++peer) {
        phase.sends.push_back({peer, own, 1});
    }
    schedule.phases.push_back(std::move(phase));
    return schedule;
}

// The ranks around one, nearest first, then ascending.
struct Surroundings {
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint32_t> within;  // how many are at distance k or less
};

Surroundings explore(const Overlay& overlay, std::uint32_t rank) {
    std::vector<bool> seen(overlay.ranks, false);
    Surroundings found{{rank}, {}};
    seen[rank] = true;
    std::size_t first = 0;
    while (first < found.ranks.size()) {
        const std::size_t last = found.ranks.size();
        found.within.push_back(static_cast<std::uint32_t>(last));
        for (; first < last; ++first) {
            for (const std::uint32_t peer : overlay.neighbours[found.ranks[first]]) {
                if (!seen[peer]) {
                    seen[peer] = true;
                    found.ranks.push_back(peer);
                }
            }
        }
        std::sort(found.ranks.begin() + static_cast<std::ptrdiff_t>(last), found.ranks.end());
    }
    return found;
}

std::uint32_t add_contributions(Schedule& schedule, const std::vector<std::uint32_t>& sources) {
    std::vector<Piece> whole;
    for (const std::uint32_t source : sources) {
        whole.push_back({0, 0, source});
    }
    return schedule.add_pieces(whole);
}

// Circuits: in every phase each rank sends each neighbour every contribution it holds.
Schedule flood_symmetric(const Overlay& overlay, const std::vector<Label>& generators) {
    const Surroundings around = explore(overlay, 0);
    Schedule schedule{"one-shot", "flooding", Symmetry::exclusive_or, overlay.ranks};
    add_contributions(schedule, around.ranks);
    for (std::size_t k = 0; k + 1 < around.within.size(); ++k) {
        Phase phase{Effect::collect};
        for (const Label generator : generators) {
            phase.sends.push_back({generator, 0, around.within[k]});
        }
        schedule.phases.push_back(std::move(phase));
    }
    return schedule;
}

Schedule flood(const Overlay& overlay) {
    Schedule schedule{"one-shot", "flooding", Symmetry::none, overlay.ranks};
    std::vector<Surroundings> around;
    std::size_t phases = 0;
    for (std::uint32_t rank = 0; rank < overlay.ranks; ++rank) {
        around.push_back(explore(overlay, rank));
        phases = std::max(phases, around.back().within.size() - 1);
    }
    schedule.phases.assign(phases, {Effect::collect, false, {}, {0}});
    for (std::uint32_t rank = 0; rank < overlay.ranks; ++rank) {
        const std::uint32_t first = add_contributions(schedule, around[rank].ranks);
        for (std::size_t k = 0; k < phases; ++k) {
            Phase& phase = schedule.phases[k];
            const std::uint32_t held = around[rank].within[std::min(k, around[rank].within.size() - 1)];
            for (const std::uint32_t peer : overlay.neighbours[rank]) {
                phase.sends.push_back({peer, first, held});
            }
            phase.first_send.push_back(static_cast<std::uint32_t>(phase.sends.size()));
        }
    }
    return schedule;
}

// Held before each phase.
std::vector<std::uint32_t> contributions(const OverlayShape& shape) {
    std::vector<std::uint32_t> held = balls(shape.graph);
    held.pop_back();
    return held;
}

std::optional<std::string> misfit(const OverlayShape& shape) {
    return connected(shape.graph) ? std::nullopt : std::optional<std::string>("needs circuits that reach every rank");
}

ScheduleCost cost(const OverlayShape& shape) {
    const std::vector<std::uint32_t> held = contributions(shape);
    return {static_cast<std::uint32_t>(held.size()), std::accumulate(held.begin(), held.end(), std::uint64_t{0}),
            static_cast<std::uint32_t>(shape.graph.generators.size())};
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    std::vector<Bytes> all;
    for (const std::uint32_t held : contributions(shape)) {
        all.push_back(buffer * held);
    }
    return all;
}

}  // namespace

const ClosedForm one_shot_form{LayerKind::any, misfit, cost, messages};

std::vector<PacketPhase> one_shot_packets(std::uint32_t ranks, Bytes buffer) {
    return {{ranks - 1, buffer}};
}

Schedule build_one_shot(const Overlay& overlay) {
    if (overlay.complete()) {
        return direct_sends(overlay.ranks);
    }
    const auto generators = overlay.generators();
    return generators ? flood_symmetric(overlay, *generators) : flood(overlay);
}

}  // namespace simlette
