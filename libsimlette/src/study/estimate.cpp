#include <algorithm>
#include <optional>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/transactions.hpp>
#include <simlette/link/packing.hpp>
#include <simlette/sim/traffic_source.hpp>
#include <simlette/study/paths.hpp>
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

// What is spread over the ports: flits, or with ualink requests.
std::int64_t pieces(const CollectiveReport& collective, const FabricSpec& fabric) {
    return fabric.fidelity == Fidelity::paper ? collective.flits
                                              : ceil_div(collective.payload.count, max_request.count);
}

// A message takes all ports through packet switches; on circuits a port has one neighbour, and one message a phase.
std::int64_t port_messages(const EntryReport& entry, const FabricDescription& description, const FabricSpec& fabric) {
    const CollectiveReport& collective = entry.collective;
    const bool switched = description.packet_switches > 0;
    const std::int64_t all =
        description.ports_used *
        (switched ? collective.messages : std::int64_t{collective.groups} * collective.ranks * collective.phases);
    return std::clamp<std::int64_t>(all, 1, std::max<std::int64_t>(pieces(collective, fabric), 1));
}

// Flits of data, and of responses or requests to read, as if all port-messages were of one size.
struct Traffic {
    std::int64_t data = 0;
    std::int64_t other = 0;
};

Traffic traffic(const CollectiveReport& collective, std::int64_t messages, const WorkloadEntry& asked,
                const FabricSpec& fabric) {
    if (collective.payload.count == 0) {
        return {};
    }
    const bool read = asked.collective.operation == Operation::read;
    const std::int64_t per_control = asked.collective.primitive == Primitive::send_recv
                                         ? compressed_requests_per_control
                                         : plain_requests_per_control;
    const Transactions each = transactions_of({fabric.fidelity, fabric.responses, fabric.tags},
                                              {ceil_div(collective.payload.count, messages)}, read, per_control);
    const bool paper = fabric.fidelity == Fidelity::paper;
    return {paper ? collective.flits : messages * (read ? each.back : each.forward),
            messages * (read ? each.forward : each.back)};
}

UnderWay under_way(std::int64_t all, std::int64_t flits_in_all, const FabricDescription& description) {
    const std::int64_t ports = std::int64_t{description.accelerators} * description.ports_used;
    const std::int64_t loop =
        ceil_div(description.path_latency.ps, std::max<std::int64_t>(description.flit_time.ps, 1));
    const std::int64_t flits = std::min(flits_in_all, ports * (loop + 2));
    const std::int64_t flits_of_one = ceil_div(flits_in_all, all);
    return {flits, std::min(all, flits / std::max<std::int64_t>(flits_of_one, 1) + ports)};
}

// Port-messages that may pile up at switch outputs when every rank sends in the same order, or where fewer links lead
// on than come in.
std::int64_t piled_up(std::int64_t all, const WorkloadEntry& asked, const FabricDescription& description,
                      const FabricSpec& fabric) {
    const bool one_level = description.levels.size() < 2;
    if (description.packet_switches == 0 || (one_level && asked.collective.send_order != SendOrder::same)) {
        return 0;
    }
    const std::int64_t inputs = std::int64_t{description.accelerators} * description.ports_used;
    return fabric.buffers.request < all / inputs ? fabric.buffers.request * inputs : all;
}

// Until the end of the window, as the load is in the mean. What a fabric cannot carry piles up.
void add_traffic(const TrafficSpec& spec, const Fabric& fabric, std::int64_t hops, RunEstimate& sizes) {
    __extension__ using Wide = __int128;
    constexpr std::int64_t share = 1'000'000;
    const Wide rate = TrafficSource(fabric, spec).injection_rate().per_second;
    const Wide bits = rate * spec.load / share * (spec.warmup + spec.measure).ps / ps_per_second;
    const auto messages = static_cast<std::int64_t>(bits / 8 / spec.message.count);
    const TransactionRules rules{fabric.spec.fidelity, fabric.spec.responses, fabric.spec.tags};
    const Transactions each = transactions_of(rules, spec.message, false, compressed_requests_per_control);
    sizes.flits = messages * each.forward;
    sizes.flit_hops = messages * (each.forward + each.back) * hops;
}

}  // namespace

RunEstimate estimate(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const FabricDescription description = describe(*fabric);
    const std::optional<PathRange> paths = path_range(*fabric);
    const std::int64_t hops = paths ? std::int64_t{paths->longest.packet_switches} + 1 : 1;  // the most
    const std::vector<EntryReport> entries = preview(fabric, loaded.workload, inputs);
    RunEstimate sizes;
    if (loaded.workload.traffic) {
        add_traffic(*loaded.workload.traffic, *fabric, hops, sizes);
    }
    std::int64_t most = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const WorkloadEntry& asked = loaded.workload.collectives[i];
        const std::int64_t messages = port_messages(entries[i], description, loaded.fabric);
        const Traffic sent = traffic(entries[i].collective, messages, asked, loaded.fabric);
        const UnderWay load = under_way(messages, sent.data + sent.other, description);
        const std::int64_t waiting = piled_up(messages, asked, description, loaded.fabric);
        sizes.flits += sent.data;
        sizes.flit_hops += (sent.data + sent.other) * hops;
        most = std::max(most, load.flits * bytes_per_flit + (load.messages + waiting) * bytes_per_message);
    }
    sizes.memory_bytes = program_bytes + static_cast<std::int64_t>(description.links) * bytes_per_link + most;
    return sizes;
}

}  // namespace simlette
