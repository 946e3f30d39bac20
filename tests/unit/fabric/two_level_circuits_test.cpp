#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>

#include <support/run.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

FabricSpec optical_levels(std::uint32_t accelerators, std::uint32_t ports, std::uint32_t group, std::uint32_t up) {
    FabricSpec spec = packet_fabric(accelerators, ports);
    spec.kind = FabricKind::two_level;
    spec.group = group;
    spec.level1 = {DeviceKind::ocs, 0, group, up};
    spec.level2 = {DeviceKind::ocs, 0, 0, 0};
    spec.circuits.cube = true;
    return spec;
}

std::string refusal(const FabricSpec& spec) {
    try {
        build_fabric(spec);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "built";
}

Duration latency_of(const FabricSpec& spec, std::uint32_t from, std::uint32_t to) {
    const auto fabric = build_fabric(spec);
    return fabric->graph.class_of(Candidates(fabric->graph, from, to)[0]).latency.total();
}

}  // namespace

TEST_CASE("a circuit inside a rack is one optical pass, one across racks is three") {
    // Racks of 4: the generators 1 and 2 stay inside, 4 goes across.
    const FabricSpec spec = optical_levels(8, 3, 4, 4);
    CHECK(latency_of(spec, 5, 4) == 520_ns);  // 245 + 2 x 10 + 10 + 245
    CHECK(latency_of(spec, 5, 7) == 520_ns);
    CHECK(latency_of(spec, 5, 1) == 560_ns);  // 245 + 4 x 10 + 3 x 10 + 245
    CHECK(run(spec, {send(5, 4, 640)}).end().ps == 532'800);
    CHECK(run(spec, {send(5, 1, 640)}).end().ps == 572'800);
}

TEST_CASE("the links of both levels have lengths of their own, and a credit comes home the same way") {
    FabricSpec spec = optical_levels(8, 3, 4, 4);
    spec.latency.propagation = 7_ns;
    spec.latency.propagation_level2 = 100_ns;
    spec.credit_return_is_link_latency = true;
    CHECK(latency_of(spec, 0, 1) == 514_ns);
    CHECK(latency_of(spec, 0, 4) == 734_ns);
    const auto fabric = build_fabric(spec);
    const HostGraph& graph = fabric->graph;
    CHECK(graph.class_of(Candidates(graph, 0, 4)[0]).credit_return == 734_ns);
}

TEST_CASE("racks need no power of two of accelerators, labels do") {
    FabricSpec spec = optical_levels(8, 3, 3, 3);
    spec.domain = 9;
    CHECK(latency_of(spec, 0, 1) == 520_ns);
    CHECK(latency_of(spec, 2, 3) == 560_ns);
    CHECK(latency_of(spec, 4, 5) == 520_ns);
    spec.accelerators = 9;
    CHECK(refusal(spec).find("power of two") != std::string::npos);
}

TEST_CASE("circuits by pairs may cross racks") {
    FabricSpec spec = optical_levels(4, 2, 2, 1);
    spec.circuits = {};
    spec.circuits.port_pairs = {{{0, 1}, {2, 3}}, {{1, 2}}};
    CHECK(latency_of(spec, 3, 2) == 520_ns);
    CHECK(latency_of(spec, 1, 2) == 560_ns);
}

TEST_CASE("a rail whose circuits leave a rack more often than it has up links is refused") {
    CHECK(refusal(optical_levels(8, 3, 4, 4)) == "built");
    CHECK(refusal(optical_levels(8, 3, 4, 3)) ==
          "on rail 2 4 circuits of rack 0 (accelerators 0 to 3) lead to other racks, but its level-1 device has 3 up "
          "links (`level1.up`)");
    FabricSpec spec = optical_levels(4, 2, 2, 1);
    spec.circuits = {};
    spec.circuits.port_pairs = {{{0, 2}, {1, 3}}, {{0, 1}, {2, 3}}};
    CHECK(refusal(spec).find("on rail 0 2 circuits of rack 0") == 0);
}

TEST_CASE("sizes of optical levels that do not fit are refused before their circuits") {
    FabricSpec spec = optical_levels(8, 3, 3, 3);
    CHECK(refusal(spec) == "a domain of 8 accelerators is no multiple of `group` 3: 2 x 3 = 6; 9 fits");
    spec.domain = 6;
    CHECK(refusal(spec) == "`domain` is 6; expected 8 (`accelerators`) to 65536");
}
