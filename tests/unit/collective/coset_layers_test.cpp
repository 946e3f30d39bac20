#include <catch2/catch.hpp>

#include <simlette/collective/frontier.hpp>

#include <support/folds.hpp>
#include <support/overlay_vectors.hpp>

using namespace simlette;

namespace {

CayleyGraph binary_graph(unsigned bits, std::vector<Label> generators) {
    return {RankGroup::binary(bits), std::move(generators)};
}

std::vector<std::uint32_t> radices_found(const CayleyGraph& graph, LayerKind kind = LayerKind::any) {
    const auto layers = find_layers(graph, kind);
    REQUIRE(layers);
    CHECK_FALSE(tiling_flaw(*layers));
    return layers->radices();
}

}  // namespace

TEST_CASE("the fewest coset layers of cubes and folds are those that another program found") {
    for (const VectorRow& row : overlay_vectors("layers")) {
        CAPTURE(row[0], row[1]);
        CHECK(radices_found(binary_graph(number_of(row[0]), numbers_of(row[1]))).size() == number_of(row[2]));
    }
}

TEST_CASE("the layers of a block fold are its blocks, widest first, then by the lowest bit") {
    const CosetLayers layers = layers_of({1, 3, 1});
    CHECK(layers.layers == std::vector<Layer>{{2, 4, 6, 8, 10, 12, 14}, {1}, {16}});
    CHECK(layers.radices() == std::vector<std::uint32_t>{8, 2, 2});
    CHECK(layers.degree() == 9);
    CHECK(find_layers(graph_of(layers), LayerKind::subgroup)->layers == layers.layers);
}

TEST_CASE("every fold up to 9 bits is found again from its generators") {
    for (unsigned bits = 1; bits <= 9; ++bits) {
        for (const BlockFold& fold : all_folds(bits)) {
            CAPTURE(fold_text(fold));
            const CosetLayers layers = layers_of(fold);
            CHECK_FALSE(tiling_flaw(layers));
            CHECK(all_subgroups(layers));
            CHECK(diameter(graph_of(layers)) == fold.size());
            CHECK(radices_found(graph_of(layers), LayerKind::subgroup) == layers.radices());
        }
    }
}

TEST_CASE("of blocks that overlap the fewest layers are taken, the widest first") {
    // All masks on bits 0-2 and on bits 2-3, and bit 3: [3,1] and [2,2] both need two layers.
    CHECK(radices_found(binary_graph(4, {1, 2, 3, 4, 5, 6, 7, 8, 12})) == std::vector<std::uint32_t>{8, 2});
}

TEST_CASE("layers that are no blocks are found up to 5 bits, and subgroups only if asked for") {
    const CayleyGraph folded = binary_graph(3, {1, 2, 4, 7});
    CHECK(find_layers(folded, LayerKind::any)->layers == std::vector<Layer>{{1, 2, 4}, {7}});
    CHECK(radices_found(folded, LayerKind::subgroup) == std::vector<std::uint32_t>{2, 2, 2});
    // A complete layer in another basis: 3, 5 and 6 with 0 are a subgroup.
    CHECK(radices_found(binary_graph(3, {3, 5, 6, 1}), LayerKind::subgroup) == std::vector<std::uint32_t>{4, 2});
    CHECK_FALSE(find_layers(binary_graph(3, {1, 2, 3}), LayerKind::any));
}

TEST_CASE("products of complete graphs have a layer for each digit") {
    const CosetLayers layers = layers_of_radices({3, 4});
    CHECK(layers.layers == std::vector<Layer>{{3, 6, 9}, {1, 2}});
    CHECK_FALSE(tiling_flaw(layers));
    CHECK(all_subgroups(layers));
    CHECK(find_layers(graph_of(layers), LayerKind::subgroup)->layers == layers.layers);
    CHECK(find_layers({RankGroup::cyclic(7), {1, 2, 3, 4, 5, 6}}, LayerKind::subgroup)->count() == 1);
}

TEST_CASE("what does not tile is told by the first rank that goes wrong") {
    const RankGroup group = RankGroup::binary(3);
    CHECK(*tiling_flaw({group, {{1, 2, 3}, {2}}}) == "they reach rank 2 in more than one way");
    CHECK(*tiling_flaw({group, {{1, 2, 3}}}) == "they do not reach rank 4");
    CHECK(*tiling_flaw({group, {{1, 2, 8}}}) == "there is no rank 8");
}

TEST_CASE("the components of a label are one element of each layer and add up to it") {
    for (const CosetLayers& layers :
         {layers_of({2, 1}), in_order(RankGroup::binary(3), {{1, 2, 4}, {7}}), layers_of_radices({4, 3})}) {
        const std::vector<Label> parts = layers.components();
        for (Label label = 0; label < layers.group.size(); ++label) {
            Label sum = 0;
            for (std::size_t j = 0; j < layers.count(); ++j) {
                const Label part = parts[label * layers.count() + j];
                CHECK((part == 0 || std::count(layers.layers[j].begin(), layers.layers[j].end(), part) == 1));
                sum = layers.group.plus(sum, part);
            }
            CHECK(sum == label);
        }
    }
}

TEST_CASE("a fold is written Q9[3,3,3] and read back; anything else is not read") {
    CHECK(fold_text({4, 4, 1}) == "Q9[4,4,1]");
    CHECK(*parse_fold("Q9[4,4,1]") == BlockFold{4, 4, 1});
    CHECK(degree({3, 3}) == 14);
    CHECK(degree({4, 3}) == 22);
    CHECK(degree({3, 3, 3}) == 21);
    CHECK(degree({4, 4, 1}) == 31);
    for (const char* text : {"", "Q", "Q9", "Q9[]", "Q9[3,3]", "Q9[3,3,3", "Q9[3,3,3] ", "q9[3,3,3]", "Q9[3,,6]",
                             "Q9[03,6]", "Q9[9,0]", "Q99[99]", "9[9]", "Q9[3,3,3]]", "Q-9[9]"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_fold(text));
    }
}

TEST_CASE("schedulable and diameter degrees are those of the published frontier") {
    for (const VectorRow& row : overlay_vectors("frontier")) {
        const unsigned bits = number_of(row[0]);
        const unsigned phases = number_of(row[1]);
        CAPTURE(bits, phases);
        CHECK(schedulable_degree(bits, phases) == number_of(row[2]));
        CHECK(balanced_fold(bits, phases) == numbers_of(row[3]));
        CHECK(diameter_degree(bits, phases) == number_of(row[4]));
        CHECK(sphere_bound(bits, phases) == number_of(row[5]));
    }
    for (const VectorRow& row : overlay_vectors("degrees")) {
        const unsigned bits = number_of(row[0]);
        for (unsigned phases = 1; phases <= bits; ++phases) {
            CAPTURE(bits, phases);
            const std::string& cell = row[phases];
            CHECK(diameter_degree(bits, phases) == number_of(cell));
            CHECK(schedulable_degree(bits, phases) == number_of(cell.substr(cell.find('/') + 1)));
        }
    }
}

TEST_CASE("no fold needs fewer generators than the balanced one with as many layers") {
    for (unsigned bits = 1; bits <= 9; ++bits) {
        for (const BlockFold& fold : all_folds(bits)) {
            CHECK(degree(fold) >= schedulable_degree(bits, static_cast<unsigned>(fold.size())));
        }
    }
}

TEST_CASE("diameter sets reach every rank within their phases, with no fewer generators than the spheres ask for") {
    for (unsigned bits = 1; bits <= 10; ++bits) {
        for (unsigned phases = 1; phases <= bits; ++phases) {
            CAPTURE(bits, phases);
            const CayleyGraph graph = binary_graph(bits, diameter_set(bits, phases));
            CHECK(diameter(graph) <= phases);
            CHECK(graph.generators.size() >= sphere_bound(bits, phases));
            CHECK(graph.generators.size() <= schedulable_degree(bits, phases));
        }
    }
    for (const VectorRow& row : overlay_vectors("witness")) {
        const CayleyGraph graph = binary_graph(number_of(row[0]), numbers_of(row[2]));
        CHECK(diameter(graph) == number_of(row[1]));
        CHECK(diameter_degree(number_of(row[0]), number_of(row[1])) == graph.generators.size());
    }
}

TEST_CASE("packet switches stand in for the folds that as many circuits could make") {
    CHECK(layers_within(512, 36).radices() == std::vector<std::uint32_t>{8, 8, 8});
    CHECK(layers_within(128, 36).radices() == std::vector<std::uint32_t>{16, 8});
    CHECK(layers_within(64, 36).radices() == std::vector<std::uint32_t>{8, 8});
    CHECK(layers_within(32, 36).radices() == std::vector<std::uint32_t>{32});
    CHECK(layers_within(32, 8).radices() == std::vector<std::uint32_t>{4, 4, 2});
    CHECK(layers_within(32, 3).radices() == std::vector<std::uint32_t>{2, 2, 2, 2, 2});
    CHECK(layers_within(12, 5).radices() == std::vector<std::uint32_t>{4, 3});
    CHECK(layers_within(12, 4).radices() == std::vector<std::uint32_t>{3, 2, 2});
    CHECK(layers_within(13, 4).radices() == std::vector<std::uint32_t>{13});
    CHECK(layers_within(1, 4).count() == 0);
}
