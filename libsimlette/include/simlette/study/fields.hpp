// Tables that say what a map in a file may hold. One table a struct: the reader, the resolved configuration and the
// schema are all made from it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simlette/study/node.hpp>
#include <simlette/study/problems.hpp>

namespace simlette {

// A value under reading: the node, what messages call it, and where problems go.
class Value {
public:
    Value(const Node& node, std::string path, Problems& problems)
        : node_(node), path_(std::move(path)), problems_(problems) {}

    const Node& node() const { return node_; }
    const std::string& path() const { return path_; }  // `collectives.0.bytes`; empty for the whole file
    std::string name() const;                          // the path in backticks, or `the file`

    std::size_t problems() const { return problems_.size(); }  // so far, anywhere
    bool hopeless() const { return problems_.full(); }

    bool is_list() const { return node_.kind == Node::Kind::list; }
    bool is_map() const { return node_.kind == Node::Kind::map; }
    bool is_scalar() const { return node_.kind == Node::Kind::scalar; }

    Value item(std::size_t index) const;    // of a list
    Value member(std::size_t index) const;  // of a map

    Value at(const std::string& path) const;  // of the whole file: the value there, or the deepest on the way

    // Each adds a problem at the place of the value and returns false.
    bool fail(const std::string& message) const;
    bool expect(const std::string& expected) const;  // says what the value is, and what it should be
    bool not_built(const std::string& text) const;   // a known value that this version does not have

    // The same at the place of a key of this map, or at the map when it has no such key.
    bool fail_at_key(std::size_t index, const std::string& message) const;

private:
    const Node& node_;
    std::string path_;
    Problems& problems_;
};

// How values of one kind are read, written in canonical form, and described to editors.
template <class T>
struct Kind {
    std::function<bool(const Value&, T&)> read;  // false: a problem was added
    std::function<Node(const T&)> write;
    Node schema;
};

// What is the same for the keys of every struct.
struct FieldInfo {
    std::string key;
    std::string meaning;
    bool required = false;
    bool built = true;  // false: known, not in this version
};

template <class S>
struct Field {
    FieldInfo info;
    std::function<void(const Value&, S&)> read;
    std::function<Node(const S&)> write;  // a null node is left out
    Node schema;
};

template <class S>
using Fields = std::vector<Field<S>>;

template <class S, class T>
Field<S> optional(std::string key, T S::*member, Kind<T> kind, std::string meaning) {
    Field<S> field;
    field.info = {std::move(key), std::move(meaning), false, true};
    field.read = [member, kind](const Value& value, S& into) { kind.read(value, into.*member); };
    field.write = [member, kind](const S& from) { return kind.write(from.*member); };
    field.schema = kind.schema;
    return field;
}

template <class S, class T>
Field<S> required(std::string key, T S::*member, Kind<T> kind, std::string meaning) {
    Field<S> field = optional(std::move(key), member, std::move(kind), std::move(meaning));
    field.info.required = true;
    return field;
}

// A known key that this version does not have.
template <class S>
Field<S> later(std::string key) {
    Field<S> field;
    field.info = {std::move(key), "", false, false};
    return field;
}

template <class S>
std::vector<FieldInfo> infos_of(const Fields<S>& fields) {
    std::vector<FieldInfo> infos;
    for (const Field<S>& field : fields) {
        infos.push_back(field.info);
    }
    return infos;
}

// Problems: the value is no map, or a key of it is unknown or not built. False: it is no map.
bool check_keys(const Value& value, const std::vector<FieldInfo>& infos);
// Problems: a required key is not in the map.
void check_missing(const Value& value, const std::vector<FieldInfo>& infos);

// Reads what is there, in the order of the table, and says nothing of what is missing. Returns the keys that were read
// without a problem.
template <class S>
std::vector<std::string> read_present(const Value& value, const Fields<S>& fields, S& into) {
    std::vector<std::string> clean;
    if (!check_keys(value, infos_of(fields))) {
        return clean;
    }
    for (const Field<S>& field : fields) {
        const std::size_t index = index_of(value.node(), field.info.key);
        if (index == value.node().keys.size() || !field.info.built || value.node().items[index].broken) {
            continue;
        }
        const std::size_t before = value.problems();
        field.read(value.member(index), into);
        if (value.problems() == before) {
            clean.push_back(field.info.key);
        }
    }
    return clean;
}

// True: there was no problem.
template <class S>
bool read_fields(const Value& value, const Fields<S>& fields, S& into) {
    const std::size_t before = value.problems();
    read_present(value, fields, into);
    check_missing(value, infos_of(fields));
    return value.problems() == before;
}

template <class S>
Node write_fields(const Fields<S>& fields, const S& from) {
    std::vector<std::pair<std::string, Node>> members;
    for (const Field<S>& field : fields) {
        Node written = field.info.built ? field.write(from) : Node{};
        if (written.kind != Node::Kind::null) {
            members.emplace_back(field.info.key, std::move(written));
        }
    }
    return map_node(std::move(members));
}

Node schema_of(const std::vector<FieldInfo>& infos, std::vector<Node> schemas);

template <class S>
Node schema_of(const Fields<S>& fields) {
    std::vector<Node> schemas;
    for (const Field<S>& field : fields) {
        schemas.push_back(field.schema);
    }
    return schema_of(infos_of(fields), std::move(schemas));
}

// A map within a map whose keys fill the same struct.
template <class S>
Field<S> section(std::string key, const Fields<S>& inner, std::string meaning) {
    Field<S> field;
    field.info = {std::move(key), std::move(meaning), false, true};
    field.read = [inner](const Value& value, S& into) { read_fields(value, inner, into); };
    field.write = [inner](const S& from) { return write_fields(inner, from); };
    field.schema = schema_of(inner);
    return field;
}

}  // namespace simlette
