#include <algorithm>

#include <simlette/study/run.hpp>
#include <simlette/study/run_setup.hpp>

namespace simlette {

namespace {

// Sizes of what the flit engine keeps, rounded up for vectors that grow by doubling.
constexpr std::int64_t program_bytes = 6 << 20;
constexpr std::int64_t bytes_per_link = 600;
constexpr std::int64_t bytes_per_flit = 32;     // on a wire or in a pipeline: its events
constexpr std::int64_t bytes_per_message = 84;  // a port-message that has started and not arrived

// What one entry may have under way at the same time.
struct UnderWay {
    std::int64_t flits = 0;
    std::int64_t messages = 0;
};

// Between accelerators each port sends to every other rank; on circuits it has one neighbour.
std::int64_t port_messages(const EntryReport& entry, const FabricDescription& description, bool switched) {
    const CollectiveReport& collective = entry.collective;
    const std::int64_t peers = switched ? std::max<std::int64_t>(collective.ranks - 1, 1) : 1;
    const std::int64_t all = peers * collective.ranks * description.ports_used * collective.phases;
    return std::clamp<std::int64_t>(all, 1, std::max<std::int64_t>(collective.flits, 1));
}

UnderWay under_way(const EntryReport& entry, const FabricDescription& description, bool switched) {
    const std::int64_t all = port_messages(entry, description, switched);
    const std::int64_t ports = std::int64_t{description.accelerators} * description.ports_used;
    const std::int64_t loop =
        ceil_div(description.path_latency.ps, std::max<std::int64_t>(description.flit_time.ps, 1));
    const std::int64_t flits = std::min(entry.collective.flits, ports * (loop + 2));
    const std::int64_t flits_of_one = ceil_div(entry.collective.flits, all);
    return {flits, std::min(all, flits / std::max<std::int64_t>(flits_of_one, 1) + ports)};
}

// Port-messages that may pile up at switch outputs when every rank sends in the same order.
std::int64_t piled_up(const EntryReport& entry, const WorkloadEntry& asked, const FabricDescription& description,
                      const FabricSpec& fabric) {
    if (description.packet_switches == 0 || asked.collective.send_order != SendOrder::same) {
        return 0;
    }
    const std::int64_t all = port_messages(entry, description, true);
    const std::int64_t inputs = std::int64_t{description.accelerators} * description.ports_used;
    return fabric.buffers.request < all / inputs ? fabric.buffers.request * inputs : all;
}

}  // namespace

RunEstimate estimate(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const FabricDescription description = describe(*fabric);
    const bool switched = description.packet_switches > 0;
    const std::vector<EntryReport> entries = preview(fabric, loaded.workload, inputs);
    RunEstimate sizes;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const UnderWay load = under_way(entries[i], description, switched);
        const std::int64_t waiting = piled_up(entries[i], loaded.workload.collectives[i], description, loaded.fabric);
        sizes.flits += entries[i].collective.flits;
        most = std::max(most, load.flits * bytes_per_flit + (load.messages + waiting) * bytes_per_message);
    }
    sizes.flit_hops = sizes.flits * (switched ? 2 : 1);
    sizes.memory_bytes = program_bytes + static_cast<std::int64_t>(description.links) * bytes_per_link + most;
    return sizes;
}

}  // namespace simlette
