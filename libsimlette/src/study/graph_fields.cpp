#include <algorithm>
#include <map>

#include <simlette/fabric/fabric.hpp>
#include <simlette/study/profiles.hpp>
#include <simlette/study/topology_file.hpp>

namespace simlette {

namespace {

constexpr std::int64_t most_ports = 65'536;
constexpr std::int64_t most_parallel = 1'024;
constexpr std::int64_t most_passes = 64;

template <class T>
Field<LinkText> of_link(std::string key, T GraphSpec::Link::*member, Kind<T> kind, std::string meaning) {
    Field<LinkText> field;
    field.info = {std::move(key), std::move(meaning), false, true};
    field.read = [member, kind](const Value& value, LinkText& into) { kind.read(value, into.link.*member); };
    field.write = [member, kind](const LinkText& from) { return kind.write(from.link.*member); };
    field.schema = kind.schema;
    return field;
}

Field<LinkText> length_field() {
    Field<LinkText> length = of_link("length", &GraphSpec::Link::propagation, if_given(length_kind()),
                                     "at 5 ns/m, instead of `propagation`");
    length.write = [](const LinkText&) { return Node{}; };
    return length;
}

Fields<LinkText> link_fields() {
    const auto end = text_kind("an accelerator such as `a0`, or the name of a device");
    return {
        required("from", &LinkText::from, end, "an accelerator, a0 and so on, or a device by its name"),
        required("to", &LinkText::to, end, "the other end"),
        of_link("count", &GraphSpec::Link::count, whole<std::uint32_t>(1, most_parallel), "links side by side"),
        of_link("rate", &GraphSpec::Link::rate, if_given(rate_kind()),
                "payload rate, one direction; port_rate by default"),
        length_field(),
        of_link("propagation", &GraphSpec::Link::propagation, if_given(latency_segment()),
                "end to end; latency.propagation by default"),
        of_link("passes", &GraphSpec::Link::optical_passes, whole<std::uint32_t>(0, most_passes),
                "optical circuit switches on the way"),
    };
}

bool is_accelerator_name(const std::string& text) {
    return text.size() > 1 && text[0] == 'a' && text.find_first_not_of("0123456789", 1) == std::string::npos;
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool read_device_name(const Value& value, std::string& into) {
    const std::string expected = "a letter, then letters, digits, `-` or `_`, such as `s0`";
    const std::string& text = value.node().text;
    const auto allowed = [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
    if (!value.is_scalar() || text.empty() || !is_letter(text[0]) || !std::all_of(text.begin(), text.end(), allowed)) {
        return value.expect(expected);
    }
    into = text;
    return !is_accelerator_name(text) ||
           value.fail(value.name() + " is " + quote(text) + ", which names an accelerator; expected another name");
}

Fields<GraphSpec::Device> device_fields() {
    Kind<std::string> name = text_kind("");
    name.read = read_device_name;
    name.schema = map_node({{"type", text_node("string")}, {"pattern", text_node("^[A-Za-z][A-Za-z0-9_-]*$")}});
    Kind<std::uint32_t> radix = whole<std::uint32_t>(1, most_ports);
    radix.write = [write = radix.write](const std::uint32_t& ports) { return ports == 0 ? Node{} : write(ports); };
    return {
        required("name", &GraphSpec::Device::name, name, "unique; links refer to it"),
        optional("radix", &GraphSpec::Device::radix, radix, "the most ports; not bounded by default"),
    };
}

// Names to nodes: accelerators first, then devices in list order.
class Ends {
public:
    Ends(const Value& file, const TopologyFile& topology)
        : file_(file), accelerators_(topology.fabric.accelerators), devices_(topology.fabric.graph.devices) {
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            if (!nodes_.emplace(devices_[i].name, accelerators_ + static_cast<std::uint32_t>(i)).second) {
                const Value name = file_.at("devices." + std::to_string(i) + ".name");
                name.fail(name.name() + " is " + quote(devices_[i].name) + ", the name of a device before");
            }
        }
    }

    // True: `into` is the node.
    bool find_node(const std::string& path, const std::string& name, std::uint32_t& into) const {
        const auto device = nodes_.find(name);
        if (device != nodes_.end()) {
            into = device->second;
            return true;
        }
        std::int64_t number = 0;
        if (is_accelerator_name(name) && parse_whole(name.substr(1), number) && number < accelerators_) {
            into = static_cast<std::uint32_t>(number);
            return true;
        }
        return file_.at(path).fail(unknown(path, name));
    }

private:
    std::string unknown(const std::string& path, const std::string& name) const {
        std::string message =
            quote(path) + " is " + quote(name) + "; accelerators are a0 to a" + std::to_string(accelerators_ - 1);
        if (is_accelerator_name(name)) {
            return message;
        }
        std::vector<std::string> names;
        for (const GraphSpec::Device& device : devices_) {
            names.push_back(device.name);
        }
        const std::string hint = nearest(name, names);
        return message + ", and no device has this name" + (hint.empty() ? "" : "; did you mean " + quote(hint) + "?");
    }

    const Value& file_;
    std::uint32_t accelerators_;
    const std::vector<GraphSpec::Device>& devices_;
    std::map<std::string, std::uint32_t> nodes_;
};

void check_link(const Value& link, const LinkText& text) {
    if (find(link.node(), "length") != nullptr && find(link.node(), "propagation") != nullptr) {
        link.fail(link.name() + " takes either `length` or `propagation`");
    }
    if (text.link.rate && !is_exact_rate(*text.link.rate)) {
        const NearestRates nearby = nearest_exact_rates(*text.link.rate);
        const Value rate = link.member(index_of(link.node(), "rate"));
        rate.fail(rate.name() + " is " + quote(rate.node().text) +
                  "; a flit of 640 bytes then takes no whole number of picoseconds; the nearest rates that work are " +
                  quote(rate_text(nearby.below)) + " and " + quote(rate_text(nearby.above)));
    }
}

Fields<LevelSpec> level2_fields() {
    return {
        required("device", &LevelSpec::device, choice(device_names, {}), "eps or ocs"),
        required("radix", &LevelSpec::radix, whole<std::uint32_t>(1, most_ports), "ports of one device"),
    };
}

Fields<LevelSpec> level1_fields() {
    Fields<LevelSpec> fields = level2_fields();
    fields.push_back(required("down", &LevelSpec::down, whole<std::uint32_t>(1, most_ports),
                              "ports of one device towards the accelerators, at least `group`"));
    fields.push_back(
        required("up", &LevelSpec::up, whole<std::uint32_t>(1, most_ports), "ports of one device towards level 2"));
    return fields;
}

Kind<LevelSpec> level_kind(Fields<LevelSpec> fields) {
    Kind<LevelSpec> kind;
    kind.schema = schema_of(fields);
    kind.read = [fields](const Value& value, LevelSpec& into) { return read_fields(value, fields, into); };
    kind.write = [fields = std::move(fields)](const LevelSpec& level) { return write_fields(fields, level); };
    return kind;
}

}  // namespace

Kind<LevelSpec> level1_kind() {
    return level_kind(level1_fields());
}

Kind<LevelSpec> level2_kind() {
    return level_kind(level2_fields());
}

Kind<std::vector<GraphSpec::Device>> graph_devices_kind() {
    return list_of(device_fields(), "a list of switches, such as [{name: s0, radix: 8}]");
}

Kind<std::vector<LinkText>> graph_links_kind() {
    return list_of(link_fields(), "a list of links, such as [{from: a0, to: s0}]");
}

void resolve_links(const Value& file, TopologyFile& topology) {
    const Ends ends(file, topology);
    for (std::size_t i = 0; i < topology.links.size() && !file.hopeless(); ++i) {
        LinkText& text = topology.links[i];
        const std::string path = "links." + std::to_string(i);
        const bool from = ends.find_node(path + ".from", text.from, text.link.from);
        const bool to = ends.find_node(path + ".to", text.to, text.link.to);
        const Value link = file.at(path);
        if (from && to && text.link.from == text.link.to) {
            link.fail(link.name() + " joins " + quote(text.from) + " to itself");
        }
        check_link(link, text);
        topology.fabric.graph.links.push_back(text.link);
    }
}

}  // namespace simlette
