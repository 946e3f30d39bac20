// Google Benchmark programs: the event queues, flits end to end, setup. Read the column CPU.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <simlette/engine/lane_queue.hpp>
#include <simlette/sim/simulator.hpp>

#include "hold_model.hpp"
#include "priority_event_queue.hpp"
#include "world_run.hpp"

namespace {

using namespace simlette;
using benchmark::Counter;

constexpr Bytes size{40 * 1024};

template <class Queue>
void hold(benchmark::State& state) {
    HoldModel<Queue> model(static_cast<std::uint32_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
    const std::uint64_t instants_before = model.instants();
    std::uint64_t holds = 0;
    for (auto unused : state) {
        holds += model.run(10'000);
    }
    state.counters["holds/s"] = Counter(static_cast<double>(holds), Counter::kIsRate);
    state.counters["ties"] = static_cast<double>(holds) / static_cast<double>(model.instants() - instants_before);
}

template <class Queue>
void run_on(benchmark::State& state, const Setting& setting) {
    const auto fabric = build_fabric(setting.fabric);
    std::int64_t hops = 0;
    std::uint64_t events = 0;
    for (auto unused : state) {
        state.PauseTiming();
        auto run = std::make_unique<WorldRun<Queue>>(fabric, setting.collective);
        state.ResumeTiming();
        if (!run->finish()) {
            state.SkipWithError("stalled");
            return;
        }
        state.PauseTiming();
        hops += flit_hops(run->network().link_statistics());
        events += run->network().events();
        run.reset();
        state.ResumeTiming();
    }
    state.counters["flit-hops"] = Counter(static_cast<double>(hops), Counter::kAvgIterations);
    state.counters["flit-hops/s"] = Counter(static_cast<double>(hops), Counter::kIsRate);
    state.counters["events/s"] = Counter(static_cast<double>(events), Counter::kIsRate);
}

void packets(benchmark::State& state) {
    run_on<LaneQueue>(state, packet_setting(static_cast<std::uint32_t>(state.range(0)), 8, size));
}

void packets_with_credits(benchmark::State& state) {
    Setting setting = packet_setting(static_cast<std::uint32_t>(state.range(0)), 8, size);
    setting.fabric.buffers.request = 22;
    run_on<LaneQueue>(state, setting);
}

void packets_in_same_order(benchmark::State& state) {
    Setting setting = packet_setting(static_cast<std::uint32_t>(state.range(0)), 8, size);
    setting.fabric.buffers.request = 24;
    setting.collective.send_order = SendOrder::same;
    run_on<LaneQueue>(state, setting);
}

void packets_on_priority_queue(benchmark::State& state) {
    run_on<PriorityEventQueue>(state, packet_setting(static_cast<std::uint32_t>(state.range(0)), 8, size));
}

void circuits(benchmark::State& state) {
    run_on<LaneQueue>(state, circuit_setting(static_cast<std::uint32_t>(state.range(0)), size));
}

void fabric(benchmark::State& state) {
    const Setting setting = packet_setting(static_cast<std::uint32_t>(state.range(0)), 8, size);
    for (auto unused : state) {
        benchmark::DoNotOptimize(build_fabric(setting.fabric));
    }
}

// A simulator of its own each time: the network is built, the schedule is made, proved and queued.
void registration(benchmark::State& state) {
    const Setting setting = packet_setting(static_cast<std::uint32_t>(state.range(0)), 8, size);
    const auto built = build_fabric(setting.fabric);
    for (auto unused : state) {
        Simulator simulator(built);
        benchmark::DoNotOptimize(simulator.register_collective(setting.collective));
    }
}

// Pending events, and group bits: 0 for instants of their own, 6 for 64 events at one instant.
const std::vector<std::vector<std::int64_t>> hold_sizes{{1'000, 10'000, 100'000, 1'000'000}, {0, 6}};

BENCHMARK_TEMPLATE(hold, LaneQueue)->ArgsProduct(hold_sizes)->ArgNames({"pending", "group_bits"});
BENCHMARK_TEMPLATE(hold, PriorityEventQueue)->ArgsProduct(hold_sizes)->ArgNames({"pending", "group_bits"});
BENCHMARK(packets)->RangeMultiplier(2)->Range(32, 256)->Unit(benchmark::kMillisecond);
BENCHMARK(packets_with_credits)->Arg(256)->Unit(benchmark::kMillisecond);
BENCHMARK(packets_in_same_order)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK(packets_on_priority_queue)->Arg(256)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(circuits)->RangeMultiplier(2)->Range(32, 128)->Unit(benchmark::kMillisecond);
BENCHMARK(circuits)->Arg(256)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(fabric)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(registration)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
