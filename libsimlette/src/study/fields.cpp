#include <algorithm>

#include <simlette/study/fields.hpp>

namespace simlette {

namespace {

std::string child_path(const std::string& path, const std::string& step) {
    return path.empty() ? step : path + '.' + step;
}

std::vector<std::string> keys_of(const std::vector<FieldInfo>& infos, bool built) {
    std::vector<std::string> keys;
    for (const FieldInfo& info : infos) {
        if (info.built == built) {
            keys.push_back(info.key);
        }
    }
    return keys;
}

std::string unknown_key(const std::string& key, const std::vector<FieldInfo>& infos) {
    std::vector<std::string> keys = keys_of(infos, true);
    const std::string all = alternatives(keys);
    for (std::string& later : keys_of(infos, false)) {
        keys.push_back(std::move(later));
    }
    const std::string hint = nearest(key, keys);
    return "unknown key " + quote(key) + (hint.empty() ? "; expected " + all : "; did you mean " + quote(hint) + "?");
}

void check_key(const Value& map, std::size_t index, const std::vector<FieldInfo>& infos) {
    const std::string& key = map.node().keys[index].text;
    const auto info =
        std::find_if(infos.begin(), infos.end(), [&](const FieldInfo& candidate) { return candidate.key == key; });
    if (info == infos.end()) {
        map.fail_at_key(index, unknown_key(key, infos));
    } else if (!info->built) {
        map.fail_at_key(index, "known key " + quote(key) + ", not in this version");
    }
}

}  // namespace

std::string Value::name() const {
    return path_.empty() ? "the file" : quote(path_);
}

Value Value::item(std::size_t index) const {
    return {node_.items[index], child_path(path_, std::to_string(index)), problems_};
}

Value Value::member(std::size_t index) const {
    return {node_.items[index], child_path(path_, node_.keys[index].text), problems_};
}

Value Value::at(const std::string& path) const {
    return {find_deepest(node_, path), path, problems_};
}

bool Value::fail(const std::string& message) const {
    if (!node_.broken) {
        problems_.add(node_.place, message);
    }
    return false;
}

bool Value::expect(const std::string& expected) const {
    switch (node_.kind) {
        case Node::Kind::null:
            return fail(name() + " has no value; expected " + expected);
        case Node::Kind::list:
            return fail(name() + " is a list; expected " + expected);
        case Node::Kind::map:
            return fail(name() + " is a map; expected " + expected);
        case Node::Kind::scalar:
            break;
    }
    return fail(name() + " is " + quote(node_.text) + "; expected " + expected);
}

bool Value::not_built(const std::string& text) const {
    return fail("known value " + quote(text) + " of " + name() + ", not in this version");
}

bool Value::fail_at_key(std::size_t index, const std::string& message) const {
    problems_.add(index < node_.keys.size() ? node_.keys[index].place : node_.place, message);
    return false;
}

bool check_keys(const Value& value, const std::vector<FieldInfo>& infos) {
    if (!value.is_map()) {
        return value.expect("a map with the keys " + alternatives(keys_of(infos, true)));
    }
    for (std::size_t i = 0; i < value.node().keys.size() && !value.hopeless(); ++i) {
        check_key(value, i, infos);
    }
    return true;
}

void check_missing(const Value& value, const std::vector<FieldInfo>& infos) {
    for (const FieldInfo& info : infos) {
        if (value.is_map() && info.required && find(value.node(), info.key) == nullptr) {
            const std::string where = value.path().empty() ? "" : " in " + value.name();
            value.fail("missing key " + quote(info.key) + where + ": " + info.meaning);
        }
    }
}

Node schema_of(const std::vector<FieldInfo>& infos, std::vector<Node> schemas) {
    std::vector<std::pair<std::string, Node>> properties;
    std::vector<Node> required;
    for (std::size_t i = 0; i < infos.size(); ++i) {
        if (!infos[i].built) {
            continue;
        }
        set_member(schemas[i], {"description", {}}, text_node(infos[i].meaning));
        properties.emplace_back(infos[i].key, std::move(schemas[i]));
        if (infos[i].required) {
            required.push_back(text_node(infos[i].key));
        }
    }
    Node schema = map_node({{"type", text_node("object")}, {"properties", map_node(std::move(properties))}});
    if (!required.empty()) {
        set_member(schema, {"required", {}}, list_node(std::move(required)));
    }
    set_member(schema, {"additionalProperties", {}}, boolean_node(false));
    return schema;
}

}  // namespace simlette
