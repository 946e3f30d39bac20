#include <catch2/catch.hpp>

#include <simlette/fabric/level_sizes.hpp>

using namespace simlette;

namespace {

FabricSpec two_levels(std::uint32_t domain, std::uint32_t ports, std::uint32_t group, std::uint32_t up) {
    FabricSpec spec;
    spec.kind = FabricKind::two_level;
    spec.accelerators = domain;
    spec.domain = domain;
    spec.ports = ports;
    spec.group = group;
    spec.level1 = {DeviceKind::eps, 72, group, up};
    spec.level2 = {DeviceKind::eps, 72, 0, 0};
    return spec;
}

LevelSizes sizes_of(const FabricSpec& spec) {
    std::vector<Problem> problems;
    const LevelSizes sizes = level_sizes(spec, problems);
    REQUIRE(problems.empty());
    return sizes;
}

std::string refusal(const FabricSpec& spec) {
    std::vector<Problem> problems;
    level_sizes(spec, problems);
    return problems.empty() ? "built" : problems[0].message;
}

}  // namespace

TEST_CASE("two levels have a device per group and rail, and as few above them as the radix allows") {
    // 576 / 32 = 18 groups, 36 rails: 648 devices. Radix 72 gives each group 72 / 18 = 4 ports of a level-2 device.
    const LevelSizes quarter = sizes_of(two_levels(576, 36, 32, 8));
    CHECK(quarter.groups == 18);
    CHECK(quarter.level1_devices() == 648);
    CHECK(quarter.devices_each == 2);  // 8 up links / 4
    CHECK(quarter.level2_devices() == 72);
    const LevelSizes full = sizes_of(two_levels(576, 36, 32, 32));
    CHECK(full.devices_each == 8);  // 32 / 4
    CHECK(full.level2_devices() == 288);
}

TEST_CASE("the number of level-2 devices is the least that fits the radix") {
    for (std::uint32_t groups = 1; groups <= 12; ++groups) {
        for (std::uint32_t up = 1; up <= 12; ++up) {
            for (std::uint32_t radix = groups; radix <= 40; ++radix) {
                FabricSpec spec = two_levels(groups * 2, 1, 2, up);
                spec.level2.radix = radix;
                std::uint32_t least = 1;
                while (groups * ((up + least - 1) / least) > radix) {
                    ++least;
                }
                const LevelSizes sizes = sizes_of(spec);
                REQUIRE(sizes.devices_each == least);
                REQUIRE(sizes.links_each == (up + least - 1) / least);
            }
        }
    }
}

TEST_CASE("up links of a group take turns over the level-2 devices of their rail") {
    const LevelSizes sizes = sizes_of(two_levels(576, 36, 32, 8));
    CHECK(sizes.up_port(3) == 35);
    CHECK(sizes.level2_device(3) == 1);
    CHECK(sizes.level2_port(0, 3) == 1);
    CHECK(sizes.level2_port(17, 7) == 71);  // 17 x 4 + 7 / 2
}

TEST_CASE("the first accelerators serve, and all devices of the domain are counted") {
    FabricSpec spec = two_levels(576, 36, 32, 8);
    spec.accelerators = 500;
    const LevelSizes sizes = sizes_of(spec);
    CHECK(sizes.serving_groups == 16);  // 15 x 32 = 480, the last serves with 20
    CHECK(sizes.level1_devices() == 648);
    spec.domain = 0;
    spec.accelerators = 64;
    CHECK(sizes_of(spec).domain == 64);
}

TEST_CASE("a level whose radix is not bounded needs one device") {
    FabricSpec spec = two_levels(576, 36, 32, 32);
    spec.level1.radix = 0;
    spec.level2.radix = 0;
    CHECK(sizes_of(spec).devices_each == 1);
}

TEST_CASE("sizes of two levels that do not fit are refused with the arithmetic") {
    FabricSpec spec = two_levels(570, 36, 32, 8);
    CHECK(refusal(spec) == "a domain of 570 accelerators is no multiple of `group` 32: 17 x 32 = 544; 576 fits");
    spec.accelerators = 512;
    CHECK(refusal(spec) == "a domain of 570 accelerators is no multiple of `group` 32: 17 x 32 = 544; 544 and 576 fit");
    spec = two_levels(576, 36, 32, 8);
    spec.level1.down = 30;
    CHECK(refusal(spec) == "a group of 32 accelerators needs as many down ports, but `level1.down` is 30");
    spec = two_levels(576, 36, 32, 41);
    CHECK(refusal(spec) == "a level-1 device needs 32 down + 41 up = 73 ports, but `level1.radix` is 72");
    spec = two_levels(576, 36, 32, 0);
    CHECK(refusal(spec) == "`level1.up` is 0; expected at least 1 port towards level 2");
    spec = two_levels(576, 36, 32, 8);
    spec.level2.radix = 17;
    CHECK(refusal(spec) == "a level-2 device needs a port for every group, 576 / 32 = 18, but `level2.radix` is 17");
    spec = two_levels(576, 36, 0, 8);
    CHECK(refusal(spec) == "`group` is 0; expected at least 1 accelerator per level-1 device");
    spec = two_levels(65'536, 1'024, 1, 70);
    CHECK(refusal(spec) ==
          "65536 groups x 1024 ports x 70 up = 4697620480 links between the levels; expected at most 4194304");
}
