// What a schedule costs on the layers of an axis: phase after phase the longest of latency and largest message
// together.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/planner/busiest_circuit.hpp>
#include <simlette/planner/request.hpp>

namespace simlette {

// Layers whose circuits leave a group, by bit.
using LayerSet = std::uint32_t;

struct ScheduleChoice {
    ScheduleKind kind = ScheduleKind::automatic;
    std::uint32_t phases = 0;
    Duration time{0};  // of one call
};

// No cost is larger: sums of some hundred stay within 64 bits. From half of it on a cost may stand for a larger one.
inline constexpr std::int64_t most_cost = INT64_MAX / 1024;

// Of so many calls, at most most_cost. Requires: calls >= 1.
std::int64_t weighted(Duration time, std::uint32_t calls);
// Throws Error{input} if what a plan costs may stand for more.
void check_total(std::int64_t total);

class SchedulePrice {
public:
    // Requires: the schedule can be carried out on the shape, and `form` is that of its kind.
    SchedulePrice(const PlanRequest& request, Bytes bytes, ScheduleKind kind, const ClosedForm& form,
                  const OverlayShape& shape);

    // Beside so many parallel circuits less one. Rounded half up, once.
    ScheduleChoice choice(LayerSet crossing, std::uint32_t copies) const;

private:
    SchedulePrice(const PlanRequest& request, Bytes bytes, ScheduleKind kind, const ScheduleCost& cost);

    using Whole = boost::multiprecision::cpp_int;

    Duration deepest(LayerSet crossing) const { return crossing == 0 ? inside_ : across_; }
    Duration by_layers(LayerSet crossing, std::uint32_t copies) const;

    ScheduleKind kind_;
    std::uint32_t phases_;
    Duration inside_;
    Duration across_;
    BusiestCircuit circuit_;
    std::vector<std::vector<Whole>> moved_;  // by phase and layer, in picoseconds over `over_`; none: it has no layers
    Whole over_ = 1;
};

// What is tried on so many blocks, of equal time and phases the first; nothing if no closed form prices the primitive.
std::vector<ScheduleKind> kinds_for(Primitive primitive, std::size_t blocks);

// The least time, then the fewest phases. Requires: there are some.
ScheduleChoice best_of(const std::vector<SchedulePrice>& schedules, LayerSet crossing, std::uint32_t copies);

}  // namespace simlette
