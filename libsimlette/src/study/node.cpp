#include <algorithm>

#include <simlette/study/node.hpp>

namespace simlette {

namespace {

Node plain_node(std::string text) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.plain = true;
    node.text = std::move(text);
    return node;
}

bool is_index(std::string_view step, std::size_t size) {
    const bool digits = !step.empty() && step.size() < 10 &&
                        std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
    return digits && static_cast<std::size_t>(std::stoll(std::string(step))) < size;
}

const Node* step_into(const Node& node, std::string_view step) {
    if (node.kind == Node::Kind::list) {
        return is_index(step, node.items.size()) ? &node.items[std::stoul(std::string(step))] : nullptr;
    }
    return find(node, step);
}

}  // namespace

Node text_node(std::string_view text) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = text;
    return node;
}

Node number_node(std::int64_t number) {
    return plain_node(std::to_string(number));
}

Node number_node(std::uint64_t number) {
    return plain_node(std::to_string(number));
}

Node share_node(std::int64_t millionths) {
    constexpr std::int64_t one = 1'000'000;
    std::string text = std::to_string(millionths / one);
    if (millionths % one != 0) {
        text += '.' + std::to_string(one + millionths % one).substr(1);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return plain_node(std::move(text));
}

Node boolean_node(bool value) {
    return plain_node(value ? "true" : "false");
}

Node list_node(std::vector<Node> items) {
    Node node;
    node.kind = Node::Kind::list;
    node.items = std::move(items);
    return node;
}

Node map_node(std::vector<std::pair<std::string, Node>> members) {
    Node node;
    node.kind = Node::Kind::map;
    for (auto& member : members) {
        node.keys.push_back({std::move(member.first), {}});
        node.items.push_back(std::move(member.second));
    }
    return node;
}

std::size_t index_of(const Node& node, std::string_view key) {
    const auto found =
        std::find_if(node.keys.begin(), node.keys.end(), [&](const Key& candidate) { return candidate.text == key; });
    return static_cast<std::size_t>(found - node.keys.begin());
}

const Node* find(const Node& node, std::string_view key) {
    const std::size_t index = index_of(node, key);
    return index == node.keys.size() ? nullptr : &node.items[index];
}

Node* find(Node& node, std::string_view key) {
    const std::size_t index = index_of(node, key);
    return index == node.keys.size() ? nullptr : &node.items[index];
}

const Node& find_deepest(const Node& node, std::string_view path) {
    const Node* here = &node;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const Node* next = step_into(*here, path.substr(0, dot));
        if (next == nullptr) {
            break;
        }
        here = next;
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return *here;
}

void set_member(Node& map, Key key, Node value) {
    if (Node* present = find(map, key.text)) {
        *present = std::move(value);
        return;
    }
    map.keys.push_back(std::move(key));
    map.items.push_back(std::move(value));
}

}  // namespace simlette
