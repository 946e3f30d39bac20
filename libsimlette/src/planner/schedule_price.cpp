#include <simlette/planner/schedule_price.hpp>

#include <algorithm>
#include <string>

#include <simlette/base/error.hpp>

namespace simlette {

namespace {

Exact time_of(const Exact& share, Bytes bytes, BitRate rate) {
    return share * bytes.count * 8 * ps_per_second / rate.per_second;
}

}  // namespace

std::int64_t weighted(Duration time, std::uint32_t calls) {
    return time.ps > most_cost / calls ? most_cost : time.ps * calls;
}

void check_total(std::int64_t total) {
    if (total >= most_cost / 2) {
        throw Error(ErrorKind::input, "the collectives of the plan together take more than " +
                                          std::to_string(most_cost / 2 / ps_per_second) +
                                          " s; expected fewer calls or bytes");
    }
}

SchedulePrice::SchedulePrice(const PlanRequest& request, Bytes bytes, ScheduleKind kind, const ScheduleCost& cost)
    : kind_(kind),
      phases_(cost.phases),
      inside_(request.latency),
      across_(std::max(request.latency, request.latency_across)),
      circuit_(cost, bytes, request.rate) {}

SchedulePrice::SchedulePrice(const PlanRequest& request, Bytes bytes, ScheduleKind kind, const ClosedForm& form,
                             const OverlayShape& shape)
    : SchedulePrice(request, bytes, kind, form.cost(shape)) {
    if (request.group == 0 || inside_ == across_ || form.layer_shares == nullptr) {
        return;
    }
    const LayerShares shares = form.layer_shares(shape);
    for (const std::vector<Exact>& phase : shares) {
        for (const Exact& share : phase) {
            over_ = boost::multiprecision::lcm(over_, denominator(time_of(share, bytes, request.rate)));
        }
    }
    for (const std::vector<Exact>& phase : shares) {
        moved_.emplace_back();
        for (const Exact& share : phase) {
            moved_.back().push_back(numerator(Exact(time_of(share, bytes, request.rate) * over_)));
        }
    }
}

ScheduleChoice SchedulePrice::choice(LayerSet crossing, std::uint32_t copies) const {
    const Duration time = crossing == 0 || moved_.empty()
                              ? deepest(crossing) * phases_ + circuit_.busy(copies, {most_cost / 2})
                              : by_layers(crossing, copies);
    return {kind_, phases_, time};
}

Duration SchedulePrice::by_layers(LayerSet crossing, std::uint32_t copies) const {
    const Whole over = over_ * copies;
    Whole sum = 0;
    for (const std::vector<Whole>& phase : moved_) {
        Whole longest = 0;
        for (std::size_t layer = 0; layer < phase.size(); ++layer) {
            if (phase[layer] != 0) {
                const Duration latency = (crossing >> layer & 1U) != 0 ? across_ : inside_;
                longest = std::max<Whole>(longest, latency.ps * over + phase[layer]);
            }
        }
        sum += longest;
    }
    const Whole time = (2 * sum + over) / (2 * over);
    return {time > most_cost / 2 ? most_cost / 2 : static_cast<std::int64_t>(time)};
}

// On blocks the others are never better: flooding moves more than `coset-factored-parallel` in as many phases, and so
// does `recursive-doubling` beside `coset-factored`. On one block delivering each contribution once is the same as
// exchanging it, and is called so.
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

ScheduleChoice best_of(const std::vector<SchedulePrice>& schedules, LayerSet crossing, std::uint32_t copies) {
    ScheduleChoice best = schedules.front().choice(crossing, copies);
    for (std::size_t i = 1; i < schedules.size(); ++i) {
        const ScheduleChoice other = schedules[i].choice(crossing, copies);
        if (other.time < best.time || (other.time == best.time && other.phases < best.phases)) {
            best = other;
        }
    }
    return best;
}

}  // namespace simlette
