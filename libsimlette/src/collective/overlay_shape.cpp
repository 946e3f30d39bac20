#include <simlette/collective/overlay_shape.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include <simlette/base/error.hpp>

namespace simlette {

OverlayShape shape_of(const CosetLayers& layers) {
    return {graph_of(layers), layers};
}

OverlayShape shape_of(CayleyGraph graph, LayerKind kind) {
    std::optional<CosetLayers> layers = find_layers(graph, kind);
    return {std::move(graph), std::move(layers)};
}

namespace {

[[noreturn]] void refuse(const std::string& schedule, const std::string& what) {
    throw Error(ErrorKind::input, "schedule `" + schedule + "` " + what);
}

// Radices of so many digits, lowest first, such that rank 0 has a circuit for every change of a digit.
void add_products(const std::vector<std::uint32_t>& sorted_peers, std::uint32_t rest, std::uint32_t weight,
                  std::size_t digits, std::vector<std::uint32_t>& radices,
                  std::vector<std::vector<std::uint32_t>>& all) {
    if (digits == 0) {
        if (rest == 1) {
            all.push_back(radices);
        }
        return;
    }
    for (std::uint32_t radix = 2; radix <= rest; ++radix) {
        if (!std::binary_search(sorted_peers.begin(), sorted_peers.end(), (radix - 1) * weight)) {
            return;
        }
        if (rest % radix == 0) {
            radices.push_back(radix);
            add_products(sorted_peers, rest / radix, weight * radix, digits - 1, radices, all);
            radices.pop_back();
        }
    }
}

// How ranks may be added: by bits for a power of two, else modulo their number.
RankGroup plain_group(std::uint32_t ranks) {
    return is_power_of_two(ranks) ? RankGroup::binary(bits_of(ranks)) : RankGroup::cyclic(ranks);
}

// The product of complete graphs with fewest digits that the circuits are.
std::optional<OverlayShape> shape_by_digits(const Overlay& overlay, LayerKind kind) {
    std::vector<std::uint32_t> peers = overlay.neighbours[0];
    std::sort(peers.begin(), peers.end());
    for (std::size_t digits = 2; std::uint64_t{1} << digits <= overlay.ranks; ++digits) {
        std::vector<std::uint32_t> radices;
        std::vector<std::vector<std::uint32_t>> products;
        add_products(peers, overlay.ranks, 1, digits, radices, products);
        for (const std::vector<std::uint32_t>& product : products) {
            const RankGroup group(product);
            OverlayShape shape = shape_of({group, common_generators(overlay, group)}, kind);
            if (shape.layers) {
                return shape;
            }
        }
    }
    return std::nullopt;
}

// Ways to add ranks under which circuits may look the same from everywhere: XOR, rings and tori of two dimensions.
std::vector<RankGroup> groups_for(std::uint32_t ranks) {
    std::vector<RankGroup> groups{plain_group(ranks), RankGroup::cyclic(ranks)};
    for (std::uint32_t radix = 2; radix < ranks; ++radix) {
        if (ranks % radix == 0) {
            groups.emplace_back(std::vector<std::uint32_t>{radix, ranks / radix});
        }
    }
    return groups;
}

std::string blocks_text(const std::vector<std::uint32_t>& blocks) {
    std::string text = "[";
    for (const std::uint32_t block : blocks) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(block);
    }
    return text + "]";
}

CosetLayers blocks_asked_for(const Overlay& overlay, const std::string& schedule) {
    const std::vector<std::uint32_t>& blocks = overlay.layers.blocks;
    const bool binary = is_power_of_two(overlay.ranks);
    const std::uint64_t least = binary ? 1 : 2;
    std::uint64_t whole = binary ? 0 : 1;
    for (const std::uint64_t block : blocks) {
        const bool sane = block >= least && block <= overlay.ranks && whole <= overlay.ranks;
        whole = !sane ? UINT64_MAX / 2 : binary ? whole + block : whole * block;
    }
    if (binary && whole != bits_of(overlay.ranks)) {
        refuse(schedule,
               "has `layers` of " + blocks_text(blocks) + "; expected sizes of blocks in bits that add up to " +
                   std::to_string(bits_of(overlay.ranks)) + ", for " + std::to_string(overlay.ranks) + " ranks");
    }
    if (!binary && whole != overlay.ranks) {
        refuse(schedule, "has `layers` of " + blocks_text(blocks) +
                             "; expected sizes whose product is the number of ranks, " + std::to_string(overlay.ranks));
    }
    return binary ? layers_of(BlockFold(blocks.begin(), blocks.end())) : layers_of_radices(blocks);
}

CosetLayers asked_for(const Overlay& overlay, LayerKind kind, const std::string& schedule) {
    if (!overlay.layers.blocks.empty()) {
        return blocks_asked_for(overlay, schedule);
    }
    if (!is_power_of_two(overlay.ranks)) {
        refuse(schedule, "has `layers` of bit strings; " + std::to_string(overlay.ranks) +
                             " ranks have no labels of bits; name the sizes of blocks");
    }
    const CosetLayers layers = in_order(plain_group(overlay.ranks), overlay.layers.generators);
    if (const auto flaw = tiling_flaw(layers)) {
        refuse(schedule, "has `layers` that do not reach every rank in exactly one way: " + *flaw);
    }
    if (kind == LayerKind::subgroup && !all_subgroups(layers)) {
        refuse(schedule,
               "needs layers that join their ranks completely: with two differences also the one between them");
    }
    return layers;
}

void check_circuits(const CosetLayers& layers, const std::vector<Label>& generators, const std::string& schedule) {
    for (const Layer& layer : layers.layers) {
        for (const Label label : layer) {
            if (std::find(generators.begin(), generators.end(), label) == generators.end()) {
                refuse(schedule, "has `layers` with a difference of " + std::to_string(label) +
                                     "; not every rank has a circuit for it");
            }
        }
    }
}

OverlayShape shape_asked_for(const Overlay& overlay, LayerKind kind, const std::string& schedule) {
    OverlayShape shape = shape_of(asked_for(overlay, kind, schedule));
    if (!overlay.complete()) {
        const std::vector<Label> circuits = common_generators(overlay, shape.graph.group);
        check_circuits(*shape.layers, circuits, schedule);
        // Those of the layers, in the order of the circuits: what else joins the ranks is for others.
        const std::vector<Label> asked = std::move(shape.graph.generators);
        shape.graph.generators.clear();
        std::copy_if(circuits.begin(), circuits.end(), std::back_inserter(shape.graph.generators),
                     [&](Label label) { return std::find(asked.begin(), asked.end(), label) != asked.end(); });
    }
    return shape;
}

const char* what_is_needed(LayerKind kind) {
    return kind == LayerKind::subgroup
               ? "needs circuits that join ranks completely, block by block, such as those of the cube or of a fold"
               : "needs coset layers, sets of circuits that reach every rank in exactly one way, such as those of the "
                 "cube or of a fold";
}

}  // namespace

std::vector<Label> common_generators(const Overlay& overlay, const RankGroup& group) {
    std::vector<std::vector<std::uint32_t>> sorted = overlay.neighbours;
    bool same_order = true;
    for (std::uint32_t rank = 0; rank < overlay.ranks; ++rank) {
        std::sort(sorted[rank].begin(), sorted[rank].end());
        const std::vector<std::uint32_t>& here = overlay.neighbours[rank];
        same_order = same_order && here.size() == overlay.neighbours[0].size();
        for (std::size_t i = 0; i < here.size() && same_order; ++i) {
            same_order = group.minus(here[i], rank) == overlay.neighbours[0][i];
        }
    }
    std::vector<Label> common;
    for (const Label candidate : same_order ? overlay.neighbours[0] : sorted[0]) {
        bool everywhere = true;
        for (std::uint32_t rank = 0; rank < overlay.ranks && everywhere; ++rank) {
            everywhere = std::binary_search(sorted[rank].begin(), sorted[rank].end(), group.plus(rank, candidate));
        }
        if (everywhere) {
            common.push_back(candidate);
        }
    }
    return common;
}

OverlayShape layered_shape(const Overlay& overlay, LayerKind kind, const std::string& schedule) {
    if (overlay.layers.given()) {
        return shape_asked_for(overlay, kind, schedule);
    }
    if (overlay.complete()) {
        return shape_of(layers_within(overlay.ranks, overlay.ports));
    }
    const RankGroup group = plain_group(overlay.ranks);
    OverlayShape shape = shape_of({group, common_generators(overlay, group)}, kind);
    // A power of two of ranks needs no digits: a complete graph is the same by XOR.
    if (!is_power_of_two(overlay.ranks) && (!shape.layers || shape.layers->count() > 2)) {
        const std::optional<OverlayShape> by_digits = shape_by_digits(overlay, kind);
        if (by_digits && (!shape.layers || by_digits->layers->count() < shape.layers->count())) {
            shape = *by_digits;
        }
    }
    if (!shape.layers) {
        refuse(schedule, std::string(what_is_needed(kind)) + "; these circuits have none");
    }
    return shape;
}

OverlayShape connected_shape(const Overlay& overlay, const std::string& schedule) {
    if (overlay.layers.given()) {
        return shape_asked_for(overlay, LayerKind::any, schedule);
    }
    if (overlay.complete()) {
        std::vector<Label> all(overlay.ranks - std::min(overlay.ranks, 1U));
        std::iota(all.begin(), all.end(), 1);
        return {{plain_group(overlay.ranks), std::move(all)}, std::nullopt};
    }
    for (const RankGroup& group : groups_for(overlay.ranks)) {
        CayleyGraph graph{group, common_generators(overlay, group)};
        if (connected(graph)) {
            return {std::move(graph), std::nullopt};
        }
    }
    if (std::optional<OverlayShape> by_digits = shape_by_digits(overlay, LayerKind::any)) {
        return {std::move(by_digits->graph), std::nullopt};
    }
    refuse(schedule, "needs circuits that look the same from every rank, such as those of a cube, a fold or a ring");
}

Schedule symmetric_schedule(std::string name, std::string form, const RankGroup& group) {
    Schedule schedule{std::move(name), std::move(form)};
    schedule.ranks = group.size();
    schedule.symmetry = Symmetry::mixed_radix;
    if (group.is_binary()) {
        schedule.symmetry = Symmetry::exclusive_or;
    } else if (group.is_cyclic()) {
        schedule.symmetry = Symmetry::cyclic;
    } else {
        schedule.radices = group.radices();
    }
    return schedule;
}

}  // namespace simlette
