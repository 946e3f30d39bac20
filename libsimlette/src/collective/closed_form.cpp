#include <simlette/collective/closed_form.hpp>

#include <algorithm>

#include <simlette/base/contract.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

Duration flit_time_of(const std::vector<Bytes>& messages, Duration latency, Duration flit_time, std::int64_t copies) {
    require(copies >= 1, "an edge has a circuit");
    Duration sum;
    for (const Bytes message : messages) {
        if (message.count > 0) {
            sum += latency + flit_time * ceil_div(flits_for(message), copies);
        }
    }
    return sum;
}

Duration flit_time_of(const LayerMessages& messages, const std::vector<Duration>& latencies, Duration flit_time,
                      std::int64_t copies) {
    require(copies >= 1, "an edge has a circuit");
    Duration sum;
    for (const std::vector<Bytes>& phase : messages) {
        Duration longest;
        for (std::size_t layer = 0; layer < phase.size(); ++layer) {
            if (phase[layer].count > 0) {
                longest = std::max(longest, latencies[layer] + flit_time * ceil_div(flits_for(phase[layer]), copies));
            }
        }
        sum += longest;
    }
    return sum;
}

Duration packet_time_of(const std::vector<PacketPhase>& phases, Duration latency, Duration flit_time,
                        std::int64_t ports) {
    require(ports >= 1, "an accelerator has a port");
    Duration sum;
    for (const PacketPhase& phase : phases) {
        const std::int64_t flits = phase.messages * flits_for(phase.largest);
        if (flits > 0) {
            sum += latency + flit_time * (ceil_div(flits, ports) + 1);
        }
    }
    return sum;
}

ScheduleCost half_of(const ScheduleCost& cost) {
    return {cost.phases / 2, cost.volume / 2, cost.ports};
}

}  // namespace simlette
