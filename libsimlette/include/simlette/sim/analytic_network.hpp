// Stands in for a network in analytic mode: nothing is on its way but the ends of collectives, known when they begin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
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
    Time next_instant() const { return ends_.empty() ? Time::never() : ends_.front().first; }
    void carry(std::uint32_t collective, Time start, Duration takes) {
        const std::pair end(start + takes, collective);
        for (const auto& [other_end, other] : ends_) {
            overlap_ = overlap_ || (start < other_end && starts_[other] < end.first);
        }
        starts_.resize(std::max<std::size_t>(starts_.size(), collective + 1));
        starts_[collective] = start;
        ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), end), end);
    }
    // Two collectives were under way at one time.
    bool overlap() const { return overlap_; }

    // What ends at t: see ended().
    void open(Time t) {
        require(t >= now_, "time does not run backwards");
        now_ = t;
        ended_.clear();
        while (!ends_.empty() && ends_.front().first == t) {
            ended_.push_back(ends_.front().second);
            ends_.erase(ends_.begin());
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
    const std::vector<MessageRecord>& records() const { return records_; }
    std::uint64_t events() const { return events_; }
    std::uint64_t event_hash() const { return 0; }
    StallReport explain() const { return {now_, {}, "nothing moves and no port waits for another"}; }
    void clear() {
        now_ = {};
        ends_.clear();
        ended_.clear();
        starts_.clear();
        overlap_ = false;
        events_ = 0;
        totals_ = NetworkStatistics{};
    }

private:
    const HostGraph& graph_;
    Time now_;
    std::vector<std::pair<Time, std::uint32_t>> ends_;  // by time, then id
    std::vector<Time> starts_;                          // by collective
    bool overlap_ = false;
    std::vector<std::uint32_t> ended_;
    std::vector<MessageRecord> records_;  // none: there are no messages
    std::uint64_t events_ = 0;
    NetworkStatistics totals_;
};

}  // namespace simlette
