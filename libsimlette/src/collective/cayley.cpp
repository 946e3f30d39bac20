#include <simlette/collective/cayley.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

// The bits of `label` under the mask, moved together.
Label gathered(Label label, Label mask) {
    Label result = 0;
    unsigned place = 0;
    for (Label rest = mask; rest != 0; rest &= rest - 1) {
        result |= (label >> std::countr_zero(rest) & 1U) << place++;
    }
    return result;
}

}  // namespace

std::vector<std::uint32_t> distances(const CayleyGraph& graph) {
    std::vector<std::uint32_t> distance(graph.group.size(), unreached);
    std::vector<Label> found{0};
    distance[0] = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const Label generator : graph.generators) {
            const Label next = graph.group.plus(found[i], generator);
            if (distance[next] == unreached) {
                distance[next] = distance[found[i]] + 1;
                found.push_back(next);
            }
        }
    }
    return distance;
}

bool connected(const CayleyGraph& graph) {
    if (graph.group.is_binary()) {
        return rank_gf2(graph.generators) == graph.group.radices().size();
    }
    const std::vector<std::uint32_t> distance = distances(graph);
    return std::find(distance.begin(), distance.end(), unreached) == distance.end();
}

std::vector<std::uint32_t> spheres(const CayleyGraph& graph) {
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t distance : distances(graph)) {
        if (distance != unreached) {
            counts.resize(std::max<std::size_t>(counts.size(), distance + 1), 0);
            ++counts[distance];
        }
    }
    return counts;
}

std::vector<std::uint32_t> balls(const CayleyGraph& graph) {
    std::vector<std::uint32_t> counts = spheres(graph);
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    return counts;
}

std::uint32_t diameter(const CayleyGraph& graph) {
    const std::vector<std::uint32_t> within = balls(graph);
    require(within.back() == graph.group.size(), "a diameter is asked of a connected graph");
    return static_cast<std::uint32_t>(within.size() - 1);
}

std::uint32_t fewest_phases(const CayleyGraph& graph) {
    std::uint32_t phases = 0;
    for (std::uint64_t heard = 1; heard < graph.group.size(); heard *= graph.generators.size() + 1) {
        ++phases;
    }
    return std::max(phases, diameter(graph));
}

std::vector<Label> generators_of_axis(const std::vector<Label>& generators, Label axis_bits) {
    std::vector<Label> inside;
    for (const Label generator : generators) {
        if (supports(generator, axis_bits)) {
            inside.push_back(gathered(generator, axis_bits));
        }
    }
    return inside;
}

std::uint32_t mesh_diameter(const std::vector<Label>& generators, const std::vector<Label>& axes) {
    std::uint32_t sum = 0;
    for (const Label axis : axes) {
        const auto bits = static_cast<unsigned>(std::popcount(axis));
        sum += diameter({RankGroup::binary(bits), generators_of_axis(generators, axis)});
    }
    return sum;
}

}  // namespace simlette
