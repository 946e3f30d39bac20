#include <algorithm>

#include <simlette/study/run.hpp>
#include <simlette/study/run_setup.hpp>

namespace simlette {

namespace {

// What the flit engine keeps, in bytes, rounded up from the sizes of its records.
constexpr std::int64_t program_bytes = 8 << 20;
constexpr std::int64_t bytes_per_link = 512;
constexpr std::int64_t bytes_per_input = 64;    // of one output queue of a packet switch
constexpr std::int64_t bytes_per_flit = 32;     // under way
constexpr std::int64_t bytes_per_message = 64;  // under way, on one port

}  // namespace

RunEstimate estimate(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const FabricDescription description = describe(*fabric);
    RunEstimate sizes;
    for (const EntryReport& entry : preview(fabric, loaded.workload, inputs)) {
        sizes.flits += entry.collective.flits;
    }
    const bool switched = description.packet_switches > 0;
    sizes.flit_hops = sizes.flits * (switched ? 2 : 1);
    sizes.memory_bytes = program_bytes;
    return sizes;
}

}  // namespace simlette
