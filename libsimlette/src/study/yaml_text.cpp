#include <simlette/study/yaml_text.hpp>

#include <algorithm>

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

namespace simlette {

namespace {

// Words that could be read as numbers need quotes.
void write_scalar(YAML::Emitter& out, const Node& node) {
    if (!node.plain && node.text.find_first_not_of("0123456789") == std::string::npos) {
        out << YAML::DoubleQuoted;
    }
    out << node.text;
}

bool holds_map(const Node& node) {
    return node.kind == Node::Kind::map || std::any_of(node.items.begin(), node.items.end(), holds_map);
}

void write(YAML::Emitter& out, const Node& node) {
    if (node.kind == Node::Kind::map) {
        out << YAML::BeginMap;
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
            out << YAML::Key << node.keys[i].text << YAML::Value;
            write(out, node.items[i]);
        }
        out << YAML::EndMap;
    } else if (node.kind == Node::Kind::list) {
        if (!holds_map(node)) {
            out << YAML::Flow;
        }
        out << YAML::BeginSeq;
        for (const Node& item : node.items) {
            write(out, item);
        }
        out << YAML::EndSeq;
    } else {
        write_scalar(out, node);
    }
}

}  // namespace

std::string yaml_text(const Node& node) {
    YAML::Emitter out;
    write(out, node);
    return std::string(out.c_str()) + '\n';
}

}  // namespace simlette
