#include <simlette/base/contract.hpp>
#include <simlette/study/document.hpp>
#include <simlette/study/profiles.hpp>

namespace simlette {

namespace {

constexpr Duration longest{ps_per_second};
const char* const propagation_forms = "a time such as `10 ns`, or {length: 2 m}";

Kind<Duration> segment() {
    return time_kind({0}, longest);
}

// At 5 ns/m.
Kind<Duration> length_kind() {
    Kind<Duration> kind = segment();
    kind.read = [](const Value& value, Duration& into) {
        return read_quantity(value, length_units(), 0, longest.ps, "`0 m` to `200000 km`", into.ps);
    };
    kind.schema = quantity_schema(length_units());
    return kind;
}

Fields<LatencySpec> propagation_fields() {
    return {
        optional("length", &LatencySpec::propagation, length_kind(), "length of every link, at 5 ns/m"),
        later<LatencySpec>("level1"),
        later<LatencySpec>("level2"),
    };
}

void read_propagation(const Value& value, LatencySpec& into) {
    if (value.is_map() && !value.node().keys.empty()) {
        read_fields(value, propagation_fields(), into);
    } else if (value.is_scalar()) {
        segment().read(value, into.propagation);
    } else {
        value.expect(propagation_forms);
    }
}

Field<LatencySpec> propagation() {
    Field<LatencySpec> field = optional("propagation", &LatencySpec::propagation, segment(), "of every link");
    field.read = read_propagation;
    field.schema = one_of({quantity_schema(time_units()), schema_of(propagation_fields())});
    return field;
}

Fields<LatencySpec> segments() {
    const Fields<LatencySpec> egress{
        optional("endpoint", &LatencySpec::egress_endpoint, segment(), "inside the accelerator, on the way out"),
        optional("protocol", &LatencySpec::egress_protocol, segment(), "of the scale-up port, on the way out"),
    };
    const Fields<LatencySpec> ingress{
        optional("endpoint", &LatencySpec::ingress_endpoint, segment(), "inside the accelerator, on the way in"),
        optional("protocol", &LatencySpec::ingress_protocol, segment(), "of the scale-up port, on the way in"),
    };
    return {
        section("egress", egress, "core to wire"),
        section("ingress", ingress, "wire to core"),
        propagation(),
        optional("switch", &LatencySpec::packet_switch, segment(), "of an electronic switch, pin to pin"),
        optional("ocs", &LatencySpec::circuit_switch, segment(), "of an optical circuit switch, pass-through"),
    };
}

bool read_profile(const Value& value, LatencySpec& into) {
    const std::vector<std::string> names = latency_profile_names();
    std::size_t index = 0;
    const bool good = read_choice(value, names, {"low", "high"}, index);
    into = good ? latency_profile(names[index]) : into;
    return good;
}

Fields<LatencySpec> latency_fields() {
    Field<LatencySpec> base;
    base.info = {"base", "the profile that gives the fields left out; nominal by default", false, true};
    base.read = read_profile;
    base.write = [](const LatencySpec&) { return Node{}; };
    base.schema = choice_schema(latency_profile_names());
    Fields<LatencySpec> fields{base};
    for (Field<LatencySpec>& field : segments()) {
        fields.push_back(std::move(field));
    }
    return fields;
}

Node profiles_tree(Problems& problems) {
    Source& source = problems.add_source("topologies/profiles/latencies.yaml", true);
    source.text = latency_profiles_text();
    Node root;
    parse_document(source, problems, root);
    return root;
}

}  // namespace

std::vector<std::string> latency_profile_names() {
    Problems problems;
    std::vector<std::string> names;
    for (const Key& key : profiles_tree(problems).keys) {
        names.push_back(key.text);
    }
    return names;
}

LatencySpec latency_profile(const std::string& name) {
    Problems problems;
    const Node root = profiles_tree(problems);
    const Node* profile = find(root, name);
    require(profile != nullptr, "a profile is asked for by a name that it has");
    LatencySpec latency;
    read_fields(Value(*profile, name, problems), segments(), latency);
    require(problems.size() == 0, "the profiles in the library can be read");
    return latency;
}

Kind<LatencySpec> latency_kind() {
    Kind<LatencySpec> kind;
    kind.read = [](const Value& value, LatencySpec& into) {
        if (value.is_map()) {
            return read_fields(value, latency_fields(), into);
        }
        return value.is_scalar() ? read_profile(value, into)
                                 : value.expect("the name of a profile, or a map of single fields");
    };
    kind.write = [](const LatencySpec& latency) { return write_fields(segments(), latency); };
    kind.schema = one_of({choice_schema(latency_profile_names()), schema_of(latency_fields())});
    return kind;
}

}  // namespace simlette
