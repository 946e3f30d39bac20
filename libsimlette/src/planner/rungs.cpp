#include <simlette/planner/rungs.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include <simlette/base/error.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/fold.hpp>
#include <simlette/planner/busiest_circuit.hpp>

namespace simlette {

namespace {

// What is tried, of equal time and phases the first. On blocks the others are never better: flooding moves more than
// `coset-factored-parallel` in as many phases, and so does `recursive-doubling` beside `coset-factored`. On one block
// delivering each contribution once is the same as exchanging it, and is called so.
std::vector<ScheduleKind> kinds_for(Primitive primitive, std::size_t blocks) {
    using Kind = ScheduleKind;
    switch (primitive) {
        case Primitive::all_reduce:
            return blocks == 1 ? std::vector<Kind>{Kind::one_shot_dvo, Kind::rs_ag_parallel}
                               : std::vector<Kind>{Kind::coset_factored_parallel, Kind::coset_factored,
                                                   Kind::rs_ag_parallel, Kind::rs_ag};
        case Primitive::all_to_all:
            return {Kind::bruck_parallel, Kind::bruck};
        case Primitive::all_gather:
        case Primitive::reduce_scatter:
            return {Kind::rs_ag_parallel, Kind::rs_ag};
        default:
            return {};
    }
}

// Every layer is busy in every phase, or one layer in each.
bool all_layers_at_once(ScheduleKind kind) {
    return kind != ScheduleKind::coset_factored && kind != ScheduleKind::rs_ag && kind != ScheduleKind::bruck;
}

// One schedule of one collective on one rung.
class Candidate {
public:
    Candidate(const PlanRequest& request, Bytes bytes, ScheduleKind kind, const ScheduleCost& cost, std::size_t blocks)
        : request_(request), kind_(kind), phases_(cost.phases), blocks_(blocks), circuit_(cost, bytes, request.rate) {}

    ScheduleChoice choice(std::size_t crossing, std::uint32_t copies) const {
        return {kind_, phases_, latency(crossing) + circuit_.busy(copies, {most_cost / 2})};
    }

private:
    Duration latency(std::size_t crossing) const {
        const std::int64_t phases = phases_;
        if (all_layers_at_once(kind_) || blocks_ == 0) {
            return (crossing > 0 ? request_.latency_across : request_.latency) * phases;
        }
        const std::int64_t each = phases / static_cast<std::int64_t>(blocks_);
        const auto across = static_cast<std::int64_t>(crossing);
        return request_.latency_across * (each * across) + request_.latency * (phases - each * across);
    }

    const PlanRequest& request_;
    ScheduleKind kind_;
    std::uint32_t phases_;
    std::size_t blocks_;
    BusiestCircuit circuit_;
};

// The ways to write `rest` as a product of factors from 2 to `most`, widest first, whose sum over (factor - 1) stays
// within `degree`.
void products(std::uint32_t rest, std::uint32_t most, std::uint32_t degree, std::vector<std::uint32_t>& factors,
              std::vector<std::vector<std::uint32_t>>& all) {
    if (rest == 1) {
        all.push_back(factors);
        return;
    }
    for (std::uint32_t factor = std::min({rest, most, degree + 1}); factor >= 2; --factor) {
        if (rest % factor == 0) {
            factors.push_back(factor);
            products(rest / factor, factor, degree - (factor - 1), factors, all);
            factors.pop_back();
        }
    }
}

RungBlock block_of(std::uint32_t radix, const Primes& primes) {
    RungBlock block{radix, std::vector<std::uint32_t>(primes.radices.size(), 0)};
    for (std::size_t i = 0; i < primes.radices.size(); ++i) {
        for (std::uint32_t rest = radix; rest % primes.radices[i] == 0; rest /= primes.radices[i]) {
            ++block.digits[i];
        }
    }
    return block;
}

[[noreturn]] void no_price(const PlanAxis& axis, const char* what) {
    throw Error(ErrorKind::input, "axis `" + axis.name + "` has a collective " + what +
                                      "; circuits are planned for all-reduce, all-to-all, all-gather and "
                                      "reduce-scatter by schedules that have a closed form");
}

std::vector<Candidate> candidates_of(const PlanRequest& request, const PlanAxis& axis, const PlanCollective& collective,
                                     const OverlayShape& shape) {
    const std::size_t blocks = shape.layers->count();
    const bool open = collective.schedule == ScheduleKind::automatic;
    const std::vector<ScheduleKind> kinds =
        open ? kinds_for(collective.primitive, blocks) : std::vector<ScheduleKind>{collective.schedule};
    if (kinds.empty()) {
        no_price(axis, "that no closed form prices");
    }
    std::vector<Candidate> candidates;
    for (const ScheduleKind kind : kinds) {
        const ClosedForm* form = closed_form(collective.primitive, kind);
        if (form == nullptr) {
            no_price(axis, "with a schedule that has no closed form for it");
        }
        if (open || !form->misfit(shape)) {
            candidates.emplace_back(request, collective.bytes, kind, form->cost(shape), blocks);
        }
    }
    return candidates;
}

ScheduleChoice best_of(const std::vector<Candidate>& candidates, std::size_t crossing, std::uint32_t copies) {
    ScheduleChoice best = candidates.front().choice(crossing, copies);
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const ScheduleChoice other = candidates[i].choice(crossing, copies);
        if (other.time < best.time || (other.time == best.time && other.phases < best.phases)) {
            best = other;
        }
    }
    return best;
}

std::int64_t weighted(const ScheduleChoice& choice, std::uint32_t calls) {
    return choice.time.ps > most_cost / calls ? most_cost : choice.time.ps * calls;
}

// False if a schedule that was asked for does not fit.
bool price(Rung& rung, const PlanRequest& request, const PlanAxis& axis, const OverlayShape& shape) {
    std::vector<std::vector<Candidate>> candidates;
    for (const PlanCollective& collective : axis.collectives) {
        candidates.push_back(candidates_of(request, axis, collective, shape));
        if (candidates.back().empty()) {
            return false;
        }
    }
    const std::uint32_t copies = rung.degree == 0 ? 1 : request.ports / rung.degree;
    for (std::size_t crossing = 0; crossing <= (request.group == 0 ? 0 : rung.blocks.size()); ++crossing) {
        rung.cost.emplace_back();
        rung.choices.emplace_back();
        for (std::uint32_t p = 1; p <= copies; ++p) {
            std::int64_t sum = 0;
            std::vector<ScheduleChoice> choices;
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                choices.push_back(best_of(candidates[i], crossing, p));
                sum = std::min(most_cost, sum + weighted(choices.back(), axis.collectives[i].calls));
            }
            rung.cost.back().push_back(sum);
            rung.choices.back().push_back(std::move(choices));
        }
    }
    return true;
}

}  // namespace

Primes primes_of(std::uint32_t number) {
    Primes primes;
    for (std::uint32_t prime = 2; number > 1; ++prime) {
        prime = std::uint64_t{prime} * prime > number ? number : prime;
        if (number % prime == 0) {
            primes.radices.push_back(prime);
            primes.counts.push_back(0);
        }
        for (; number % prime == 0; number /= prime) {
            ++primes.counts.back();
        }
    }
    return primes;
}

std::vector<Rung> rungs_of(const PlanRequest& request, const PlanAxis& axis, const Primes& primes) {
    std::vector<std::uint32_t> factors;
    std::vector<std::vector<std::uint32_t>> all;
    products(axis.size, axis.size, request.ports, factors, all);
    std::vector<Rung> rungs;
    for (const std::vector<std::uint32_t>& radices : all) {
        Rung rung;
        BlockFold fold;
        for (const std::uint32_t radix : radices) {
            rung.blocks.push_back(block_of(radix, primes));
            rung.degree += radix - 1;
            fold.push_back(bits_of(radix));
        }
        const OverlayShape shape = shape_of(is_power_of_two(axis.size) ? layers_of(fold) : layers_of_radices(radices));
        if (price(rung, request, axis, shape)) {
            rungs.push_back(std::move(rung));
        }
    }
    return rungs;
}

}  // namespace simlette
