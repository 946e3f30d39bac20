// The ratios that speed is accepted by, all of one run: CPU time of this process, best of several.
// Exit status 1 if one falls short.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <simlette/engine/lane_queue.hpp>

#include "hold_model.hpp"
#include "world_run.hpp"

namespace {

using namespace simlette;

constexpr Bytes size{40 * 1024};
constexpr double hops_per_hold_wanted = 0.3;
constexpr double over_priority_queue_wanted = 5;
constexpr double two_levels_wanted = 0.5;
constexpr Bytes small_size{4 * 1024};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Best {
public:
    void note(double work, double seconds) { rate_ = std::max(rate_, work / seconds); }
    double rate() const { return rate_; }

private:
    double rate_ = 0;
};

struct Measured {
    Best speed;  // flit-hops/s
    std::int64_t hops = 0;
    std::int64_t pending = 0;  // events in the queue, averaged over simulated time
    Time end;
};

// Each flit on a link is two events, its arrival and the freed wire, pending for as long as their delays.
std::int64_t mean_pending(const HostGraph& graph, const std::vector<LinkStatistics>& links, Time end) {
    std::int64_t pending_ps = 0;
    for (LinkId id = 0; id < links.size(); ++id) {
        const LinkClass& kind = graph.class_of(id);
        pending_ps += links[id].flits * (2 * kind.flit_time.ps + kind.latency.total().ps);
    }
    return pending_ps / end.ps;
}

template <class Queue>
void simulate(const Setting& setting, Measured& measured) {
    const auto fabric = build_fabric(setting.fabric);
    WorldRun<Queue> run(fabric, setting.collective);
    const double start = cpu_seconds();
    if (!run.finish()) {
        fmt::print(stderr, "the simulation stalled\n");
        std::exit(2);
    }
    const double seconds = cpu_seconds() - start;
    const auto links = run.network().link_statistics();
    measured.hops = flit_hops(links);
    measured.end = run.collective().end();
    measured.pending = mean_pending(fabric->graph, links, measured.end);
    measured.speed.note(static_cast<double>(measured.hops), seconds);
}

// One size of the hold model, each event at an instant of its own or 2^group_bits at one.
class Holds {
public:
    Holds(std::uint32_t pending, std::uint32_t group_bits)
        : pending_(pending), group_bits_(group_bits), model_(pending, group_bits) {}

    void measure() {
        const double start = cpu_seconds();
        const std::uint64_t holds = model_.run(8'000'000);
        best_.note(static_cast<double>(holds), cpu_seconds() - start);
    }

    double rate() const { return best_.rate(); }
    bool ties() const { return group_bits_ > 0; }
    std::string name() const {
        return fmt::format("{} pending{}", pending_, ties() ? fmt::format(", {} at an instant", 1 << group_bits_) : "");
    }

private:
    std::uint32_t pending_;
    std::uint32_t group_bits_;
    HoldModel<LaneQueue> model_;
    Best best_;
};

void print_speed(const char* name, const Measured& m) {
    fmt::print("{:34} {:9.3f} s  {:6.1f} M flit-hops/s  {:9} flit-hops, ends at {} ps, {} events pending\n", name,
               static_cast<double>(m.hops) / m.speed.rate(), m.speed.rate() * 1e-6, m.hops, m.end.ps, m.pending);
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
    const Setting packets = packet_setting(256, 8, size);
    const Setting circuits = circuit_setting(256, size);
    const Setting racks = rack_setting(512, small_size);
    const Setting rails = packet_setting(512, 36, small_size);
    Measured on_lanes;
    Measured on_priority_queue;
    Measured on_circuits;
    Measured on_racks;
    Measured on_rails;
    simulate<LaneQueue>(packets, on_lanes);
    const auto like_the_run = static_cast<std::uint32_t>(on_lanes.pending);
    Holds holds[] = {{1'000, 0}, {like_the_run, 0}, {1'000'000, 0}, {like_the_run, 6}};
    for (int round = 0; round < rounds; ++round) {
        for (Holds& one : holds) {
            one.measure();
        }
        simulate<LaneQueue>(packets, on_lanes);
        simulate<PriorityEventQueue>(packets, on_priority_queue);
        simulate<LaneQueue>(packets, on_lanes);
        simulate<LaneQueue>(circuits, on_circuits);
        simulate<LaneQueue>(racks, on_racks);
        simulate<LaneQueue>(rails, on_rails);
    }

    fmt::print("one-shot all-reduce, 256 accelerators, {} bytes; CPU time, best of {} rounds\n\n", size.count, rounds);
    print_speed("packet switches, 8 ports", on_lanes);
    print_speed("the same on std::priority_queue", on_priority_queue);
    print_speed("circuits of the cube, 8 ports", on_circuits);
    print_speed("two levels, 512 x 36, 4:1, 4 KiB", on_racks);
    print_speed("packet switches, 512 x 36, 4 KiB", on_rails);
    for (const Holds& one : holds) {
        fmt::print("{:54} {:6.1f} M holds/s\n", "lanes, " + one.name(), one.rate() * 1e-6);
    }

    fmt::print("\nflit-hops per hold of the lanes{:23} packets  circuits\n", "");
    bool met = on_lanes.end == on_priority_queue.end;
    for (const Holds& one : holds) {
        const double with_packets = on_lanes.speed.rate() / one.rate();
        const double with_circuits = on_circuits.speed.rate() / one.rate();
        fmt::print("{:54} {:7.2f}  {:8.2f}  {}\n", one.name(), with_packets, with_circuits,
                   one.ties() ? "(no target)" : fmt::format("(at least {} wanted)", hops_per_hold_wanted));
        met &= one.ties() || std::min(with_packets, with_circuits) >= hops_per_hold_wanted;
    }
    const double over_priority_queue = on_lanes.speed.rate() / on_priority_queue.speed.rate();
    fmt::print("\n{:54} {:7.2f}  {:8}  (at least {} wanted)\n", "speed of the lanes over std::priority_queue",
               over_priority_queue, "", over_priority_queue_wanted);
    met &= over_priority_queue >= over_priority_queue_wanted;
    const double two_levels = on_racks.speed.rate() / on_lanes.speed.rate();
    fmt::print("{:54} {:7.2f}  {:8}  (at least {} wanted)\n", "speed on two levels over that on one", two_levels, "",
               two_levels_wanted);
    fmt::print("{:54} {:7.2f}  {:8}  (no target)\n", "the same, one-flit messages on one level too",
               on_racks.speed.rate() / on_rails.speed.rate(), "");
    met &= two_levels >= two_levels_wanted;
    return met ? 0 : 1;
}
