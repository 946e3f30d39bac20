#include <simlette/fabric/level_sizes.hpp>

#include <string>
#include <utility>

#include <fmt/format.h>

#include <simlette/base/units.hpp>

namespace simlette {

namespace {

constexpr std::uint64_t most_up_links = 1U << 22U;
constexpr std::uint64_t most_choices = 1U << 26U;

// Parts of at most `size` that make up `all`.
std::uint32_t parts_of(std::uint32_t all, std::uint32_t size) {
    return static_cast<std::uint32_t>(ceil_div(all, size));
}

class SizeCheck {
public:
    SizeCheck(const FabricSpec& spec, std::vector<Problem>& problems) : spec_(spec), problems_(problems) {}

    bool groups() {
        const std::uint32_t all = domain_of(spec_);
        if (spec_.group == 0) {
            return refuse("`group` is 0; expected at least 1 accelerator per level-1 device");
        }
        if (all % spec_.group != 0) {
            return refuse(fmt::format("a domain of {} accelerators is no multiple of `group` {}: {} x {} = {}; {}", all,
                                      spec_.group, all / spec_.group, spec_.group, all - all % spec_.group,
                                      multiples_nearby(all)));
        }
        return true;
    }

    bool level1() {
        const LevelSpec& level = spec_.level1;
        const std::uint64_t needed = std::uint64_t{level.down} + level.up;
        const std::size_t before = problems_.size();
        if (spec_.group > level.down) {
            refuse(fmt::format("a group of {} accelerators needs as many down ports, but `level1.down` is {}",
                               spec_.group, level.down));
        }
        if (level.up == 0) {
            refuse("`level1.up` is 0; expected at least 1 port towards level 2");
        }
        if (level.radix != 0 && needed > level.radix) {
            refuse(fmt::format("a level-1 device needs {} down + {} up = {} ports, but `level1.radix` is {}",
                               level.down, level.up, needed, level.radix));
        }
        const std::uint64_t links = std::uint64_t{domain_of(spec_) / spec_.group} * spec_.ports * level.up;
        if (links > most_up_links) {
            refuse(fmt::format("{} groups x {} ports x {} up = {} links between the levels; expected at most {}",
                               domain_of(spec_) / spec_.group, spec_.ports, level.up, links, most_up_links));
        }
        return problems_.size() == before;
    }

    bool level2() {
        const std::uint32_t groups = domain_of(spec_) / spec_.group;
        if (spec_.level2.radix != 0 && groups > spec_.level2.radix) {
            return refuse(
                fmt::format("a level-2 device needs a port for every group, {} / {} = {}, but "
                            "`level2.radix` is {}",
                            domain_of(spec_), spec_.group, groups, spec_.level2.radix));
        }
        return true;
    }

    // A switch knows its ways to every group.
    void choices(const LevelSizes& sizes) {
        const std::uint64_t devices =
            std::uint64_t{sizes.groups} * sizes.rails + std::uint64_t{sizes.rails} * sizes.devices_each;
        if (devices * sizes.groups > most_choices) {
            refuse(
                fmt::format("{} devices x {} groups = {} ways to keep; expected at most {}; larger groups need fewer",
                            devices, sizes.groups, devices * sizes.groups, most_choices));
        }
    }

private:
    bool refuse(std::string message) {
        problems_.push_back({"", 0, 0, std::move(message)});
        return false;
    }

    std::string multiples_nearby(std::uint32_t all) const {
        const std::uint32_t below = all - all % spec_.group;
        const std::uint32_t above = below + spec_.group;
        return below < spec_.accelerators ? fmt::format("{} fits", above) : fmt::format("{} and {} fit", below, above);
    }

    const FabricSpec& spec_;
    std::vector<Problem>& problems_;
};

}  // namespace

LevelSizes level_sizes(const FabricSpec& spec, std::vector<Problem>& problems) {
    SizeCheck check(spec, problems);
    LevelSizes sizes;
    if (!check.groups() || !check.level1() || !check.level2()) {
        return sizes;
    }
    sizes.domain = domain_of(spec);
    sizes.group = spec.group;
    sizes.groups = sizes.domain / spec.group;
    sizes.serving_groups = parts_of(spec.accelerators, spec.group);
    sizes.rails = spec.ports;
    sizes.down = spec.level1.down;
    sizes.up = spec.level1.up;
    // groups x ceil(up / S) <= radix  <=>  ceil(up / S) <= room  <=>  S >= up / room
    const std::uint32_t room = spec.level2.radix == 0 ? sizes.up : spec.level2.radix / sizes.groups;
    sizes.devices_each = parts_of(sizes.up, room);
    sizes.links_each = parts_of(sizes.up, sizes.devices_each);
    check.choices(sizes);
    return sizes;
}

}  // namespace simlette
