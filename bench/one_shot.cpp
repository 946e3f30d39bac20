// One-shot all-reduces one after the other on one level of packet switches, simulated and nothing else: no replay
// for critical paths, no report.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include <simlette/sim/simulator.hpp>

#include "world_run.hpp"

using namespace simlette;

int main(int argc, char** argv) {
    const std::string engine = argc == 6 ? argv[1] : "";
    if (engine != "reference" && engine != "sweep") {
        fmt::print(stderr, "usage: one_shot reference|sweep ACCELERATORS PORTS BYTES TIMES\n");
        return 2;
    }
    Setting setting = packet_setting(static_cast<std::uint32_t>(std::atol(argv[2])),
                                     static_cast<std::uint32_t>(std::atol(argv[3])), Bytes{std::atol(argv[4])});
    SimulatorOptions options;
    options.engine = engine == "sweep" ? Engine::sweep : Engine::reference;
    Simulator simulator(build_fabric(setting.fabric), options);
    for (long left = std::atol(argv[5]); left > 0; --left) {
        setting.collective.earliest_start = simulator.now();
        simulator.register_collective(setting.collective);
        while (std::holds_alternative<Completed>(simulator.drain())) {
        }
    }
    fmt::print("{} flit-hops\n", flit_hops(simulator.links()));
    return 0;
}
