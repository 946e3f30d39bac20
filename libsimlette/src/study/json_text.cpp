#include <nlohmann/json.hpp>

#include <simlette/base/contract.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/quantity.hpp>

namespace simlette {

namespace {

template <class Json>
Json json_of(const Node& node);

template <class Json>
Json scalar_json(const Node& node) {
    std::int64_t number = 0;
    if (!node.plain) {
        return Json(node.text);
    }
    if (node.text == "true" || node.text == "false") {
        return Json(node.text == "true");
    }
    if (node.text.find('.') != std::string::npos) {
        return Json::parse(node.text);
    }
    const bool negative = !node.text.empty() && node.text.front() == '-';
    require(parse_whole(negative ? node.text.substr(1) : node.text, number), "plain scalars are numbers or booleans");
    return Json(negative ? -number : number);
}

template <class Json>
Json json_of(const Node& node) {
    switch (node.kind) {
        case Node::Kind::null:
            return Json(nullptr);
        case Node::Kind::scalar:
            return scalar_json<Json>(node);
        case Node::Kind::list: {
            Json list = Json::array();
            for (const Node& item : node.items) {
                list.push_back(json_of<Json>(item));
            }
            return list;
        }
        case Node::Kind::map:
            break;
    }
    Json map = Json::object();
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        map[node.keys[i].text] = json_of<Json>(node.items[i]);
    }
    return map;
}

}  // namespace

std::string canonical_json(const Node& node) {
    return json_of<nlohmann::json>(node).dump();
}

std::string readable_json(const Node& node) {
    return json_of<nlohmann::ordered_json>(node).dump(2) + '\n';
}

}  // namespace simlette
