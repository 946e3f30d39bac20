#include <simlette/planner/prove_circuits.hpp>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace simlette {

namespace {

using PortOfDevice = std::array<std::uint32_t, 4>;  // level, rail, device, port

struct DomainSizes {
    std::uint32_t groups = 1;
    std::uint32_t devices_each = 1;  // level-2 devices of a rail
    std::uint32_t links_each = 1;    // ports of one of them for a group
};

DomainSizes sizes_of(const FabricSpec& fabric) {
    DomainSizes sizes;
    if (fabric.kind == FabricKind::two_level) {
        sizes.groups = (fabric.domain == 0 ? fabric.accelerators : fabric.domain) / fabric.group;
        const std::uint32_t up = fabric.level1.up;
        sizes.links_each = up;
        while (fabric.level2.radix != 0 && sizes.groups * sizes.links_each > fabric.level2.radix) {
            ++sizes.devices_each;
            sizes.links_each = (up + sizes.devices_each - 1) / sizes.devices_each;
        }
    }
    return sizes;
}

class LightCheck {
public:
    LightCheck(const FabricSpec& fabric, const HostGraph& graph) : fabric_(fabric), graph_(graph) {}

    std::vector<std::string> run(const std::vector<DeviceMatching>& devices) {
        take_matchings(devices);
        for (const HostLink& link : graph_.links) {
            check_end(link);
        }
        for (const auto& [port, peer] : joined_) {
            if (lit_.count(port) == 0) {
                add(fmt::format("{} carries no circuit", name_of(port)));
            }
        }
        return std::move(faults_);
    }

private:
    void add(std::string fault) { faults_.push_back(std::move(fault)); }

    static std::string name_of(const PortOfDevice& at) {
        return fmt::format("port {} of level-{} device {} on rail {}", at[3], at[0], at[2], at[1]);
    }

    bool two_levels() const { return fabric_.kind == FabricKind::two_level; }
    bool hybrid() const { return two_levels() && fabric_.level1.device == DeviceKind::eps; }

    std::uint32_t radix_of(std::uint32_t level) const {
        const std::uint32_t radix = !two_levels() ? fabric_.radix
                                    : level == 1  ? fabric_.level1.radix
                                                  : fabric_.level2.radix;
        return radix == 0 ? no_id : radix;
    }

    void take_matchings(const std::vector<DeviceMatching>& devices) {
        for (const DeviceMatching& device : devices) {
            for (const auto& [a, b] : device.joined) {
                take(device, a, b);
                take(device, b, a);
            }
        }
    }

    void take(const DeviceMatching& device, std::uint32_t port, std::uint32_t peer) {
        const PortOfDevice at{device.level, device.rail, device.device, port};
        if (!joined_.emplace(at, peer).second || port == peer) {
            add(name_of(at) + " is joined twice; a device has one matching");
        }
        if (port >= radix_of(device.level)) {
            add(fmt::format("{} lies beyond the radix {}", name_of(at), radix_of(device.level)));
        }
    }

    // Follows the light out of one end of a circuit to where it ends.
    void check_end(const HostLink& link) {
        if (hybrid() && (link.from < graph_.accelerators || link.to < graph_.accelerators)) {
            return;  // a fibre to an electronic switch
        }
        const std::string name = fmt::format("the circuit from port {} of node {}", link.from_port, link.from);
        if (!used_.emplace(link.from, link.from_port).second) {
            add(name + " is the second one of this port");
            return;
        }
        if (!hybrid() && link.from_port >= fabric_.ports) {
            add(name + fmt::format(" is beyond the {} ports of an accelerator", fabric_.ports));
        }
        if (fabric_.kind == FabricKind::direct) {
            return;
        }
        const std::optional<std::array<std::uint32_t, 2>> end = follow(link);
        if (end != std::array{link.to, link.to_port}) {
            add(end ? name + fmt::format(" ends at port {} of node {}, not at port {} of node {}", (*end)[1], (*end)[0],
                                         link.to_port, link.to)
                    : name + " meets a device that does not pass it on");
        }
    }

    // Node and port that the light comes out at.
    std::optional<std::array<std::uint32_t, 2>> follow(const HostLink& link) {
        if (hybrid()) {
            const std::uint32_t leaf = link.from - graph_.accelerators;
            return over_level2(leaf / fabric_.ports, leaf % fabric_.ports, link.from_port - fabric_.level1.down);
        }
        const std::uint32_t rail = link.from_port;
        if (!two_levels()) {
            const auto out = passed({1, rail, 0, link.from});
            return out ? std::optional(std::array{*out, rail}) : std::nullopt;
        }
        const std::uint32_t group = link.from / fabric_.group;
        const auto out = passed({1, rail, group, link.from % fabric_.group});
        if (!out || *out < fabric_.level1.down) {
            return out ? std::optional(std::array{group * fabric_.group + *out, rail}) : std::nullopt;
        }
        const auto landed = over_level2(group, rail, *out - fabric_.level1.down);
        if (!landed) {
            return std::nullopt;
        }
        const std::uint32_t far = ((*landed)[0] - graph_.accelerators) / fabric_.ports;
        const auto down = passed({1, rail, far, (*landed)[1]});
        return down ? std::optional(std::array{far * fabric_.group + *down, rail}) : std::nullopt;
    }

    // From an up link of a group through level 2: the level-1 device of the other group, as a node, and its port.
    std::optional<std::array<std::uint32_t, 2>> over_level2(std::uint32_t group, std::uint32_t rail, std::uint32_t up) {
        if (up >= fabric_.level1.up) {
            return std::nullopt;
        }
        const DomainSizes sizes = sizes_of(fabric_);
        const std::uint32_t device = up % sizes.devices_each;
        const auto out = passed({2, rail, device, group * sizes.links_each + up / sizes.devices_each});
        if (!out) {
            return std::nullopt;
        }
        const std::uint32_t far = *out / sizes.links_each;
        const std::uint32_t far_up = *out % sizes.links_each * sizes.devices_each + device;
        return std::array{graph_.accelerators + far * fabric_.ports + rail, fabric_.level1.down + far_up};
    }

    std::optional<std::uint32_t> passed(const PortOfDevice& at) {
        lit_.insert(at);
        const auto found = joined_.find(at);
        return found == joined_.end() ? std::nullopt : std::optional(found->second);
    }

    const FabricSpec& fabric_;
    const HostGraph& graph_;
    std::map<PortOfDevice, std::uint32_t> joined_;
    std::set<PortOfDevice> lit_;
    std::set<std::pair<NodeId, std::uint32_t>> used_;
    std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of_circuits(const FabricSpec& fabric, const HostGraph& graph,
                                            const std::vector<DeviceMatching>& devices) {
    return LightCheck(fabric, graph).run(devices);
}

std::vector<std::string> faults_of_generators(const HostGraph& graph, const RankGroup& labels,
                                              const std::vector<Label>& generators,
                                              const std::vector<std::uint32_t>& copies) {
    std::map<std::pair<NodeId, NodeId>, std::uint32_t> circuits;
    for (const HostLink& link : graph.links) {
        ++circuits[{link.from, link.to}];
    }
    std::vector<std::string> faults;
    std::size_t expected = 0;
    for (std::size_t i = 0; i < generators.size(); ++i) {
        expected += std::size_t{copies[i]} * graph.accelerators;
        for (NodeId a = 0; a < graph.accelerators; ++a) {
            const NodeId peer = labels.plus(a, generators[i]);
            const std::uint32_t stand = circuits[{a, peer}];
            if (stand != copies[i]) {
                faults.push_back(fmt::format("accelerators {} and {} have {} circuits; the plan says {}", a, peer,
                                             stand, copies[i]));
            }
        }
    }
    if (faults.empty() && expected != graph.links.size()) {
        faults.push_back(fmt::format("there are {} ways over circuits; the plan has {}", graph.links.size(), expected));
    }
    return faults;
}

}  // namespace simlette
