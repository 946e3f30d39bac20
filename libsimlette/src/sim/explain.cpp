#include <simlette/sim/explain.hpp>

#include <algorithm>
#include <tuple>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

using Step = CollectiveRun::Step;

// A request of a read leaves by the port on which the data comes back.
TracedMessage message_of(const CollectiveRun& run, const Step& step, TransactionHalf half) {
    return {run.id(), step.phase, step.source, step.destination, step.port, half};
}

TransactionHalf data_half(const CollectiveRun& run) {
    return run.spec().operation == Operation::read ? TransactionHalf::read_data : TransactionHalf::write;
}

PathHop told(const HostGraph& graph, const HopRecord& record) {
    const LinkClass& kind = graph.class_of(record.link);
    PathHop hop;
    hop.port = graph.port_name(record.link);
    hop.channel = static_cast<Channel>(record.channel);
    hop.ready = record.ready;
    hop.left = record.left;
    hop.own = record.own;
    hop.credit_stall = record.stall;
    hop.contention = (record.left - record.ready) - record.own - record.stall;
    hop.flit_time = kind.flit_time;
    hop.latency = kind.latency.total();
    for (const HopRecord::Rival& rival : record.rivals) {
        hop.rivals.push_back({rival.collective, rival.source_rank, rival.destination_rank, rival.answer, rival.flits});
    }
    const auto by_name = [](const PathHop::Rival& a, const PathHop::Rival& b) {
        return std::tie(a.collective, a.source, a.destination, a.answer) <
               std::tie(b.collective, b.source, b.destination, b.answer);
    };
    std::sort(hop.rivals.begin(), hop.rivals.end(), by_name);
    std::stable_sort(hop.rivals.begin(), hop.rivals.end(),
                     [](const auto& a, const auto& b) { return a.flits > b.flits; });
    return hop;
}

}  // namespace

std::vector<TracedMessage> critical_messages(const CollectiveRun& run) {
    std::vector<TracedMessage> messages;
    for (const Step& step : run.critical_steps()) {
        if (step.from_request) {
            messages.push_back(message_of(run, step, TransactionHalf::read_request));
        }
        messages.push_back(message_of(run, step, data_half(run)));
    }
    return messages;
}

CriticalPath explain_path(const HostGraph& graph, const CollectiveRun& run, const FlitTrace& trace) {
    CriticalPath path;
    for (const Step& step : run.critical_steps()) {
        const FlitTrace::Flight* flight = trace.arrived(trace.find(message_of(run, step, data_half(run))));
        require(flight != nullptr, "the messages of the path were traced");
        require(step.ready + flight->parts.total() == step.delivered, "what is replayed comes when it came");
        PathStep step_told{step.phase, step.source, step.destination, step.port, step.ready, step.delivered, {}};
        for (const HopRecord& record : flight->hops) {
            step_told.hops.push_back(told(graph, record));
        }
        path.parts += flight->parts;
        path.steps.push_back(std::move(step_told));
    }
    return path;
}

}  // namespace simlette
