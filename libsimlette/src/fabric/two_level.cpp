// Two levels with electronic switches below: a device of level 1 per group and rail; above them electronic switches
// (all-EPS) or circuits between devices of level 1 (hybrid).
#include <algorithm>
#include <map>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/builders.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/fabric/rack_circuits.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

class TwoLevels {
public:
    TwoLevels(const FabricSpec& spec, const LevelSizes& sizes) : spec_(spec), sizes_(sizes) {}

    HostGraph packets() {
        add_level1(LatencyParts{{0}, {0}, l().propagation_level2, l().packet_switch});
        name_level2();
        add_packet_uplinks();
        add_spines();
        return std::move(graph_);
    }

    HostGraph hybrid(const std::vector<RackEnd>& ends) {
        add_level1(LatencyParts{{0}, {0}, l().propagation_level2 * 2, l().circuit_switch + l().packet_switch});
        graph_.circuit_switches = sizes_.level2_devices();
        add_rack_circuits(ends);
        route_over_circuits();
        return std::move(graph_);
    }

private:
    const LatencySpec& l() const { return spec_.latency; }
    std::uint32_t serving(std::uint32_t group) const {
        return std::min(sizes_.group, spec_.accelerators - group * sizes_.group);
    }
    std::uint32_t leaf(std::uint32_t group, std::uint32_t rail) const { return group * sizes_.rails + rail; }
    std::uint32_t spine(std::uint32_t rail, std::uint32_t device) const {
        return leaves() + rail * sizes_.devices_each + device;
    }
    std::uint32_t leaves() const { return sizes_.serving_groups * sizes_.rails; }
    NodeId node(std::uint32_t at) const { return spec_.accelerators + at; }

    LinkId add(NodeId from, NodeId to, std::uint32_t from_port, std::uint32_t to_port, std::uint32_t kind) {
        graph_.links.push_back({from, to, from_port, to_port, kind});
        return static_cast<LinkId>(graph_.links.size() - 1);
    }

    // Accelerators, the devices of level 1 and the links between them. Class 2: a link that ends at a further switch.
    void add_level1(LatencyParts between) {
        between += further_hop(spec_);
        graph_.accelerators = spec_.accelerators;
        graph_.packet_switches = leaves();
        graph_.groups = sizes_.serving_groups;
        graph_.classes = {
            link_class(spec_, {l().egress_endpoint, l().egress_protocol, l().propagation, l().packet_switch}),
            link_class(spec_, {l().ingress_endpoint, l().ingress_protocol, l().propagation, {0}}),
            link_class(spec_, between)};
        for (std::uint32_t a = 0; a < spec_.accelerators; ++a) {
            const GroupPlace place{sizes_.group_of(a), a % sizes_.group};
            graph_.places.push_back(place);
            for (std::uint32_t rail = 0; rail < sizes_.rails; ++rail) {
                add(a, node(leaf(place.group, rail)), rail, place.index, 0);
            }
        }
        for (std::uint32_t group = 0; group < graph_.groups; ++group) {
            for (std::uint32_t rail = 0; rail < sizes_.rails; ++rail) {
                const auto first_down = static_cast<LinkId>(graph_.links.size());
                graph_.switches.push_back({group, first_down, leaf(group, rail) * graph_.groups, 1, spec_.ports});
                graph_.switch_names.push_back("leaf" + std::to_string(group) + "r" + std::to_string(rail));
                for (std::uint32_t i = 0; i < serving(group); ++i) {
                    add(node(leaf(group, rail)), group * sizes_.group + i, i, rail, 1);
                }
            }
        }
        graph_.choices.resize(std::size_t{leaves()} * graph_.groups);
    }

    void name_level2() {
        graph_.ports_to_all = spec_.ports;
        graph_.packet_switches += sizes_.rails * sizes_.devices_each;
        for (std::uint32_t rail = 0; rail < sizes_.rails; ++rail) {
            for (std::uint32_t device = 0; device < sizes_.devices_each; ++device) {
                graph_.switches.push_back(
                    {no_id, no_id, spine(rail, device) * graph_.groups, 2, std::uint64_t{spec_.ports} * sizes_.up});
                graph_.switch_names.push_back("spine" + std::to_string(device) + "r" + std::to_string(rail));
            }
        }
        graph_.choices.resize(graph_.switches.size() * graph_.groups);
    }

    // A leaf sends to any other group by all its up links.
    void add_packet_uplinks() {
        for (std::uint32_t group = 0; group < graph_.groups; ++group) {
            for (std::uint32_t rail = 0; rail < sizes_.rails; ++rail) {
                const LinkChoice all{static_cast<std::uint32_t>(graph_.choice_links.size()), sizes_.up};
                for (std::uint32_t u = 0; u < sizes_.up; ++u) {
                    graph_.choice_links.push_back(add(node(leaf(group, rail)),
                                                      node(spine(rail, sizes_.level2_device(u))), sizes_.up_port(u),
                                                      sizes_.level2_port(group, u), 2));
                }
                for (std::uint32_t to = 0; to < graph_.groups; ++to) {
                    choice(leaf(group, rail), to) = to == group ? LinkChoice{} : all;
                }
            }
        }
    }

    // Links into a leaf ascend by its ports, so they are made leaf by leaf.
    void add_spines() {
        for (std::uint32_t group = 0; group < graph_.groups; ++group) {
            for (std::uint32_t rail = 0; rail < sizes_.rails; ++rail) {
                std::vector<std::vector<LinkId>> down(sizes_.devices_each);
                for (std::uint32_t u = 0; u < sizes_.up; ++u) {
                    const std::uint32_t device = sizes_.level2_device(u);
                    down[device].push_back(add(node(spine(rail, device)), node(leaf(group, rail)),
                                               sizes_.level2_port(group, u), sizes_.up_port(u), 2));
                }
                for (std::uint32_t device = 0; device < sizes_.devices_each; ++device) {
                    set_choice(spine(rail, device), group, down[device]);
                }
            }
        }
    }

    // Links into a leaf ascend by its ports, so they are made by the end that they lead to.
    void add_rack_circuits(const std::vector<RackEnd>& ends) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<LinkId>> joined;  // by leaf, and group beyond
        for (std::uint32_t at = 0; at < ends.size(); ++at) {
            if (ends[at].rack == no_id) {
                continue;
            }
            const std::uint32_t group = at / (sizes_.rails * sizes_.up);
            const std::uint32_t rail = at / sizes_.up % sizes_.rails;
            const std::uint32_t other = leaf(ends[at].rack, rail);
            joined[{other, group}].push_back(add(node(other), node(leaf(group, rail)), sizes_.up_port(ends[at].up),
                                                 sizes_.up_port(at % sizes_.up), 2));
        }
        for (const auto& [beyond, links] : joined) {
            set_choice(beyond.first, beyond.second, links);
        }
    }

    // A source stripes over the circuits that lead from its group to that of the destination, one candidate each.
    void route_over_circuits() {
        graph_.first_link = graph_.first_links();
        for (std::uint32_t from = 0; from < graph_.groups; ++from) {
            for (std::uint32_t to = 0; to < graph_.groups; ++to) {
                const auto first = static_cast<std::uint32_t>(graph_.source_ports.size());
                for (std::uint32_t rail = 0; rail < sizes_.rails; ++rail) {
                    const std::uint32_t shares = from == to ? 1 : choice(leaf(from, rail), to).count;
                    graph_.source_ports.insert(graph_.source_ports.end(), shares, rail);
                }
                graph_.group_ports.push_back({first, static_cast<std::uint32_t>(graph_.source_ports.size()) - first});
            }
        }
    }

    LinkChoice& choice(std::uint32_t at, std::uint32_t group) {
        return graph_.choices[std::size_t{at} * graph_.groups + group];
    }
    void set_choice(std::uint32_t at, std::uint32_t group, const std::vector<LinkId>& links) {
        choice(at, group) = {static_cast<std::uint32_t>(graph_.choice_links.size()),
                             static_cast<std::uint32_t>(links.size())};
        graph_.choice_links.insert(graph_.choice_links.end(), links.begin(), links.end());
    }

    const FabricSpec& spec_;
    const LevelSizes& sizes_;
    HostGraph graph_;
};

}  // namespace

HostGraph build_two_level(const FabricSpec& spec, std::vector<Problem>& problems) {
    const std::size_t before = problems.size();
    const LevelSizes sizes = level_sizes(spec, problems);
    const bool hybrid = spec.level2.device == DeviceKind::ocs;
    std::vector<RackEnd> ends;
    if (problems.size() == before && hybrid) {
        ends = rack_ends(spec, sizes, problems);
    }
    if (problems.size() != before) {
        return {};
    }
    TwoLevels levels(spec, sizes);
    HostGraph graph = hybrid ? levels.hybrid(ends) : levels.packets();
    const std::string problem = spray_problem(graph);
    if (!problem.empty()) {
        problems.push_back({"", 0, 0, problem});
    }
    return graph;
}

}  // namespace simlette
