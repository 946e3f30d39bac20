#include <simlette/study/kinds.hpp>
#include <simlette/study/topology_file.hpp>

namespace simlette {

namespace {

constexpr std::int64_t most_accelerators = 65'536;
constexpr std::int64_t most_ports = 1'024;

const char* const circuit_forms = "a map with `generators` or `ports`, a plan file, or auto";
const char* const generator_forms = "cube, ring, full-mesh, {torus: [4, 4]}, or a list of bit strings";
const char* const pair_form = "a pair of accelerators, such as [0, 1]";

bool read_bits(const Value& value, std::string& into) {
    const bool is_bits = value.is_scalar() && !value.node().text.empty() &&
                         value.node().text.find_first_not_of("01") == std::string::npos;
    into = value.node().text;
    return is_bits || value.expect("a bit string, most significant bit first, such as `00001`");
}

Fields<CircuitText> torus_fields() {
    Field<CircuitText> torus = required("torus", &CircuitText::torus,
                                        whole_list(2, most_accelerators, "the extents of a torus, such as [4, 4]"),
                                        "extents, slowest first; their product is the number of accelerators");
    return {torus};
}

void read_named_generators(const Value& value, CircuitText& into) {
    const std::vector<std::string> names{"cube", "ring", "full-mesh"};
    std::size_t index = 0;
    if (value.node().text == "torus") {
        value.fail(value.name() + " is `torus` without its extents; expected such as {torus: [4, 4]}");
    } else if (!contains(names, value.node().text) && nearest(value.node().text, names).empty()) {
        value.expect(generator_forms);
    } else if (read_choice(value, names, {}, index)) {
        into.cube = index == 0;
        into.shape = index == 0 ? CircuitShape::none : index == 1 ? CircuitShape::ring : CircuitShape::full_mesh;
    }
}

void read_generators(const Value& value, CircuitText& into) {
    if (value.is_map()) {
        into.shape = CircuitShape::torus;
        read_fields(value, torus_fields(), into);
        return;
    }
    if (!value.is_list()) {
        value.is_scalar() ? read_named_generators(value, into) : void(value.expect(generator_forms));
        return;
    }
    if (value.node().items.empty()) {
        value.fail(value.name() + " is empty; expected " + generator_forms);
    }
    for (std::size_t i = 0; i < value.node().items.size(); ++i) {
        std::string bits;
        read_bits(value.item(i), bits);
        into.generators.push_back(std::move(bits));
    }
}

void read_multiplicity(const Value& value, CircuitText& into) {
    if (value.is_list()) {
        whole_list(1, most_ports, "a number or a list of numbers").read(value, into.multiplicity);
        return;
    }
    std::int64_t number = 0;
    if (read_whole(value, 1, most_ports, number)) {
        into.multiplicity = {static_cast<std::uint32_t>(number)};
        into.same_multiplicity = true;
    }
}

void read_pair(const Value& value, std::vector<std::pair<std::uint32_t, std::uint32_t>>& into) {
    std::int64_t ends[2] = {0, 0};
    if (!value.is_list() || value.node().items.size() != 2) {
        value.is_list() ? value.fail(value.name() + " is a list of another length; expected " + std::string(pair_form))
                        : value.expect(pair_form);
        return;
    }
    if (read_whole(value.item(0), 0, most_accelerators - 1, ends[0]) &&
        read_whole(value.item(1), 0, most_accelerators - 1, ends[1])) {
        into.emplace_back(static_cast<std::uint32_t>(ends[0]), static_cast<std::uint32_t>(ends[1]));
    }
}

void read_port_pairs(const Value& value, CircuitText& into) {
    if (!value.is_list()) {
        value.expect("for each port a list of pairs, such as [[[0, 1], [2, 3]]]");
        return;
    }
    for (std::size_t port = 0; port < value.node().items.size(); ++port) {
        const Value pairs = value.item(port);
        if (!pairs.is_list()) {
            pairs.expect("a list of pairs, such as [[0, 1], [2, 3]]");
            continue;
        }
        into.port_pairs.emplace_back();
        for (std::size_t i = 0; i < pairs.node().items.size(); ++i) {
            read_pair(pairs.item(i), into.port_pairs.back());
        }
    }
}

Node write_generators(const CircuitText& circuits) {
    std::vector<Node> items;
    for (const std::string& generator : circuits.generators) {
        items.push_back(text_node(generator));
    }
    if (circuits.shape == CircuitShape::torus) {
        return write_fields(torus_fields(), circuits);
    }
    if (circuits.cube || circuits.shape != CircuitShape::none) {
        return text_node(circuits.cube ? "cube" : name_of(circuits.shape));
    }
    return items.empty() ? Node{} : list_node(std::move(items));
}

Node write_port_pairs(const CircuitText& circuits) {
    std::vector<Node> ports;
    for (const auto& pairs : circuits.port_pairs) {
        std::vector<Node> items;
        for (const auto& pair : pairs) {
            items.push_back(
                list_node({number_node(std::uint64_t{pair.first}), number_node(std::uint64_t{pair.second})}));
        }
        ports.push_back(list_node(std::move(items)));
    }
    return ports.empty() ? Node{} : list_node(std::move(ports));
}

Node bits_schema() {
    return map_node({{"type", text_node("string")}, {"pattern", text_node("^[01]+$")}});
}

Field<CircuitText> multiplicity_field() {
    const auto numbers = whole_list(1, most_ports, "");
    Field<CircuitText> field = optional("multiplicity", &CircuitText::multiplicity, numbers,
                                        "circuits side by side: for each generator, or one number for all");
    field.read = read_multiplicity;
    field.write = [numbers](const CircuitText& circuits) {
        return circuits.multiplicity.empty() ? Node{} : numbers.write(circuits.multiplicity);
    };
    field.schema = one_of({whole_schema(1, most_ports), numbers.schema});
    return field;
}

Node port_pairs_schema() {
    const Node pair = list_schema(whole_schema(0, most_accelerators - 1));
    const Node pairs = map_node({{"type", text_node("array")}, {"items", pair}});
    return map_node({{"type", text_node("array")}, {"items", pairs}});
}

Fields<CircuitText> circuit_fields() {
    return {
        {{"generators",
          "accelerator x is joined to x XOR g; `cube` is the unit generators, repeated as ports allow; of direct also "
          "a ring, a full mesh or a torus",
          false, true},
         read_generators,
         write_generators,
         one_of({choice_schema({"cube", "ring", "full-mesh"}), list_schema(bits_schema()), schema_of(torus_fields())})},
        multiplicity_field(),
        {{"ports", "for each port, the pairs of accelerators that are joined", false, true},
         read_port_pairs,
         write_port_pairs,
         port_pairs_schema()},
    };
}

}  // namespace

Kind<CircuitText> circuits_kind() {
    Kind<CircuitText> kind;
    kind.read = [](const Value& value, CircuitText& into) {
        const std::string& text = value.node().text;
        into.automatic = value.is_scalar() && text == "auto";
        if (into.automatic) {
            return true;
        }
        if (value.is_scalar() && names_file(text)) {
            into.plan_file = text;
            return true;
        }
        return value.is_map() ? read_fields(value, circuit_fields(), into) : value.expect(circuit_forms);
    };
    kind.write = [](const CircuitText& circuits) {
        if (circuits.plan) {
            return write_fields(plan_fields(), *circuits.plan);
        }
        Node written = write_fields(circuit_fields(), circuits);
        return circuits.automatic ? text_node("auto") : written.keys.empty() ? Node{} : written;
    };
    kind.schema = one_of({choice_schema({"auto"}), file_schema(), schema_of(circuit_fields())});
    return kind;
}

}  // namespace simlette
