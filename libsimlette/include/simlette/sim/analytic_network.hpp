// Stands in for a network in analytic mode: nothing is on its way but the ends of collectives, known when they begin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/base/span.hpp>
#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/statistics.hpp>

namespace simlette {

class AnalyticNetwork {
public:
    explicit AnalyticNetwork(const HostGraph& graph) : graph_(graph) {}

    Time now() const { return now_; }
    Time next_instant() const { return carried_.empty() ? Time::never() : carried_.front().end; }
    void carry(std::uint32_t collective, Time start, Duration takes) {
        const Carried one{start + takes, collective, start};
        for (const Carried& other : carried_) {
            overlap_ = overlap_ || (start < other.end && other.start < one.end);
        }
        carried_.insert(std::upper_bound(carried_.begin(), carried_.end(), one), one);
    }
    bool quiet() const { return carried_.empty(); }
    // Two collectives were under way at one time.
    bool overlap() const { return overlap_; }

    // What ends at t: see ended().
    void open(Time t) {
        require(t >= now_, "time does not run backwards");
        now_ = t;
        ended_.clear();
        while (!carried_.empty() && carried_.front().end == t) {
            ended_.push_back(carried_.front().collective);
            carried_.erase(carried_.begin());
            ++events_;
        }
    }
    Span<std::uint32_t> ended() const { return ended_; }
    void count(std::int64_t flits, Bytes payload, Time start) {
        totals_.flits += flits;
        totals_.payload_bytes += payload.count;
        totals_.first_injection = std::min(totals_.first_injection, start);
        totals_.last_delivery = now_;
    }

    NetworkStatistics statistics() const {
        NetworkStatistics statistics = totals_;
        statistics.events = events_;
        return statistics;
    }
    std::vector<LinkStatistics> link_statistics() const {
        std::vector<LinkStatistics> all(graph_.links.size());
        for (LinkId id = 0; id < all.size(); ++id) {
            all[id].name = graph_.link_name(id);
        }
        return all;
    }
    std::vector<Duration> wire_times() const { return std::vector<Duration>(graph_.links.size()); }
    const std::vector<MessageRecord>& records() const { return records_; }
    std::uint64_t events() const { return events_; }
    std::uint64_t event_hash() const { return 0; }
    StallReport explain() const { return {now_, {}, "nothing moves and no port waits for another"}; }
    void clear() {
        now_ = {};
        carried_.clear();
        ended_.clear();
        overlap_ = false;
        events_ = 0;
        totals_ = NetworkStatistics{};
    }

private:
    struct Carried {
        Time end;
        std::uint32_t collective = 0;
        Time start;

        friend bool operator<(const Carried& a, const Carried& b) {
            return std::tie(a.end, a.collective) < std::tie(b.end, b.collective);
        }
    };

    const HostGraph& graph_;
    Time now_;
    std::vector<Carried> carried_;  // by end, then id
    bool overlap_ = false;
    std::vector<std::uint32_t> ended_;
    std::vector<MessageRecord> records_;  // none: there are no messages
    std::uint64_t events_ = 0;
    NetworkStatistics totals_;
};

}  // namespace simlette
