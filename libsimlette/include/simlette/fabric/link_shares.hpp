// How many flits of which collective left on each link.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/container/flat_map.hpp>

#include <simlette/fabric/host_graph.hpp>
#include <simlette/fabric/statistics.hpp>

namespace simlette {

class LinkShares {
public:
    void turn_on(std::size_t links) { flits_.resize(links); }
    bool on() const { return !flits_.empty(); }
    void depart(LinkId link, std::uint32_t collective) { ++flits_[link][collective]; }
    // By collective, ascending. Requires: on().
    std::vector<CollectiveFlits> of(LinkId link) const {
        std::vector<CollectiveFlits> shares;
        for (const auto& [collective, flits] : flits_[link]) {
            shares.push_back({collective, flits});
        }
        return shares;
    }
    void clear() { flits_.clear(); }

private:
    std::vector<boost::container::flat_map<std::uint32_t, std::int64_t>> flits_;
};

}  // namespace simlette
