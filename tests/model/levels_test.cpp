// Two levels of switches, flit by flit, against a second reading of the rules and against hand arithmetic.
#include <set>

#include <catch2/catch.hpp>

#include <support/random_levels.hpp>
#include <support/reference_collectives.hpp>
#include <support/reference_network.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// Four racks of four, two rails, two up links a leaf, nominal times.
FabricSpec four_racks(DeviceKind level2) {
    FabricSpec spec;
    spec.kind = FabricKind::two_level;
    spec.accelerators = 16;
    spec.domain = 16;
    spec.group = 4;
    spec.ports = 2;
    spec.level1 = {DeviceKind::eps, 6, 4, 2};
    spec.level2 = {level2, 4, 0, 0};
    spec.circuits.automatic = level2 == DeviceKind::ocs;
    spec.responses = ResponsePolicy::none;
    return spec;
}

std::size_t nodes_of(const FabricSpec& fabric) {
    const ReferenceNetwork network(fabric);
    std::set<std::size_t> nodes;
    for (const auto& [port, peer] : network.cables()) {
        nodes.insert(port.first);
    }
    return nodes.size();
}

std::vector<MessageRecord> by_the_model(const FabricSpec& fabric, const std::vector<CollectiveSpec>& collectives) {
    return run_reference(fabric, collectives).messages;
}

}  // namespace

TEST_CASE("every port-message of a random simulation on two levels leaves and lands when the model says") {
    for_each_seed(30, Cases::reference, [](Random& random) {
        const RandomCase one = random_levels_case(random);
        INFO(levels_text_of(one));
        const RunResult ours = run(one.fabric, one.collectives);
        const ReferenceResult theirs = run_reference(one.fabric, one.collectives);
        CHECK(first_difference(ours.messages, theirs.messages) == "");
        CHECK(ours.ends == theirs.ends);
    });
}

TEST_CASE("a message of one flit takes the sum of its path and a flit time a link") {
    const auto lands = [](DeviceKind level2, std::uint32_t to) {
        const FabricSpec fabric = four_racks(level2);
        const std::int64_t ours = run(fabric, {send(0, to, 1)}).end().ps;
        CHECK(by_the_model(fabric, {send(0, to, 1)})[0].delivered.ps == ours);
        return ours;
    };
    CHECK(lands(DeviceKind::eps, 3) == 835'600);
    CHECK(lands(DeviceKind::eps, 4) == 1'481'200);
    CHECK(lands(DeviceKind::ocs, 3) == 835'600);
    CHECK(lands(DeviceKind::ocs, 4) == 1'178'400);
}

TEST_CASE("the model: 576 accelerators on 36 rails have the devices that they are known to have") {
    FabricSpec spec = four_racks(DeviceKind::eps);
    spec.accelerators = spec.domain = 576;
    spec.group = 32;
    spec.ports = 36;
    spec.level1 = {DeviceKind::eps, 72, 32, 8};
    spec.level2.radix = 72;
    CHECK(nodes_of(spec) == 576 + 648 + 72);
    spec.level1 = {DeviceKind::eps, 72, 32, 32};
    CHECK(nodes_of(spec) == 576 + 648 + 288);
}

// Three flits each from accelerators 0 and 1 on one rail, over the one up link and the spine to accelerator 2. Times in
// ns: 10 a flit, 100 from a core to its leaf, 10 between switches, 20 from a leaf to a core.
TEST_CASE("the model: two flows share an up link in turn, and a credit comes back when the tail has left") {
    FabricSpec spec = four_racks(DeviceKind::eps);
    spec.accelerators = spec.domain = 4;
    spec.group = 2;
    spec.ports = 1;
    spec.level1 = {DeviceKind::eps, 3, 2, 1};
    spec.level2.radix = 2;
    spec.port_rate = {512'000'000'000};
    const auto ns = [](std::int64_t n) { return Duration{1000 * n}; };
    spec.latency = {ns(90), ns(0), ns(10), ns(0), ns(10), ns(10), ns(0), ns(0)};
    const auto delivered = [&](std::int64_t credits) {
        std::vector<std::int64_t> times;
        for (const MessageRecord& m : by_the_model(with_buffers(spec, credits), {send(0, 2, 1920), send(1, 3, 1920)})) {
            times.push_back(m.delivered.ps / 1000);
        }
        return times;
    };
    // At the leaf from 110 on, one flit each 10 ns, 0 first; the last of 0 is fifth: 110 + 50 + 10 | 10 + 10 | 10 + 20.
    CHECK(delivered(unlimited) == std::vector<std::int64_t>{220, 230});
    // One credit: a source sends again when its flit's tail has left the leaf, at 120 and 150 (1 waits for the up link,
    // which has its credit back when the tail has left the spine, 30 later: at 140). 0 sends at 0, 120; 1 at 0, 150.
    // The up link sends at 110 (0), 140 (1), 230 (0: at the leaf from 230 on), 260 (1), 350 (0), 380 (1).
    CHECK(delivered(1) == std::vector<std::int64_t>{350 + 20 + 20 + 30, 380 + 20 + 20 + 30});
}
