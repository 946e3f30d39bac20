// What must hold on any fabric under any traffic, watched at every instant.
#include <catch2/catch.hpp>

#include <support/ledger.hpp>
#include <support/random_levels.hpp>
#include <support/random_traffic.hpp>
#include <support/reference_network.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// Half of the fabrics answer.
std::shared_ptr<const Fabric> random_one_level(Random& random) {
    FabricSpec spec = random_fabric(random);
    spec.responses = one_in(random, 2) ? ResponsePolicy::per_message : ResponsePolicy::none;
    return build_fabric(spec);
}

std::shared_ptr<const Fabric> random_two_levels(Random& random) {
    return build_fabric(random_levels(random));
}

const TransactionRules& rules_of(const Fabric& fabric) {
    return fabric.spec.responses == ResponsePolicy::none ? no_responses : with_responses;
}

// The fewest links from a port of an accelerator to another accelerator, and what they take without serialization.
struct Way {
    std::int64_t links = 0;
    Duration latency;
};

Way shortest_way(const HostGraph& graph, NodeId source, std::uint32_t port, NodeId destination) {
    std::map<NodeId, Way> reached;
    for (LinkId id = 0; id < graph.links.size(); ++id) {
        if (graph.links[id].from == source && graph.links[id].from_port == port) {
            reached[graph.links[id].to] = {1, graph.class_of(id).latency.total()};
        }
    }
    while (reached.count(destination) == 0) {
        const std::map<NodeId, Way> before = reached;
        for (LinkId id = 0; id < graph.links.size(); ++id) {
            const auto from = before.find(graph.links[id].from);
            if (from != before.end() && from->first >= graph.accelerators) {
                reached.emplace(graph.links[id].to,
                                Way{from->second.links + 1, from->second.latency + graph.class_of(id).latency.total()});
            }
        }
        REQUIRE(reached.size() > before.size());
    }
    return reached[destination];
}

// Random traffic on a random fabric, and all that was seen of it.
struct Watched {
    std::shared_ptr<const Fabric> fabric;
    std::vector<PlainSend> sends;
    std::vector<FlitStart> starts;
    std::vector<MessageRecord> records;
    std::vector<LinkStatistics> links;
    NetworkStatistics statistics;
    std::map<Time, Ledger::Credits> credits;  // after each instant
    bool quiet = false;

    Watched(Random& random, std::shared_ptr<const Fabric> built) : fabric(std::move(built)) {
        sends = random_traffic(random, *fabric);
        WatchedQueue::starts().clear();
        FlitNetwork<WatchedQueue> network(fabric->graph, fabric->spec.routing, rules_of(*fabric), fabric->spec.seed);
        network.record_messages(true);
        play(network, sends, [&](Time t) { credits[t] = credits_of(network); });
        starts = WatchedQueue::starts();
        records = sorted_records(network);
        links = network.link_statistics();
        statistics = network.statistics();
        quiet = network.quiet();
    }

    Way way(const MessageRecord& record) const {
        const PlainSend& send = sends[record.collective];
        return shortest_way(fabric->graph, send.source, record.port, send.destination);
    }
    bool answered() const { return fabric->spec.responses != ResponsePolicy::none; }
    Ledger ledger() const { return Ledger(*fabric, sends, records, starts); }

private:
    Ledger::Credits credits_of(const FlitNetwork<WatchedQueue>& network) const {
        Ledger::Credits all(fabric->graph.links.size());
        for (LinkId id = 0; id < all.size(); ++id) {
            all[id] = {network.credits(id, Channel::request), network.credits(id, Channel::response)};
        }
        return all;
    }
};

// Calls body(random, built) for random fabrics of one level and of two.
template <class Body>
void for_each_fabric(std::uint64_t property, std::uint64_t cases, Body&& body) {
    for_each_seed(property, cases, [&](Random& random) { body(random, random_one_level(random)); });
    for_each_seed(property + 40, cases, [&](Random& random) { body(random, random_two_levels(random)); });
}

template <class Body>
void for_each_watched(std::uint64_t property, Body&& body) {
    for_each_fabric(property, Cases::invariants, [&](Random& random, const std::shared_ptr<const Fabric>& built) {
        INFO(levels_text_of({built->spec, {}}));
        body(Watched(random, built));
    });
}

}  // namespace

TEST_CASE("credits, wires, channels and inputs keep their promises at every instant of random traffic") {
    for_each_watched(2, [](const Watched& seen) {
        Ledger ledger = seen.ledger();
        bool equal = true;
        ledger.replay([&](Time t) {
            const auto found = seen.credits.find(t);
            equal = equal && (found == seen.credits.end() || found->second == ledger.credits());
        });
        CHECK(equal);
    });
}

TEST_CASE("when the queue has drained every flit is delivered and every credit is home") {
    for_each_watched(3, [](const Watched& seen) {
        CHECK(seen.quiet);
        for (LinkId id = 0; id < seen.fabric->graph.links.size(); ++id) {
            CHECK(seen.credits.rbegin()->second[id] == seen.fabric->graph.class_of(id).credits);
        }
        Ledger ledger = seen.ledger();
        ledger.replay([](Time) {});
        CHECK(ledger.nothing_outside());
        CHECK(ledger.delivered_flits() == seen.statistics.flits);
        CHECK(ledger.responses() == seen.statistics.response_flits);
        CHECK(seen.statistics.response_flits == (seen.answered() ? seen.statistics.port_messages : 0));
    });
}

TEST_CASE("links count the flits they carry, their busy time, their stalls and their longest queue") {
    for_each_watched(4, [](const Watched& seen) {
        Ledger ledger = seen.ledger();
        ledger.replay([](Time) {});
        for (LinkId id = 0; id < seen.links.size(); ++id) {
            const Ledger::LinkAccount& account = ledger.links()[id];
            const LinkStatistics& link = seen.links[id];
            INFO(link.name);
            CHECK(link.flits == account.starts);
            CHECK(link.bytes == 640 * account.starts);
            CHECK(link.busy == account.starts * seen.fabric->graph.class_of(id).flit_time);
            CHECK(link.stall == account.stall);
            CHECK(link.queue == account.most_waiting);
        }
    });
}

TEST_CASE("bytes are delivered as they were sent, and links carry each flit once a hop of the shortest way") {
    for_each_watched(5, [](const Watched& seen) {
        std::vector<std::int64_t> bytes(seen.sends.size(), 0);
        std::int64_t flits = 0;
        std::int64_t hops = 0;
        for (const MessageRecord& record : seen.records) {
            bytes[record.collective] += record.bytes;
            CHECK(record.bytes > 640 * (record.flits - 1));
            CHECK(record.bytes <= 640 * record.flits);
            flits += record.flits;
            hops += (record.flits + (seen.answered() ? 1 : 0)) * seen.way(record).links;
        }
        for (std::size_t id = 0; id < seen.sends.size(); ++id) {
            CHECK(bytes[id] == seen.sends[id].bytes);
        }
        std::int64_t carried = 0;
        for (const LinkStatistics& link : seen.links) {
            carried += link.flits;
        }
        CHECK(seen.statistics.flits == flits);
        CHECK(carried == hops);
    });
}

TEST_CASE("no message is faster than its path, its flits on one port and one flit time more for each switch") {
    for_each_watched(8, [](const Watched& seen) {
        const Duration flit_time = seen.fabric->graph.classes[0].flit_time;
        for (const MessageRecord& record : seen.records) {
            const Way way = seen.way(record);
            CHECK(record.injected >= seen.sends[record.collective].at);
            CHECK(record.delivered >= record.injected + way.latency + (record.flits - 1 + way.links) * flit_time);
        }
    });
}

TEST_CASE("every plain port-message leaves and lands when the reference says") {
    for_each_fabric(6, Cases::reference, [](Random& random, const std::shared_ptr<const Fabric>& fabric) {
        const std::vector<PlainSend> sends = random_traffic(random, *fabric);
        FlitNetwork<LaneQueue> network(fabric->graph, fabric->spec.routing, rules_of(*fabric), fabric->spec.seed);
        network.record_messages(true);
        play(network, sends, [](Time) {});
        ReferenceNetwork reference(fabric->spec);
        PlainDriver driver(sends);
        reference.run(driver);
        CHECK(first_difference(sorted_records(network), sorted_records(driver)) == "");
        CHECK(network.statistics().response_flits == driver.responses());
    });
}

TEST_CASE("packed transactions come home, every one with its response, and so do all credits") {
    for_each_fabric(10, Cases::invariants, [](Random& random, const std::shared_ptr<const Fabric>& fabric) {
        const std::vector<PlainSend> sends = random_traffic(random, *fabric);
        const std::int64_t tags = one_in(random, 2) ? unlimited : 128;
        const TransactionRules rules{Fidelity::ualink, ResponsePolicy::per_transaction, tags};
        FlitNetwork<LaneQueue> network(fabric->graph, fabric->spec.routing, rules, fabric->spec.seed);
        network.record_messages(true);
        play(network, sends, [](Time) {});
        REQUIRE(network.quiet());
        std::int64_t carried = 0;
        for (LinkId id = 0; id < fabric->graph.links.size(); ++id) {
            const auto& size = fabric->graph.class_of(id).credits;
            CHECK(network.credits(id, Channel::request) == size[0]);
            CHECK(network.credits(id, Channel::response) == size[1]);
            carried += network.link_statistics()[id].flits;
        }
        std::int64_t responses = 0;
        std::int64_t hops = 0;
        for (const MessageRecord& record : network.records()) {
            const PlainSend& send = sends[record.collective];
            const std::int64_t answers = write_response_flits((record.bytes + 255) / 256);
            responses += answers;
            hops += (record.flits + answers) *
                    shortest_way(fabric->graph, send.source, record.port, send.destination).links;
        }
        const NetworkStatistics statistics = network.statistics();
        CHECK(statistics.response_flits == responses);
        CHECK(carried == hops);
    });
}

TEST_CASE("traffic on a network that has fallen quiet repeats itself to the picosecond") {
    for_each_fabric(7, Cases::invariants, [](Random& random, const std::shared_ptr<const Fabric>& fabric) {
        std::vector<PlainSend> sends = random_traffic(random, *fabric);
        FlitNetwork<LaneQueue> network(fabric->graph, fabric->spec.routing, rules_of(*fabric), fabric->spec.seed);
        network.record_messages(true);
        play(network, sends, [](Time) {});
        const std::vector<MessageRecord> first = sorted_records(network);
        const Duration later = network.now() - Time{} + Duration{1'000'000};
        for (PlainSend& send : sends) {
            send.at = send.at + later;
        }
        play(network, sends, [](Time) {});
        std::vector<MessageRecord> second(network.records().begin() + static_cast<std::ptrdiff_t>(first.size()),
                                          network.records().end());
        for (MessageRecord& record : second) {
            record.injected = record.injected - later;
            record.delivered = record.delivered - later;
        }
        std::sort(second.begin(), second.end(), [](const MessageRecord& a, const MessageRecord& b) {
            return std::tie(a.collective, a.port) < std::tie(b.collective, b.port);
        });
        CHECK(first_difference(second, first) == "");
    });
}
