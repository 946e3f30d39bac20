// Circuits between racks of a hybrid fabric, as even as can be.
#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/device_matchings.hpp>
#include <simlette/fabric/rack_circuits.hpp>
#include <simlette/planner/prove_circuits.hpp>

#include <support/run.hpp>

using namespace simlette;

namespace {

// Racks of two; a device of level 2 has so many up links of each.
FabricSpec hybrid_fabric(std::uint32_t racks, std::uint32_t rails, std::uint32_t up, std::uint32_t links_each) {
    FabricSpec spec = packet_fabric(2 * racks, rails);
    spec.kind = FabricKind::two_level;
    spec.group = 2;
    spec.level1 = {DeviceKind::eps, 2 + up, 2, up};
    spec.level2 = {DeviceKind::ocs, racks * links_each, 0, 0};
    return spec;
}

std::vector<CircuitSpec::Cable> cables_of(const FabricSpec& spec) {
    std::vector<Problem> problems;
    return even_rack_cables(level_sizes(spec, problems));
}

std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> circuits_by_pair(
    const std::vector<CircuitSpec::Cable>& cables) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> circuits;
    for (const CircuitSpec::Cable& cable : cables) {
        ++circuits[std::minmax(cable.from, cable.to)];
    }
    return circuits;
}

std::string refusal(FabricSpec spec) {
    try {
        build_fabric(spec);
    } catch (const Error& error) {
        return error.problems().front().message;
    }
    return "built";
}

}  // namespace

TEST_CASE("racks are joined evenly, and the light arrives, whatever the racks, rails and up links") {
    for (const std::uint32_t racks : {2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 17U}) {
        for (const std::uint32_t rails : {1U, 2U, 3U, 5U, 6U}) {
            for (std::uint32_t up = 1; up <= 6; ++up) {
                for (std::uint32_t links_each = 1; links_each <= up; ++links_each) {
                    if (rails * up < 2 * racks) {
                        continue;
                    }
                    CAPTURE(racks, rails, up, links_each);
                    FabricSpec spec = hybrid_fabric(racks, rails, up, links_each);
                    spec.circuits.cables = cables_of(spec);
                    const auto circuits = circuits_by_pair(spec.circuits.cables);
                    CHECK(circuits.size() == racks * (racks - 1) / 2);
                    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
                    const auto [few, many] = std::minmax_element(circuits.begin(), circuits.end(), by_count);
                    CHECK(many->second - few->second <= 1);
                    const auto fabric = build_fabric(spec);
                    CHECK(faults_of_circuits(spec, fabric->graph, device_matchings(*fabric)) ==
                          std::vector<std::string>{});
                }
            }
        }
    }
}

TEST_CASE("an odd number of racks with up links in pairs leaves none of them dark") {
    const FabricSpec spec = hybrid_fabric(17, 4, 8, 4);
    CHECK(cables_of(spec).size() == 17 * 4 * 8 / 2);
    FabricSpec by_circle = spec;
    by_circle.circuits.automatic = true;
    CHECK(build_fabric(by_circle)->graph.links.size() < 17 * 4 * 8 + 2 * 34 * 4);
}

TEST_CASE("an even number of racks takes the rounds of the circle method") {
    FabricSpec planned = hybrid_fabric(6, 3, 4, 2);
    planned.circuits.cables = cables_of(planned);
    FabricSpec automatic = hybrid_fabric(6, 3, 4, 2);
    automatic.circuits.automatic = true;
    const auto text = [](const FabricSpec& spec) {
        std::string all;
        const auto fabric = build_fabric(spec);
        for (LinkId link = 0; link < fabric->graph.links.size(); ++link) {
            all += fabric->graph.link_name(link) + '\n';
        }
        return all;
    };
    CHECK(text(planned) == text(automatic));
}

TEST_CASE("circuits between racks that cannot be are refused") {
    CHECK_THROWS_WITH(cables_of(hybrid_fabric(9, 2, 3, 1)),
                      "circuits between 9 racks need 8 up links of a rack; there are 2 rails x 3 = 6");
    CHECK_THROWS_WITH(cables_of(hybrid_fabric(5, 2, 2, 1)),
                      "2 rails x 2 = 4 up links of a rack do not join 5 racks, of which each round leaves one dark; 5 "
                      "would do");
    CHECK(cables_of(hybrid_fabric(5, 2, 2, 2)).size() == 10);
    CHECK(cables_of(hybrid_fabric(5, 5, 1, 1)).size() == 10);
    FabricSpec spec = hybrid_fabric(2, 1, 2, 1);
    spec.circuits.cables = {{0, 0, 1, 1}};
    CHECK(refusal(spec) ==
          "the circuit from up link 0 of rack 0 to up link 1 of rack 1 does not begin and end at the same level-2 "
          "device");
    spec.circuits.cables = {{0, 0, 1, 0}, {1, 0, 0, 1}};
    spec.level2.radix = 4;
    CHECK(refusal(spec) ==
          "the circuit from up link 0 of rack 1 to up link 1 of rack 0 ends at an up link that has a circuit already");
    spec.circuits.cables = {{0, 0, 2, 0}};
    CHECK(refusal(spec).find("does not join two of the 2 serving racks; each has 1 rails x 2 = 2 up links") !=
          std::string::npos);
    spec = hybrid_fabric(3, 1, 2, 2);
    spec.circuits.cables = {{0, 0, 1, 0}};
    CHECK(refusal(spec) == "no circuit joins racks 0 and 2");
}
