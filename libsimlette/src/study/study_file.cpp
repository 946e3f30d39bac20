#include <simlette/study/json_text.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/study_file.hpp>

namespace simlette {

namespace {

const char* const axes_form = "a map from paths to lists of values, such as {topology.ports: [8, 16]}";

// A list, or one item that stands for a list of one. `read_item` adds the problems of an item.
template <class T>
Kind<std::vector<T>> some(std::string expected, std::function<bool(const Value&, T&)> read_item,
                          std::function<Node(const T&)> write_item, const Node& item_schema) {
    Kind<std::vector<T>> kind;
    kind.read = [expected = std::move(expected), read_item](const Value& value, std::vector<T>& into) {
        std::vector<T> items(value.is_list() ? value.node().items.size() : 1);
        if (items.empty()) {
            return value.fail(value.name() + " is empty; expected " + expected);
        }
        if (!value.is_list() && !value.is_scalar()) {
            return value.expect(expected);
        }
        bool good = true;
        for (std::size_t i = 0; i < items.size(); ++i) {
            good = read_item(value.is_list() ? value.item(i) : value, items[i]) && good;
        }
        into = good ? std::move(items) : into;
        return good;
    };
    kind.write = [write_item](const std::vector<T>& items) {
        std::vector<Node> nodes;
        for (const T& item : items) {
            nodes.push_back(write_item(item));
        }
        return nodes.empty() ? Node{} : list_node(std::move(nodes));
    };
    kind.schema = one_of({item_schema, list_schema(item_schema)});
    return kind;
}

Kind<std::vector<PlacedText>> texts_kind(const std::string& expected, const std::string& item) {
    const Kind<std::string> text = text_kind(item);
    return some<PlacedText>(
        expected,
        [text](const Value& value, PlacedText& into) {
            into.place = value.node().place;
            return text.read(value, into.text);
        },
        [text](const PlacedText& from) { return text.write(from.text); }, text.schema);
}

Kind<std::vector<Mode>> modes_kind() {
    const Kind<Mode> mode = choice(mode_names, {});
    return some<Mode>("a list of modes, such as [flit, analytic]", mode.read, mode.write, mode.schema);
}

bool read_axis(const Value& value, StudyAxis& into) {
    if (!value.is_list() || value.node().items.empty()) {
        return value.is_list() ? value.fail(value.name() + " is empty; expected a list of values")
                               : value.expect("a list of values, such as [8, 16]");
    }
    for (std::size_t i = 0; i < value.node().items.size(); ++i) {
        if (value.node().items[i].kind == Node::Kind::null) {
            return value.item(i).expect("a value");
        }
    }
    into.values = value.node().items;
    return true;
}

bool read_axes(const Value& value, StudyAxes& into) {
    if (!value.is_map() || value.node().keys.empty()) {
        return value.is_map() ? value.fail(value.name() + " is empty; expected " + axes_form) : value.expect(axes_form);
    }
    bool good = true;
    for (std::size_t i = 0; i < value.node().keys.size(); ++i) {
        StudyAxis axis;
        axis.path = {value.node().keys[i].text, value.node().keys[i].place};
        good = read_axis(value.member(i), axis) && good;
        into.push_back(std::move(axis));
    }
    return good;
}

bool read_in_step(const Value& value, StudyAxes& into) {
    if (!read_axes(value, into)) {
        return false;
    }
    for (std::size_t i = 1; i < into.size(); ++i) {
        if (into[i].values.size() != into[0].values.size()) {
            return value.member(i).fail(quote(into[i].path.text) + " has " + std::to_string(into[i].values.size()) +
                                        " values, but " + quote(into[0].path.text) + " has " +
                                        std::to_string(into[0].values.size()) +
                                        "; what moves in step has equally many");
        }
    }
    return true;
}

// Plain texts that are neither numbers nor words of JSON become texts in quotes.
Node quoted(Node value) {
    std::int64_t number = 0;
    value.plain = value.plain && (value.text == "true" || value.text == "false" || parse_whole(value.text, number));
    for (Node& item : value.items) {
        item = quoted(std::move(item));
    }
    return value;
}

Node axes_node(const StudyAxes& axes) {
    std::vector<std::pair<std::string, Node>> members;
    for (const StudyAxis& axis : axes) {
        std::vector<Node> values;
        for (const Node& value : axis.values) {
            values.push_back(quoted(value));
        }
        members.emplace_back(axis.path.text, list_node(std::move(values)));
    }
    return members.empty() ? Node{} : map_node(std::move(members));
}

Node axes_schema() {
    return map_node({{"type", text_node("object")}, {"additionalProperties", list_schema(map_node({}))}});
}

Kind<StudyAxes> vary_kind() {
    return {read_axes, axes_node, axes_schema()};
}

Kind<std::vector<StudyAxes>> zip_kind() {
    Kind<std::vector<StudyAxes>> kind;
    kind.read = [](const Value& value, std::vector<StudyAxes>& into) {
        if (!value.is_list()) {
            return value.expect("a list of maps, such as [{topology.ports: [8, 16], topology.accelerators: [32, 64]}]");
        }
        bool good = true;
        for (std::size_t i = 0; i < value.node().items.size(); ++i) {
            into.emplace_back();
            good = read_in_step(value.item(i), into.back()) && good;
        }
        return good;
    };
    kind.write = [](const std::vector<StudyAxes>& groups) {
        std::vector<Node> nodes;
        for (const StudyAxes& axes : groups) {
            nodes.push_back(axes_node(axes));
        }
        return nodes.empty() ? Node{} : list_node(std::move(nodes));
    };
    kind.schema = map_node({{"type", text_node("array")}, {"items", axes_schema()}});
    return kind;
}

// Values are set in the order of the file: a later one may not replace what an earlier one has set.
void check_paths(const StudyAxes& axes, std::vector<std::string>& before, Problems& problems) {
    for (const StudyAxis& axis : axes) {
        const std::string& path = axis.path.text;
        for (const std::string& earlier : before) {
            if (earlier == path) {
                problems.add(axis.path.place, quote(path) + " is given twice; each path varies once");
            } else if (earlier.compare(0, path.size() + 1, path + '.') == 0) {
                problems.add(axis.path.place, quote(path) + " would replace " + quote(earlier) + "; put it first");
            }
        }
        before.push_back(path);
    }
}

}  // namespace

const Fields<StudyFile>& study_fields() {
    static const Fields<StudyFile> fields{
        required("topologies", &StudyFile::topologies, texts_kind("a list of topology files", "a topology file"),
                 "topology files, relative to this one"),
        required("workloads", &StudyFile::workloads, texts_kind("a list of workload files", "a workload file"),
                 "workload files, relative to this one"),
        optional("mode", &StudyFile::modes, modes_kind(), "how each point is simulated"),
        optional("vary", &StudyFile::vary, vary_kind(),
                 "paths such as `topology.ports`, each with its values; every combination is a point"),
        optional("zip", &StudyFile::zip, zip_kind(), "maps as of `vary`, whose paths move in step"),
        optional("record", &StudyFile::record, texts_kind("a list of names of results", "the name of a result"),
                 "names of results, such as `completion_ps`"),
    };
    return fields;
}

StudyFile read_study(const Node& root, Problems& problems) {
    StudyFile study;
    read_fields(Value(root, "", problems), study_fields(), study);
    std::vector<std::string> paths;
    check_paths(study.vary, paths, problems);
    for (const StudyAxes& axes : study.zip) {
        check_paths(axes, paths, problems);
    }
    return study;
}

std::string value_text(const Node& value) {
    return value.kind == Node::Kind::scalar ? value.text : canonical_json(quoted(value));
}

}  // namespace simlette
