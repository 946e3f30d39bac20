#include <simlette/sim/explain.hpp>

#include <algorithm>
#include <map>
#include <tuple>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

using Step = CollectiveRun::Step;

// The link that leaves a port of an accelerator towards a destination.
LinkId first_link(const HostGraph& graph, std::uint32_t source, std::uint32_t destination, std::uint32_t port) {
    const Candidates candidates(graph, source, destination);
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
        if (graph.links[candidates[i]].from_port == port) {
            return candidates[i];
        }
    }
    broken_promise("a message leaves by a port that leads to its destination");
}

std::vector<LinkId> route(const HostGraph& graph, std::uint32_t source, std::uint32_t destination, std::uint32_t port) {
    std::vector<LinkId> links{first_link(graph, source, destination, port)};
    while (graph.links[links.back()].to >= graph.accelerators) {
        const std::uint32_t device = graph.links[links.back()].to - graph.accelerators;
        links.push_back(graph.routes[std::size_t{device} * graph.accelerators + destination]);
    }
    return links;
}

// One flight of a step: its message, or the request for it.
struct Flight {
    std::vector<LinkId> links;
    bool request = false;
};

std::vector<Flight> flights(const HostGraph& graph, const CollectiveRun& run, const Step& step) {
    const std::uint32_t source = run.accelerator_of(step.source);
    const std::uint32_t destination = run.accelerator_of(step.destination);
    std::vector<Flight> found{{route(graph, source, destination, step.port), false}};
    if (step.from_request) {
        found.insert(found.begin(), {route(graph, destination, source, step.port), true});
    }
    return found;
}

bool of_step(const Departure& departure, CollectiveId id, const Step& step, bool request) {
    const bool kind = request
                          ? departure.half == TransactionHalf::read_request
                          : departure.half == TransactionHalf::write || departure.half == TransactionHalf::read_data;
    return kind && departure.collective == id && departure.phase == step.phase &&
           departure.source_rank == step.source && departure.destination_rank == step.destination &&
           departure.port == step.port;
}

bool answer(const Departure& departure) {
    return departure.half == TransactionHalf::response || departure.half == TransactionHalf::read_data;
}

// Flits of the same sender, collective and kind are own serialization, as in the network's account.
bool same_flow(const Departure& a, const Departure& b) {
    const auto sender = [](const Departure& d) {
        const bool backwards = d.half == TransactionHalf::response || d.half == TransactionHalf::read_request;
        return backwards ? d.destination_rank : d.source_rank;
    };
    return a.collective == b.collective && a.half == b.half && sender(a) == sender(b);
}

// What the wire did between the time the last flit was ready and the time it left.
PathHop account(const HostGraph& graph, LinkId link, Time ready, const Departure& last,
                const std::vector<Departure>& departures) {
    const LinkClass& kind = graph.class_of(link);
    PathHop hop;
    hop.port = graph.port_name(link);
    hop.channel = answer(last) ? Channel::response : Channel::request;
    hop.ready = ready;
    hop.left = last.at;
    hop.flit_time = kind.flit_time;
    hop.latency = kind.latency.total();
    std::map<std::tuple<CollectiveId, std::uint32_t, std::uint32_t, bool>, std::int64_t> rivals;
    for (const Departure& other : departures) {
        const Time free = other.at + kind.flit_time;
        if (other.link != link || free <= ready || other.at >= last.at) {
            continue;
        }
        const Duration busy = free - std::max(other.at, ready);
        if (same_flow(other, last)) {
            hop.own += busy;
        } else {
            hop.contention += busy;
            ++rivals[{other.collective, other.source_rank, other.destination_rank, answer(other)}];
        }
    }
    hop.credit_stall = last.at - ready - hop.own - hop.contention;
    for (const auto& [who, flits] : rivals) {
        const auto& [collective, source, destination, is_answer] = who;
        hop.rivals.push_back({collective, source, destination, is_answer, flits});
    }
    std::stable_sort(hop.rivals.begin(), hop.rivals.end(),
                     [](const auto& a, const auto& b) { return a.flits > b.flits; });
    return hop;
}

const Departure& last_departure(LinkId link, CollectiveId id, const Step& step, bool request,
                                const std::vector<Departure>& departures) {
    const auto found = std::find_if(departures.rbegin(), departures.rend(), [&](const Departure& d) {
        return d.link == link && of_step(d, id, step, request);
    });
    require(found != departures.rend(), "the links of the path were watched");
    return *found;
}

}  // namespace

void append_critical_links(const HostGraph& graph, const CollectiveRun& run, std::vector<LinkId>& links) {
    for (const Step& step : run.critical_steps()) {
        for (const Flight& flight : flights(graph, run, step)) {
            links.insert(links.end(), flight.links.begin(), flight.links.end());
        }
    }
}

std::vector<PathStep> explain_path(const HostGraph& graph, const CollectiveRun& run,
                                   const std::vector<Departure>& departures) {
    std::vector<PathStep> path;
    for (const Step& step : run.critical_steps()) {
        PathStep told{step.phase, step.source, step.destination, step.port, step.ready, step.delivered, {}};
        Time ready = step.ready;
        for (const Flight& flight : flights(graph, run, step)) {
            for (const LinkId link : flight.links) {
                const Departure& last = last_departure(link, run.id(), step, flight.request, departures);
                told.hops.push_back(account(graph, link, ready, last, departures));
                ready = last.at + told.hops.back().flit_time + told.hops.back().latency;
            }
        }
        require(ready == step.delivered, "the path leads to its delivery");
        path.push_back(std::move(told));
    }
    return path;
}

}  // namespace simlette
