// Ring: every rank sends to the next one only, one block a phase. On circuits the next one is a step further, where
// some step leads through all ranks; else ranks are passed in the order of a Gray code.
#include <algorithm>
#include <numeric>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/closed_form.hpp>

namespace simlette {

namespace {

// The smallest step that leads through all ranks; 0 if none does.
std::uint32_t step_through(std::uint32_t ranks, const std::vector<Label>& steps) {
    std::uint32_t best = 0;
    for (const Label step : steps) {
        best = std::gcd(step, ranks) == 1 && (best == 0 || step < best) ? step : best;
    }
    return best;
}

// Independent generators of Z_2^n, the first ones of the list; all n, or none.
std::vector<Label> basis_of(const std::vector<Label>& generators, unsigned bits) {
    std::vector<Label> basis;
    for (const Label generator : generators) {
        basis.push_back(generator);
        if (rank_gf2(basis) < basis.size()) {
            basis.pop_back();
        }
    }
    return basis.size() == bits ? basis : std::vector<Label>{};
}

// From one rank to the next one generator changes, from the last to the first too.
std::vector<std::uint32_t> gray_code(const std::vector<Label>& basis) {
    std::vector<std::uint32_t> order{0};
    for (const Label generator : basis) {
        for (std::size_t i = order.size(); i-- > 0;) {
            order.push_back(order[i] ^ generator);
        }
    }
    return order;
}

// A way through all ranks and home: by equal steps, or in an order.
struct Way {
    std::uint32_t step = 1;
    std::vector<std::uint32_t> order = {};  // empty: by steps
};

// Where there is none the ranks in order, which the check of the circuits then refuses.
Way way_through(const Overlay& overlay) {
    if (overlay.complete()) {
        return {};
    }
    const std::uint32_t step =
        step_through(overlay.ranks, common_generators(overlay, RankGroup::cyclic(overlay.ranks)));
    if (step != 0 || !is_power_of_two(overlay.ranks)) {
        return {std::max(step, 1U)};
    }
    const unsigned bits = bits_of(overlay.ranks);
    const std::vector<Label> basis = basis_of(common_generators(overlay, RankGroup::binary(bits)), bits);
    return {1, basis.empty() ? basis : gray_code(basis)};
}

// In phase k the rank at place p passes on the block of place p + `first` - k; it has just received it, or starts with
// it.
void pass_on_by_steps(Schedule& schedule, Effect effect, std::uint32_t step, std::uint32_t first) {
    for (std::uint32_t k = 0; k + 1 < schedule.ranks; ++k) {
        const std::uint64_t place = (first + schedule.ranks - k) % schedule.ranks;
        const auto block = static_cast<std::uint32_t>(place * step % schedule.ranks);
        schedule.phases.push_back({effect, false, {{step, schedule.add_pieces({{block}}), 1}}});
    }
}

void pass_on_in_order(Schedule& schedule, Effect effect, const std::vector<std::uint32_t>& order, std::uint32_t first) {
    const std::uint32_t ranks = schedule.ranks;
    for (std::uint32_t k = 0; k + 1 < ranks; ++k) {
        std::vector<std::vector<Send>> sends(ranks);
        for (std::uint32_t place = 0; place < ranks; ++place) {
            sends[order[place]] = {{order[(place + 1) % ranks], order[(place + first + ranks - k) % ranks], 1}};
        }
        schedule.add_phase(effect, sends);
    }
}

Schedule around(const Overlay& overlay, bool scatter, bool gather) {
    const Way way = way_through(overlay);
    const std::uint32_t ranks = overlay.ranks;
    Schedule schedule{"ring", "one direction", Symmetry::cyclic, ranks, ranks};
    if (!way.order.empty()) {
        schedule.symmetry = Symmetry::none;
        for (std::uint32_t block = 0; block < ranks; ++block) {
            schedule.add_pieces({{block}});
        }
    }
    const auto pass_on = [&](Effect effect, std::uint32_t first) {
        way.order.empty() ? pass_on_by_steps(schedule, effect, way.step, first)
                          : pass_on_in_order(schedule, effect, way.order, first);
    };
    if (scatter) {
        pass_on(Effect::reduce, ranks - 1);  // block b sets out at the rank after b and comes home after a round
    }
    if (gather) {
        pass_on(Effect::replace, 0);
    }
    return schedule;
}

std::optional<std::string> misfit(const OverlayShape& shape) {
    const RankGroup& group = shape.graph.group;
    const bool has_way = group.size() == 1 ||
                         (group.is_cyclic() && step_through(group.size(), shape.graph.generators) != 0) ||
                         (group.is_binary() && connected(shape.graph));
    return has_way ? std::nullopt : std::optional<std::string>("needs a ring of circuits through all ranks");
}

ScheduleCost cost(const OverlayShape& shape) {
    const std::uint32_t ranks = shape.graph.group.size();
    return {2 * (ranks - 1), Exact(2 * (ranks - 1)) / ranks, std::min(ranks - 1, 1U)};
}

ScheduleCost half_cost(const OverlayShape& shape) {
    return half_of(cost(shape));
}

std::vector<Bytes> half_messages(const OverlayShape& shape, Bytes buffer) {
    const std::uint32_t ranks = shape.graph.group.size();
    return std::vector<Bytes>(ranks - 1, part_of(buffer, ranks, 0));
}

std::vector<Bytes> messages(const OverlayShape& shape, Bytes buffer) {
    const std::uint32_t ranks = shape.graph.group.size();
    return std::vector<Bytes>(2 * std::size_t{ranks - 1}, part_of(buffer, ranks, 0));
}

}  // namespace

const ClosedForm ring_form{LayerKind::any, misfit, cost, messages};
const ClosedForm ring_half_form{LayerKind::any, misfit, half_cost, half_messages};

std::vector<PacketPhase> ring_half_packets(std::uint32_t ranks, Bytes buffer) {
    return std::vector<PacketPhase>(ranks - 1, {1, part_of(buffer, ranks, 0)});
}

std::vector<PacketPhase> ring_packets(std::uint32_t ranks, Bytes buffer) {
    return std::vector<PacketPhase>(2 * std::size_t{ranks - 1}, {1, part_of(buffer, ranks, 0)});
}

Schedule build_ring_reduce_scatter(const Overlay& overlay) {
    return around(overlay, true, false);
}

Schedule build_ring_all_gather(const Overlay& overlay) {
    return around(overlay, false, true);
}

Schedule build_ring(const Overlay& overlay) {
    return around(overlay, true, true);
}

}  // namespace simlette
