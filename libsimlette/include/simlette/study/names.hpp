// What the files and reports call the values of each enumeration. One table each, read in both directions.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <simlette/base/contract.hpp>
#include <simlette/collective/schedule_spec.hpp>
#include <simlette/collective/spec.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/sim/mode.hpp>
#include <simlette/sim/traffic_spec.hpp>

namespace simlette {

template <class Enum>
struct Name {
    Enum value;
    std::string_view text;
};

template <class Enum, std::size_t count>
using Names = std::array<Name<Enum>, count>;

inline constexpr Names<FabricKind, 4> fabric_names{{
    {FabricKind::single_level, "single-level"},
    {FabricKind::two_level, "two-level"},
    {FabricKind::direct, "direct"},
    {FabricKind::explicit_graph, "explicit"},
}};
inline constexpr Names<DeviceKind, 2> device_names{{
    {DeviceKind::eps, "eps"},
    {DeviceKind::ocs, "ocs"},
}};
inline constexpr Names<HopReading, 2> hop_reading_names{{
    {HopReading::switch_only, "switch-only"},
    {HopReading::per_hop, "per-hop"},
}};
inline constexpr Names<CircuitShape, 3> shape_names{{
    {CircuitShape::ring, "ring"},
    {CircuitShape::full_mesh, "full-mesh"},
    {CircuitShape::torus, "torus"},
}};
inline constexpr Names<Channel, 2> channel_names{{
    {Channel::request, "request"},
    {Channel::response, "response"},
}};
inline constexpr Names<Fidelity, 2> fidelity_names{{
    {Fidelity::paper, "paper"},
    {Fidelity::ualink, "ualink"},
}};
inline constexpr Names<ResponsePolicy, 3> response_names{{
    {ResponsePolicy::none, "none"},
    {ResponsePolicy::per_message, "per-message"},
    {ResponsePolicy::per_transaction, "per-transaction"},
}};
inline constexpr Names<RoutingPolicy, 5> policy_names{{
    {RoutingPolicy::spray, "spray"},
    {RoutingPolicy::hashed, "hashed"},
    {RoutingPolicy::fixed, "static"},
    {RoutingPolicy::random, "random"},
    {RoutingPolicy::adaptive, "adaptive"},
}};
inline constexpr Names<Granularity, 2> granularity_names{{
    {Granularity::flit, "flit"},
    {Granularity::message, "message"},
}};
inline constexpr Names<Stripe, 2> stripe_names{{
    {Stripe::carry_on, "continue"},
    {Stripe::restart, "restart"},
}};
inline constexpr Names<Primitive, 6> primitive_names{{
    {Primitive::all_reduce, "all-reduce"},
    {Primitive::all_to_all, "all-to-all"},
    {Primitive::all_gather, "all-gather"},
    {Primitive::reduce_scatter, "reduce-scatter"},
    {Primitive::broadcast, "broadcast"},
    {Primitive::send_recv, "send-recv"},
}};
inline constexpr Names<TrafficPattern, 4> pattern_names{{
    {TrafficPattern::uniform, "uniform"},
    {TrafficPattern::permutation, "permutation"},
    {TrafficPattern::hot_spot, "hot-spot"},
    {TrafficPattern::all_to_all, "all-to-all"},
}};
inline constexpr Names<ScheduleKind, 17> schedule_names{{
    {ScheduleKind::automatic, "auto"},
    {ScheduleKind::automatic_simulated, "auto-simulated"},
    {ScheduleKind::one_shot, "one-shot"},
    {ScheduleKind::one_shot_dvo, "one-shot-dvo"},
    {ScheduleKind::two_shot, "two-shot"},
    {ScheduleKind::recursive_doubling, "recursive-doubling"},
    {ScheduleKind::halving_doubling, "halving-doubling"},
    {ScheduleKind::ring, "ring"},
    {ScheduleKind::coset_factored, "coset-factored"},
    {ScheduleKind::coset_factored_parallel, "coset-factored-parallel"},
    {ScheduleKind::rs_ag, "rs-ag"},
    {ScheduleKind::rs_ag_parallel, "rs-ag-parallel"},
    {ScheduleKind::rs_ag_parallel_r_min, "rs-ag-parallel-r-min"},
    {ScheduleKind::bruck, "bruck"},
    {ScheduleKind::bruck_parallel, "bruck-parallel"},
    {ScheduleKind::direct, "direct"},
    {ScheduleKind::pairwise, "pairwise"},
}};
inline constexpr Names<Symmetry, 3> symmetry_names{{
    {Symmetry::none, "none"},
    {Symmetry::cyclic, "cyclic"},
    {Symmetry::exclusive_or, "exclusive-or"},
}};
inline constexpr Names<Effect, 3> effect_names{{
    {Effect::collect, "collect"},
    {Effect::reduce, "reduce"},
    {Effect::replace, "replace"},
}};
inline constexpr Names<Operation, 2> operation_names{{
    {Operation::write, "write"},
    {Operation::read, "read"},
}};
inline constexpr Names<SendOrder, 2> send_order_names{{
    {SendOrder::rotated, "rotated"},
    {SendOrder::same, "same"},
}};
inline constexpr Names<Mode, 3> mode_names{{
    {Mode::flit, "flit"},
    {Mode::message, "message"},
    {Mode::analytic, "analytic"},
}};

template <class Enum, std::size_t count>
constexpr std::string_view name_in(const Names<Enum, count>& names, Enum value) {
    for (const Name<Enum>& name : names) {
        if (name.value == value) {
            return name.text;
        }
    }
    broken_promise("every value of an enumeration has a name");
}

constexpr std::string_view name_of(FabricKind kind) {
    return name_in(fabric_names, kind);
}
constexpr std::string_view name_of(DeviceKind kind) {
    return name_in(device_names, kind);
}
constexpr std::string_view name_of(HopReading reading) {
    return name_in(hop_reading_names, reading);
}
constexpr std::string_view name_of(CircuitShape shape) {
    return name_in(shape_names, shape);
}
constexpr std::string_view name_of(Channel channel) {
    return name_in(channel_names, channel);
}
constexpr std::string_view name_of(Fidelity fidelity) {
    return name_in(fidelity_names, fidelity);
}
constexpr std::string_view name_of(ResponsePolicy responses) {
    return name_in(response_names, responses);
}
constexpr std::string_view name_of(RoutingPolicy policy) {
    return name_in(policy_names, policy);
}
constexpr std::string_view name_of(Granularity granularity) {
    return name_in(granularity_names, granularity);
}
constexpr std::string_view name_of(Stripe stripe) {
    return name_in(stripe_names, stripe);
}
constexpr std::string_view name_of(Primitive primitive) {
    return name_in(primitive_names, primitive);
}
constexpr std::string_view name_of(ScheduleKind schedule) {
    return name_in(schedule_names, schedule);
}
constexpr std::string_view name_of(Operation operation) {
    return name_in(operation_names, operation);
}
constexpr std::string_view name_of(SendOrder order) {
    return name_in(send_order_names, order);
}
constexpr std::string_view name_of(Mode mode) {
    return name_in(mode_names, mode);
}
constexpr std::string_view name_of(TrafficPattern pattern) {
    return name_in(pattern_names, pattern);
}

}  // namespace simlette
