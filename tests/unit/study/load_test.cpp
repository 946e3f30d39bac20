#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <simlette/base/error.hpp>
#include <simlette/base/fingerprint.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/profiles.hpp>

namespace simlette {
namespace {

using Catch::Matchers::Contains;

const std::string eps = "topologies/single-level-eps.yaml";
const std::string ocs = "topologies/single-level-ocs.yaml";
const std::string one_shot = "workloads/one-shot.yaml";

LoadedRun loaded(const std::string& topology, std::vector<Override> overrides = {}) {
    return load_run({topology, one_shot, std::move(overrides), {}});
}

// Texts as files for one call.
LoadedRun loaded_texts(const std::string& topology, const std::string& workload) {
    const auto folder = std::filesystem::temp_directory_path() / "simlette-load-test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "t.yaml", std::ios::binary) << topology;
    std::ofstream(folder / "w.yaml", std::ios::binary) << workload;
    LoadedRun run = load_run({(folder / "t.yaml").string(), (folder / "w.yaml").string(), {}, {}});
    std::filesystem::remove_all(folder);
    return run;
}

const std::string least_topology =
    "{fabric: single-level, device: eps, accelerators: 16, ports: 8, port_rate: 400 Gb/s}";
// The least topology and more.
std::string with(const std::string& more) {
    return least_topology.substr(0, least_topology.size() - 1) + ", " + more + '}';
}

const std::string least_workload = "collectives: [{primitive: all-reduce, bytes: 1 KiB}]";

}  // namespace

TEST_CASE("the shipped files are read, on every pair of them") {
    for (const char* workload :
         {"one-shot", "two-shot", "recursive-doubling", "halving-doubling", "coset-parallel", "all-to-all"}) {
        for (const std::string& topology : {eps, ocs}) {
            const LoadedRun run = load_run({topology, "workloads/" + std::string(workload) + ".yaml", {}, {}});
            CHECK(run.fabric.accelerators == 32);
            CHECK(run.fabric.ports == 8);
            CHECK(run.fabric.buffers.request == unlimited);
            REQUIRE(run.workload.collectives.size() == 1);
            CHECK(run.workload.collectives[0].collective.bytes == Bytes{65'536});
            CHECK(run.workload.collectives[0].collective.group.empty());
        }
    }
    CHECK(loaded(ocs).fabric.circuits.cube);
    CHECK(loaded(ocs).fabric.device == DeviceKind::ocs);
}

TEST_CASE("a topology alone is enough to describe a fabric") {
    const LoadedRun run = load_run({eps, "", {}, {}});
    CHECK(run.workload.collectives.empty());
    CHECK(run.configuration.find("workload") == std::string::npos);
}

TEST_CASE("the defaults are those of the contract") {
    const LoadedRun run = loaded_texts(least_topology, least_workload);
    CHECK(run.fabric.latency == LatencySpec{});
    CHECK(run.fabric.credit_return == Duration{0});
    CHECK(run.fabric.buffers.request == unlimited);
    CHECK(run.fabric.buffers.response == unlimited);
    CHECK(run.fabric.fidelity == Fidelity::paper);
    CHECK(run.fabric.responses == ResponsePolicy::per_message);
    CHECK(run.fabric.tags == unlimited);
    CHECK_FALSE(run.fabric.credit_return_is_link_latency);
    CHECK(run.fabric.routing.policy == RoutingPolicy::spray);
    CHECK(run.fabric.routing.granularity == Granularity::flit);
    CHECK(run.fabric.routing.stripe == Stripe::carry_on);
    CHECK(run.fabric.placement.empty());
    CHECK(run.fabric.radix == 0);
    CHECK(run.fabric.seed == 1);
    const CollectiveSpec& collective = run.workload.collectives.at(0).collective;
    CHECK(collective.schedule == ScheduleKind::automatic);
    CHECK(collective.earliest_start == Time{0});
    CHECK(collective.send_order == SendOrder::rotated);
    CHECK_FALSE(collective.phase_barrier);
    CHECK(collective.operation == Operation::write);
    CHECK(run.workload.collectives[0].group == "world");
    CHECK(run.configuration ==
          R"({"topology":{"accelerators":16,"buffers":{"request":"unlimited","response":"unlimited"},)"
          R"("credit_return":"0 ns","device":"eps","fabric":"single-level","fidelity":"paper",)"
          R"("latency":{"egress":{"endpoint":"125 ns","protocol":"120 ns"},)"
          R"("ingress":{"endpoint":"125 ns","protocol":"120 ns"},"ocs":"10 ns","propagation":"10 ns",)"
          R"("switch":"300 ns"},"placement":"identity","planes":8,"port_rate":"400 Gb/s","ports":8,)"
          R"("ports_per_plane":1,"responses":"per-message",)"
          R"("routing":{"granularity":"flit","policy":"spray","stripe":"continue"},"seed":1,"tags":"unlimited"},)"
          R"("workload":{"collectives":[{"after":[],"bytes":"1 KiB","group":"world","operation":"write",)"
          R"("phase_barrier":false,"primitive":"all-reduce","schedule":"auto","send_order":"rotated",)"
          R"("start":"0 ns"}]}})");
}

TEST_CASE("traffic has the defaults of the contract, and keys of a hot spot where the pattern reads them") {
    const LoadedRun plain = loaded_texts(least_topology, "traffic: {pattern: uniform, load: 0.30}");
    REQUIRE(plain.workload.traffic);
    CHECK(plain.workload.collectives.empty());
    CHECK(plain.workload.traffic->load == 300'000);
    CHECK(plain.configuration.find(
              R"("workload":{"traffic":{"load":0.3,"measure":"100 us","message":"4 KiB","pattern":"uniform",)"
              R"("warmup":"20 us"}})") != std::string::npos);
    const LoadedRun hot = loaded_texts(least_topology, "traffic: {pattern: hot-spot, load: 1, hot_rank: 3}");
    CHECK(hot.workload.traffic->hot_rank == 3);
    CHECK(hot.configuration.find(R"("traffic":{"hot_rank":3,"hot_share":0.1,"load":1,)") != std::string::npos);
}

TEST_CASE("the preset ualink has defaults of its own, and what the file says stands") {
    const FabricSpec preset = loaded_texts(with("fidelity: ualink"), least_workload).fabric;
    CHECK(preset.fidelity == Fidelity::ualink);
    CHECK(preset.buffers.request == 128);
    CHECK(preset.buffers.response == 128);
    CHECK(preset.credit_return_is_link_latency);
    CHECK(preset.responses == ResponsePolicy::per_transaction);
    CHECK(preset.tags == 2048);

    const FabricSpec said =
        loaded_texts(with("buffers: {response: unlimited}, credit_return: 5 ns, tags: 256, fidelity: ualink"),
                     least_workload)
            .fabric;
    CHECK(said.buffers.request == 128);
    CHECK(said.buffers.response == unlimited);
    CHECK_FALSE(said.credit_return_is_link_latency);
    CHECK(said.credit_return == Duration{5'000});
    CHECK(said.tags == 256);
}

TEST_CASE("tags are counted by default only where every transaction is answered") {
    for (const char* responses : {"none", "per-message"}) {
        const std::string text = with("fidelity: ualink, responses: " + std::string(responses));
        CHECK(loaded_texts(text, least_workload).fabric.tags == unlimited);
    }
    CHECK(loaded_texts(with("fidelity: ualink, tags: unlimited"), least_workload).fabric.tags == unlimited);
}

TEST_CASE("a paper topology may say that credits take the latency of the link") {
    const LoadedRun run = loaded_texts(with("credit_return: link latency"), least_workload);
    CHECK(run.fabric.credit_return_is_link_latency);
    CHECK(run.configuration.find("\"credit_return\":\"link latency\"") != std::string::npos);
}

TEST_CASE("the shipped ualink topologies state the preset and nothing that it gives") {
    for (const char* device : {"eps", "ocs"}) {
        const std::string path = "topologies/single-level-" + std::string(device) + "-ualink.yaml";
        const LoadedRun run = load_run({path, one_shot, {{"workload.collectives.0.operation", "read"}}, {}});
        CHECK(run.fabric.fidelity == Fidelity::ualink);
        CHECK(run.fabric.tags == 2048);
        CHECK(run.workload.collectives[0].collective.operation == Operation::read);
    }
}

TEST_CASE("the configuration does not depend on how the files are written") {
    const LoadedRun one = loaded_texts(least_topology, least_workload);
    const LoadedRun other = loaded_texts(
        "\xEF\xBB\xBFseed: 1\r\nresponses: per-message\r\ntags: unlimited\r\nfidelity: paper\r\nbuffers: "
        "unlimited\r\nport_rate: \"50 GB/s\"\r\nports: 8\r\n"
        "latency: {switch: 0.3us, base: nominal, propagation: {length: 2 m}}\r\naccelerators: 16\r\n"
        "placement: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]\r\nplanes: 8\r\n"
        "device: eps\r\nfabric: 'single-level'\r\n",
        "collectives:\n- bytes: 1024 B\n  group: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]\n"
        "  primitive: all-reduce\n");
    CHECK(one.configuration == other.configuration);
    CHECK(one.configuration_hash == other.configuration_hash);
    CHECK(one.configuration_hash == hex_text(fnv1a(one.configuration)));
    CHECK(one.configuration_hash.size() == 16);
    CHECK(loaded(eps, {{"topology.seed", "2"}}).configuration_hash != loaded(eps).configuration_hash);
}

TEST_CASE("the configuration of a run is itself a pair of files that give the same run") {
    for (const std::vector<Override>& overrides : std::vector<std::vector<Override>>{
             {{"topology.circuits.multiplicity", "[1, 2, 1, 2, 1]"}, {"topology.latency", "paper-inferred"}},
             {{"topology.circuits", "{ports: [[[0, 1], [2, 3]], [[0, 2], [1, 3]]]}"},
              {"topology.accelerators", "4"},
              {"topology.placement", "[3, 2, 1, 0]"},
              {"topology.buffers", "{request: 22 flits, response: 14 KiB}"},
              {"topology.routing", "{policy: static, granularity: message, stripe: restart}"},
              {"topology.radix", "64"},
              {"topology.fidelity", "ualink"},
              {"topology.responses", "per-transaction"},
              {"topology.tags", "512"},
              {"topology.credit_return", "link latency"},
              {"workload.collectives",
               "[{name: a, primitive: send-recv, group: [1, 0], bytes: 3 B, start: 1 us}, {primitive: all-reduce, "
               "group: 0..2, bytes: 1 B, schedule: two-shot, send_order: same, phase_barrier: true, operation: read, "
               "after: [a]}]"}},
         }) {
        const LoadedRun run = loaded(ocs, overrides);
        const std::string text = run.configuration;
        const std::size_t split = text.find(",\"workload\":");
        const LoadedRun again =
            loaded_texts(text.substr(12, split - 12), text.substr(split + 12, text.size() - split - 13));
        CHECK(again.configuration == text);
    }
}

TEST_CASE("a latency profile is the base that single fields override") {
    CHECK(latency_profile("nominal") == LatencySpec{});
    const LatencySpec inferred = latency_profile("paper-inferred");
    CHECK(inferred.egress_endpoint + inferred.egress_protocol + inferred.propagation == Duration{139'450});
    CHECK(inferred.propagation + inferred.ingress_endpoint + inferred.ingress_protocol == Duration{370'550});
    CHECK(inferred.packet_switch == Duration{300'000});

    LatencySpec expected = inferred;
    expected.packet_switch = Duration{150'000};
    expected.egress_endpoint = Duration{1};
    CHECK(loaded(eps, {{"topology.latency", "{switch: 150 ns, egress: {endpoint: 1 ps}, base: paper-inferred}"}})
              .fabric.latency == expected);
}

TEST_CASE("an override turns a profile name into a map with that base, and one buffer size into two") {
    const LoadedRun run = loaded(eps, {{"topology.latency", "paper-inferred"},
                                       {"topology.latency.switch", "150 ns"},
                                       {"topology.buffers", "22 flits"},
                                       {"topology.buffers.response", "14 KiB"}});
    CHECK(run.fabric.latency.packet_switch == Duration{150'000});
    CHECK(run.fabric.latency.ingress_protocol == Duration{235'550});
    CHECK(run.fabric.buffers.request == 22);
    CHECK(run.fabric.buffers.response == 22);  // 14,336 bytes hold 22.4 flits
}

TEST_CASE("an override reaches list items and keys that the file does not have") {
    const LoadedRun run = load_run({eps,
                                    one_shot,
                                    {{"workload.collectives.0.bytes", "1 MiB"},
                                     {"workload.collectives.0.start", "2 us"},
                                     {"topology.routing.policy", "static"},
                                     {"topology.accelerators", "256"}},
                                    7});
    CHECK(run.workload.collectives[0].collective.bytes == Bytes{1'048'576});
    CHECK(run.workload.collectives[0].collective.earliest_start == Time{2'000'000});
    CHECK(run.fabric.routing.policy == RoutingPolicy::fixed);
    CHECK(run.fabric.accelerators == 256);
    CHECK(run.fabric.seed == 7);
}

TEST_CASE("one file serves every device: what a fabric has no use for is left out of the configuration") {
    const LoadedRun packets = loaded(ocs, {{"topology.device", "eps"}});
    CHECK(packets.fabric.device == DeviceKind::eps);
    CHECK_FALSE(packets.fabric.circuits.cube);
    CHECK(packets.configuration_hash == loaded(eps).configuration_hash);

    const LoadedRun direct = loaded(ocs, {{"topology.fabric", "direct"}});
    CHECK(direct.fabric.kind == FabricKind::direct);
    CHECK(direct.fabric.circuits.cube);
    CHECK(direct.configuration.find("device") == std::string::npos);
    CHECK(direct.configuration.find("planes") == std::string::npos);
}

TEST_CASE("bit strings are read most significant bit first, in quotes or not") {
    const FabricSpec fabric =
        loaded(ocs, {{"topology.circuits", "{generators: [00001, \"00010\", 00100, 01000, 10000], multiplicity: 1}"}})
            .fabric;
    CHECK(fabric.circuits.generators == std::vector<std::uint32_t>{1, 2, 4, 8, 16});
    CHECK(fabric.circuits.multiplicity == std::vector<std::uint32_t>{1, 1, 1, 1, 1});
    CHECK_FALSE(fabric.circuits.cube);
}

TEST_CASE("a range includes both ends, and names become entries before") {
    const LoadedRun run = loaded_texts(least_topology,
                                       "collectives:\n"
                                       "- {name: a, primitive: all-reduce, bytes: 1 B, group: 4..7}\n"
                                       "- {primitive: all-reduce, bytes: 1 B}\n"
                                       "- {name: c, primitive: send-recv, bytes: 1 B, group: [3, 1], after: [a]}\n"
                                       "- {primitive: all-reduce, bytes: 1 B, after: [c, a]}\n");
    CHECK(run.workload.collectives[0].collective.group == std::vector<std::uint32_t>{4, 5, 6, 7});
    CHECK(run.workload.collectives[0].group == "4..7");
    CHECK(run.workload.collectives[2].collective.group == std::vector<std::uint32_t>{3, 1});
    CHECK(run.workload.collectives[2].group == "[3, 1]");
    CHECK(run.workload.collectives[2].after == std::vector<std::size_t>{0});
    CHECK(run.workload.collectives[3].after == std::vector<std::size_t>{2, 0});
}

TEST_CASE("two levels are read with all that belongs to them") {
    const LoadedRun run = loaded_texts(
        "{fabric: two-level, accelerators: 512, domain: 576, accelerator: rx00, group: 32, hop_reading: per-hop,"
        " level1: {device: eps, radix: 72, down: 32, up: 8}, level2: {device: ocs, radix: 72}, circuits: auto,"
        " latency: {propagation: {level1: 20 ns, level2: {length: 20 m}}}}",
        least_workload);
    const FabricSpec& fabric = run.fabric;
    CHECK(fabric.kind == FabricKind::two_level);
    CHECK(fabric.accelerators == 512);
    CHECK(fabric.domain == 576);
    CHECK(fabric.ports == 36);
    CHECK(fabric.port_rate == BitRate{400'000'000'000});
    CHECK(fabric.group == 32);
    CHECK(fabric.level1 == LevelSpec{DeviceKind::eps, 72, 32, 8});
    CHECK(fabric.level2 == LevelSpec{DeviceKind::ocs, 72, 0, 0});
    CHECK(fabric.hop_reading == HopReading::per_hop);
    CHECK(fabric.circuits.automatic);
    CHECK(fabric.latency.propagation == Duration{20'000});
    CHECK(fabric.latency.propagation_level2 == Duration{100'000});
    CHECK(run.accelerator == "rx00");
    CHECK_THAT(run.configuration,
               Contains(R"("propagation":{"level1":"20 ns","level2":"100 ns"})") && Contains(R"("circuits":"auto")") &&
                   Contains(R"("level2":{"device":"ocs","radix":72})") && Contains(R"("accelerator":"rx00")") &&
                   Contains(R"("hop_reading":"per-hop")") && Contains(R"("domain":576)") && !Contains("planes"));
}

TEST_CASE("what a file says stands before the profile of its accelerator") {
    const std::string topology = "{fabric: single-level, device: eps, accelerators: 4, accelerator: b200";
    CHECK(loaded_texts(topology + "}", least_workload).fabric.ports == 18);
    const FabricSpec said = loaded_texts(topology + ", ports: 2, port_rate: 800 Gb/s}", least_workload).fabric;
    CHECK(said.ports == 2);
    CHECK(said.port_rate == BitRate{800'000'000'000});
}

TEST_CASE("the names of a graph become its nodes, and every link keeps its own values") {
    const LoadedRun run = loaded_texts(
        "{fabric: explicit, accelerators: 2, port_rate: 400 Gb/s, devices: [{name: near}, {name: far, radix: 4}],"
        " links: [{from: a0, to: near, count: 2}, {from: far, to: a1, rate: 200 Gb/s, length: 3 m},"
        " {from: near, to: far, propagation: 7 ns, passes: 1}]}",
        least_workload);
    const GraphSpec& graph = run.fabric.graph;
    REQUIRE(graph.devices.size() == 2);
    CHECK(graph.devices[0].name == "near");
    CHECK(graph.devices[0].radix == 0);
    CHECK(graph.devices[1].radix == 4);
    REQUIRE(graph.links.size() == 3);
    CHECK(graph.links[0].from == 0);
    CHECK(graph.links[0].to == 2);
    CHECK(graph.links[0].count == 2);
    CHECK_FALSE(graph.links[0].rate);
    CHECK_FALSE(graph.links[0].propagation);
    CHECK(graph.links[1].from == 3);
    CHECK(graph.links[1].to == 1);
    CHECK(graph.links[1].rate == BitRate{200'000'000'000});
    CHECK(graph.links[1].propagation == Duration{15'000});
    CHECK(graph.links[2].propagation == Duration{7'000});
    CHECK(graph.links[2].optical_passes == 1);
    CHECK(run.fabric.ports == 2);
    CHECK_THAT(
        run.configuration,
        Contains(R"("devices":[{"name":"near"},{"name":"far","radix":4}])") &&
            Contains(R"({"count":2,"from":"a0","passes":0,"propagation":"10 ns","rate":"400 Gb/s","to":"near"})"));
}

TEST_CASE("circuits of direct by a rule") {
    const std::string topology = "{fabric: direct, accelerators: 16, ports: 15, port_rate: 400 Gb/s, circuits: ";
    CHECK(loaded_texts(topology + "{generators: ring}}", least_workload).fabric.circuits.shape == CircuitShape::ring);
    CHECK(loaded_texts(topology + "{generators: full-mesh}}", least_workload).fabric.circuits.shape ==
          CircuitShape::full_mesh);
    const LoadedRun torus = loaded_texts(topology + "{generators: {torus: [2, 8]}}}", least_workload);
    CHECK(torus.fabric.circuits.shape == CircuitShape::torus);
    CHECK(torus.fabric.circuits.torus == std::vector<std::uint32_t>{2, 8});
    CHECK_THAT(torus.configuration, Contains(R"("circuits":{"generators":{"torus":[2,8]}})"));
}

TEST_CASE("the profiles low, nominal and high differ in the switch and hold the total") {
    const auto total = [](const LatencySpec& l) {
        return l.egress_endpoint + l.egress_protocol + l.propagation * 2 + l.packet_switch + l.ingress_protocol +
               l.ingress_endpoint;
    };
    const std::vector<std::pair<std::string, int>> cases{{"low", 200}, {"nominal", 300}, {"high", 500}};
    for (const auto& [name, packet_switch] : cases) {
        const LatencySpec latency = latency_profile(name);
        CHECK(total(latency) == Duration{810'000});
        CHECK(latency.packet_switch == Duration{packet_switch * 1'000});
        const std::string moved = "latency: {hold_total: true, switch: " + std::to_string(packet_switch) + " ns}";
        CHECK(loaded_texts(with(moved), least_workload).fabric.latency == latency);
        CHECK(latency_profile_of(latency) == name);
    }
    for (const int packet_switch : {150, 200, 250}) {
        LatencySpec expected;
        expected.packet_switch = Duration{packet_switch * 1'000};
        CHECK(latency_profile("switch-" + std::to_string(packet_switch)) == expected);
    }
    CHECK(latency_profile_of(loaded_texts(with("latency: {ocs: 11 ns}"), least_workload).fabric.latency).empty());
}

TEST_CASE("a total is held to the picosecond, and from the base that is named") {
    const LatencySpec held =
        loaded_texts(with("latency: {base: low, hold_total: true, switch: 200.001 ns, propagation: 12 ns}"),
                     least_workload)
            .fabric.latency;
    CHECK(held.egress_endpoint == Duration{175'000 - 2'000});
    CHECK(held.ingress_endpoint == Duration{175'000 - 2'001});
    const LatencySpec plain =
        loaded_texts(with("latency: {hold_total: false, switch: 200 ns}"), least_workload).fabric.latency;
    CHECK(plain.egress_endpoint == Duration{125'000});
}

TEST_CASE("layers are read as sizes of blocks or as lists of bit strings, and written as they were") {
    const auto layers_of_text = [](const std::string& layers) {
        return loaded_texts(least_topology,
                            "collectives:\n  - {primitive: all-reduce, bytes: 1 KiB, schedule: "
                            "coset-factored, layers: " +
                                layers + "}\n");
    };
    const LoadedRun blocks = layers_of_text("[3, 1]");
    CHECK(blocks.workload.collectives[0].collective.layers.blocks == std::vector<std::uint32_t>{3, 1});
    CHECK(blocks.configuration.find(R"("layers":[3,1])") != std::string::npos);
    const LoadedRun lists = layers_of_text("[[0011, 0001, 0010], [\"0100\", \"1000\", \"1100\"]]");
    CHECK(lists.workload.collectives[0].collective.layers.generators ==
          std::vector<std::vector<std::uint32_t>>{{3, 1, 2}, {4, 8, 12}});
    CHECK(lists.configuration.find(R"("layers":[["0011","0001","0010"],["0100","1000","1100"]])") != std::string::npos);
}

}  // namespace simlette
