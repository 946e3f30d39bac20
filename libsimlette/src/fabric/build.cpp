#include <algorithm>

#include <simlette/base/error.hpp>
#include <simlette/fabric/builders.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/level_sizes.hpp>
#include <simlette/fabric/optics.hpp>
#include <simlette/link/flit.hpp>

namespace simlette {

namespace {

void add(std::vector<Problem>& problems, std::string message) {
    problems.push_back({"", 0, 0, std::move(message)});
}

constexpr std::int64_t most_buffer_flits = INT32_MAX - 1;

// About 2 GiB of state.
constexpr std::uint64_t most_accelerator_ports = 1U << 22U;

// A response flit leaves when it is full, with about 80 responses; a port that may open fewer would wait for ever.
constexpr std::int64_t least_tags = 128;

std::string rate_text(BitRate rate) {
    const std::int64_t giga = 1'000'000'000;
    return rate.per_second % giga == 0 ? std::to_string(rate.per_second / giga) + " Gb/s"
                                       : std::to_string(rate.per_second) + " b/s";
}

void check_sizes(const FabricSpec& spec, std::vector<Problem>& problems) {
    if (spec.accelerators < 1 || spec.accelerators > most_accelerators) {
        add(problems, "`accelerators` is " + std::to_string(spec.accelerators) + "; expected 1 to " +
                          std::to_string(most_accelerators));
    }
    if (spec.ports < 1 || spec.ports > 1'024) {
        add(problems, "`ports` is " + std::to_string(spec.ports) + "; expected 1 to 1024");
    }
    if (std::uint64_t{spec.accelerators} * spec.ports > most_accelerator_ports) {
        add(problems, "`accelerators` times `ports` is " +
                          std::to_string(std::uint64_t{spec.accelerators} * spec.ports) + "; expected at most " +
                          std::to_string(most_accelerator_ports));
    }
    const std::uint32_t domain = domain_of(spec);
    if (spec.domain != 0 && (domain < spec.accelerators || domain > most_accelerators)) {
        add(problems, "`domain` is " + std::to_string(domain) + "; expected " + std::to_string(spec.accelerators) +
                          " (`accelerators`) to " + std::to_string(most_accelerators));
    }
    if (spec.radix != 0 && spec.kind == FabricKind::single_level && domain > spec.radix) {
        add(problems, "a switch needs " + std::to_string(domain) + " ports, one for each accelerator" +
                          (spec.domain == 0 ? "" : " of the domain") + ", but `radix` is " +
                          std::to_string(spec.radix) + "; at most " + std::to_string(spec.radix) +
                          " accelerators fit, or more on two levels");
    }
}

void check_link(const FabricSpec& spec, std::vector<Problem>& problems) {
    if (!is_exact_rate(spec.port_rate)) {
        const NearestRates nearest = nearest_exact_rates(spec.port_rate);
        add(problems,
            "at a `port_rate` of " + rate_text(spec.port_rate) +
                " a flit of 640 bytes takes no whole number of picoseconds; the nearest rates that work are " +
                rate_text(nearest.below) + " and " + rate_text(nearest.above));
    }
    const LatencySpec& l = spec.latency;
    for (const Duration part :
         {l.egress_endpoint, l.egress_protocol, l.ingress_endpoint, l.ingress_protocol, l.propagation,
          l.propagation_level2, l.packet_switch, l.circuit_switch, spec.credit_return}) {
        if (part < Duration{0} || part > Duration{ps_per_second}) {
            add(problems, "a latency of " + std::to_string(part.ps) + " ps is out of range; expected 0 to 1 s");
        }
    }
    for (const std::int64_t flits : {spec.buffers.request, spec.buffers.response}) {
        if (flits < 1 || (flits > most_buffer_flits && flits != unlimited)) {
            add(problems, "a buffer of " + std::to_string(flits) +
                              " flits is out of range; expected 1 to 2147483646 flits, or unlimited");
        }
    }
}

void check_placement(const FabricSpec& spec, std::vector<Problem>& problems) {
    if (spec.placement.empty()) {
        return;
    }
    std::vector<std::uint32_t> sorted = spec.placement;
    std::sort(sorted.begin(), sorted.end());
    bool permutation = sorted.size() == spec.accelerators;
    for (std::uint32_t i = 0; permutation && i < sorted.size(); ++i) {
        permutation = sorted[i] == i;
    }
    if (!permutation) {
        add(problems,
            "`placement` must name every accelerator from 0 to " + std::to_string(spec.accelerators - 1) + " once");
    }
}

void check_transactions(const FabricSpec& spec, std::vector<Problem>& problems) {
    const bool one_by_one = spec.responses == ResponsePolicy::per_transaction;
    if (one_by_one && spec.fidelity != Fidelity::ualink) {
        add(problems,
            "`responses: per-transaction` needs `fidelity: ualink`: in `paper` a port-message is one "
            "transaction; use `per-message`");
    }

    if (spec.tags != unlimited && !one_by_one) {
        add(problems,
            "finite `tags` need `responses: per-transaction`: with other responses a long message would wait "
            "for its own tags for ever");
    }
    if (spec.tags < least_tags) {
        add(problems, "`tags` is " + std::to_string(spec.tags) + "; expected at least " + std::to_string(least_tags) +
                          ", more than wait for one response flit to fill, or unlimited");
    }
}

// Accelerator a's port p leads to switch p, port a.
HostGraph build_packet_level(const FabricSpec& spec) {
    const std::uint32_t n = spec.accelerators;
    const LatencySpec& l = spec.latency;
    HostGraph graph;
    graph.accelerators = n;
    graph.packet_switches = spec.ports;
    graph.ports_to_all = spec.ports;
    graph.classes = {link_class(spec, {l.egress_endpoint, l.egress_protocol, l.propagation, l.packet_switch}),
                     link_class(spec, {l.ingress_endpoint, l.ingress_protocol, l.propagation, {0}})};
    for (std::uint32_t a = 0; a < n; ++a) {
        for (std::uint32_t p = 0; p < spec.ports; ++p) {
            graph.links.push_back({a, n + p, p, a, 0});
        }
    }
    for (std::uint32_t a = 0; a < n; ++a) {
        graph.places.push_back({0, a});
    }
    for (std::uint32_t p = 0; p < spec.ports; ++p) {
        graph.switches.push_back({0, static_cast<LinkId>(graph.links.size()), 0, 1, spec.ports});
        for (std::uint32_t a = 0; a < n; ++a) {
            graph.links.push_back({n + p, a, a, p, 1});
        }
    }
    return graph;
}

}  // namespace

LinkClass link_class(const FabricSpec& spec, LatencyParts latency) {
    return {flit_time(spec.port_rate),
            latency,
            {spec.buffers.request, spec.buffers.response},
            spec.credit_return_is_link_latency ? latency.total() : spec.credit_return};
}

LatencyParts further_hop(const FabricSpec& spec) {
    if (spec.hop_reading == HopReading::switch_only) {
        return {};
    }
    const LatencySpec& l = spec.latency;
    return {l.egress_endpoint + l.ingress_endpoint, l.egress_protocol + l.ingress_protocol, l.propagation, {0}};
}

namespace {

HostGraph build_graph(const FabricSpec& spec, std::vector<Problem>& problems) {
    const bool packets = spec.device == DeviceKind::eps;
    switch (spec.kind) {
        case FabricKind::single_level:
            return packets ? build_packet_level(spec) : build_circuits(spec, problems);
        case FabricKind::two_level:
            return spec.level1.device == DeviceKind::eps ? build_two_level(spec, problems)
                                                         : build_circuits(spec, problems);
        case FabricKind::explicit_graph:
            return build_explicit(spec, problems);
        case FabricKind::direct:
            break;
    }
    return build_circuits(spec, problems);
}

}  // namespace

std::shared_ptr<const Fabric> build_fabric(const FabricSpec& spec) {
    std::vector<Problem> problems;
    check_sizes(spec, problems);
    check_link(spec, problems);
    check_transactions(spec, problems);
    check_optics(spec, problems);
    HostGraph graph;
    if (problems.empty()) {
        check_placement(spec, problems);
        graph = build_graph(spec, problems);
    }
    if (!problems.empty()) {
        throw Error(std::move(problems));
    }
    return std::make_shared<const Fabric>(spec, std::move(graph));
}

}  // namespace simlette
