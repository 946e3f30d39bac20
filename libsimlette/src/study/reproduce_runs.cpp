// Figures that a simulation answers: one-shot all-reduce of 1 MiB over 32 accelerators of 8 ports.
#include <simlette/base/contract.hpp>
#include <simlette/study/profiles.hpp>
#include <simlette/study/reproduce_table.hpp>
#include <simlette/study/run.hpp>

namespace simlette {

namespace {

constexpr std::int64_t small_buffer = 22;  // flits

FabricSpec fabric_of(DeviceKind device, const std::string& latency) {
    FabricSpec spec;
    spec.device = device;
    spec.accelerators = 32;
    spec.ports = 8;
    spec.latency = latency_profile(latency);
    spec.buffers = {small_buffer, small_buffer};
    spec.responses = ResponsePolicy::none;
    spec.circuits.cube = device == DeviceKind::ocs;
    return spec;
}

RunReport run_on(const FabricSpec& fabric, Mode mode) {
    LoadedRun loaded;
    loaded.fabric = fabric;
    loaded.workload.collectives.emplace_back();
    CollectiveSpec& all_reduce = loaded.workload.collectives.back().collective;
    all_reduce.schedule = ScheduleKind::one_shot;
    all_reduce.bytes = {1 << 20};
    RunControl control;
    control.mode = mode;
    RunReport report = run(loaded, {}, control);
    require(report.completion.has_value(), "a one-shot all-reduce comes to its end");
    return report;
}

Exact us(std::int64_t ps) {
    return Exact(ps, 1'000'000);
}

}  // namespace

std::vector<OurRow> our_figure_19() {
    const FabricSpec fabric = fabric_of(DeviceKind::ocs, "nominal");
    const std::int64_t simulated = run_on(fabric, Mode::flit).completion->ps;
    return {
        {"slower than the analytic model, times", {Exact(simulated, run_on(fabric, Mode::analytic).completion->ps)}}};
}

std::vector<OurRow> our_figure_20() {
    const FabricSpec fabric = fabric_of(DeviceKind::eps, "paper-inferred");
    const RunReport simulated = run_on(fabric, Mode::flit);
    const std::int64_t time = simulated.completion->ps;
    const std::int64_t analytic = run_on(fabric, Mode::analytic).completion->ps;
    const std::int64_t nominal = run_on(fabric_of(DeviceKind::eps, "nominal"), Mode::flit).completion->ps;
    return {
        {"analytic model", {us(analytic)}},
        {"simulated", {us(time)}},
        {"simulated, latency nominal", {us(nominal)}},
        {"slower by", {us(time - analytic)}},
        {"most delayed port waits", {us(simulated.statistics.stall_max_port.ps)}},
        {"simulated over analytic, times", {Exact(time, analytic)}},
    };
}

}  // namespace simlette
