// The physical graph: accelerators, packet switches, directed links, and which links lead where.
//
// Nodes: accelerators 0 .. accelerators - 1, then packet switches. A circuit is a link between accelerators or between
// switches; the optical switches it passes are part of its latency.
// Invariants, checked by check(): links that leave accelerators come first; among the links into one switch a higher
// port has a higher id, so that order by link id is order by port index.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <simlette/base/export.hpp>
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
    LatencyParts& operator+=(const LatencyParts& more) {
        endpoint += more.endpoint;
        protocol += more.protocol;
        propagation += more.propagation;
        switching += more.switching;
        return *this;
    }
};

// What links have in common. A few classes describe all links of a fabric.
struct LinkClass {
    Duration flit_time{0};
    LatencyParts latency;  // to the next decision point, or to the core
    std::array<std::int64_t, channel_count> credits{unlimited, unlimited};  // flits the far end can hold
    Duration credit_return{0};

    // Bit per channel whose credits are limited.
    std::uint32_t finite() const { return (credits[0] != unlimited ? 1U : 0U) | (credits[1] != unlimited ? 2U : 0U); }
};

struct HostLink {
    NodeId from = 0;
    NodeId to = 0;
    std::uint32_t from_port = 0;
    std::uint32_t to_port = 0;
    std::uint32_t link_class = 0;
};

// Some links of a list, side by side.
struct LinkChoice {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

// Where an accelerator hangs, as switches see it.
struct GroupPlace {
    std::uint32_t group = 0;
    std::uint32_t index = 0;  // within the group
};

// How a switch sends on. To accelerators of its own group it has a link each; to any other group there is a choice.
struct SwitchRoutes {
    std::uint32_t own_group = no_id;
    LinkId first_down = no_id;         // to the accelerator with index 0 of its own group, the others follow
    std::uint32_t first_choice = 0;    // of HostGraph::choices, one per group; unused where there is one group
    std::uint32_t level = 1;           // hops from the accelerators, the fewest
    std::uint64_t static_divisor = 1;  // static routing takes candidate (destination / divisor) mod candidates
};

struct HostGraph {
    std::uint32_t accelerators = 0;
    std::uint32_t packet_switches = 0;
    std::uint32_t circuit_switches = 0;
    std::vector<LinkClass> classes;
    std::vector<HostLink> links;
    std::vector<std::string> switch_names;  // empty: s0, s1, ...

    // Which links of a source lead to a destination. One of three forms holds for a graph.
    // Packet switches behind every port: the first `ports_to_all` links of an accelerator reach every destination.
    std::uint32_t ports_to_all = 0;
    // By the groups of source and destination: places among the links of the source, ascending. A link that stands
    // there twice takes two shares of what is sprayed.
    std::vector<LinkChoice> group_ports;  // groups * groups, into source_ports
    std::vector<std::uint32_t> source_ports;
    std::vector<LinkId> first_link;  // as first_links() says; with group_ports
    // Circuits, by source and destination.
    struct Neighbour {
        std::uint32_t destination;
        LinkId link;
    };
    std::vector<std::uint32_t> first_neighbour;  // accelerators + 1 offsets
    std::vector<Neighbour> neighbours;           // by source, then destination, then port

    // Which links of a switch lead to a destination.
    std::vector<GroupPlace> places;  // of each accelerator
    std::uint32_t groups = 1;
    std::vector<SwitchRoutes> switches;
    std::vector<LinkChoice> choices;   // per switch and group, into choice_links
    std::vector<LinkId> choice_links;  // those of one choice ascend

    const LinkClass& class_of(LinkId link) const { return classes[links[link].link_class]; }
    LinkId first_switch_link() const;
    // Of each accelerator the id of its first link, and one more at the end.
    std::vector<LinkId> first_links() const;
    // Where switch `at` (a node less the accelerators) may send what is for `destination`. Requires: it hangs
    // elsewhere.
    const LinkChoice& choice(std::uint32_t at, std::uint32_t destination) const {
        return choices[switches[at].first_choice + places[destination].group];
    }
    bool hangs_on(std::uint32_t at, std::uint32_t destination) const {
        return switches[at].own_group == places[destination].group;
    }
    LinkId way_down(std::uint32_t at, std::uint32_t destination) const {
        return switches[at].first_down + places[destination].index;
    }
    // Requires: the switch has one link towards the destination.
    LinkId only_way(std::uint32_t at, std::uint32_t destination) const {
        return hangs_on(at, destination) ? way_down(at, destination) : choice_links[choice(at, destination).first];
    }
    // Per switch, the least number that is a multiple of the size of each of its choices.
    std::vector<std::uint32_t> spray_cycles() const;
    static constexpr std::uint32_t too_long_a_cycle =
        UINT32_MAX;  // what spray_cycles() says where 32 bits do not suffice
    // Some link leads from switch to switch.
    bool has_levels() const;
    // Some switch has more than one link that leads on to the same destination.
    bool has_choices() const;
    // For each link into an accelerator the link that leaves the same port; no_id for other links and one-way ports.
    std::vector<LinkId> ways_back() const;
    SIMLETTE_EXPORT std::string node_name(NodeId node) const;  // a0, s3
    std::string link_name(LinkId link) const;                  // a0.p3->s3.p0
    std::string port_name(LinkId link) const;                  // a0.p3
    void check() const;                                        // throws Error{internal}
};

// Why sprayed flits of some switch cannot be counted; empty if they can.
std::string spray_problem(const HostGraph& graph);

// The links that may carry a message from source to destination, in port order. A link may stand there more than once,
// side by side: what is sprayed then gives it as many shares.
class Candidates {
public:
    SIMLETTE_EXPORT Candidates(const HostGraph& graph, std::uint32_t source, std::uint32_t destination);

    std::uint32_t size() const { return size_; }
    LinkId operator[](std::uint32_t i) const {
        return neighbours_ != nullptr ? neighbours_[i].link : first_ + (ports_ != nullptr ? ports_[i] : i);
    }
    // The first position of a link among the candidates, or size().
    std::uint32_t position(LinkId link) const {
        return neighbours_ == nullptr && ports_ == nullptr ? std::min(link - first_, size_) : search(link);
    }
    // How often the link at a position stands there from it on.
    std::uint32_t places_at(std::uint32_t position) const {
        std::uint32_t places = 1;
        while (ports_ != nullptr && position + places < size_ && ports_[position + places] == ports_[position]) {
            ++places;
        }
        return places;
    }

private:
    std::uint32_t search(LinkId link) const;

    LinkId first_ = 0;
    std::uint32_t size_ = 0;
    const std::uint32_t* ports_ = nullptr;
    const HostGraph::Neighbour* neighbours_ = nullptr;
};

}  // namespace simlette
