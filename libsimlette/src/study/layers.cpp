#include <algorithm>
#include <bit>

#include <simlette/base/label.hpp>
#include <simlette/study/workload_file.hpp>

namespace simlette {

namespace {

constexpr std::int64_t widest_block = 65'536;
constexpr std::size_t most_bits = 16;
const char* const layer_forms =
    "a list of sizes of blocks, such as [3, 3, 3], or of layers, such as [[\"001\", \"010\", \"100\"], [\"111\"]]";

bool read_label(const Value& value, std::size_t& bits, std::vector<std::uint32_t>& layer) {
    const std::string& text = value.node().text;
    if (!value.is_scalar() || text.empty() || text.size() > most_bits ||
        text.find_first_not_of("01") != std::string::npos) {
        return value.expect("a bit string of at most 16 bits, most significant bit first, such as `00001`");
    }
    if (bits != 0 && text.size() != bits) {
        return value.fail(value.name() + " has " + std::to_string(text.size()) + " bits, but one before it has " +
                          std::to_string(bits));
    }
    bits = text.size();
    layer.push_back(static_cast<std::uint32_t>(std::stoul(text, nullptr, 2)));
    return true;
}

bool read_layer_list(const Value& value, LayerChoice& into) {
    bool good = true;
    std::size_t bits = 0;
    for (std::size_t j = 0; j < value.node().items.size(); ++j) {
        const Value layer = value.item(j);
        into.generators.emplace_back();
        if (!layer.is_list() || layer.node().items.empty()) {
            good = layer.expect("a list of bit strings, such as [\"001\", \"010\"]");
            continue;
        }
        for (std::size_t i = 0; i < layer.node().items.size(); ++i) {
            good = read_label(layer.item(i), bits, into.generators.back()) && good;
        }
    }
    return good;
}

bool read_layers(const Value& value, LayerChoice& into) {
    if (!value.is_list() || value.node().items.empty()) {
        return value.expect(layer_forms);
    }
    return value.item(0).is_list() ? read_layer_list(value, into)
                                   : whole_list(1, widest_block, layer_forms).read(value, into.blocks);
}

// The highest label of a tiling has the highest bit, so it says how many bits there are.
Node write_layer_list(const std::vector<std::vector<std::uint32_t>>& layers) {
    std::uint32_t highest = 1;
    for (const std::vector<std::uint32_t>& layer : layers) {
        highest = std::max(highest, *std::max_element(layer.begin(), layer.end()));
    }
    std::vector<Node> items;
    for (const std::vector<std::uint32_t>& layer : layers) {
        std::vector<Node> labels;
        for (const Label label : layer) {
            labels.push_back(text_node(label_text(label, static_cast<unsigned>(std::bit_width(highest)))));
        }
        items.push_back(list_node(std::move(labels)));
    }
    return list_node(std::move(items));
}

Node write_layers(const LayerChoice& layers) {
    if (!layers.generators.empty()) {
        return write_layer_list(layers.generators);
    }
    return layers.blocks.empty() ? Node{} : whole_list(1, widest_block, layer_forms).write(layers.blocks);
}

}  // namespace

Kind<LayerChoice> layers_kind() {
    const Node label = map_node({{"type", text_node("string")}, {"pattern", text_node("^[01]{1,16}$")}});
    Kind<LayerChoice> kind;
    kind.read = read_layers;
    kind.write = write_layers;
    kind.schema = one_of({list_schema(whole_schema(1, widest_block)), list_schema(list_schema(label))});
    return kind;
}

}  // namespace simlette
