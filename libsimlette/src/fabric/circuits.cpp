#include <algorithm>
#include <numeric>

#include <simlette/base/error.hpp>
#include <simlette/base/label.hpp>
#include <simlette/fabric/built_fabric.hpp>

namespace simlette {

namespace {

class CircuitTable {
public:
    CircuitTable(const FabricSpec& spec, std::vector<Problem>& problems)
        : spec_(spec), problems_(problems), ends_(std::size_t{spec.accelerators} * spec.ports) {}

    void lay_generators() {
        if (!is_power_of_two(spec_.accelerators)) {
            add("circuits by generators need a power of two of accelerators; there are " +
                std::to_string(spec_.accelerators));
            return;
        }
        const std::vector<Label> generators =
            spec_.circuits.cube ? unit_generators(bits_of(spec_.accelerators)) : spec_.circuits.generators;
        const std::vector<std::uint32_t> copies = multiplicity(generators);
        if (!check_generators(generators) || !check_budget(generators, copies)) {
            return;
        }
        std::uint32_t port = 0;
        for (std::size_t i = 0; i < generators.size(); ++i) {
            for (std::uint32_t copy = 0; copy < copies[i]; ++copy, ++port) {
                for (std::uint32_t a = 0; a < spec_.accelerators; ++a) {
                    ends_[std::size_t{a} * spec_.ports + port] = {a ^ generators[i], port};
                }
            }
        }
    }

    void lay_pairs() {
        const auto& ports = spec_.circuits.port_pairs;
        if (ports.size() > spec_.ports) {
            add("circuits are given for " + std::to_string(ports.size()) + " ports, but an accelerator has " +
                std::to_string(spec_.ports));
            return;
        }
        for (std::uint32_t port = 0; port < ports.size(); ++port) {
            for (const auto& [a, b] : ports[port]) {
                lay_pair(port, a, b);
            }
        }
    }

    void lay_cables() {
        if (spec_.kind != FabricKind::direct) {
            add("cables need `fabric: direct`: a circuit switch joins the same port of both ends");
            return;
        }
        for (const CircuitSpec::Cable& cable : spec_.circuits.cables) {
            lay_end(cable.from, cable.from_port, {cable.to, cable.to_port});
            lay_end(cable.to, cable.to_port, {cable.from, cable.from_port});
        }
    }

    std::vector<CircuitEnd> take() { return std::move(ends_); }

private:
    void add(std::string message) { problems_.push_back({"", 0, 0, std::move(message)}); }

    std::vector<std::uint32_t> multiplicity(const std::vector<Label>& generators) {
        if (spec_.circuits.cube && spec_.circuits.multiplicity.empty()) {
            const auto each = generators.empty() ? 1U : spec_.ports / static_cast<std::uint32_t>(generators.size());
            return std::vector<std::uint32_t>(generators.size(), std::max(each, 1U));
        }
        return spec_.circuits.multiplicity.empty() ? std::vector<std::uint32_t>(generators.size(), 1)
                                                   : spec_.circuits.multiplicity;
    }

    bool check_generators(const std::vector<Label>& generators) {
        const unsigned bits = bits_of(spec_.accelerators);
        const std::size_t before = problems_.size();
        for (std::size_t i = 0; i < generators.size(); ++i) {
            if (generators[i] == 0 || generators[i] >= spec_.accelerators) {
                add("generator " + std::to_string(generators[i]) + " is not one of 1 to " +
                    std::to_string(spec_.accelerators - 1));
            }
            if (std::find(generators.begin(), generators.begin() + static_cast<std::ptrdiff_t>(i), generators[i]) !=
                generators.begin() + static_cast<std::ptrdiff_t>(i)) {
                add("generator " + label_text(generators[i], bits) + " is given twice; use `multiplicity`");
            }
        }
        return problems_.size() == before;
    }

    bool check_budget(const std::vector<Label>& generators, const std::vector<std::uint32_t>& copies) {
        if (copies.size() != generators.size()) {
            add("`multiplicity` has " + std::to_string(copies.size()) + " entries for " +
                std::to_string(generators.size()) + " generators");
            return false;
        }
        if (std::find(copies.begin(), copies.end(), 0U) != copies.end()) {
            add("`multiplicity` has a 0; every generator needs at least one circuit");
            return false;
        }
        const auto needed = std::accumulate(copies.begin(), copies.end(), std::uint64_t{0});
        if (needed > spec_.ports) {
            add("the circuits need " + std::to_string(needed) + " ports per accelerator, but there are " +
                std::to_string(spec_.ports));
            return false;
        }
        return true;
    }

    void lay_pair(std::uint32_t port, std::uint32_t a, std::uint32_t b) {
        const std::string pair =
            "port " + std::to_string(port) + ", pair [" + std::to_string(a) + ", " + std::to_string(b) + "]: ";
        if (a >= spec_.accelerators || b >= spec_.accelerators || a == b) {
            add(pair + (a == b ? "an accelerator is joined to itself"
                               : "accelerators run from 0 to " + std::to_string(spec_.accelerators - 1)));
            return;
        }
        for (const std::uint32_t end : {a, b}) {
            if (ends_[std::size_t{end} * spec_.ports + port].accelerator != no_id) {
                add(pair + "accelerator " + std::to_string(end) +
                    " is in two pairs of this port; one port holds one circuit (a matching)");
                return;
            }
        }
        ends_[std::size_t{a} * spec_.ports + port] = {b, port};
        ends_[std::size_t{b} * spec_.ports + port] = {a, port};
    }

    void lay_end(std::uint32_t accelerator, std::uint32_t port, CircuitEnd peer) {
        const std::string name =
            "the cable at port " + std::to_string(port) + " of accelerator " + std::to_string(accelerator);
        if (accelerator >= spec_.accelerators || port >= spec_.ports || accelerator == peer.accelerator) {
            add(name + (accelerator == peer.accelerator ? " leads back to it" : " is outside the fabric"));
            return;
        }
        CircuitEnd& end = ends_[std::size_t{accelerator} * spec_.ports + port];
        if (end.accelerator != no_id) {
            add(name + " is the second one of this port");
            return;
        }
        end = peer;
    }

    const FabricSpec& spec_;
    std::vector<Problem>& problems_;
    std::vector<CircuitEnd> ends_;
};

}  // namespace

std::vector<CircuitEnd> circuit_ends(const FabricSpec& spec, std::vector<Problem>& problems) {
    if (spec.circuits.shape != CircuitShape::none) {
        return shape_ends(spec, problems);
    }
    CircuitTable table(spec, problems);
    if (!spec.circuits.port_pairs.empty()) {
        table.lay_pairs();
    } else if (!spec.circuits.cables.empty()) {
        table.lay_cables();
    } else if (spec.circuits.cube || !spec.circuits.generators.empty() || spec.accelerators == 1) {
        table.lay_generators();
    } else {
        problems.push_back({"", 0, 0, "no circuits are given; expected `generators` or `ports`"});
    }
    return table.take();
}

}  // namespace simlette
