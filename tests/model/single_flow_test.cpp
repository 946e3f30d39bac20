// One message alone on a fabric: bounds, monotony and scale.
#include <catch2/catch.hpp>

#include <support/flit_time.hpp>
#include <support/random_case.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// A fabric of two accelerators on which one message runs alone.
FabricSpec random_pair(Random& random) {
    FabricSpec spec = one_in(random, 2) ? packet_fabric(2, 1) : cube_fabric(2, 1);
    random_times(random, spec);
    spec.ports = static_cast<std::uint32_t>(random.between(1, 4));
    return spec;
}

Duration elapsed(const FabricSpec& spec, const CollectiveSpec& collective) {
    return run(spec, {collective}, false).end() - Time{};
}

// Latency of the path, and one flit time more for each electronic switch on it.
Duration path_of(const FabricSpec& spec) {
    return describe(*build_fabric(spec)).path_latency + (on_circuits(spec) ? 0 : 1) * flit_time_of(spec.port_rate);
}

}  // namespace

TEST_CASE("a message alone with ample credits takes the path and its flits, shared by the ports") {
    for_each_seed(20, Cases::single_flow, [](Random& random) {
        FabricSpec spec = random_pair(random);
        const CollectiveSpec message = send(0, 1, random_bytes(random).count);
        const std::int64_t flits = ceil_div(message.bytes.count, 640);
        const Duration bound = path_of(spec) + ceil_div(flits, spec.ports) * flit_time_of(spec.port_rate);
        CHECK(elapsed(spec, message) >= bound);
        spec.buffers = {unlimited, unlimited};
        CHECK(elapsed(spec, message) == bound);
    });
}

TEST_CASE("more credits, a higher rate or a lower latency never slow a message that runs alone") {
    for_each_seed(21, Cases::single_flow, [](Random& random) {
        FabricSpec spec = random_pair(random);
        spec.port_rate = rate_of(flit_time_of(spec.port_rate) * 2);
        const CollectiveSpec message = send(0, 1, random_bytes(random).count);
        const Duration before = elapsed(spec, message);
        FabricSpec more_credits = spec;
        more_credits.buffers.request += spec.buffers.request == unlimited ? 0 : random.between(1, 4);
        CHECK(elapsed(more_credits, message) <= before);
        FabricSpec faster = spec;
        faster.port_rate.per_second *= 2;
        CHECK(elapsed(faster, message) <= before);
        FabricSpec nearer = spec;
        for (Duration* part :
             {&nearer.latency.egress_protocol, &nearer.latency.propagation, &nearer.latency.packet_switch,
              &nearer.latency.circuit_switch, &nearer.latency.ingress_endpoint, &nearer.credit_return}) {
            *part = Duration{random.between(0, part->ps)};
        }
        CHECK(elapsed(nearer, message) <= before);
    });
}

TEST_CASE("all times multiplied by a factor and the rate divided by it multiply every result by it") {
    for_each_seed(22, Cases::single_flow, [](Random& random) {
        RandomCase one = random_case(random);
        const RunResult before = run(one.fabric, one.collectives);
        const std::int64_t factor = one_of<std::int64_t>(random, {2, 5, 16});
        FabricSpec& f = one.fabric;
        f.port_rate = rate_of(flit_time_of(f.port_rate) * factor);
        LatencySpec& l = f.latency;
        for (Duration* part : {&l.egress_endpoint, &l.egress_protocol, &l.ingress_endpoint, &l.ingress_protocol,
                               &l.propagation, &l.packet_switch, &l.circuit_switch, &f.credit_return}) {
            part->ps *= factor;
        }
        for (CollectiveSpec& collective : one.collectives) {
            collective.earliest_start.ps *= factor;
        }
        const RunResult after = run(f, one.collectives);
        std::vector<MessageRecord> scaled = before.messages;
        for (MessageRecord& record : scaled) {
            record.injected.ps *= factor;
            record.delivered.ps *= factor;
        }
        CHECK(first_difference(after.messages, scaled) == "");
        CHECK(after.statistics.stall_total == factor * before.statistics.stall_total);
    });
}
