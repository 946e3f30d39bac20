#include <simlette/collective/analytic.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <boost/multiprecision/cpp_int.hpp>

#include <simlette/base/contract.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

using Exact = boost::multiprecision::cpp_rational;

// Latency and the number of links side by side; of equal kinds only the one with the most bytes counts.
struct EdgeKind {
    std::int64_t latency_ps;
    std::uint32_t links;

    friend bool operator<(const EdgeKind& a, const EdgeKind& b) {
        return std::pair(a.latency_ps, a.links) < std::pair(b.latency_ps, b.links);
    }
};
using Loads = std::map<EdgeKind, std::int64_t>;  // bytes

Duration path_latency(const HostGraph& graph, LinkId first, std::uint32_t destination) {
    Duration sum = graph.class_of(first).latency.total();
    LinkId link = first;
    while (graph.links[link].to >= graph.accelerators) {
        const std::size_t place = graph.links[link].to - graph.accelerators;
        link = graph.routes[place * graph.accelerators + destination];
        sum += graph.class_of(link).latency.total();
    }
    return sum;
}

// Whether all paths between accelerators are alike: packet switches of one level.
bool uniform(const HostGraph& graph) {
    return graph.ports_to_all != 0 && graph.classes.size() == 2 &&
           std::all_of(graph.links.begin(), graph.links.end(), [&](const HostLink& link) {
               return (link.from < graph.accelerators) != (link.to < graph.accelerators);
           });
}

class Pricing {
public:
    Pricing(const HostGraph& graph, const CollectiveSpec& spec, const Schedule& schedule,
            const std::vector<std::uint32_t>& accelerators)
        : graph_(graph), spec_(spec), schedule_(schedule), accelerators_(accelerators) {
        const bool one_speaks_for_all = uniform(graph) && schedule.alike(spec.bytes);
        speakers_ = one_speaks_for_all ? std::min(schedule.ranks, 1U) : schedule.ranks;
    }

    Exact phase(const Phase& phase) const {
        const Loads loads = graph_.ports_to_all != 0 ? over_switches(phase) : over_circuits(phase);
        Exact most = 0;
        for (const auto& [kind, bytes] : loads) {
            most = std::max(most, kind.latency_ps + serialization(bytes, kind.links));
        }
        return most;
    }

private:
    Exact serialization(std::int64_t bytes, std::uint32_t links) const {
        const Exact of_a_flit = graph_.classes.front().flit_time.ps;
        return of_a_flit * bytes / (Exact(flit_bytes.count) * links);
    }

    template <class Visit>
    void each_send(const Phase& phase, Visit&& visit) const {
        for (std::uint32_t rank = 0; rank < speakers_; ++rank) {
            for (const Send& send : schedule_.sends_of(phase, rank)) {
                const std::uint32_t peer = schedule_.moved(send.peer, rank);
                const std::int64_t bytes = schedule_.send_bytes(send, rank, spec_.bytes).count;
                if (bytes > 0) {
                    visit(rank, peer, bytes);
                }
            }
        }
    }

    Duration latency(std::uint32_t rank, std::uint32_t peer) const {
        const Candidates links(graph_, accelerators_[rank], accelerators_[peer]);
        require(links.size() > 0, "a link leads to every destination");
        return path_latency(graph_, links[0], accelerators_[peer]);
    }

    // There, and for a read the way of its request before.
    std::int64_t trip(std::uint32_t rank, std::uint32_t peer) const {
        const bool read = spec_.operation == Operation::read;
        return latency(rank, peer).ps + (read ? latency(peer, rank).ps : 0);
    }

    Loads over_circuits(const Phase& phase) const {
        Loads loads;
        each_send(phase, [&](std::uint32_t rank, std::uint32_t peer, std::int64_t bytes) {
            const Candidates links(graph_, accelerators_[rank], accelerators_[peer]);
            std::int64_t& most = loads[{trip(rank, peer), links.size()}];
            most = std::max(most, bytes);
        });
        return loads;
    }

    Loads over_switches(const Phase& phase) const {
        std::vector<std::int64_t> out(schedule_.ranks, 0);
        std::vector<std::int64_t> in(schedule_.ranks, 0);
        std::int64_t deepest = 0;
        each_send(phase, [&](std::uint32_t rank, std::uint32_t peer, std::int64_t bytes) {
            out[rank] += bytes;
            in[peer] += bytes;
            deepest = std::max(deepest, trip(rank, peer));
        });
        const std::int64_t most =
            std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
        return most > 0 ? Loads{{{deepest, graph_.ports_to_all}, most}} : Loads{};
    }

    const HostGraph& graph_;
    const CollectiveSpec& spec_;
    const Schedule& schedule_;
    const std::vector<std::uint32_t>& accelerators_;
    std::uint32_t speakers_;  // ranks that are looked at
};

}  // namespace

Duration analytic_time(const HostGraph& graph, const CollectiveSpec& spec, const Schedule& schedule,
                       const std::vector<std::uint32_t>& accelerators) {
    const Pricing pricing(graph, spec, schedule, accelerators);
    Exact sum = 0;
    for (const Phase& phase : schedule.phases) {
        sum += pricing.phase(phase);
    }
    const boost::multiprecision::cpp_int whole = (numerator(sum) + denominator(sum) - 1) / denominator(sum);
    return whole < Time::never().ps ? Duration{static_cast<std::int64_t>(whole)} : Time::never() - Time{0};
}

Schedule cheapest_schedule(const HostGraph& graph, const CollectiveSpec& spec, const Overlay& overlay,
                           const std::vector<std::uint32_t>& accelerators) {
    const std::vector<ScheduleKind> choices = automatic_choices(spec.primitive, overlay);
    Schedule best = build_schedule(spec.primitive, choices.front(), overlay);
    if (choices.size() == 1) {
        return best;
    }
    Duration price = analytic_time(graph, spec, best, accelerators);
    for (std::size_t i = 1; i < choices.size(); ++i) {
        Schedule other = build_schedule(spec.primitive, choices[i], overlay);
        const Duration other_price = analytic_time(graph, spec, other, accelerators);
        if (other_price < price) {
            price = other_price;
            best = std::move(other);
        }
    }
    return best;
}

}  // namespace simlette
