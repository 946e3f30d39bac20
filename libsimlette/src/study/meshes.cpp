// Meshes of a workload, and the axes that its collectives run on.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include <simlette/study/workload_file.hpp>

namespace simlette {

namespace {

constexpr std::int64_t most_ranks = 65'536;
const char* const mesh_form = "a map from the names of axes to their sizes, slowest first, such as {ep: 8, tpe: 64}";

bool check_name(const Value& value, std::size_t index) {
    const std::string& name = value.node().keys[index].text;
    const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_';
    });
    return good || value.fail_at_key(index, "the name " + quote(name) + "; expected letters, digits, `-` and `_`");
}

bool read_mesh(const Value& value, Mesh& into) {
    if (!value.is_map() || value.node().items.empty()) {
        return value.expect(mesh_form);
    }
    bool good = true;
    for (std::size_t i = 0; i < value.node().items.size(); ++i) {
        std::int64_t size = 0;  // stays so where it is wrong
        good = check_name(value, i) && read_whole(value.member(i), 1, most_ranks, size) && good;
        into.axes.push_back({value.node().keys[i].text, static_cast<std::uint32_t>(size)});
    }
    return good;
}

std::string product_text(const Mesh& mesh) {
    std::string text;
    for (const Mesh::Axis& axis : mesh.axes) {
        text += fmt::format("{}{} {}", text.empty() ? "" : " x ", axis.name, axis.size);
    }
    return text;
}

std::vector<std::string> axis_names(const std::vector<Mesh>& meshes) {
    std::vector<std::string> names;
    for (const Mesh& mesh : meshes) {
        for (const Mesh::Axis& axis : mesh.axes) {
            names.push_back(mesh.name + '.' + axis.name);
        }
    }
    return names;
}

}  // namespace

Kind<std::vector<Mesh>> meshes_kind() {
    Kind<std::vector<Mesh>> kind;
    kind.read = [](const Value& value, std::vector<Mesh>& into) {
        if (!value.is_map() || value.node().items.empty()) {
            return value.expect("a map from the names of meshes to their axes, such as {ffn: {ep: 8, tpe: 64}}");
        }
        bool good = true;
        for (std::size_t i = 0; i < value.node().items.size(); ++i) {
            into.push_back({value.node().keys[i].text, {}});
            good = check_name(value, i) && read_mesh(value.member(i), into.back()) && good;
        }
        return good;
    };
    kind.write = [](const std::vector<Mesh>& meshes) {
        std::vector<std::pair<std::string, Node>> members;
        for (const Mesh& mesh : meshes) {
            std::vector<std::pair<std::string, Node>> axes;
            for (const Mesh::Axis& axis : mesh.axes) {
                axes.emplace_back(axis.name, number_node(std::uint64_t{axis.size}));
            }
            members.emplace_back(mesh.name, map_node(std::move(axes)));
        }
        return members.empty() ? Node{} : map_node(std::move(members));
    };
    const auto map_of = [](Node value) {
        return map_node({{"type", text_node("object")},
                         {"minProperties", number_node(std::int64_t{1})},
                         {"additionalProperties", std::move(value)}});
    };
    kind.schema = map_of(map_of(whole_schema(1, most_ranks)));
    return kind;
}

void check_meshes(const Value& file, const std::vector<Mesh>& meshes, std::uint32_t accelerators) {
    for (const Mesh& mesh : meshes) {
        std::uint64_t product = mesh.axes.empty() ? 0 : 1;
        for (const Mesh::Axis& axis : mesh.axes) {
            product = std::min(product * axis.size, std::uint64_t{1} << 40U);
        }
        if (accelerators != 0 && product != 0 && product != accelerators) {
            const Value value = file.at("meshes." + mesh.name);
            value.fail(fmt::format("{} has {} = {} ranks; the fabric has {}", value.name(), product_text(mesh), product,
                                   accelerators));
        }
    }
}

bool resolve_axis(const Value& value, const std::vector<Mesh>& meshes, CollectiveText& into) {
    for (const Mesh& mesh : meshes) {
        for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
            if (into.axis == mesh.name + '.' + mesh.axes[axis].name) {
                into.axis_size = mesh.axes[axis].size;
                return true;
            }
        }
    }
    const std::vector<std::string> names = axis_names(meshes);
    const std::string hint = nearest(into.axis, names);
    return value.fail(fmt::format("{} is {}; {}", value.name(), quote(into.axis),
                                  names.empty()  ? "the workload has no `meshes`"
                                  : hint.empty() ? "expected an axis of a mesh: " + alternatives(names)
                                                 : "did you mean " + quote(hint) + "?"));
}

std::vector<std::vector<std::uint32_t>> groups_of(const std::string& axis, const std::vector<Mesh>& meshes) {
    for (const Mesh& mesh : meshes) {
        for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
            if (axis == mesh.name + '.' + mesh.axes[i].name) {
                return groups_of_axis(mesh, i);
            }
        }
    }
    return {};
}

}  // namespace simlette
