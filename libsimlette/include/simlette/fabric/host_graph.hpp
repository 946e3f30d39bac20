// The physical graph: accelerators, packet switches, directed links, and which links lead where.
//
// Nodes: accelerators 0 .. accelerators - 1, then packet switches. A circuit is a link from accelerator to accelerator;
// the optical switch it passes is part of its latency.
// Invariants, checked by check(): links that leave accelerators come first; among the links into one switch a higher
// port has a higher id, so that order by link id is order by port index.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/span.hpp>
#include <simlette/fabric/spec.hpp>

namespace simlette {

using LinkId = std::uint32_t;
using NodeId = std::uint32_t;
inline constexpr std::uint32_t no_id = UINT32_MAX;

// Latency that follows the start of a flit on a link, serialization aside, by part.
struct LatencyParts {
    Duration endpoint{0};
    Duration protocol{0};
    Duration propagation{0};
    Duration switching{0};

    Duration total() const { return endpoint + protocol + propagation + switching; }
};

// What links have in common. A few classes describe all links of a fabric.
struct LinkClass {
    Duration flit_time{0};
    LatencyParts latency;  // to the next decision point, or to the core
    std::array<std::int64_t, channel_count> credits{unlimited, unlimited};  // flits the far end can hold
    Duration credit_return{0};
};

struct HostLink {
    NodeId from = 0;
    NodeId to = 0;
    std::uint32_t from_port = 0;
    std::uint32_t to_port = 0;
    std::uint32_t link_class = 0;
};

struct HostGraph {
    std::uint32_t accelerators = 0;
    std::uint32_t packet_switches = 0;
    std::uint32_t circuit_switches = 0;
    std::vector<LinkClass> classes;
    std::vector<HostLink> links;

    // The first `ports` links of every accelerator reach every destination (packet fabrics); otherwise `neighbours`
    // says which links lead to which destination.
    std::uint32_t ports_to_all = 0;
    struct Neighbour {
        std::uint32_t destination;
        LinkId link;
    };
    std::vector<std::uint32_t> first_neighbour;  // accelerators + 1 offsets
    std::vector<Neighbour> neighbours;           // by source, then destination, then port

    // The link on which switch s sends towards accelerator d: routes[s * accelerators + d]; no_id: nowhere.
    std::vector<LinkId> routes;

    const LinkClass& class_of(LinkId link) const { return classes[links[link].link_class]; }
    LinkId first_switch_link() const;
    // For each link into an accelerator the link that leaves the same port; no_id for other links and one-way ports.
    std::vector<LinkId> ways_back() const;
    std::string link_name(LinkId link) const;  // a0.p3->s3.p0
    std::string port_name(LinkId link) const;  // a0.p3
    void check() const;                        // throws Error{internal}
};

// The links that may carry a message from source to destination, in port order.
class Candidates {
public:
    Candidates(const HostGraph& graph, std::uint32_t source, std::uint32_t destination);

    std::uint32_t size() const { return size_; }
    LinkId operator[](std::uint32_t i) const { return neighbours_ != nullptr ? neighbours_[i].link : first_ + i; }
    // The position of a link among the candidates, or no_id.
    std::uint32_t position(LinkId link) const;

private:
    LinkId first_ = 0;
    std::uint32_t size_ = 0;
    const HostGraph::Neighbour* neighbours_ = nullptr;
};

}  // namespace simlette
