// Shortest ways over switches, and whether links can wait for each other in a circle.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <simlette/fabric/host_graph.hpp>

namespace simlette {

// The switches of a graph and which of them are joined, as Boost.Graph sees them.
class SwitchMap {
public:
    explicit SwitchMap(const HostGraph& graph);

    // Links from every switch to the nearest target; no_id where none is reached. Targets are switches by place.
    std::vector<std::uint32_t> hops_to(const std::vector<std::uint32_t>& targets) const;

private:
    boost::compressed_sparse_row_graph<boost::directedS> joined_;
};

// Links of which each is followed by the next on some route, and the last by the first; empty if there are none such.
// Then flits that hold a slot each can never wait for each other.
std::vector<LinkId> dependency_cycle(const HostGraph& graph);

}  // namespace simlette
