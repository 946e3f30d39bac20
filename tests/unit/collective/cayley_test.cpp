#include <algorithm>
#include <numeric>
#include <utility>

#include <catch2/catch.hpp>

#include <simlette/collective/cayley.hpp>
#include <simlette/collective/circulant.hpp>
#include <simlette/collective/delivery_plan.hpp>

#include <support/overlay_vectors.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

CayleyGraph cube_with(unsigned bits, const std::vector<Label>& folds) {
    CayleyGraph graph{RankGroup::binary(bits), unit_generators(bits)};
    graph.generators.insert(graph.generators.end(), folds.begin(), folds.end());
    return graph;
}

// Every way to choose a last hop for each label of a sphere, the least load of them; for a handful of labels.
std::uint32_t least_load(const std::vector<std::vector<std::size_t>>& choices, std::vector<std::uint32_t>& loads,
                         std::size_t from) {
    if (from == choices.size()) {
        return *std::max_element(loads.begin(), loads.end());
    }
    std::uint32_t least = UINT32_MAX;
    for (const std::size_t g : choices[from]) {
        ++loads[g];
        least = std::min(least, least_load(choices, loads, from + 1));
        --loads[g];
    }
    return least;
}

}  // namespace

TEST_CASE("spheres, diameter and one-shot volume of cubes and folds are those that another program found") {
    for (const VectorRow& row : overlay_vectors("cayley")) {
        const CayleyGraph graph{RankGroup::binary(number_of(row[0])), numbers_of(row[1])};
        CAPTURE(row[0], row[1]);
        CHECK(graph.generators.size() == number_of(row[2]));
        CHECK(diameter(graph) == number_of(row[3]));
        CHECK(spheres(graph) == numbers_of(row[4]));
        const std::vector<std::uint32_t> within = balls(graph);
        CHECK(std::accumulate(within.begin(), within.end() - 1, 0U) == number_of(row[5]));
        CHECK(delivery_volume(graph) == number_of(row[6]));
    }
}

TEST_CASE("Q4 with the fold 1100 reaches 1, 6, 13 and 16 ranks, and no all-reduce on it takes under 3 phases") {
    CHECK(balls(cube_with(4, {12})) == std::vector<std::uint32_t>{1, 6, 13, 16});
    CHECK(fewest_phases(cube_with(3, {})) == 3);
    CHECK(fewest_phases(cube_with(3, {7})) == 2);
    CHECK(fewest_phases(cube_with(4, {})) == 4);
    CHECK(fewest_phases(cube_with(4, {12})) == 3);
    CHECK(fewest_phases(cube_with(4, {15})) == 2);
}

TEST_CASE("generators join all ranks if and only if their rank over GF(2) is the number of bits") {
    for_each_seed(61, Cases::parts, [](Random& random) {
        const auto bits = static_cast<unsigned>(random.between(1, 6));
        CayleyGraph graph{RankGroup::binary(bits), {}};
        for (auto count = random.between(1, 8); count > 0; --count) {
            graph.generators.push_back(static_cast<Label>(random.between(1, (1 << bits) - 1)));
        }
        const std::vector<std::uint32_t> distance = distances(graph);
        CHECK(connected(graph) == (std::count(distance.begin(), distance.end(), unreached) == 0));
    });
}

TEST_CASE("a generator helps the axes that hold all of its bits, and a mesh is as deep as its axes together") {
    const std::vector<Label> two_eight{0b1000, 0b0111};
    const std::vector<Label> four_four{0b1100, 0b0011};
    const auto both = [&](const std::vector<Label>& folds) {
        const std::vector<Label> generators = cube_with(4, folds).generators;
        return std::pair(mesh_diameter(generators, two_eight), mesh_diameter(generators, four_four));
    };
    CHECK(both({}) == std::pair(4U, 4U));
    CHECK(both({0b0011}) == std::pair(3U, 3U));
    CHECK(both({0b1100}) == std::pair(4U, 3U));
    CHECK(both({0b0011, 0b1100}) == std::pair(3U, 2U));
    CHECK(generators_of_axis({0b0100, 0b1000, 0b1100, 0b0110}, 0b1100) == std::vector<Label>{1, 2, 3});
}

TEST_CASE("labels add by XOR, modulo the ranks, or digit by digit, and subtraction undoes it") {
    CHECK(RankGroup::binary(3).plus(5, 6) == 3);
    CHECK(RankGroup::cyclic(5).plus(3, 4) == 2);
    CHECK(RankGroup({4, 3}).plus(4 + 3, 8 + 2) == 0 + 1);
    for (const RankGroup& group :
         {RankGroup::binary(4), RankGroup::cyclic(12), RankGroup({4, 3}), RankGroup({2, 3, 2}), RankGroup::cyclic(1)}) {
        for (Label a = 0; a < group.size(); ++a) {
            for (Label b = 0; b < group.size(); ++b) {
                CHECK(group.minus(group.plus(a, b), b) == a);
            }
        }
    }
}

TEST_CASE("a delivery plan brings every contribution once, over the last hop of a shortest way") {
    for (const CayleyGraph& graph : {cube_with(4, {15}), cube_with(5, {31}), best_circulant(11, 4),
                                     CayleyGraph{RankGroup({4, 3}), {1, 2, 3, 4, 8}}}) {
        const std::vector<std::uint32_t> distance = distances(graph);
        std::vector<int> brought(graph.group.size(), 0);
        const std::vector<DeliveryPhase> phases = plan_deliveries(graph);
        for (std::uint32_t k = 0; k < phases.size(); ++k) {
            std::size_t most = 0;
            for (std::size_t g = 0; g < graph.generators.size(); ++g) {
                most = std::max(most, phases[k].arrivals[g].size());
                for (const Label label : phases[k].arrivals[g]) {
                    ++brought[label];
                    CHECK(distance[label] == k + 1);
                    CHECK(distance[graph.group.minus(label, graph.generators[g])] == k);
                }
            }
            CHECK(phases[k].load == most);
        }
        CHECK(brought[0] == 0);
        CHECK(std::count(brought.begin(), brought.end(), 1) == graph.group.size() - 1);
    }
}

TEST_CASE("no other choice of last hops has a smaller largest load") {
    for_each_seed(62, Cases::parts, [](Random& random) {
        CayleyGraph graph{RankGroup::cyclic(static_cast<std::uint32_t>(random.between(5, 14))), {}};
        for (Label step = 1; step < graph.group.size(); ++step) {
            if (step == 1 || step + 1 == graph.group.size()) {
                graph.generators.push_back(step);
            }
        }
        const auto chord = static_cast<Label>(random.between(2, graph.group.size() - 2));
        graph.generators.push_back(chord);
        if (chord * 2 != graph.group.size()) {
            graph.generators.push_back(graph.group.size() - chord);
        }
        const std::vector<std::uint32_t> distance = distances(graph);
        const std::vector<DeliveryPhase> phases = plan_deliveries(graph);
        for (std::uint32_t k = 1; k <= phases.size(); ++k) {
            std::vector<std::vector<std::size_t>> choices;
            for (Label label = 0; label < distance.size(); ++label) {
                if (distance[label] == k) {
                    choices.emplace_back();
                    for (std::size_t g = 0; g < graph.generators.size(); ++g) {
                        if (distance[graph.group.minus(label, graph.generators[g])] == k - 1) {
                            choices.back().push_back(g);
                        }
                    }
                }
            }
            std::vector<std::uint32_t> loads(graph.generators.size(), 0);
            CHECK(phases[k - 1].load == least_load(choices, loads, 0));
        }
    });
}

TEST_CASE("one-shot DVO on the cube Q9 has a volume of 59 buffers, and on a complete graph of one") {
    CHECK(delivery_volume(cube_with(9, {})) == 59);
    CayleyGraph complete{RankGroup::binary(3), {1, 2, 3, 4, 5, 6, 7}};
    CHECK(delivery_volume(complete) == 1);
}

TEST_CASE("the best circulants on 8 ranks are those that another program found") {
    for (const VectorRow& row : overlay_vectors("circulant")) {
        const CayleyGraph graph = best_circulant(number_of(row[0]), number_of(row[1]));
        CHECK(diameter(graph) == number_of(row[2]));
        CHECK(graph.generators == numbers_of(row[3]));
    }
}

TEST_CASE("an odd degree on an odd number of ranks gives one generator less") {
    CHECK(best_circulant(9, 5).generators.size() == 4);
    CHECK(best_circulant(9, 4).generators == best_circulant(9, 5).generators);
    CHECK(best_circulant(3, 2).generators == std::vector<Label>{1, 2});
}

TEST_CASE("of circulants with the least diameter the one with the least volume is taken, then the first") {
    // All sets of two steps on 13 ranks, by hand.
    const CayleyGraph best = best_circulant(13, 4);
    CHECK(diameter(best) == 2);
    for (Label a = 1; a <= 6; ++a) {
        for (Label b = a + 1; b <= 6; ++b) {
            const CayleyGraph other{RankGroup::cyclic(13), {a, b, 13 - b, 13 - a}};
            CAPTURE(a, b);
            CHECK(diameter(other) >= 2);
            if (diameter(other) == 2) {
                CHECK(std::pair(delivery_volume(best), best.generators) <=
                      std::pair(delivery_volume(other), other.generators));
            }
        }
    }
}

TEST_CASE("sets of steps beyond 20000 are sampled, the same ones every time") {
    const CayleyGraph first = best_circulant(64, 14);
    CHECK(first.generators.size() == 14);
    CHECK(connected(first));
    CHECK(best_circulant(64, 14).generators == first.generators);
}
