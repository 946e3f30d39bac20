#include <simlette/planner/realize.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <simlette/base/error.hpp>
#include <simlette/planner/planned_axis.hpp>

namespace simlette {

namespace {

// All masks that have an even number of bits in common with each of the labels, by a basis whose lead bits differ.
std::vector<Label> orthogonal_basis(const std::vector<Label>& labels, unsigned bits) {
    std::vector<Label> basis = unit_generators(bits);
    for (const Label label : labels) {
        const auto odd = [label](Label mask) { return std::popcount(mask & label) % 2 == 1; };
        const auto first = std::find_if(basis.begin(), basis.end(), odd);
        if (first == basis.end()) {
            continue;
        }
        const Label pivot = *first;
        basis.erase(first);
        for (Label& mask : basis) {
            mask = odd(mask) ? mask ^ pivot : mask;
        }
    }
    return basis;
}

// `count` of the masks that are independent on the bits inside a rack.
std::optional<std::vector<Label>> independent_inside(const std::vector<Label>& masks, Label inside, unsigned count) {
    std::vector<Label> chosen;
    std::vector<Label> seen;
    for (const Label mask : masks) {
        seen.push_back(mask & inside);
        if (chosen.size() < count && rank_gf2(seen) == seen.size()) {
            chosen.push_back(mask);
        } else {
            seen.pop_back();
        }
    }
    return chosen.size() == count ? std::optional(chosen) : std::nullopt;
}

// Rails that share as many colours: an accelerator of part t has colour (i XOR t) on rail i of them. The parts are told
// apart by masks that no colour changes, so both ends of a circuit are of one part.
struct SharedRails {
    std::vector<Label> colours;  // 0: dark
    std::vector<Label> masks;    // one for each bit of the part

    std::uint32_t part(Label accelerator) const {
        std::uint32_t part = 0;
        for (const Label mask : masks) {
            part = part * 2 + static_cast<std::uint32_t>(std::popcount(accelerator & mask) % 2);
        }
        return part;
    }
};

class RailSharing {
public:
    RailSharing(const Plan& plan, const FabricSpec& fabric)
        : fabric_(fabric), bits_(bits_of(plan.ranks)), inside_(fabric.group - 1) {
        for (std::size_t i = 0; i < plan.generators.size(); ++i) {
            auto& colours = plan.generators[i] > inside_ ? across_ : local_;
            colours.insert(colours.end(), plan.copies[i], plan.generators[i]);
        }
        local_.insert(local_.end(), fabric.ports - plan.ports_used, 0);
    }

    // Nothing if they need not share, or if no sharing in parts of equal size fits.
    std::optional<CircuitSpec> run() {
        if (across_.empty() || fabric_.level1.up >= fabric_.group) {
            return std::nullopt;
        }
        for (std::uint32_t rails = 2; rails <= std::min(fabric_.group, fabric_.ports); rails *= 2) {
            if (share(rails)) {
                return circuits();
            }
        }
        return std::nullopt;
    }

private:
    // Of each `rails` rails so many may have a colour that leads out.
    bool share(std::uint32_t rails) {
        const std::uint64_t leaving = std::uint64_t{fabric_.level1.up} * rails / fabric_.group;
        std::vector<Label> across = across_;
        std::vector<Label> local = local_;
        shared_.clear();
        while (!across.empty()) {
            SharedRails shared;
            for (std::uint32_t rail = 0; rail < rails; ++rail) {
                if (!take(rail < leaving && !across.empty() ? across : local, rails, shared)) {
                    return false;
                }
            }
            shared_.push_back(std::move(shared));
        }
        for (const Label colour : local) {
            shared_.push_back({{colour}, {}});
        }
        return true;
    }

    // The first colour with which parts can still be told apart inside a rack.
    bool take(std::vector<Label>& from, std::uint32_t rails, SharedRails& into) const {
        for (auto colour = from.begin(); colour != from.end(); ++colour) {
            into.colours.push_back(*colour);
            const auto masks = independent_inside(orthogonal_basis(into.colours, bits_), inside_, bits_of(rails));
            if (masks) {
                into.masks = *masks;
                from.erase(colour);
                return true;
            }
            into.colours.pop_back();
        }
        return false;
    }

    CircuitSpec circuits() const {
        CircuitSpec circuits;
        for (const SharedRails& shared : shared_) {
            for (std::uint32_t rail = 0; rail < shared.colours.size(); ++rail) {
                auto& pairs = circuits.port_pairs.emplace_back();
                for (Label a = 0; a >> bits_ == 0; ++a) {
                    const Label peer = a ^ shared.colours[rail ^ shared.part(a)];
                    if (a < peer) {
                        pairs.emplace_back(a, peer);
                    }
                }
            }
        }
        return circuits;
    }

    const FabricSpec& fabric_;
    unsigned bits_;
    Label inside_;
    std::vector<Label> across_;
    std::vector<Label> local_;  // dark ports last
    std::vector<SharedRails> shared_;
};

void check_fit(const Plan& plan, const FabricSpec& fabric) {
    if (plan.ranks != fabric.accelerators) {
        throw Error(ErrorKind::input,
                    fmt::format("the plan is for {} accelerators; the fabric has {}", plan.ranks, fabric.accelerators));
    }
    if (!is_power_of_two(plan.ranks)) {
        throw Error(ErrorKind::input,
                    fmt::format("the plan is for {} accelerators; circuits of plans are laid for powers of two in this "
                                "version",
                                plan.ranks));
    }
    if (has_rings(plan)) {
        throw Error(ErrorKind::input, "an axis of the plan is a ring; rings are priced, their circuits are not laid");
    }
    if (plan.ports_used > fabric.ports) {
        throw Error(ErrorKind::input, fmt::format("the plan needs {} ports of each accelerator; there are {} (`ports`)",
                                                  plan.ports_used, fabric.ports));
    }
}

}  // namespace

CircuitSpec circuits_of(const Plan& plan, const FabricSpec& fabric) {
    check_fit(plan, fabric);
    const bool racks = fabric.kind == FabricKind::two_level && is_power_of_two(fabric.group);
    if (racks && fabric.group <= fabric.accelerators) {
        if (auto shared = RailSharing(plan, fabric).run()) {
            return *shared;
        }
    }
    CircuitSpec circuits;
    circuits.generators = plan.generators;
    circuits.multiplicity = plan.copies;
    return circuits;
}

}  // namespace simlette
