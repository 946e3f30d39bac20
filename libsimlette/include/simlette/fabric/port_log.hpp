// What was on every port when: port-messages from their first flit to their last, and the stalls between.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/statistics.hpp>

namespace simlette {

// Keeps the first `limit` passages and the first `limit` stalls, and counts the others.
class PortLog {
public:
    void turn_on(std::uint64_t limit) {
        on_ = true;
        limit_ = limit;
    }
    bool on() const { return on_; }

    // A flit of `message` takes the wire for `flit`, which describes it: bytes, ranks and so on. A message has one
    // number for as long as it is under way.
    void depart(std::uint32_t message, bool last, const PassageRecord& flit);
    // All flits of `message` have arrived, by whatever ways they went.
    void finish(std::uint32_t message);
    void stall(const StallRecord& stall);

    const std::vector<PassageRecord>& passages() const { return passages_; }
    const std::vector<StallRecord>& stalls() const { return stalls_; }
    std::uint64_t left_out() const { return left_out_; }
    void clear();

private:
    bool on_ = false;
    std::uint64_t limit_ = 0;
    std::uint64_t left_out_ = 0;
    std::vector<PassageRecord> passages_;
    std::vector<StallRecord> stalls_;
    std::map<std::pair<std::uint32_t, LinkId>, std::uint32_t> open_;  // by message, into passages_; no_id: left out
};

}  // namespace simlette
