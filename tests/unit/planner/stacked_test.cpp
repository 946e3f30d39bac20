#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/planner/stacked.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

Duration total(std::uint32_t ports, ScheduleKind kind = ScheduleKind::one_shot_dvo) {
    return stacked_time(stacked_axes({8, 64}, ports), kind, 8_KiB, 520_ns, 400_Gbps);
}

}  // namespace

TEST_CASE("stacked links share ports by largest remainder, complete axes first", "[plan]") {
    using Ports = std::vector<std::uint32_t>;
    CHECK(stacked_ports({8, 64}, 9) == Ports{2, 7});
    CHECK(stacked_ports({8, 64}, 16) == Ports{2, 14});
    CHECK(stacked_ports({8, 64}, 36) == Ports{4, 32});
    CHECK(stacked_ports({8, 64}, 69) == Ports{8, 61});
    CHECK(stacked_ports({8, 64}, 70) == Ports{7, 63});
}

TEST_CASE("stacked links take what two circulants take, one axis after the other", "[plan]") {
    CHECK(total(9) == 5'933'760_ps);
    CHECK(total(70) == 1'367'680_ps);
    CHECK(total(70, ScheduleKind::one_shot) == 1'367'680_ps);
    CHECK_THROWS_AS(stacked_axes({8, 8}, 2), Error);
}
