#include <algorithm>

#include <simlette/study/document.hpp>
#include <simlette/study/overrides.hpp>
#include <simlette/study/quantity.hpp>

namespace simlette {

namespace {

std::vector<std::string> steps_of(const std::string& path) {
    std::vector<std::string> steps(1);
    for (const char c : path) {
        if (c == '.') {
            steps.emplace_back();
        } else {
            steps.back() += c;
        }
    }
    return steps;
}

// One change on its way into a tree.
class Entering {
public:
    Entering(const Place& place, std::vector<std::string> steps, Problems& problems)
        : place_(place), steps_(std::move(steps)), problems_(problems) {}

    void apply(Node& root, Node value) {
        Node* here = &root;
        for (std::size_t step = 1; step + 1 < steps_.size(); ++step) {
            here = enter(*here, step);
            if (here == nullptr) {
                return;
            }
        }
        put(*here, std::move(value));
    }

private:
    std::string path_to(std::size_t step) const {
        std::string path = steps_.front();
        for (std::size_t i = 1; i < step; ++i) {
            path += '.' + steps_[i];
        }
        return quote(path);
    }

    // The node under the step, made if it is not there; nullptr: a problem was added.
    Node* enter(Node& node, std::size_t step) {
        if (node.kind == Node::Kind::list) {
            return item(node, step);
        }
        make_map(node, step);
        if (find(node, steps_[step]) == nullptr) {
            set_member(node, {steps_[step], place_}, empty_map());
        }
        return find(node, steps_[step]);
    }

    void put(Node& node, Node value) {
        const std::size_t last = steps_.size() - 1;
        if (node.kind == Node::Kind::list) {
            if (Node* old = item(node, last)) {
                *old = std::move(value);
            }
            return;
        }
        make_map(node, last);
        set_member(node, {steps_[last], place_}, std::move(value));
    }

    Node* item(Node& list, std::size_t step) {
        std::int64_t index = 0;
        const auto size = static_cast<std::int64_t>(list.items.size());
        if (!parse_whole(steps_[step], index) || index >= size) {
            const std::string items = size == 0 ? "no items"
                                      : size == 1
                                          ? "one item; expected 0"
                                          : std::to_string(size) + " items; expected 0 to " + std::to_string(size - 1);
            problems_.add(place_, quote(steps_[step]) + " is no item of " + path_to(step) + ", which has " + items);
            return nullptr;
        }
        return &list.items[static_cast<std::size_t>(index)];
    }

    // A value that stands for a whole map becomes that map, so that one key of it can be set.
    void make_map(Node& node, std::size_t step) const {
        if (node.kind == Node::Kind::map) {
            return;
        }
        Node map = empty_map();
        const std::string& key = steps_[step - 1];
        if (node.kind == Node::Kind::scalar && key == "latency") {
            set_member(map, {"base", node.place}, node);
        } else if (node.kind == Node::Kind::scalar && key == "buffers") {
            set_member(map, {"request", node.place}, node);
            set_member(map, {"response", node.place}, node);
        }
        node = std::move(map);
    }

    Node empty_map() const {
        Node map = map_node({});
        map.place = place_;
        return map;
    }

    Place place_;
    std::vector<std::string> steps_;
    Problems& problems_;
};

std::string wrong_start(const std::vector<NamedTree>& trees, const std::string& path, const std::string& first) {
    std::vector<std::string> starts;
    for (const NamedTree& tree : trees) {
        starts.push_back(quote(tree.name + '.'));
        if (std::find(tree.keys.begin(), tree.keys.end(), first) != tree.keys.end()) {
            return "the path names no file; did you mean " + quote(tree.name + '.' + path) + "?";
        }
    }
    return "the path names no file; expected one that starts with " + alternatives(starts);
}

}  // namespace

std::optional<Change> change_of(const Override& override, Problems& problems) {
    Source& source = problems.add_source("--set " + override.path, false);
    source.text = override.value;
    Change change{override.path, {&source, 0, 0, 0}, {}};
    const bool good = normalize_text(source, problems) && parse_document(source, problems, change.value);
    return good ? std::optional<Change>(std::move(change)) : std::nullopt;
}

void apply_change(const Change& change, const std::vector<NamedTree>& trees, Problems& problems) {
    const std::vector<std::string> steps = steps_of(change.path);
    const auto tree =
        std::find_if(trees.begin(), trees.end(), [&](const NamedTree& named) { return named.name == steps.front(); });
    if (tree == trees.end()) {
        problems.add(change.place, wrong_start(trees, change.path, steps.front()));
        return;
    }
    if (steps.size() == 1 || std::find(steps.begin(), steps.end(), "") != steps.end()) {
        problems.add(change.place,
                     "the path has an empty step; expected such as " + quote(tree->name + '.' + tree->keys[0]));
        return;
    }
    if (tree->root != nullptr) {
        Entering(change.place, steps, problems).apply(*tree->root, change.value);
    }
}

}  // namespace simlette
