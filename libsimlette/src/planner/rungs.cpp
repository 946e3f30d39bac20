#include <simlette/planner/rungs.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include <simlette/base/error.hpp>
#include <simlette/collective/closed_form.hpp>
#include <simlette/collective/fold.hpp>

namespace simlette {

namespace {

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

std::vector<SchedulePrice> schedules_of(const PlanRequest& request, const PlanAxis& axis,
                                        const PlanCollective& collective, const std::vector<ScheduleKind>& tried,
                                        const OverlayShape& shape) {
    const bool open = collective.schedule == ScheduleKind::automatic;
    const std::vector<ScheduleKind> kinds = open ? tried : std::vector<ScheduleKind>{collective.schedule};
    if (kinds.empty()) {
        no_price(axis, "that no closed form prices");
    }
    std::vector<SchedulePrice> schedules;
    for (const ScheduleKind kind : kinds) {
        const ClosedForm* form = closed_form(collective.primitive, kind);
        if (form == nullptr) {
            no_price(axis, "with a schedule that has no closed form for it");
        }
        if (open || !form->misfit(shape)) {
            schedules.emplace_back(request, collective.bytes, kind, *form, shape);
        }
    }
    return schedules;
}

// False if a schedule that was asked for does not fit.
bool take_schedules(Rung& rung, const PlanRequest& request, const PlanAxis& axis, const OverlayShape& shape) {
    for (const PlanCollective& collective : axis.collectives) {
        rung.schedules.push_back(
            schedules_of(request, axis, collective, kinds_for(collective.primitive, rung.blocks.size()), shape));
        rung.calls.push_back(collective.calls);
        if (rung.schedules.back().empty()) {
            return false;
        }
    }
    rung.copies = rung.degree == 0 ? 1 : request.ports / rung.degree;
    return true;
}

bool goes_round(const PlanCollective& collective) {
    return (collective.schedule == ScheduleKind::automatic || collective.schedule == ScheduleKind::ring) &&
           closed_form(collective.primitive, ScheduleKind::ring) != nullptr;
}

// Of two or three ranks a ring is complete.
void add_ring(std::vector<Rung>& rungs, const PlanRequest& request, const PlanAxis& axis, const Primes& primes) {
    if (axis.size < 4 || request.ports < 2 ||
        !std::all_of(axis.collectives.begin(), axis.collectives.end(), goes_round)) {
        return;
    }
    const OverlayShape shape{{RankGroup::cyclic(axis.size), {1, axis.size - 1}}, std::nullopt};
    Rung rung;
    rung.blocks.push_back(block_of(axis.size, primes));
    rung.blocks.back().ring = true;
    rung.degree = 2;
    rung.copies = request.ports / 2;
    for (const PlanCollective& collective : axis.collectives) {
        rung.schedules.push_back(schedules_of(request, axis, collective, {ScheduleKind::ring}, shape));
        rung.calls.push_back(collective.calls);
    }
    rungs.push_back(std::move(rung));
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

const RungPrices& Rung::prices(LayerSet crossing) const {
    const auto known = known_.find(crossing);
    if (known != known_.end()) {
        return known->second;
    }
    RungPrices& prices = known_[crossing];
    for (std::uint32_t p = 1; p <= copies; ++p) {
        std::int64_t sum = 0;
        std::vector<ScheduleChoice> choices;
        for (std::size_t i = 0; i < schedules.size(); ++i) {
            choices.push_back(best_of(schedules[i], crossing, p));
            sum = std::min(most_cost, sum + weighted(choices.back().time, calls[i]));
        }
        prices.cost.push_back(sum);
        prices.choices.push_back(std::move(choices));
    }
    return prices;
}

std::vector<Rung> rungs_of(const PlanRequest& request, const PlanAxis& axis, const Primes& primes, bool rings) {
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
        if (take_schedules(rung, request, axis, shape)) {
            rungs.push_back(std::move(rung));
        }
    }
    if (rings) {
        add_ring(rungs, request, axis, primes);
    }
    return rungs;
}

}  // namespace simlette
