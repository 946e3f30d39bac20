#include <limits>

#include <simlette/base/contract.hpp>
#include <simlette/study/profiles.hpp>
#include <simlette/study/topology_file.hpp>

namespace simlette {

namespace {

constexpr std::int64_t flit_bytes = 640;
constexpr std::int64_t most_accelerators = 65'536;
constexpr std::int64_t most_ports = 1'024;
constexpr std::int64_t most_tags = std::int64_t{1} << 40;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

const UnitTable& buffer_units() {
    static const UnitTable table = [] {
        UnitTable both{"`unlimited` or a size", "22 flits", "flits", flit_units().units};
        both.units.insert(both.units.end(), size_units().units.begin(), size_units().units.end());
        return both;
    }();
    return table;
}

bool read_buffer(const Value& value, std::int64_t& into) {
    if (value.is_scalar() && value.node().text == "unlimited") {
        into = unlimited;
        return true;
    }
    const std::string range = "at least `1 flits`, or `unlimited`";
    std::int64_t size = 0;
    if (!read_quantity(value, buffer_units(), 1, largest, range, size)) {
        return false;
    }
    const bool in_flits = parse_quantity(value.node().text, flit_units()).form == Quantity::Form::good;
    const std::int64_t flits = in_flits ? size : size / flit_bytes;
    if (flits == 0) {
        return value.fail(value.name() + " is " + quote(value.node().text) + ", less than a flit of 640 B; expected " +
                          range);
    }
    into = flits;
    return true;
}

Kind<std::int64_t> buffer_kind() {
    Kind<std::int64_t> kind;
    kind.read = read_buffer;
    kind.write = [](const std::int64_t& flits) {
        return text_node(flits == unlimited ? "unlimited" : flits_text(flits));
    };
    kind.schema = one_of({choice_schema({"unlimited"}), quantity_schema(buffer_units())});
    return kind;
}

Fields<BufferSpec> buffer_fields() {
    return {
        optional("request", &BufferSpec::request, buffer_kind(), "of the request channel"),
        optional("response", &BufferSpec::response, buffer_kind(), "of the response channel"),
    };
}

Kind<BufferSpec> buffers_kind() {
    Kind<BufferSpec> kind;
    kind.read = [](const Value& value, BufferSpec& into) {
        if (value.is_map()) {
            return read_fields(value, buffer_fields(), into);
        }
        const bool read = read_buffer(value, into.request);
        into.response = into.request;
        return read;
    };
    kind.write = [](const BufferSpec& buffers) { return write_fields(buffer_fields(), buffers); };
    kind.schema = one_of({buffer_kind().schema, schema_of(buffer_fields())});
    return kind;
}

Fields<RoutingSpec> routing_fields() {
    return {
        optional("policy", &RoutingSpec::policy, choice(policy_names, {}),
                 "which of the ports that lead there are taken"),
        optional("granularity", &RoutingSpec::granularity, choice(granularity_names, {}),
                 "what is kept together on a port"),
        optional("stripe", &RoutingSpec::stripe, choice(stripe_names, {}),
                 "where a message starts: after the last one, or at the first port"),
    };
}

Kind<RoutingSpec> routing_kind() {
    Kind<RoutingSpec> kind;
    kind.read = [](const Value& value, RoutingSpec& into) { return read_fields(value, routing_fields(), into); };
    kind.write = [](const RoutingSpec& routing) { return write_fields(routing_fields(), routing); };
    kind.schema = schema_of(routing_fields());
    return kind;
}

Kind<std::int64_t> tags_kind() {
    Kind<std::int64_t> kind;
    kind.read = [](const Value& value, std::int64_t& into) {
        if (value.is_scalar() && value.node().text == "unlimited") {
            into = unlimited;
            return true;
        }
        const bool word = value.is_scalar() && value.node().text.find_first_not_of("0123456789") != std::string::npos;
        return word ? value.expect(whole_range(1, most_tags) + ", or unlimited")
                    : read_whole(value, 1, most_tags, into);
    };
    kind.write = [](const std::int64_t& tags) {
        return tags == unlimited ? text_node("unlimited") : number_node(tags);
    };
    kind.schema = one_of({choice_schema({"unlimited"}), whole_schema(1, most_tags)});
    return kind;
}

// A time, or the words that stand for the latency of each link.
Field<TopologyFile> credit_return_field() {
    const char* const link_latency = "link latency";
    const Kind<Duration> time = time_kind({0}, {ps_per_second});
    Field<TopologyFile> field;
    field.info = {
        "credit_return",
        "from the freed slot to the sender's use of the credit: a time, or `link latency`, the latency of the "
        "link itself",
        false, true};
    field.read = [time, link_latency](const Value& value, TopologyFile& into) {
        FabricSpec& fabric = into.fabric;
        const std::string& text = value.node().text;
        fabric.credit_return_is_link_latency = value.is_scalar() && text == link_latency;
        const bool word = value.is_scalar() && !text.empty() && text.find_first_of("0123456789") == std::string::npos;
        if (word && !fabric.credit_return_is_link_latency) {
            value.expect("a time such as `300 ns`, or `link latency`");
        } else if (!word) {
            time.read(value, fabric.credit_return);
        }
    };
    field.write = [time, link_latency](const TopologyFile& from) {
        return from.fabric.credit_return_is_link_latency ? text_node(link_latency)
                                                         : time.write(from.fabric.credit_return);
    };
    field.schema = one_of({choice_schema({link_latency}), time.schema});
    return field;
}

// A kind of the fabric's own member, filled in the file's struct.
template <class T>
Field<TopologyFile> of_fabric(std::string key, T FabricSpec::*member, Kind<T> kind, std::string meaning) {
    Field<TopologyFile> field;
    field.info = {std::move(key), std::move(meaning), false, true};
    field.read = [member, kind](const Value& value, TopologyFile& into) { kind.read(value, into.fabric.*member); };
    field.write = [member, kind](const TopologyFile& from) { return kind.write(from.fabric.*member); };
    field.schema = kind.schema;
    return field;
}

Field<TopologyFile> must(Field<TopologyFile> field) {
    field.info.required = true;
    return field;
}

// Left out of the resolved configuration where `shown` says no.
Field<TopologyFile> shown_if(bool (*shown)(const TopologyFile&), Field<TopologyFile> field) {
    field.write = [shown, write = field.write](const TopologyFile& from) { return shown(from) ? write(from) : Node{}; };
    return field;
}

bool is_single_level(const TopologyFile& topology) {
    return topology.fabric.kind == FabricKind::single_level;
}

bool is_two_level(const TopologyFile& topology) {
    return topology.fabric.kind == FabricKind::two_level;
}

bool is_explicit(const TopologyFile& topology) {
    return topology.fabric.kind == FabricKind::explicit_graph;
}

bool has_devices(const TopologyFile& topology) {
    return is_explicit(topology) && !topology.fabric.graph.devices.empty();
}

bool has_several_switches(const TopologyFile& topology) {
    return is_two_level(topology) || is_explicit(topology);
}

bool has_domain(const TopologyFile& topology) {
    return topology.fabric.domain != 0;
}

bool has_radix(const TopologyFile& topology) {
    return is_single_level(topology) && topology.fabric.radix != 0;
}

bool has_circuits(const TopologyFile& topology) {
    const FabricSpec& fabric = topology.fabric;
    switch (fabric.kind) {
        case FabricKind::single_level:
            return fabric.device == DeviceKind::ocs;
        case FabricKind::two_level:
            return fabric.level2.device == DeviceKind::ocs;
        case FabricKind::direct:
            return true;
        case FabricKind::explicit_graph:
            return false;
    }
    broken_promise("a fabric is of one of four kinds");
}

// The names of the profiles; what one gives is taken before the file is read.
Kind<std::string> accelerator_kind() {
    Kind<std::string> kind = text_kind("the name of a profile");
    const std::vector<std::string> names = accelerator_profile_names();
    kind.read = [names](const Value& value, std::string& into) {
        std::size_t index = 0;
        const bool good = read_choice(value, names, {}, index);
        into = good ? names[index] : into;
        return good;
    };
    kind.schema = choice_schema(names);
    return kind;
}

// The links as they are resolved: with the rate and the propagation that they take from the fabric.
Field<TopologyFile> links_field() {
    const Kind<std::vector<LinkText>> list = graph_links_kind();
    Field<TopologyFile> field =
        optional("links", &TopologyFile::links, list, "of an explicit graph, both directions each");
    field.write = [list](const TopologyFile& from) {
        std::vector<LinkText> links = from.links;
        for (LinkText& text : links) {
            text.link.rate = text.link.rate.value_or(from.fabric.port_rate);
            text.link.propagation = text.link.propagation.value_or(from.fabric.latency.propagation);
        }
        return list.write(links);
    };
    return field;
}

Field<TopologyFile> devices_field() {
    const Kind<std::vector<GraphSpec::Device>> list = graph_devices_kind();
    Field<TopologyFile> field;
    field.info = {"devices", "electronic packet switches of an explicit graph", false, true};
    field.read = [list](const Value& value, TopologyFile& into) { list.read(value, into.fabric.graph.devices); };
    field.write = [list](const TopologyFile& from) { return list.write(from.fabric.graph.devices); };
    field.schema = list.schema;
    return field;
}

Kind<std::int64_t> loss_kind() {
    constexpr std::int64_t most = 1'000'000;
    Kind<std::int64_t> kind;
    kind.read = [](const Value& value, std::int64_t& into) {
        return read_quantity(value, loss_units(), 0, most, "`0 dB` to `1000 dB`", into);
    };
    kind.write = [](const std::int64_t& loss) { return text_node(loss_text(loss)); };
    kind.schema = quantity_schema(loss_units());
    return kind;
}

Fields<OpticsSpec> optics_fields() {
    return {
        required("pass_loss", &OpticsSpec::pass_loss, loss_kind(), "of an optical circuit switch"),
        required("connector_loss", &OpticsSpec::connector_loss, loss_kind(), "of one connector; every fibre has two"),
        required("limit", &OpticsSpec::limit, loss_kind(), "that a receiver stands"),
    };
}

Kind<OpticsSpec> optics_kind() {
    Kind<OpticsSpec> kind;
    kind.read = [](const Value& value, OpticsSpec& into) { return read_fields(value, optics_fields(), into); };
    kind.write = [](const OpticsSpec& optics) { return write_fields(optics_fields(), optics); };
    kind.schema = schema_of(optics_fields());
    return kind;
}

bool read_named_placement(const Value& value, TopologyFile& into) {
    std::size_t index = 0;
    if (!names_file(value.node().text)) {
        return read_choice(value, {"identity"}, {}, index);
    }
    into.placement_file = value.node().text;
    return true;
}

bool read_placement(const Value& value, const Kind<std::vector<std::uint32_t>>& numbers, TopologyFile& into) {
    if (value.is_scalar()) {
        return read_named_placement(value, into);
    }
    const std::size_t strategy = index_of(value.node(), "strategy");
    if (strategy < value.node().keys.size()) {
        return value.fail_at_key(strategy, "known key `strategy`, not in this version");
    }
    return numbers.read(value, into.fabric.placement);
}

// Of a plan that places the ranks, what it says is written.
Field<TopologyFile> placement_field() {
    const auto numbers =
        whole_list(0, most_accelerators - 1, "identity, a list of accelerators, one a rank, or a plan file");
    Field<TopologyFile> field;
    field.info = {"placement", "rank to accelerator", false, true};
    field.read = [numbers](const Value& value, TopologyFile& into) { read_placement(value, numbers, into); };
    field.write = [numbers](const TopologyFile& from) {
        const std::vector<std::uint32_t>& placement = from.fabric.placement;
        return from.placement_plan ? write_fields(plan_fields(), *from.placement_plan)
               : placement.empty() ? text_node("identity")
                                   : numbers.write(placement);
    };
    field.schema = one_of({choice_schema({"identity"}), file_schema(), numbers.schema});
    return field;
}

Fields<TopologyFile> built_fields() {
    return {
        must(of_fabric("fabric", &FabricSpec::kind, choice(fabric_names, {}),
                       "single-level (switches in parallel), two-level, direct (circuits between accelerators) or "
                       "explicit (a graph)")),
        shown_if(is_single_level,
                 of_fabric("device", &FabricSpec::device, choice(device_names, {}),
                           "eps (electronic packet switch) or ocs (optical circuit switch); unused on direct")),
        must(of_fabric("accelerators", &FabricSpec::accelerators, whole<std::uint32_t>(1, most_accelerators),
                       "accelerators that serve, 1 to 65536")),
        shown_if(has_domain, of_fabric("domain", &FabricSpec::domain, whole<std::uint32_t>(1, most_accelerators),
                                       "accelerators that the devices are built for; the serving ones by default")),
        optional("accelerator", &TopologyFile::accelerator, accelerator_kind(),
                 "the profile that gives `ports` and `port_rate` where they are left out"),
        of_fabric("ports", &FabricSpec::ports, whole<std::uint32_t>(1, most_ports),
                  "ports of each accelerator, 1 to 1024; of an explicit graph as many as its links need"),
        of_fabric("port_rate", &FabricSpec::port_rate, rate_kind(),
                  "payload rate of a port, one direction, such as `400 Gb/s`"),
        shown_if(is_two_level, of_fabric("group", &FabricSpec::group, whole<std::uint32_t>(1, most_accelerators),
                                         "accelerators on one device of level 1: a rack")),
        shown_if(is_two_level, of_fabric("level1", &FabricSpec::level1, level1_kind(),
                                         "devices next to the accelerators, one for each group and port")),
        shown_if(is_two_level,
                 of_fabric("level2", &FabricSpec::level2, level2_kind(), "devices that join those of level 1")),
        shown_if(has_several_switches,
                 of_fabric("hop_reading", &FabricSpec::hop_reading, choice(hop_reading_names, {}),
                           "what a further electronic switch adds: its latency and its link (switch-only), or all "
                           "that a path through one switch takes (per-hop)")),
        shown_if(has_devices, devices_field()),
        shown_if(is_explicit, links_field()),
        of_fabric("latency", &FabricSpec::latency, latency_kind(), "a profile, or single fields on a base profile"),
        credit_return_field(),
        of_fabric("buffers", &FabricSpec::buffers, buffers_kind(), "per port, direction and channel"),
        of_fabric("fidelity", &FabricSpec::fidelity, choice(fidelity_names, {}),
                  "what a flit carries: paper (640 bytes of payload) or ualink (packed transactions); also the "
                  "defaults of what is left out"),
        of_fabric("responses", &FabricSpec::responses, choice(response_names, {}), "how what is written is answered"),
        of_fabric("tags", &FabricSpec::tags, tags_kind(), "transactions of a port that may be open, or unlimited"),
        of_fabric("routing", &FabricSpec::routing, routing_kind(), "how messages are spread over ports"),
        shown_if(has_circuits,
                 optional("circuits", &TopologyFile::circuits, circuits_kind(),
                          "circuits of an optical level or of direct; unused where the level is electronic")),
        shown_if(is_single_level, optional("planes", &TopologyFile::planes, whole<std::uint32_t>(1, most_ports),
                                           "switches in parallel; one per port")),
        shown_if(is_single_level,
                 optional("ports_per_plane", &TopologyFile::ports_per_plane, whole<std::uint32_t>(1, most_ports),
                          "ports of an accelerator on one switch")),
        shown_if(has_radix, of_fabric("radix", &FabricSpec::radix, whole<std::uint32_t>(1, most_accelerators),
                                      "the most ports of one switch; not bounded by default")),
        of_fabric("optics", &FabricSpec::optics, if_given(optics_kind()),
                  "what light loses: with it, ways of light that lose too much are refused"),
        placement_field(),
        of_fabric("seed", &FabricSpec::seed, whole<std::uint64_t>(0, largest), "of the random numbers"),
    };
}

}  // namespace

const Fields<TopologyFile>& topology_fields() {
    static const Fields<TopologyFile> fields = [] {
        Fields<TopologyFile> all = built_fields();
        for (const char* key :
             {"failures", "jitter", "link_errors", "reconfiguration", "in_network", "rate", "reduce_rate"}) {
            all.push_back(later<TopologyFile>(key));
        }
        return all;
    }();
    return fields;
}

}  // namespace simlette
