#include <simlette/fabric/source_queue.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>

#include <support/random_graph.hpp>
#include <support/random_sizes.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

namespace simlette {
namespace {

class Messages final : public MessageSource {
public:
    Messages(std::vector<OutMessage> messages, bool known) : messages_(std::move(messages)), known_(known) {}

    PhaseSizes sizes(std::uint32_t, std::uint32_t) const override {
        PhaseSizes sizes;
        if (known_ && !messages_.empty()) {
            const auto [least, most] =
                std::minmax_element(messages_.begin(), messages_.end(),
                                    [](const OutMessage& a, const OutMessage& b) { return a.bytes < b.bytes; });
            sizes = {static_cast<std::uint32_t>(messages_.size()), least->bytes, most->bytes};
        }
        return sizes;
    }
    bool message(std::uint32_t, std::uint32_t, std::uint32_t index, OutMessage& out) const override {
        if (index < messages_.size()) {
            out = messages_[index];
        }
        return index < messages_.size();
    }
    const std::vector<OutMessage>& all() const { return messages_; }

private:
    std::vector<OutMessage> messages_;
    bool known_;
};

struct Case {
    std::shared_ptr<const Fabric> fabric;
    TransactionRules rules;
    std::uint32_t source = 0;
    std::vector<Messages> injected;
    std::vector<Injection> injections;
};

RoutingSpec any_routing(Random& random) {
    RoutingSpec routing;
    routing.policy = one_of(random, {RoutingPolicy::spray, RoutingPolicy::spray, RoutingPolicy::spray,
                                     RoutingPolicy::hashed, RoutingPolicy::fixed});
    routing.granularity = one_in(random, 4) ? Granularity::message : Granularity::flit;
    routing.stripe = one_in(random, 3) ? Stripe::restart : Stripe::carry_on;
    return routing;
}

// To accelerators that a link leads to.
Messages any_messages(Random& random, const HostGraph& graph, std::uint32_t source) {
    std::vector<OutMessage> messages;
    const auto count = static_cast<std::uint32_t>(one_in(random, 3) ? 1 : random.between(0, 40));
    for (const Bytes bytes : random_sizes(random, count)) {
        std::uint32_t to = source;
        while (to == source || Candidates(graph, source, to).size() == 0) {
            to = static_cast<std::uint32_t>(random.below(graph.accelerators));
        }
        messages.push_back({to, to, bytes});
    }
    return {std::move(messages), one_in(random, 2)};
}

Case any_case(Random& random, FabricSpec spec) {
    Case one;
    spec.routing = any_routing(random);
    spec.seed = random.next();
    one.fabric = build_fabric(spec);
    one.rules.fidelity = one_in(random, 3) ? Fidelity::ualink : Fidelity::paper;
    one.source = static_cast<std::uint32_t>(random.below(spec.accelerators));
    for (std::int64_t i = random.between(1, 3); i > 0; --i) {
        const bool again = !one.injected.empty() && one_in(random, 2);
        one.injected.push_back(again ? one.injected.back() : any_messages(random, one.fabric->graph, one.source));
    }
    const bool read = one_in(random, 3);
    for (const Messages& messages : one.injected) {
        Injection injection;
        injection.messages = &messages;
        injection.source = one.source;
        injection.read = read;
        injection.before = one_in(random, 2) ? 0 : random.between(1, 1'000);
        one.injections.push_back(injection);
    }
    return one;
}

// What a port of the source gets, in order.
using Parts = std::vector<std::pair<std::uint32_t, std::int64_t>>;  // destination, bytes

// Message by message, of each its candidates one by one.
Parts parts_one_by_one(const Case& one, std::uint32_t port) {
    const HostGraph& graph = one.fabric->graph;
    const FabricSpec& spec = one.fabric->spec;
    const Bytes unit = one.rules.fidelity == Fidelity::ualink ? Bytes{256} : Bytes{640};
    const Striping striping(spec.routing, unit, spec.seed);
    const LinkId link = graph.first_links()[one.source] + port;
    Parts parts;
    for (const Injection& injection : one.injections) {
        std::int64_t before = injection.before;
        for (const OutMessage& message : static_cast<const Messages*>(injection.messages)->all()) {
            const Candidates candidates(graph, one.source, message.destination);
            std::int64_t bytes = 0;
            for (std::uint32_t c = 0; c < candidates.size(); ++c) {
                bytes +=
                    candidates[c] == link ? striping.share(message, one.source, before, candidates.size(), c).count : 0;
            }
            if (bytes > 0) {
                parts.emplace_back(message.destination, bytes);
            }
            before += striping.units(message.bytes);
        }
    }
    return parts;
}

std::int64_t flits_of(const Case& one, const Parts& parts) {
    const Injection& injection = one.injections.front();
    std::int64_t flits = 0;
    for (const auto& part : parts) {
        flits += forward_flits(one.rules, {part.second}, injection.read, injection.requests_per_control);
    }
    return flits;
}

Parts take_all(SourceQueues& queues, LinkId link, std::uint32_t port, std::int64_t flits) {
    Parts parts;
    while (flits > 0) {
        const PortMessage next = queues.next(link);
        parts.emplace_back(next.message.destination, next.bytes.at(port).count);
        flits -= next.transactions.forward;
    }
    CHECK(flits == 0);
    return parts;
}

// Queues of a fabric or of a plane of it, whose port is the first of so many.
void check_ports(const Case& one, SourceQueues& queues, const HostGraph& graph, std::uint32_t port,
                 const std::vector<const Spread*>& spreads) {
    const std::vector<LinkId> first = graph.first_links();
    std::vector<std::int64_t> announced(first[one.source + 1] - first[one.source], 0);
    const auto queued = [&](LinkId link, std::int64_t flits) {
        announced[link - first[one.source]] += flits;
        return PortMessage::Waiting{};
    };
    for (std::size_t i = 0; i < one.injections.size(); ++i) {
        queues.add(one.injections[i], *spreads[i], queued);
    }
    for (std::uint32_t i = 0; i < announced.size(); ++i) {
        CAPTURE(port + i);
        const Parts expected = parts_one_by_one(one, port + i);
        CHECK(announced[i] == flits_of(one, expected));
        CHECK(take_all(queues, first[one.source] + i, port + i, announced[i]) == expected);
        for (const auto& part : expected) {
            CHECK(queues.largest().count >= part.second);
        }
    }
}

void check_whole(const Case& one) {
    const Fabric& fabric = *one.fabric;
    SourceQueues queues(fabric.graph, fabric.spec.routing, one.rules, fabric.spec.seed);
    std::vector<Spread> spreads;
    for (const Injection& injection : one.injections) {
        spreads.push_back(queues.spread(injection));
    }
    std::vector<const Spread*> each;
    for (const Spread& spread : spreads) {
        each.push_back(&spread);
    }
    check_ports(one, queues, fabric.graph, 0, each);
}

// A port differs from the one before it if it carries something else of any message.
void check_differences(const Case& one, const std::vector<Spread>& spreads, std::uint32_t ports) {
    const RoutingSpec& routing = one.fabric->spec.routing;
    const bool packed = one.rules.fidelity == Fidelity::ualink;
    const Striping striping(routing, packed ? Bytes{256} : Bytes{640}, one.fabric->spec.seed);
    for (std::size_t i = 0; i < spreads.size(); ++i) {
        std::vector<bool> differs(ports, routing.policy != RoutingPolicy::spray);
        std::int64_t before = one.injections[i].before;
        for (const OutMessage& message : one.injected[i].all()) {
            const auto carried = [&](std::uint32_t port) {
                const Bytes bytes = striping.share(message, one.source, before, ports, port);
                return packed ? bytes.count : flits_for(bytes);
            };
            for (std::uint32_t port = 1; port < ports; ++port) {
                differs[port] = differs[port] || carried(port) != carried(port - 1);
            }
            before += striping.units(message.bytes);
        }
        CHECK(spreads[i].differs == differs);
    }
}

// One of them looks at what is injected for all.
void check_planes(const Case& one) {
    const Fabric& fabric = *one.fabric;
    const Planes planes = planes_of(fabric.graph);
    const auto count = static_cast<std::uint32_t>(planes.links.size());
    std::vector<Spread> spreads;
    std::vector<const Spread*> each;
    SourceQueues first(planes.graph, fabric.spec.routing, one.rules, fabric.spec.seed, {0, count});
    for (const Injection& injection : one.injections) {
        spreads.push_back(first.spread(injection));
    }
    for (const Spread& spread : spreads) {
        each.push_back(&spread);
    }
    check_differences(one, spreads, count);
    for (std::uint32_t plane = 0; plane < count; ++plane) {
        SourceQueues queues = first;
        queues.stand_at({plane, count});
        check_ports(one, queues, planes.graph, plane, each);
    }
}

}  // namespace

TEST_CASE("Each port takes its parts of the messages in order, whatever their sizes", "[sources]") {
    for_each_seed(45, Cases::parts, [](Random& random) {
        const auto ports = static_cast<std::uint32_t>(random.between(1, one_in(random, 4) ? 70 : 9));
        const auto accelerators = static_cast<std::uint32_t>(random.between(2, 9));
        check_whole(any_case(random, packet_fabric(accelerators, ports)));
    });
}

TEST_CASE("Each port of circuits takes its parts of the messages in order", "[sources]") {
    for_each_seed(46, Cases::parts, [](Random& random) {
        FabricSpec spec = one_in(random, 2) ? random_optical_levels(random) : random_fabric(random);
        while (!on_circuits(spec)) {
            spec = random_fabric(random);
        }
        check_whole(any_case(random, spec));
    });
}

TEST_CASE("Planes take of a spread what their ports get of the whole", "[sources]") {
    for_each_seed(47, Cases::parts, [](Random& random) {
        const auto ports = static_cast<std::uint32_t>(random.between(2, one_in(random, 4) ? 70 : 9));
        const auto accelerators = static_cast<std::uint32_t>(random.between(2, 9));
        check_planes(any_case(random, packet_fabric(accelerators, ports)));
    });
}

}  // namespace simlette
