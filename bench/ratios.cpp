// The ratios that speed is accepted by, all of one run, as Markdown tables: CPU time of this process, of several
// threads wall time, best of several rounds. Exit status 1 if one falls short of its floor.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/engine/lane_queue.hpp>

#include "hold_model.hpp"
#include "world_run.hpp"

namespace {

using namespace simlette;

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double cpu_seconds() {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

// What is asked of a number; 0: nothing.
struct Goal {
    double floor = 0;
    double moonshot = 0;
    bool at_most = false;

    bool meets(double value, double wanted) const { return at_most ? value <= wanted : value >= wanted; }
    bool missed(double value) const { return floor > 0 && !meets(value, floor); }
    std::string cells(double value) const {
        const auto cell = [&](double wanted) {
            return wanted > 0 ? fmt::format("{} {:g}", at_most ? "<=" : ">=", wanted) : std::string();
        };
        const bool best = moonshot > 0 && meets(value, moonshot);
        const char* verdict = missed(value) ? "missed" : best ? "moonshot" : floor > 0 ? "met" : "";
        return fmt::format("{} | {} | {}", cell(floor), cell(moonshot), verdict);
    }
};

// A setting by one mode and engine, again and again.
class Timing {
public:
    Timing(Mode mode, Engine engine, std::uint32_t threads = 1) : mode_(mode), engine_(engine), threads_(threads) {}

    void measure(const Setting& setting) {
        SimulatorOptions options;
        options.mode = mode_;
        options.engine = engine_;
        options.threads = threads_;
        Simulator simulator(build_fabric(setting.fabric), options);
        simulator.register_collective(setting.collective);
        const double start = cpu_seconds();
        const double wall_start = seconds_of(CLOCK_MONOTONIC);
        while (std::holds_alternative<Completed>(simulator.drain())) {
        }
        wall_seconds = std::min(wall_seconds, seconds_of(CLOCK_MONOTONIC) - wall_start);
        seconds = std::min(seconds, cpu_seconds() - start);
        hash = simulator.event_hash();
        end = simulator.now();
        links = simulator.links();
        hops = flit_hops(links);
    }

    double rate() const { return static_cast<double>(hops) / seconds; }

    double seconds = std::numeric_limits<double>::max();
    double wall_seconds = std::numeric_limits<double>::max();
    std::uint64_t hash = 0;
    Time end;
    std::int64_t hops = 0;
    std::vector<LinkStatistics> links;

private:
    Mode mode_;
    Engine engine_;
    std::uint32_t threads_;
};

// The same work on both engines.
struct Work {
    std::string name;
    Setting setting;
    Goal goal;          // of the speed of the sweep over that of the reference
    bool once = false;  // on the reference
    Timing reference{Mode::flit, Engine::reference};
    Timing sweep{Mode::flit, Engine::sweep};

    void measure() {
        if (!once || reference.hops == 0) {
            reference.measure(setting);
        }
        sweep.measure(setting);
        if (reference.hash != sweep.hash || reference.hops != sweep.hops) {
            throw Error(ErrorKind::internal, "the engines differ: " + name);
        }
    }
    double ratio() const { return reference.seconds / sweep.seconds; }
};

Setting answered(Setting setting) {
    setting.fabric.responses = ResponsePolicy::per_message;
    return setting;
}

Setting with_credits(Setting setting, std::int64_t flits, Duration back) {
    setting.fabric.buffers = {flits, flits};
    setting.fabric.credit_return = back;
    return setting;
}

Setting in_same_order(Setting setting) {
    setting.collective.send_order = SendOrder::same;
    return setting;
}

Setting all_to_all(Setting setting) {
    setting.collective.primitive = Primitive::all_to_all;
    setting.collective.schedule = ScheduleKind::direct;
    setting.collective.bytes.count *= setting.fabric.accelerators;
    return setting;
}

constexpr Bytes kib_4{4 * 1024};
constexpr Bytes kib_16{16 * 1024};
constexpr Bytes kib_40{40 * 1024};
constexpr Bytes kib_40_half{40 * 1024 + 512};
constexpr Bytes kib_41{41 * 1024};
constexpr Bytes kib_64{64 * 1024};
constexpr Bytes mib{1024 * 1024};

// On two levels, every source at the same destination at a time.
Setting hard(const Setting& racks) {
    return answered(with_credits(in_same_order(racks), 22, {0}));
}

// Over 8 ports all planes carry the same of 64 flits, two and two of 66, no two of 65 or 103.
void add_one_level(Bytes bytes, const std::string& name, std::vector<Work>& all) {
    const Setting plain = packet_setting(256, 8, bytes);
    all.push_back({"256 x 8, " + name, plain, {3, 10}});
    all.push_back({name + ", responses", answered(plain), {3, 10}});
    all.push_back({name + ", 22 credits, return 0", with_credits(plain, 22, {0}), {2.5, 8}});
    all.push_back({name + ", 40 credits, return 255 ns", with_credits(plain, 40, Duration{255'000}), {2.5, 8}});
    all.push_back({name + ", 22 credits, responses", answered(with_credits(plain, 22, {0})), {2.5, 8}});
    all.push_back({name + ", same order (incast)", in_same_order(plain), {}});
    all.push_back({name + ", same order, 64 credits", in_same_order(with_credits(plain, 64, {0})), {}});
}

std::vector<Work> all_work() {
    const Setting large = packet_setting(256, 8, mib);
    std::vector<Work> all;
    add_one_level(kib_40, "40 KiB", all);
    add_one_level(kib_40_half, "40.5 KiB", all);
    const std::vector<Work> more{
        {"256 x 8, 41 KiB", packet_setting(256, 8, kib_41), {3, 10}},
        {"256 x 8, 64 KiB", packet_setting(256, 8, kib_64), {3, 10}},
        {"32 x 8, 40 KiB", packet_setting(32, 8, kib_40), {}},
        {"256 x 8, 1 MiB", large, {}, true},
        {"256 x 8, 1 MiB, 40 credits, return 255 ns", with_credits(large, 40, Duration{255'000}), {}, true},
        {"256 x 8, 1 MiB, same order (incast)", in_same_order(large), {}, true},
        {"circuits of the cube, 256, 40 KiB", circuit_setting(256, kib_40), {}},
        {"the same circuits, 22 credits, return 0", with_credits(circuit_setting(256, kib_40), 22, {0}), {2.5, 8}},
        {"64 x 8, all-to-all, 40 KiB a pair", all_to_all(packet_setting(64, 8, kib_40)), {}},
        {"one level, 512 x 36, 4 KiB", packet_setting(512, 36, kib_4), {}},
        {"two levels, 512 x 36, 4:1, 4 KiB", rack_setting(512, 36, kib_4), {}},
        {"hard: two levels, 256 x 8, 4:1, 40 KiB, same order, 22 credits, responses",
         hard(rack_setting(256, 8, kib_40)),
         {3, 0}},
        {"hard, 41 KiB", hard(rack_setting(256, 8, kib_41)), {3, 0}},
        {"hard, 40.5 KiB", hard(rack_setting(256, 8, kib_40_half)), {3, 0}},
        {"hard, 64 KiB", hard(rack_setting(256, 8, kib_64)), {3, 0}},
        {"hard, 512 x 36, 16 KiB", hard(rack_setting(512, 36, kib_16)), {3, 0}, true},
    };
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

const Work& named(const std::vector<Work>& all, const std::string& name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Work& work) { return work.name == name; });
    require(found != all.end(), "work is asked for by its name");
    return *found;
}

// The same work by two threads and by one, in turn.
class Shared {
public:
    explicit Shared(const Work& work) : setting_(work.setting) {}

    void measure() {
        one_.measure(setting_);
        two_.measure(setting_);
    }
    double gain() const { return one_.wall_seconds / two_.wall_seconds; }

private:
    Setting setting_;
    Timing one_{Mode::flit, Engine::sweep};
    Timing two_{Mode::flit, Engine::sweep, 2};
};

// Each flit on a link is two events, its arrival and the freed wire, pending for as long as their delays.
std::uint32_t mean_pending(const Setting& setting, const Timing& way) {
    const auto fabric = build_fabric(setting.fabric);
    std::int64_t pending_ps = 0;
    for (LinkId id = 0; id < way.links.size(); ++id) {
        const LinkClass& kind = fabric->graph.class_of(id);
        pending_ps += way.links[id].flits * (2 * kind.flit_time.ps + kind.latency.total().ps);
    }
    return static_cast<std::uint32_t>(pending_ps / way.end.ps);
}

// Holds a second of the lanes, with as many events pending as in a simulation on average.
class Holds {
public:
    explicit Holds(std::uint32_t pending) : model_(pending, 0) {}

    void measure() {
        const double start = cpu_seconds();
        const std::uint64_t holds = model_.run(8'000'000);
        rate = std::max(rate, static_cast<double>(holds) / (cpu_seconds() - start));
    }

    double rate = 0;

private:
    HoldModel<LaneQueue> model_;
};

// The reference on one std::priority_queue of all events: its CPU seconds.
double on_priority_queue(const Setting& setting, Time end) {
    WorldRun<PriorityEventQueue> run(build_fabric(setting.fabric), setting.collective);
    const double start = cpu_seconds();
    if (!run.finish() || run.collective().end() != end) {
        throw Error(ErrorKind::internal, "the event queues differ");
    }
    return cpu_seconds() - start;
}

// What the engines are measured against, and several threads.
struct Others {
    const Work& plain;
    const Work& responses;
    Holds holds;
    Shared one_level_shared;
    Shared responses_shared;
    Shared hard_shared;
    Timing message{Mode::message, Engine::automatic};
    Timing answered_message{Mode::message, Engine::automatic};
    double heap_seconds = std::numeric_limits<double>::max();

    // Requires: the first work has been measured.
    explicit Others(const std::vector<Work>& all)
        : plain(all.front()),
          responses(named(all, "40 KiB, responses")),
          holds(mean_pending(plain.setting, plain.reference)),
          one_level_shared(named(all, "256 x 8, 40.5 KiB")),
          responses_shared(named(all, "40.5 KiB, responses")),
          hard_shared(named(all, "hard, 40.5 KiB")) {}

    void measure() {
        holds.measure();
        for (Shared* shared : {&one_level_shared, &responses_shared, &hard_shared}) {
            shared->measure();
        }
        message.measure(plain.setting);
        answered_message.measure(responses.setting);
        heap_seconds = std::min(heap_seconds, on_priority_queue(plain.setting, plain.reference.end));
    }
};

bool print_work(const std::vector<Work>& all) {
    fmt::print(
        "| work | flit-hops | reference, s | sweep, s | reference, M flit-hops/s | sweep, M flit-hops/s | "
        "sweep over reference | floor | moonshot | |\n|---|---|---|---|---|---|---|---|---|---|\n");
    bool met = true;
    for (const Work& work : all) {
        fmt::print("| {} | {} | {:.4f} | {:.4f} | {:.1f} | {:.1f} | {:.2f} | {} |\n", work.name, work.sweep.hops,
                   work.reference.seconds, work.sweep.seconds, work.reference.rate() * 1e-6, work.sweep.rate() * 1e-6,
                   work.ratio(), work.goal.cells(work.ratio()));
        met &= !work.goal.missed(work.ratio());
    }
    return met;
}

struct Ratio {
    std::string name;
    double value;
    Goal goal;
};

using Ratios = std::vector<Ratio>;

Ratios ratios_of_queues(const std::vector<Work>& all, const Others& others) {
    const Timing& plain = others.plain.reference;
    const Timing& circuits = named(all, "circuits of the cube, 256, 40 KiB").reference;
    return {
        {"events of the reference per hold of its lanes, packet switches",
         2 * plain.rate() / others.holds.rate,
         {0.5, 1}},
        {"the same, circuits", 2 * circuits.rate() / others.holds.rate, {0.5, 1}},
        {"speed of the reference over its like on std::priority_queue", others.heap_seconds / plain.seconds, {5, 12}},
    };
}

Ratios ratios_of_times(const std::vector<Work>& all, const Others& others) {
    const Timing& plain = others.plain.sweep;
    const Timing& responses = others.responses.sweep;
    const Timing& uneven = named(all, "256 x 8, 40.5 KiB").sweep;
    const Timing& large = named(all, "256 x 8, 1 MiB").sweep;
    const Work& exchange = named(all, "64 x 8, all-to-all, 40 KiB a pair");
    return {
        {"time of the sweep over that of message mode, 40 KiB", plain.seconds / others.message.seconds, {1, 0.3, true}},
        {"the same, responses", responses.seconds / others.answered_message.seconds, {1, 0.3, true}},
        {"time of the sweep for 1 MiB over that for 40 KiB", large.seconds / plain.seconds, {8, 0, true}},
        {"the same, 40.5 KiB", large.seconds / uneven.seconds, {8, 0, true}},
        {"all-to-all of 64, reference, ms", 1e3 * exchange.reference.seconds, {15, 0, true}},
        {"the same, sweep, ms", 1e3 * exchange.sweep.seconds, {4, 1, true}},
        {"256 x 8, 40 KiB, responses, sweep, s", responses.seconds, {0.15, 0.03, true}},
    };
}

Ratios ratios_of_levels(const std::vector<Work>& all, const Others& others) {
    const Work& two_levels = named(all, "two levels, 512 x 36, 4:1, 4 KiB");
    const Work& one_level = named(all, "one level, 512 x 36, 4 KiB");
    return {
        {"flit-hop rate of the reference, two levels (4 KiB) over one (40 KiB)",
         two_levels.reference.rate() / others.plain.reference.rate(),
         {0.5, 0}},
        {"the same, 4 KiB on one level too", two_levels.reference.rate() / one_level.reference.rate(), {0.5, 0}},
        {"the same, sweep", two_levels.sweep.rate() / one_level.sweep.rate(), {0.5, 0}},
    };
}

Ratios gains_of_threads(const Others& others) {
    return {
        {"two threads over one, wall time: 256 x 8, 40.5 KiB", others.one_level_shared.gain(), {1.5, 1.8}},
        {"the same, 40.5 KiB, responses", others.responses_shared.gain(), {1.5, 1.8}},
        {"the same, hard, 40.5 KiB", others.hard_shared.gain(), {1.5, 1.8}},
    };
}

Ratios rates_of_hard(const std::vector<Work>& all) {
    const auto rate = [&all](const std::string& name) { return named(all, name).sweep.rate() * 1e-6; };
    return {
        {"hard, 40 KiB, sweep, M flit-hops/s",
         rate("hard: two levels, 256 x 8, 4:1, 40 KiB, same order, 22 credits, responses"),
         {30, 0}},
        {"hard, 41 KiB, sweep, M flit-hops/s", rate("hard, 41 KiB"), {30, 0}},
        {"hard, 40.5 KiB, sweep, M flit-hops/s", rate("hard, 40.5 KiB"), {30, 0}},
        {"hard, 64 KiB, sweep, M flit-hops/s", rate("hard, 64 KiB"), {30, 0}},
        {"hard, 512 x 36, 16 KiB, sweep, M flit-hops/s", rate("hard, 512 x 36, 16 KiB"), {30, 0}},
    };
}

Ratios all_ratios(const std::vector<Work>& all, const Others& others) {
    Ratios ratios;
    for (const Ratios& more : {ratios_of_queues(all, others), ratios_of_times(all, others),
                               ratios_of_levels(all, others), gains_of_threads(others), rates_of_hard(all)}) {
        ratios.insert(ratios.end(), more.begin(), more.end());
    }
    return ratios;
}

bool print_ratios(const Ratios& all) {
    fmt::print("\n| ratio | ours | floor | moonshot | |\n|---|---|---|---|---|\n");
    bool met = true;
    for (const Ratio& ratio : all) {
        fmt::print("| {} | {:.3g} | {} |\n", ratio.name, ratio.value, ratio.goal.cells(ratio.value));
        met &= !ratio.goal.missed(ratio.value);
    }
    return met;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
    std::vector<Work> all = all_work();
    all.front().measure();
    Others others(all);
    for (Work& work : all) {  // over and over, as memory is dear that the system has not handed out just now
        for (int round = 0; round < rounds; ++round) {
            work.measure();
        }
    }
    for (int round = 0; round < rounds; ++round) {
        others.measure();
    }
    const bool works = print_work(all);
    const bool ratios = print_ratios(all_ratios(all, others));
    return works && ratios ? 0 : 1;
}
